package lambda

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// reply is what the adapter made of an answer, in any form. The body does not pass through it: it
// would copy it twice, which takes longer for a page than everything else on the way together.
type reply struct {
	status      int
	description string              // of a load balancer alone
	header      map[string]string   // nil where headers are
	headers     map[string][]string // nil where header is
	cookies     []string
	body        *bytes.Buffer // nil: it was never served
}

// encode writes the reply as the host reads it: text as it is, anything else as base64. It is not
// left to encoding/json, which is slow at long texts; see local/bench function.
func (r reply) encode() []byte {
	var body []byte
	if r.body != nil {
		body = r.body.Bytes()
	}
	out := make([]byte, 0, len(body)+len(body)/8+1024)
	out = append(out, `{"statusCode":`...)
	out = strconv.AppendInt(out, int64(r.status), 10)
	if r.description != "" {
		out = appendText(append(out, `,"statusDescription":`...), r.description)
	}
	if r.headers == nil {
		out = append(out, `,"headers":{`...)
		out = appendEach(out, r.header, appendText)
	} else {
		out = append(out, `,"multiValueHeaders":{`...)
		out = appendEach(out, r.headers, appendTexts)
	}
	if len(r.cookies) > 0 {
		out = appendTexts(append(out, `},"cookies":`...), r.cookies)
		out = append(out, `,`...)
	} else {
		out = append(out, `},`...)
	}
	if utf8.Valid(body) {
		return append(appendValid(append(out, `"isBase64Encoded":false,"body":`...), body), '}')
	}
	out = base64.StdEncoding.AppendEncode(append(out, `"isBase64Encoded":true,"body":"`...), body)
	return append(out, '"', '}')
}

// appendEach adds the entries of an object.
func appendEach[V any](out []byte, all map[string]V, value func([]byte, V) []byte) []byte {
	first := true
	for name, v := range all {
		if !first {
			out = append(out, ',')
		}
		first = false
		out = value(append(appendText(out, name), ':'), v)
	}
	return out
}

func appendTexts(out []byte, all []string) []byte {
	out = append(out, '[')
	for i, text := range all {
		if i > 0 {
			out = append(out, ',')
		}
		out = appendText(out, text)
	}
	return append(out, ']')
}

// appendText adds a JSON string. What is no UTF-8, which only a header can hold, becomes the
// character that stands for that.
func appendText(out []byte, text string) []byte {
	return appendValid(out, []byte(strings.ToValidUTF8(text, "\ufffd")))
}

// appendValid adds text that is UTF-8 as a JSON string. It looks at eight bytes at a time and
// copies them as a whole; special says which of them do not stand for themselves.
func appendValid(out, text []byte) []byte {
	out = append(slices.Grow(out, len(text)+len(text)/8+2), '"')
	for len(text) >= 8 {
		out = slices.Grow(out, 16)
		n, word := len(out), binary.LittleEndian.Uint64(text)
		out = out[:n+8]
		binary.LittleEndian.PutUint64(out[n:], word)
		found := special(word)
		if found == 0 {
			text = text[8:]
			continue
		}
		first := bits.TrailingZeros64(found) / 8
		out = appendEscape(out[:n+first], text[first])
		text = text[first+1:]
	}
	for _, c := range text {
		if c < ' ' || c == '"' || c == '\\' {
			out = appendEscape(out, c)
		} else {
			out = append(out, c)
		}
	}
	return append(out, '"')
}

// special sets the highest bit of each byte of x that is a control, a quote or a backslash. Only
// the lowest that is set is sure to be right: a borrow may go to the next.
func special(x uint64) uint64 {
	const low, high = 0x0101010101010101, 0x8080808080808080
	quote, back := x^(low*'"'), x^(low*'\\')
	return ((x-low*' ')&^x | (quote-low)&^quote | (back-low)&^back) & high
}

// appendEscape adds one byte that does not stand for itself.
func appendEscape(out []byte, c byte) []byte {
	if short[c] != 0 {
		return append(out, '\\', short[c])
	}
	return append(out, '\\', 'u', '0', '0', upperHex[c>>4], upperHex[c&15])
}

// short are the bytes that have an escape of two characters, with the second of those.
var short = [256]byte{'"': '"', '\\': '\\', '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't'}
