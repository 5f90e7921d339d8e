package render

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"berth/core"
)

// variables is all that interpolation may see.
type variables struct {
	values  map[string]string // of secrets: the placeholder
	secrets []string          // names, sorted; the number in a placeholder is the index
	marker  *regexp.Regexp    // finds placeholders
	missing map[string]bool
	left    int // bytes that interpolation may still insert
	cost    int // bytes that interpolation may still look at
	ports   int // ports that short texts may still stand for
}

func newVariables(src core.ComposeSource, files []*document) (*variables, error) {
	v := &variables{
		values:  make(map[string]string, len(src.Variables)+1),
		missing: map[string]bool{},
		left:    maxExpandedBytes,
		cost:    maxTemplateCost,
		ports:   maxPorts,
	}
	plain := 0
	for _, variable := range src.Variables {
		if err := checkVariable(variable); err != nil {
			return nil, err
		}
		if variable.Secret {
			v.secrets = append(v.secrets, variable.Name)
			continue
		}
		plain += len(variable.Value)
		v.values[variable.Name] = variable.Value
	}
	if plain > maxVariableBytes {
		return nil, tooLarge("The stack's variables hold more than %d KiB; put large values into files of the repository.", maxVariableBytes>>10)
	}
	slices.Sort(v.secrets)
	v.secrets = slices.Compact(v.secrets)
	word := placeholderWord(src, files)
	v.marker = regexp.MustCompile(word + `([0-9]{5})`)
	for i, name := range v.secrets {
		v.values[name] = fmt.Sprintf("%s%05d", word, i)
	}
	return v, nil
}

func checkVariable(variable core.ComposeVariable) error {
	switch {
	case variable.Name == "" || strings.ContainsAny(variable.Name, "=\x00") || !utf8.ValidString(variable.Name):
		return invalid("A variable of the stack has the name %q, which no container can have.", variable.Name)
	case strings.ContainsRune(variable.Value, 0):
		return invalid("The variable %s holds a zero byte, which no container can receive.", variable.Name)
	case !utf8.ValidString(variable.Value):
		return invalid("The variable %s is not UTF-8 text; encode binary values, for example as base64.", variable.Name)
	}
	return nil
}

// placeholderWord is derived from everything that rendering sees, so that it is the
// same for the same inputs and no Compose file can contain it.
func placeholderWord(src core.ComposeSource, files []*document) string {
	h := sha256.New()
	put := func(text []byte) {
		fmt.Fprintf(h, "%d:", len(text))
		h.Write(text)
	}
	put([]byte(src.Project))
	for _, f := range files {
		put(f.data)
	}
	for _, variable := range src.Variables {
		put([]byte(variable.Name))
		put([]byte(variable.Value))
	}
	return "berthsecret" + hex.EncodeToString(h.Sum(nil)[:10])
}

// environment returns a copy for the Compose library, which adds to what it is given.
func (v *variables) environment() map[string]string {
	m := make(map[string]string, len(v.values)+1)
	for name, value := range v.values {
		m[name] = value
	}
	return m
}

// secretsIn returns the names of the secrets whose placeholders occur in text.
func (v *variables) secretsIn(text string) []string {
	var names []string
	for _, m := range v.marker.FindAllStringSubmatch(text, -1) {
		names = append(names, v.secretNumbered(m[1]))
	}
	return names
}

func (v *variables) secretNumbered(digits string) string {
	var i int
	fmt.Sscanf(digits, "%d", &i)
	if i >= len(v.secrets) {
		return ""
	}
	return v.secrets[i]
}

// reveal turns placeholders into the form that people and workers know, ${NAME}.
func (v *variables) reveal(text string) string {
	return v.marker.ReplaceAllStringFunc(text, func(word string) string {
		return "${" + v.secretNumbered(word[len(word)-5:]) + "}"
	})
}

func (v *variables) missingNames() []string {
	names := make([]string, 0, len(v.missing))
	for name := range v.missing {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
