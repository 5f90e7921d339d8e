package mail

import (
	"net/mail"
	"strings"
	"unicode"
	"unicode/utf8"

	"berth/core/fault"
)

// Message is an e-mail to one person.
type Message struct {
	To      string `json:"to"`    // an address alone, without a name
	About   string `json:"about"` // what it is, in a few words that are no secret: administrators are shown them
	Subject string `json:"subject"`
	Text    string `json:"text"` // plain text, lines end with a line feed
}

// Limits of a message, in bytes.
const (
	maxAddress = 254
	maxSubject = 200
	maxText    = 64 << 10
)

// clean returns the message as it can be sent: names and logs of others may be part of it, so what is no text is taken
// out. Invalid "mail.invalid" for an address that nothing can be sent to, or a message without text.
func (m Message) clean() (Message, error) {
	var bad []fault.Field
	if problem := badAddress(m.To); problem != "" {
		bad = append(bad, fault.Field{Path: "to", Problem: problem})
	}
	m.Subject, m.About = oneLine(m.Subject), oneLine(m.About)
	if m.Subject == "" {
		bad = append(bad, fault.Field{Path: "subject", Problem: "is required"})
	}
	m.Text = cut(strings.Map(printable, strings.ReplaceAll(strings.ToValidUTF8(m.Text, "\uFFFD"), "\r\n", "\n")), maxText)
	if strings.TrimSpace(m.Text) == "" {
		bad = append(bad, fault.Field{Path: "text", Problem: "is required"})
	}
	return m, fault.BadFields("mail.invalid", bad)
}

// badAddress says what is wrong with an address to send to.
func badAddress(address string) string {
	parsed, err := mail.ParseAddress(address)
	switch {
	case err != nil || parsed.Address != address || parsed.Name != "":
		return "is not an e-mail address such as ada@example.com"
	case len(address) > maxAddress:
		return "is longer than any e-mail address"
	case strings.ContainsFunc(address, func(c rune) bool { return c > unicode.MaxASCII || c <= ' ' || c == 0x7f }):
		return "has a character that most mail servers do not take"
	}
	return ""
}

// oneLine makes one line of printable text.
func oneLine(text string) string {
	text = strings.Map(func(c rune) rune {
		if unicode.IsControl(c) || c == '\u2028' || c == '\u2029' {
			return ' '
		}
		return printable(c)
	}, strings.ToValidUTF8(text, "\uFFFD"))
	return cut(strings.Join(strings.Fields(text), " "), maxSubject)
}

// printable drops what a terminal or a reader would take for a command: escapes, and marks that turn text around.
func printable(c rune) rune {
	if c != '\n' && c != '\t' && (unicode.IsControl(c) || unicode.Is(unicode.Bidi_Control, c)) {
		return -1
	}
	return c
}

// cut shortens text to a number of bytes, between two characters.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	text = text[:most-len("…")]
	for len(text) > 0 {
		if r, size := utf8.DecodeLastRuneInString(text); r != utf8.RuneError || size != 1 {
			break
		}
		text = text[:len(text)-1]
	}
	return text + "…"
}
