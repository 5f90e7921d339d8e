package smtp

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/textproto"
	"strconv"
	"strings"
	"unicode"

	"berth/core/fault"
	"berth/core/outbox"
)

// maxTold bounds what people are shown of a server's words, in characters.
const maxTold = 300

// told makes one line of what a server said.
func told(text string) string {
	text = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(text, "\uFFFD"), func(c rune) bool {
		return unicode.IsSpace(c) || unicode.IsControl(c) || unicode.Is(unicode.Bidi_Control, c)
	}), " ")
	if runes := []rune(text); len(runes) > maxTold {
		return string(runes[:maxTold]) + "…"
	}
	return text
}

// explain turns what went wrong at a step into a fault that says what to do. What the server refuses for good about
// this one message is final; what it refuses about us is not, because somebody may put that right.
func (s *Sender) explain(ctx context.Context, step string, err error) error {
	where := net.JoinHostPort(s.settings.Host, strconv.Itoa(s.settings.Port))
	var reply *textproto.Error
	var certificate *tls.CertificateVerificationError
	var timeout net.Error
	var header tls.RecordHeaderError
	switch {
	case errors.As(err, &reply):
		return s.refused(step, reply).Because(err).final(reply.Code/100 == 5 && (step == "recipient" || step == "message"))
	case errors.Is(err, errNoTLS):
		return unavailable("smtp.no_tls", "%s does not offer STARTTLS, and SMTP_TLS demands TLS. Use the port where it does, or set SMTP_TLS=false for a server inside your own network.", where)
	case errors.Is(err, errPlain):
		return unavailable("smtp.plain", "%s does not offer STARTTLS, so SMTP_USERNAME and SMTP_PASSWORD are not told to it. Use a port with TLS, such as 465, or remove both for a server that needs none.", where)
	case errors.Is(err, errNoAuth), errors.Is(err, errAsked):
		return unavailable("smtp.no_login", "%s takes no name and password by PLAIN or LOGIN. Remove SMTP_USERNAME and SMTP_PASSWORD, or use the port for logged-in senders, mostly 587 or 465.", where)
	case errors.As(err, &certificate):
		return unavailable("smtp.untrusted", "The certificate of %s is not trusted: %s. Check SMTP_HOST, or give this server the authority that signed it.", where, told(certificate.Err.Error())).Because(err)
	case errors.As(err, &header):
		return unavailable("smtp.not_tls", "%s does not speak TLS from the first byte. With SMTP_TLS=true that is spoken on every port but 25, 587 and 2525; choose one of those, or 465.", where).Because(err)
	case errors.Is(err, errTooMuch):
		return unavailable("smtp.not_smtp", "What %s says is too long for a mail server. Check SMTP_HOST and SMTP_PORT.", where).Because(err)
	case ctx.Err() != nil, errors.As(err, &timeout) && timeout.Timeout():
		return unavailable("smtp.slow", "%s did not answer in time. Check that SMTP_HOST and SMTP_PORT are right, and that a firewall lets this server out; a port that speaks TLS from the first byte needs SMTP_TLS=true.", where).Because(err)
	}
	if step == "connect" {
		return unavailable("smtp.unreachable", "%s cannot be reached: %s.", where, told(err.Error())).Because(err)
	}
	return unavailable("smtp.broken_off", "The connection to %s was broken off: %s.", where, told(err.Error())).Because(err)
}

// refusal is a fault that may be final.
type refusal struct{ *fault.Error }

// Because sets the cause.
func (r refusal) Because(err error) refusal { return refusal{r.Error.Because(err)} }

func (r refusal) final(yes bool) error {
	if yes {
		return outbox.Final(r.Error)
	}
	return r.Error
}

func unavailable(code, format string, args ...any) *fault.Error {
	return fault.New(fault.Unavailable, code, format, args...)
}

// refused says what a server refused, in its own words.
func (s *Sender) refused(step string, reply *textproto.Error) refusal {
	said := told(strconv.Itoa(reply.Code) + " " + reply.Msg)
	switch step {
	case "login":
		return refusal{unavailable("smtp.login_refused", "%s refuses SMTP_USERNAME and SMTP_PASSWORD: %s", s.settings.Host, said)}
	case "sender":
		return refusal{unavailable("smtp.sender_refused", "%s takes nothing from the address in SMTP_SENDER: %s", s.settings.Host, said)}
	case "recipient":
		return refusal{unavailable("smtp.recipient_refused", "%s takes nothing for this address: %s", s.settings.Host, said)}
	case "message":
		return refusal{unavailable("smtp.message_refused", "%s does not take the message: %s", s.settings.Host, said)}
	}
	return refusal{unavailable("smtp.refused", "%s refuses to talk: %s", s.settings.Host, said)}
}
