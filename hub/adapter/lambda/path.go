package lambda

import "strings"

const upperHex = "0123456789ABCDEF"

// escapePath returns the path of an event as it stands in a request line. An HTTP API hands
// paths over decoded, so that every % is one that was meant; the other hosts hand over what
// was sent, of which only bytes that no path can hold are escaped.
func escapePath(text string, decoded bool) string {
	if !strings.HasPrefix(text, "/") {
		text = "/" + text
	}
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		c := text[i]
		if inPath(c) || c == '%' && !decoded && hexAt(text, i+1) && hexAt(text, i+2) {
			out.WriteByte(c)
			continue
		}
		out.WriteByte('%')
		out.WriteByte(upperHex[c>>4])
		out.WriteByte(upperHex[c&15])
	}
	return out.String()
}

// inPath reports whether a path may hold c as it is, as of RFC 3986.
func inPath(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("/-._~!$&'()*+,;=:@", c) >= 0
}

func hexAt(text string, i int) bool {
	return i < len(text) && strings.IndexByte("0123456789abcdefABCDEF", text[i]) >= 0
}

// withoutBase cuts a base path, whole segments alone; a path without it stays.
func withoutBase(path, base string) string {
	rest, found := strings.CutPrefix(path, base)
	switch {
	case !found || base == "":
		return path
	case rest == "":
		return "/"
	case rest[0] != '/':
		return path
	}
	return rest
}
