package secrets

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"berth/core/fault"
)

// MaxReference bounds a reference, in bytes.
const MaxReference = 1024

// VaultReference names a field of a secret in a key-value store, version 2. As text it is
// <mount>/data/<path>#<field>: the first /data/ ends the mount and the first # the path.
type VaultReference struct{ Mount, Path, Field string }

// ManagerReference names a secret of a secrets manager. As text it is
// <project_id>/<environment>/<secret_path>#<SECRET_NAME>. Path has no slash at either end, and is empty
// for the root folder: project/prod/#NAME.
type ManagerReference struct{ Project, Environment, Path, Name string }

// CheckReference complains about what is no reference of an external provider. Invalid
// "secret.bad_reference" names each part that is wrong.
func CheckReference(provider, text string) error {
	var err error
	switch provider {
	case Vault:
		_, err = ParseVaultReference(text)
	case Manager:
		_, err = ParseManagerReference(text)
	default:
		err = badReference("the provider %s has no references", provider)
	}
	return err
}

// ParseVaultReference reads a reference; Invalid "secret.bad_reference".
func ParseVaultReference(text string) (VaultReference, error) {
	where, field, named := strings.Cut(text, "#")
	mount, path, inside := strings.Cut(where, dataFolder)
	if !named || !inside {
		return VaultReference{}, badReference("must be <mount>/data/<path>#<field>, such as kv/data/shop/database#password")
	}
	r := VaultReference{mount, path, field}
	return r, r.Check()
}

// dataFolder is what the server's API has between a mount and the path of a secret in it.
const dataFolder = "/data/"

// String returns the reference as text.
func (r VaultReference) String() string { return r.Mount + dataFolder + r.Path + "#" + r.Field }

// Check complains about parts that a reference cannot have.
func (r VaultReference) Check() error {
	bad := pathProblems("mount", r.Mount, true)
	if strings.Contains(r.Mount+"/", dataFolder) {
		bad = append(bad, fault.Field{Path: "mount", Problem: "has a folder named data, where the path of a secret would begin; mount the store elsewhere"})
	}
	bad = append(bad, pathProblems("path", r.Path, true)...)
	bad = append(bad, wordProblems("field", r.Field, "")...)
	return checked(bad, r.String())
}

// ParseManagerReference reads a reference; Invalid "secret.bad_reference".
func ParseManagerReference(text string) (ManagerReference, error) {
	where, name, named := strings.Cut(text, "#")
	split := strings.SplitN(where, "/", 3)
	if !named || len(split) < 3 {
		return ManagerReference{}, badReference("must be <project_id>/<environment>/<secret_path>#<SECRET_NAME>, " +
			"such as 1b2c/prod/shop#PASSWORD, or 1b2c/prod/#PASSWORD in the root folder")
	}
	r := ManagerReference{split[0], split[1], split[2], name}
	return r, r.Check()
}

// String returns the reference as text.
func (r ManagerReference) String() string {
	return r.Project + "/" + r.Environment + "/" + r.Path + "#" + r.Name
}

// Check complains about parts that a reference cannot have.
func (r ManagerReference) Check() error {
	bad := slices.Concat(wordProblems("project", r.Project, "/#"), wordProblems("environment", r.Environment, "/#"),
		pathProblems("path", r.Path, false), wordProblems("name", r.Name, ""))
	return checked(bad, r.String())
}

// pathProblems complains about a path whose parts do not name exactly one place.
func pathProblems(name, path string, required bool) []fault.Field {
	if path == "" && !required {
		return nil
	}
	for part := range strings.SplitSeq(path, "/") {
		problem := wordProblem(part, "#")
		switch {
		case path == "":
			problem = "is empty"
		case part == "":
			problem = "begins or ends with a slash, or has two in a row"
		case part == "." || part == "..":
			problem = "may not have . or .. in it"
		}
		if problem != "" {
			return []fault.Field{{Path: name, Problem: problem}}
		}
	}
	return nil
}

// wordProblems complains about what is no single name.
func wordProblems(name, text, without string) []fault.Field {
	problem := wordProblem(text, without)
	switch text {
	case "":
		problem = "is empty"
	case ".", "..":
		problem = "may not be . or .."
	}
	if problem == "" {
		return nil
	}
	return []fault.Field{{Path: name, Problem: problem}}
}

// wordProblem refuses what people could not see, and what would end the part early.
func wordProblem(text, without string) string {
	switch {
	case !utf8.ValidString(text):
		return "is not valid UTF-8"
	case strings.ContainsFunc(text, func(c rune) bool { return !unicode.IsPrint(c) }):
		return "has a control character or another that cannot be seen"
	case strings.TrimSpace(text) != text:
		return "begins or ends with a space"
	case strings.ContainsAny(text, without):
		return fmt.Sprintf("may have none of %q in it", without)
	}
	return ""
}

// checked returns the fault for bad parts and for a text that is too long.
func checked(bad []fault.Field, text string) error {
	if len(text) > MaxReference {
		bad = append(bad, fault.Field{Path: "reference", Problem: fmt.Sprintf("is longer than %d bytes", MaxReference)})
	}
	return fault.BadFields("secret.bad_reference", bad)
}

func badReference(format string, args ...any) error {
	return fault.BadFields("secret.bad_reference", []fault.Field{{Path: "reference", Problem: fmt.Sprintf(format, args...)}})
}
