package endpoint

import (
	"mime"
	"strconv"
	"strings"
)

// Weighed calls visit for every element of a list of a header in which each may have a weight from 0 to 1,
// as Accept and Accept-Encoding have. What cannot be read is passed over.
func Weighed(values []string, visit func(name string, parameters map[string]string, q float64)) {
	for element := range strings.SplitSeq(strings.Join(values, ","), ",") {
		name, parameters, err := parseElement(element)
		if err != nil {
			continue
		}
		q := 1.0
		if weight, given := parameters["q"]; given {
			if q, err = strconv.ParseFloat(weight, 64); err != nil || !(q >= 0 && q <= 1) {
				continue
			}
		}
		visit(name, parameters, q)
	}
}

// parseElement reads a name with parameters; most have none.
func parseElement(element string) (name string, parameters map[string]string, err error) {
	if name = strings.TrimSpace(element); isWord(name) {
		return name, nil, nil
	}
	return mime.ParseMediaType(element)
}

// isWord reports whether s has nothing but lower-case letters.
func isWord(s string) bool {
	for _, c := range []byte(s) {
		if c < 'a' || c > 'z' {
			return false
		}
	}
	return s != ""
}
