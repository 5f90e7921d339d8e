package secrets

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// minForm is the shortest text that is looked for, in bytes. Shorter ones occur
// everywhere by chance, and hiding them would tell where they are.
const minForm = 4

// commonWords are values that occur in the output of nearly every program; hiding them
// would make it unreadable and tell nothing apart.
var commonWords = []string{"true", "false", "null", "none", "info", "warn", "warning", "error", "debug", "trace", "test", "prod", "production",
	"development", "admin", "root", "user", "guest", "localhost", "default", "latest", "main", "postgres", "mysql", "redis",
	"http", "https", "started", "running", "healthy", "created", "exited"}

// forms returns the texts under which value may show up in the output of a program.
func forms(value string) []string {
	found := map[string]bool{}
	add := func(texts ...string) {
		for _, text := range texts {
			if len(text) >= minForm {
				found[text] = true
			}
		}
	}
	for _, part := range parts(value) {
		add(part, strings.ReplaceAll(part, `'`, `'\''`), url.QueryEscape(part), url.PathEscape(part))
		add(lowerEscapes(url.QueryEscape(part)), lowerEscapes(url.PathEscape(part)))
		add(jsonForms(part)...)
		add(hex.EncodeToString([]byte(part)), strings.ToUpper(hex.EncodeToString([]byte(part))))
		add(base64Forms(part)...)
	}
	texts := make([]string, 0, len(found))
	for text := range found {
		texts = append(texts, text)
	}
	return texts
}

// parts returns the value and, when it has several, its lines: programs print line by line.
func parts(value string) []string {
	all := []string{value}
	if strings.ContainsAny(value, "\r\n") {
		unix := strings.ReplaceAll(value, "\r\n", "\n")
		all = append(all, unix, strings.ReplaceAll(unix, "\n", "\r\n"))
		for _, line := range strings.FieldsFunc(value, func(c rune) bool { return c == '\n' || c == '\r' }) {
			all = append(all, strings.TrimSpace(line))
		}
	}
	return slices.DeleteFunc(all, func(part string) bool {
		return len(part) < minForm || slices.Contains(commonWords, strings.ToLower(part))
	})
}

// jsonForms returns the value inside a JSON string, with and without HTML's characters escaped.
func jsonForms(value string) []string {
	var plain strings.Builder
	enc := json.NewEncoder(&plain)
	enc.SetEscapeHTML(false)
	if enc.Encode(value) != nil {
		return nil
	}
	escaped, err := json.Marshal(value)
	if err != nil {
		return nil
	}
	return []string{inside(plain.String()), inside(string(escaped)), strings.ReplaceAll(inside(plain.String()), "/", `\/`)}
}

func inside(quoted string) string {
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSuffix(quoted, "\n"), `"`), `"`)
}

// base64Forms returns the value's base64, padded, and the part of it that stays the same
// when the value begins one or two bytes later, as inside "user:password".
func base64Forms(value string) []string {
	var texts []string
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		texts = append(texts, encoding.EncodeToString([]byte(value)))
		for before := range 3 {
			text := encoding.EncodeToString([]byte(strings.Repeat("\x00", before) + value))
			first := (before*8 + 5) / 6            // the first character that has no bit of what is before
			after := (before + len(value)) * 8 / 6 // the first one that may have a bit of what follows
			if first < after {
				texts = append(texts, text[first:after])
			}
		}
	}
	return texts
}

// lowerEscapes writes the hexadecimal digits of percent escapes in lower case.
func lowerEscapes(escaped string) string {
	b := []byte(escaped)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:i+3], strings.ToLower(string(b[i+1:i+3])))
			i += 2
		}
	}
	return string(b)
}
