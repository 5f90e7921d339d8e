package outbound

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"berth/core/fault"
)

// Trouble is the fault for a question that brought no whole answer. ctx is the caller's: when that
// has ended, nobody says that the server was slow. It carries no more of err than is known to be safe.
func (s *Service) Trouble(ctx context.Context, err error) *fault.Error {
	var known *fault.Error
	var dial *net.OpError
	var name *net.DNSError
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, errTooLarge):
		return fault.New(fault.Conflict, s.Codes.TooLarge, "%s at %s sends an answer of more than %d MiB; nothing that is asked of it is as large. Is that its address?", s.Name, s.Address, s.most>>20)
	case errors.Is(ctx.Err(), context.Canceled):
		return fault.New(fault.Unavailable, s.Codes.Slow, "%s was asked, and the question was given up before it answered", s.Name).Because(context.Canceled)
	case timedOut(ctx, err):
		return fault.New(fault.Unavailable, s.Codes.Slow, "%s at %s did not answer within %d seconds", s.Name, s.Address, int(s.limit.Seconds())).Because(context.DeadlineExceeded)
	case Distrust(err) != "":
		return fault.New(fault.Conflict, s.Codes.Untrusted, "the certificate of %s at %s is not trusted: %s", s.Name, s.Address, Distrust(err))
	case errors.As(err, &name) && name.IsNotFound:
		return fault.New(fault.Unavailable, s.Codes.Unreachable, "no server has the name in %s, where %s is to be. Correct the address, or what resolves names on this machine", s.Address, s.Name)
	case errors.As(err, &dial):
		return s.unreachable().Because(errors.New(dial.Error()))
	}
	return s.unreachable()
}

func (s *Service) unreachable() *fault.Error {
	return fault.New(fault.Unavailable, s.Codes.Unreachable,
		"no connection to %s at %s came about, or it broke. Check that it runs and that this is its address", s.Name, s.Address)
}

func timedOut(ctx context.Context, err error) bool {
	var slow net.Error
	return errors.Is(ctx.Err(), context.DeadlineExceeded) || errors.Is(err, context.DeadlineExceeded) || errors.As(err, &slow) && slow.Timeout()
}

// Distrust says why a TLS handshake failed; "" when none did.
func Distrust(err error) string {
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	var alert *net.OpError
	var record tls.RecordHeaderError
	switch {
	case errors.As(err, &authority):
		return "nobody whom this system trusts has signed it. Add the authority that signed it to the system's trusted certificates"
	case errors.As(err, &host):
		return "it is for another name. Configure the address by the name that it is for"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "it has expired, or is not valid yet"
	case errors.As(err, &invalid):
		return "it is not valid for a server"
	case errors.As(err, &alert) && (alert.Op == "remote error" || alert.Op == "local error"), errors.As(err, &record):
		return "the TLS handshake failed"
	case err != nil && isPlain(err):
		return "it answers without TLS. The address may be one of http"
	}
	return ""
}

// isPlain reports whether a server without TLS answered a client that wanted it.
func isPlain(err error) bool {
	var outer *url.Error
	return errors.As(err, &outer) && outer.Err != nil && outer.Err.Error() == "http: server gave HTTP response to HTTPS client"
}

// Malformed is the fault for an answer that makes no sense.
func (s *Service) Malformed() *fault.Error {
	return fault.New(fault.Conflict, s.Codes.Malformed, "what answers at %s is not %s, or a proxy in front of it answers: the answer makes no sense", s.Address, s.Name)
}

// Status is the fault for a status that says something of the server as a whole; nil for one that
// is about what was asked.
func (s *Service) Status(status int, header http.Header, now time.Time) *fault.Error {
	switch {
	case status >= 300 && status < 400:
		return fault.New(fault.Conflict, s.Codes.Redirected,
			"%s at %s redirects to %s, where the credential was not sent. Configure the address that answers by itself", s.Name, s.Address, elsewhere(header))
	case status == http.StatusTooManyRequests:
		return fault.New(fault.Unavailable, s.Codes.Busy, "%s at %s refuses more questions for now (429)", s.Name, s.Address).After(retryAfter(header, now))
	case status >= 500:
		return fault.New(fault.Unavailable, s.Codes.Failed, "%s at %s has an error of its own (%d)", s.Name, s.Address, status).After(retryAfter(header, now))
	}
	return nil
}

// Unexpected is the fault for a status that nothing explains.
func (s *Service) Unexpected(status int) *fault.Error {
	return fault.New(fault.Conflict, s.Codes.Failed, "%s at %s answered with the status %d, which is not expected here", s.Name, s.Address, status)
}

// elsewhere names the server that a redirect leads to, without what is asked of it.
func elsewhere(header http.Header) string {
	to, err := url.Parse(header.Get("Location"))
	if err != nil || to.Host == "" {
		return "another path"
	}
	return strconv.Quote(to.Scheme + "://" + to.Host)
}

// maxRetryAfter bounds what a server may ask for.
const maxRetryAfter = time.Hour

// retryAfter reads Retry-After, as seconds or as a date; zero when there is none.
func retryAfter(header http.Header, now time.Time) time.Duration {
	text := header.Get("Retry-After")
	wait := time.Duration(0)
	if seconds, err := strconv.Atoi(text); err == nil {
		wait = time.Duration(min(seconds, int(maxRetryAfter/time.Second))) * time.Second
	} else if at, err := http.ParseTime(text); err == nil {
		wait = at.Sub(now).Round(time.Second)
	}
	return min(max(wait, 0), maxRetryAfter)
}
