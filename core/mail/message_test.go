package mail

import (
	"bytes"
	"io"
	"mime"
	"mime/quotedprintable"
	"net/mail"
	"strings"
	"testing"
	"time"

	"berth/core/fault"
)

var (
	sender = mail.Address{Name: "Bérth, the \"server\"\r\nBcc: eve@example.org", Address: "berth@example.org"}
	moment = time.Date(2026, 11, 22, 12, 0, 0, 0, time.FixedZone("", 3600))
)

func TestNothingBecomesAHeader(t *testing.T) {
	for name, m := range map[string]Message{
		"a subject with a line":        {To: "ada@example.org", Subject: "Hello\r\nBcc: eve@example.org", Text: "x"},
		"a subject with a line feed":   {To: "ada@example.org", Subject: "Hello\nBcc: eve@example.org\n\nbody", Text: "x"},
		"a subject with a return":      {To: "ada@example.org", Subject: "Hello\rBcc: eve@example.org", Text: "x"},
		"a subject beyond ASCII":       {To: "ada@example.org", Subject: strings.Repeat("Grüße ", 30) + "\r\nBcc: e@x", Text: "x"},
		"a subject with other lines":   {To: "ada@example.org", Subject: "a\u2028Bcc: x\u0085Cc: y\v\f\x00", Text: "x"},
		"a subject that looks encoded": {To: "ada@example.org", Subject: "=?utf-8?q?a=0D=0ABcc:_eve@example.org?=", Text: "x"},
		"a long subject in one word":   {To: "ada@example.org", Subject: strings.Repeat("a", 500), Text: "x"},
		"a text like a header":         {To: "ada@example.org", Subject: "Hello", Text: "\r\nBcc: eve@example.org\r\n.\r\nMAIL FROM:<x@y>\r\n" + strings.Repeat("long ", 500)},
	} {
		t.Run(name, func(t *testing.T) {
			cleaned, err := m.clean()
			if err != nil {
				t.Fatal(err)
			}
			raw := compose(sender, cleaned, "ltr_1", moment)
			for line := range strings.SplitSeq(string(raw), "\r\n") {
				if len(line) > 200 || strings.ContainsAny(line, "\r\n\x00") || strings.HasPrefix(strings.ToLower(line), "bcc") && strings.Contains(string(raw[:bytes.Index(raw, []byte("\r\n\r\n"))]), line) {
					t.Errorf("the line %q", line)
				}
			}
			read, err := mail.ReadMessage(bytes.NewReader(raw))
			if err != nil {
				t.Fatal(err)
			}
			if len(read.Header) != 10 || read.Header.Get("Bcc") != "" || read.Header.Get("Cc") != "" || read.Header.Get("To") != "<ada@example.org>" || read.Header.Get("Auto-Submitted") != "auto-generated" {
				t.Errorf("the headers are %q", read.Header)
			}
			if from, err := read.Header.AddressList("From"); err != nil || len(from) != 1 || from[0].Address != sender.Address {
				t.Errorf("from %v, %v", from, err)
			}
			if text, err := io.ReadAll(quotedprintable.NewReader(read.Body)); err != nil || strings.TrimRight(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n") != strings.TrimRight(cleaned.Text, "\n") {
				t.Errorf("the text is %q, %v", text, err)
			}
			if strings.HasPrefix(cleaned.Subject, "Gr") {
				if subject, err := new(mime.WordDecoder).DecodeHeader(read.Header.Get("Subject")); err != nil || subject != cleaned.Subject {
					t.Errorf("the subject is %q, want %q, %v", subject, cleaned.Subject, err)
				}
			}
		})
	}
}

