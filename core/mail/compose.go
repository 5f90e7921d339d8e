package mail

import (
	"bytes"
	"fmt"
	"mime"
	"mime/quotedprintable"
	"net/mail"
	"strings"
	"time"
)

// compose writes a message down as RFC 5322 has it, with lines that end in CR LF. id makes the Message-ID, the same one
// for every attempt, so that a server which gets it twice can tell.
func compose(from mail.Address, m Message, id string, at time.Time) []byte {
	var b bytes.Buffer
	_, domain, _ := strings.Cut(from.Address, "@")
	for _, h := range [][2]string{
		{"From", from.String()},
		{"To", "<" + m.To + ">"},
		{"Subject", folded(mime.QEncoding.Encode("utf-8", m.Subject))},
		{"Date", at.UTC().Format(time.RFC1123Z)},
		{"Message-ID", "<" + id + "@" + domain + ">"},
		{"MIME-Version", "1.0"},
		{"Content-Type", "text/plain; charset=utf-8"},
		{"Content-Transfer-Encoding", "quoted-printable"},
		{"Auto-Submitted", "auto-generated"}, // RFC 3834: nobody's absence is to answer
		{"X-Auto-Response-Suppress", "All"},
	} {
		fmt.Fprintf(&b, "%s: %s\r\n", h[0], h[1])
	}
	b.WriteString("\r\n")
	text := quotedprintable.NewWriter(&b)
	fmt.Fprintf(text, "%s\n", strings.TrimRight(m.Text, "\n")) // a buffer takes everything
	text.Close()
	return b.Bytes()
}

// folded puts each encoded word of a header on a line of its own, and breaks long plain text between words.
func folded(value string) string {
	if strings.Contains(value, "=?") {
		return strings.ReplaceAll(value, "?= =?", "?=\r\n =?")
	}
	const width = 66 // of a line that begins with the name of the header
	var b strings.Builder
	length := 0
	for i, word := range strings.Split(value, " ") {
		switch {
		case i == 0:
		case length+len(word) > width:
			b.WriteString("\r\n ")
			length = 0
		default:
			b.WriteByte(' ')
		}
		b.WriteString(word)
		length += len(word) + 1
	}
	return b.String()
}
