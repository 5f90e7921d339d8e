package lambda

import (
	"bytes"
	"encoding/json"
)

// scan reads JSON as a host writes it, from front to back. encoding/json looks at an event twice
// and at each name by reflection, which took longer than the rest of the way to the handler; texts
// with escapes are still left to it. What is not JSON ends it; see ended.
type scan struct {
	data []byte
	i    int
	bad  bool
}

// ended reports whether all was JSON, with nothing behind it.
func (s *scan) ended() bool { return s.peek() == 0 && !s.bad && len(s.data) > 0 }

// peek returns the next byte that is no space; 0 at the end.
func (s *scan) peek() byte {
	for ; s.i < len(s.data); s.i++ {
		if c := s.data[s.i]; c != ' ' && c != '\n' && c != '\r' && c != '\t' {
			return c
		}
	}
	return 0
}

// take passes c, which must be next.
func (s *scan) take(c byte) {
	if s.peek() != c {
		s.fail()
		return
	}
	s.i++
}

func (s *scan) fail() { s.bad, s.i = true, len(s.data) }

// object reads an object; member must read the value of each name. Null is an empty one.
func (s *scan) object(member func(name string)) {
	if s.null() {
		return
	}
	s.take('{')
	for first := true; s.more('}', first); first = false {
		name := s.text()
		s.take(':')
		member(name)
	}
}

// list reads a list; element must read each value. Null is an empty one.
func (s *scan) list(element func()) {
	if s.null() {
		return
	}
	s.take('[')
	for first := true; s.more(']', first); first = false {
		element()
	}
}

// more passes what is between two values, or the end; it reports whether a value follows.
func (s *scan) more(end byte, first bool) bool {
	if s.peek() == end {
		s.i++
		return false
	}
	if !first {
		s.take(',')
	}
	return !s.bad && s.peek() != 0
}

// null passes a null, if one is next. The end of everything is one, too.
func (s *scan) null() bool {
	if s.peek() != 0 && !bytes.HasPrefix(s.data[s.i:], []byte("null")) {
		return false
	}
	s.i = min(s.i+4, len(s.data))
	return true
}

// text reads a text; null and anything else is an empty one.
func (s *scan) text() string {
	if s.peek() != '"' {
		s.skip()
		return ""
	}
	span := s.quoted()
	if s.bad {
		return ""
	}
	if bytes.IndexByte(span, '\\') < 0 {
		return string(span[1 : len(span)-1])
	}
	var text string
	if json.Unmarshal(span, &text) != nil {
		s.fail()
	}
	return text
}

// quoted passes a text and returns it with its quotes.
func (s *scan) quoted() []byte {
	from := s.i
	for i := from + 1; i < len(s.data); {
		end := bytes.IndexByte(s.data[i:], '"')
		if end < 0 {
			break
		}
		end += i
		escapes := 0
		for end-1-escapes > from && s.data[end-1-escapes] == '\\' {
			escapes++
		}
		if i = end + 1; escapes%2 == 0 {
			s.i = i
			return s.data[from:i]
		}
	}
	s.fail()
	return nil
}

// skip passes a value of any kind and returns it as it came.
func (s *scan) skip() []byte {
	first := s.peek()
	from, depth := s.i, 0
	for s.i < len(s.data) {
		switch c := s.data[s.i]; c {
		case '"':
			s.quoted()
		case '{', '[':
			depth++
			s.i++
		case '}', ']', ',':
			if depth == 0 || c == ',' && depth == 0 {
				return s.data[from:s.i]
			}
			if c != ',' {
				depth--
			}
			s.i++
		default:
			s.i++
		}
		if depth == 0 && !s.bad && (first == '"' || first == '{' || first == '[') {
			return s.data[from:s.i]
		}
	}
	if depth > 0 || from == len(s.data) {
		s.fail()
		return nil
	}
	return bytes.TrimRight(s.data[from:], " \n\r\t")
}
