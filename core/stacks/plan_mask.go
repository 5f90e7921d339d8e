package stacks

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"berth/core"
)

// maxShown bounds a value that is shown, in characters.
const maxShown = 120

// hidden stands for a value that may be secret though no secret variable holds it.
const hidden = "(hidden)"

var (
	sensitiveName = regexp.MustCompile(`(?i)(passw|secret|token|credential|api_?key|private_?key|auth$)`)
	sensitivePart = regexp.MustCompile(`(?i)((?:passw[a-z]*|secret|token|api[_-]?key)["']?(?:\s*[=:]\s*|\s+)["']?)([^\s"',;]+)`)
	userInfo      = regexp.MustCompile(`(://[^/\s:@]*:)([^/\s@]+)(@)`)
	reference     = regexp.MustCompile(`^(\$\{[A-Za-z_][A-Za-z0-9_]*\})+$`)
)

// shown is a value of the rendered project as people may see it. Secret variables stand
// in it as ${NAME} anyway. What looks like a secret and was written out is hidden, and long texts
// are cut.
func shown(name, text string) string {
	if last := lastPart(name); sensitiveName.MatchString(last) && !strings.HasSuffix(last, "_FILE") {
		text = hideText(text)
	}
	return clip(strings.ReplaceAll(hideParts(text), "$$", "$"))
}

// hideParts hides what in a text looks like a secret that was written out.
func hideParts(text string) string {
	text = sensitivePart.ReplaceAllStringFunc(text, func(found string) string {
		part := sensitivePart.FindStringSubmatch(found)
		return part[1] + hideText(part[2])
	})
	return userInfo.ReplaceAllStringFunc(text, func(found string) string {
		part := userInfo.FindStringSubmatch(found)
		return part[1] + hideText(part[2]) + part[3]
	})
}

// hideText hides what is written out and leaves a reference to a secret variable.
func hideText(text string) string {
	if text == "" || reference.MatchString(text) {
		return text
	}
	return hidden
}

func lastPart(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// clip cuts a text to one line of maxShown characters.
func clip(text string) string {
	line := []rune(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text))
	if len(line) > maxShown {
		return string(line[:maxShown-1]) + "…"
	}
	return string(line)
}

// plainText writes a decoded value as text; nothing for nil.
func plainText(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	case []any, map[string]any:
		text, err := json.Marshal(v)
		if err != nil {
			return "" // cannot be: it was decoded from text
		}
		return string(text)
	}
	return fmt.Sprint(value)
}

// leafText is plainText that can be told from what is not there.
func leafText(name string, value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case string:
		if v == "" {
			return `""`
		}
		if isContent(v) || strings.HasPrefix(name, "configs.") && strings.HasSuffix(name, ".content") {
			return digestText(v)
		}
		if below, state := strings.CutPrefix(v, core.StateRoot); state {
			v = "./" + strings.TrimPrefix(below, "./")
		}
		return shown(name, v)
	case []any:
		return shown(name, listText(v))
	}
	return shown(name, plainText(value))
}

// listText writes a list of plain texts as words, any other as JSON.
func listText(list []any) string {
	words := make([]string, len(list))
	for i, item := range list {
		text, plain := item.(string)
		if !plain {
			return plainText(list)
		}
		if text == "" || strings.ContainsAny(text, " \t\n\"'") {
			text = fmt.Sprintf("%q", text)
		}
		words[i] = text
	}
	if len(words) == 0 {
		return "[]"
	}
	return strings.Join(words, " ")
}

// digestText identifies a text too long, or too private, to be shown.
func digestText(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256:" + hex.EncodeToString(sum[:6])
}

func isContent(text string) bool { return strings.HasPrefix(text, core.ContentRoot) }