func TestWhatAMessageLooksLike(t *testing.T) {
	m, err := Message{To: "ada@example.org", Subject: "Grüße", Text: "Hallo\n= Ada ü\n"}.clean()
	if err != nil {
		t.Fatal(err)
	}
	want := "From: <berth@example.org>\r\nTo: <ada@example.org>\r\nSubject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\r\nDate: Sun, 22 Nov 2026 11:00:00 +0000\r\n" +
		"Message-ID: <ltr_1@example.org>\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n" +
		"Auto-Submitted: auto-generated\r\nX-Auto-Response-Suppress: All\r\n\r\nHallo\r\n=3D Ada =C3=BC\r\n"
	if got := string(compose(mail.Address{Address: "berth@example.org"}, m, "ltr_1", moment)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestWhatCannotBeSent(t *testing.T) {
	for name, c := range map[string]struct {
		m     Message
		field string
	}{
		"no address":                 {Message{Subject: "s", Text: "t"}, "to"},
		"an address with a name":     {Message{To: "Ada <ada@example.org>", Subject: "s", Text: "t"}, "to"},
		"two addresses":              {Message{To: "a@x.org, b@x.org", Subject: "s", Text: "t"}, "to"},
		"an address with a line":     {Message{To: "a@x.org\r\nBcc: b@x.org", Subject: "s", Text: "t"}, "to"},
		"an address with a command":  {Message{To: "a@x.org> SIZE=1", Subject: "s", Text: "t"}, "to"},
		"a quoted address":           {Message{To: "\"a b\"@x.org", Subject: "s", Text: "t"}, "to"},
		"an address beyond ASCII":    {Message{To: "ü@x.org", Subject: "s", Text: "t"}, "to"},
		"a long address":             {Message{To: strings.Repeat("a", 250) + "@x.org", Subject: "s", Text: "t"}, "to"},
		"no subject":                 {Message{To: "a@x.org", Subject: "\r\n", Text: "t"}, "subject"},
		"no text":                    {Message{To: "a@x.org", Subject: "s", Text: " \n"}, "text"},
		"a text of commands alone":   {Message{To: "a@x.org", Subject: "s", Text: "\x1b\x00"}, "text"},
		"a text that turns around":   {Message{To: "a@x.org", Subject: "s", Text: "\u202e"}, "text"},
		"a subject that is no words": {Message{To: "a@x.org", Subject: "\u202e\x1b", Text: "t"}, "subject"},
	} {
		_, err := c.m.clean()
		if fault.CodeOf(err) != "mail.invalid" || !strings.Contains(err.Error()+fieldsOf(err), c.field) {
			t.Errorf("%s: %v", name, err)
		}
	}
	m, err := Message{To: "a@x.org", Subject: "\x1b[31mred\xff", Text: strings.Repeat("ü", 40_000)}.clean()
	if err != nil || m.Subject != "[31mred\uFFFD" && m.Subject != "[31mred�" || len(m.Text) > maxText || !strings.HasSuffix(m.Text, "ü…") {
		t.Errorf("%q, %d bytes, %v", m.Subject, len(m.Text), err)
	}
}

func fieldsOf(err error) string {
	var paths []string
	if known, ok := err.(*fault.Error); ok {
		for _, f := range known.Fields {
			paths = append(paths, f.Path)
		}
	}
	return strings.Join(paths, " ")
}

func TestHowTheWayIsProtected(t *testing.T) {
	for want, all := range map[Security][]struct {
		port     int
		demanded bool
	}{
		Implicit: {{465, false}, {465, true}, {4650, true}},
		Required: {{587, true}, {25, true}, {2525, true}},
		Offered:  {{587, false}, {25, false}, {1025, false}},
	} {
		for _, c := range all {
			if got := SecurityOf(c.port, c.demanded); got != want {
				t.Errorf("port %d, %t: %s, want %s", c.port, c.demanded, got, want)
			}
		}
	}
}

func FuzzNothingBecomesAHeader(f *testing.F) {
	f.Add("Hello\r\nBcc: x", "text")
	f.Fuzz(func(t *testing.T, subject, text string) {
		m, err := Message{To: "ada@example.org", Subject: subject, Text: text}.clean()
		if err != nil {
			return
		}
		read, err := mail.ReadMessage(bytes.NewReader(compose(sender, m, "ltr_1", moment)))
		if err != nil || len(read.Header) != 10 {
			t.Errorf("%q: %v, %v", subject, read, err)
		}
	})
}
