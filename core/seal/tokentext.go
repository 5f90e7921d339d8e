package seal

import (
	"encoding/base32"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"

	"berth/core"
)

// The text form is berth_<kind>_<id>_<body>; the body is secret (32 bytes), pin (none
// or 32 bytes) and CRC-32 (IEEE, 4 bytes, big endian) of all that precedes it, in the
// alphabet of identifiers. It has no character that ends a selection by double click.
const (
	maxTokenText = 256 // characters; the longest token has about 150
	bodySize     = 32 + 4
	pinnedSize   = bodySize + len(Pin{})
)

var bodyEncoding = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// ErrToken says that a text is no token. What it is wrapped with says why, and never
// shows any of the text.
var ErrToken = errors.New("not a valid token")

// Reveal returns the text form, secret included: shown once, sent in headers only.
func (t Token) Reveal() string {
	if t.IsZero() {
		return ""
	}
	head := t.head()
	body := append([]byte{}, t.secret[:]...)
	if t.pin != nil {
		body = append(body, t.pin[:]...)
	}
	body = binary.BigEndian.AppendUint32(body, checksum(head, body))
	return head + bodyEncoding.EncodeToString(body)
}

// head returns everything up to the body.
func (t Token) head() string { return "berth_" + tokenKinds[t.kind].mark + "_" + t.id + "_" }

// ParseToken reads the text form of any kind. It accepts exactly the texts that Reveal
// returns; anything else gives ErrToken. A token that parses is well-formed, no more:
// VerifyToken says whether it is genuine.
func ParseToken(text string) (Token, error) {
	if len(text) > maxTokenText {
		return Token{}, fmt.Errorf("%w: it is too long", ErrToken)
	}
	parts := strings.Split(text, "_") // berth, kind, prefix and rest of the id, body
	if len(parts) != 5 || parts[0] != "berth" {
		return Token{}, fmt.Errorf("%w: it does not have the form berth_<kind>_<id>_<secret>", ErrToken)
	}
	kind, found := kindOf(parts[1])
	if !found {
		return Token{}, fmt.Errorf("%w: its kind is unknown", ErrToken)
	}
	token := Token{kind: kind, id: parts[2] + "_" + parts[3]}
	if !validID(parts[2], parts[3]) {
		return Token{}, fmt.Errorf("%w: its id is damaged", ErrToken)
	}
	return token.withBody(parts[4])
}

// withBody adds what the body says to a token whose head is known.
func (t Token) withBody(text string) (Token, error) {
	body, err := bodyEncoding.DecodeString(text)
	pinned := len(body) == pinnedSize && t.kind == TokenWorker
	if err != nil || len(body) != bodySize && !pinned {
		return Token{}, fmt.Errorf("%w: its secret has a wrong length or character", ErrToken)
	}
	content, sum := body[:len(body)-4], body[len(body)-4:]
	if binary.BigEndian.Uint32(sum) != checksum(t.head(), content) {
		return Token{}, fmt.Errorf("%w: its check sum does not fit; a character may be missing or mistyped", ErrToken)
	}
	// The decoder skips line ends and ignores surplus bits; a token has one spelling only.
	if bodyEncoding.EncodeToString(body) != text {
		return Token{}, fmt.Errorf("%w: its secret is spelt in another way than it was given out", ErrToken)
	}
	secret := [32]byte(content)
	t.secret = &secret
	if pinned {
		pin := Pin(content[32:])
		t.pin = &pin
	}
	return t, nil
}

func kindOf(mark string) (TokenKind, bool) {
	for kind, known := range tokenKinds {
		if known.mark == mark {
			return kind, true
		}
	}
	return 0, false
}

// validID is stricter than core.ValidID about its characters: an id is looked up and logged.
func validID(prefix, body string) bool {
	for _, c := range prefix {
		if c < 'a' || c > 'z' {
			return false
		}
	}
	return prefix != "" && len(prefix) <= 8 && !strings.ContainsAny(body, "\r\n") && core.ValidID(prefix, prefix+"_"+body)
}

func checksum(head string, body []byte) uint32 {
	return crc32.Update(crc32.ChecksumIEEE([]byte(head)), crc32.IEEETable, body)
}
