package repositories

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"

	"berth/core"
	"berth/core/fault"
	"berth/core/secrets"
	"berth/core/variables"
)

// SecretsFile is the name of a stack's encrypted secrets file, in the folder of its manifest.
const SecretsFile = "secrets.yaml"

// MaxSecretsFile bounds a secrets file, in bytes.
const MaxSecretsFile = 1 << 20

// SecretsFiles reads and writes secrets files with the keys of their repositories. What it opens is in
// memory only. Its fields are set once.
type SecretsFiles struct {
	keys   Keys
	cipher FileCipher
}

// Keys opens the age key pairs of repositories; *Desk does.
type Keys interface {
	KeyPair(ctx context.Context, id core.RepositoryID) (KeyPair, error)
}

// NewSecretsFiles returns SecretsFiles that open keys.
func NewSecretsFiles(keys Keys, cipher FileCipher) *SecretsFiles {
	return &SecretsFiles{keys: keys, cipher: cipher}
}

// Names returns the names that content gives values to, in order, without opening those. Faults: those of
// FileCipher, and Invalid "sops.invalid" for what cannot be the name of a variable.
func (f *SecretsFiles) Names(content []byte) ([]string, error) {
	names, err := f.cipher.Names(content)
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	return names, fault.BadFields("sops.invalid", badNames(names))
}

// Open returns the values of content by name, decrypted with the repository's key. Faults: those of
// FileCipher and of Keys, and Invalid "sops.invalid" for what cannot be a variable.
func (f *SecretsFiles) Open(ctx context.Context, repository core.RepositoryID, content []byte) (map[string]secrets.Value, error) {
	pair, err := f.keys.KeyPair(ctx, repository)
	if err != nil {
		return nil, err
	}
	values, err := f.cipher.Decrypt(content, pair)
	if err != nil {
		return nil, err
	}
	return values, checkValues("", values)
}

// Encrypt returns the secrets file with these values, for the repository's key. Nothing of them is kept.
// Invalid "sops.invalid" names every bad one.
func (f *SecretsFiles) Encrypt(ctx context.Context, repository core.RepositoryID, values map[string]secrets.Value) ([]byte, error) {
	if err := CheckSecrets(values); err != nil {
		return nil, err
	}
	pair, err := f.keys.KeyPair(ctx, repository)
	if err != nil {
		return nil, err
	}
	return f.cipher.Encrypt(values, pair.Public)
}

// CheckSecrets refuses values that no secrets file of ours should hold: Invalid "sops.invalid".
func CheckSecrets(values map[string]secrets.Value) error {
	if len(values) == 0 || len(values) > variables.MaxPerScope {
		return fault.BadFields("sops.invalid", []fault.Field{{Path: "values", Problem: fmt.Sprintf("1 to %d names with a value each", variables.MaxPerScope)}})
	}
	return checkValues("values.", values)
}

func checkValues(prefix string, values map[string]secrets.Value) error {
	var bad []fault.Field
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if problem := variables.ValueProblem(values[name].Reveal()); problem != "" {
			bad = append(bad, fault.Field{Path: prefix + shownName(name), Problem: problem})
		}
		if !variables.ValidName(name) {
			bad = append(bad, fault.Field{Path: prefix + shownName(name), Problem: nameProblem})
		}
	}
	return fault.BadFields("sops.invalid", bad[:min(len(bad), shownBad)])
}

// shownBad is how many bad names or values a fault lists.
const shownBad = 20

var nameProblem = fmt.Sprintf("is no name of a variable: letters, digits and _, not beginning with a digit, at most %d of them", variables.MaxName)

func badNames(names []string) (bad []fault.Field) {
	for _, name := range names {
		if !variables.ValidName(name) && len(bad) < shownBad {
			bad = append(bad, fault.Field{Path: shownName(name), Problem: nameProblem})
		}
	}
	return bad
}

// shownName bounds a name that cannot be one.
func shownName(name string) string {
	if variables.ValidName(name) {
		return name
	}
	return fmt.Sprintf("%.60q", name)
}

// Provided is what a stack's secrets file says that it provides.
type Provided struct {
	Available bool     `json:"available"`   // it is there and can be decrypted: the next deployment gets its values
	File      string   `json:"source_file"` // its path in the repository; empty: there is none
	Names     []string `json:"keys"`        // in order, as far as they can be read; never a value
	Problem   string   `json:"error"`       // why it is there and not available
}

// SecretsReader is SecretsFiles that also tells what those of stacks provide, where the mirrors are.
type SecretsReader struct {
	*SecretsFiles
	browser Browser
}

// NewSecretsReader returns a SecretsReader on mirrors that can be read from this very process.
func NewSecretsReader(mirror Mirror, files *SecretsFiles) *SecretsReader {
	return &SecretsReader{SecretsFiles: files, browser: NewBrowser(mirror)}
}

// Provided tells what the secrets file in a folder provides at the head that was fetched last. Conflict
// "repository.not_fetched" and the faults of core.Tree are returned; what is wrong with the file is told.
func (s *SecretsReader) Provided(ctx context.Context, r Repository, folder string) (Provided, error) {
	tree, _, err := s.browser.open(ctx, r, "")
	if err != nil {
		return Provided{}, err
	}
	defer tree.Close()
	p := Provided{File: path.Join(folder, SecretsFile), Names: []string{}}
	content, err := ReadSecretsFile(ctx, tree, folder)
	if err == nil && content == nil {
		return Provided{Names: p.Names}, nil
	}
	if err == nil {
		var names []string
		names, err = s.Names(content)
		p.Names = append(p.Names, names...)
	}
	if err == nil {
		_, err = s.Open(ctx, r.ID, content)
	}
	if err != nil && fault.KindOf(err) != fault.Invalid && fault.KindOf(err) != fault.TooLarge {
		return Provided{}, err
	}
	if p.Available = err == nil; !p.Available {
		p.Problem = fault.PublicOf(err)
	}
	return p, nil
}

// ReadSecretsFile reads the secrets file in a folder of a commit; nil when there is none. Faults: Invalid
// "sops.not_a_file", TooLarge "sops.too_large", and those of core.Tree.
func ReadSecretsFile(ctx context.Context, tree core.Tree, folder string) ([]byte, error) {
	name := path.Join(folder, SecretsFile)
	content, err := tree.Read(ctx, name, MaxSecretsFile)
	switch {
	case fault.Is(err, fault.NotFound):
		return nil, nil
	case fault.CodeOf(err) == "git.not_a_file":
		return nil, fault.New(fault.Invalid, "sops.not_a_file", "%s is a folder, a symbolic link or a submodule. Put the encrypted file itself there.", name)
	case fault.CodeOf(err) == "git.file_too_large":
		return nil, fault.New(fault.TooLarge, "sops.too_large", "%s has more than %d bytes, which is as much as is read. Put large content into files of their own.", name, MaxSecretsFile)
	case err == nil && content == nil:
		content = []byte{}
	}
	return content, err
}
