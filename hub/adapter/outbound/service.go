package outbound

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"berth/core/fault"
)

// Bounds of one question.
const (
	Limit     = 10 * time.Second // from the connection to the last byte of the answer, unless Options say otherwise
	MaxAnswer = 1 << 20          // bytes
	maxHeader = 64 << 10         // bytes of an answer's header
)

// Options say how servers are reached.
type Options struct {
	Dial  func(ctx context.Context, network, address string) (net.Conn, error) // nil: our own, which refuses addresses that no service has; a fault that it returns is passed on
	Roots *x509.CertPool                                                       // whose certificates are trusted; nil: the system's
	Limit time.Duration                                                        // of one question; 0: Limit
	Most  int64                                                                // bytes of one answer; 0: MaxAnswer
	Where string                                                               // the address is configured; "": under Settings, Integrations
}

// Codes are the codes of a service's own faults.
type Codes struct {
	Address     string // what was configured is no address
	Unreachable string // no connection came about, or it broke
	Untrusted   string // its certificate is refused
	Slow        string // no whole answer within Limit
	TooLarge    string // more than Options.Most
	Malformed   string // an answer that makes no sense
	Redirected  string // it sends us elsewhere
	Busy        string // 429
	Failed      string // 5xx and other statuses that nobody expects
}

// Service is a server that a person named. Its fields are set once.
type Service struct {
	Name    string // for people: "Vault"
	Address string // scheme://host[:port]
	Codes   Codes
	client  *http.Client
	limit   time.Duration
	most    int64
}

// New returns a Service for what a person gave as its address; Conflict Codes.Address.
func New(name, address string, codes Codes, o Options) (*Service, error) {
	o.Where = cmp.Or(o.Where, "under Settings, Integrations")
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil ||
		strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, fault.New(fault.Conflict, codes.Address,
			"the configured address of %s is not of the form https://host:port; correct it %s", name, o.Where)
	}
	o = o.complete()
	return &Service{Name: name, Address: u.Scheme + "://" + u.Host, Codes: codes, client: newClient(o), limit: o.Limit, most: o.Most}, nil
}

func (o Options) complete() Options {
	o.Limit, o.Most = cmp.Or(o.Limit, Limit), cmp.Or(o.Most, MaxAnswer)
	return o
}

// NewClient returns a client that keeps to the limits, for a library that asks by itself.
func NewClient(o Options) *http.Client { return newClient(o.complete()) }

// Limit is how long one question may take.
func (s *Service) Limit() time.Duration { return s.limit }

// Whole is how long all questions that belong together may take.
func (s *Service) Whole() time.Duration { return 3 * s.limit }

// Client returns the client that keeps to the limits.
func (s *Service) Client() *http.Client { return s.client }

// Close frees the connections that are kept.
func (s *Service) Close() { s.client.CloseIdleConnections() }

func newClient(o Options) *http.Client {
	if o.Dial == nil {
		o.Dial = dialer(o.Limit, o.Where)
	}
	transport := &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            o.Dial,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: o.Roots},
		TLSHandshakeTimeout:    o.Limit,
		MaxResponseHeaderBytes: maxHeader,
		MaxConnsPerHost:        Parallel,
		MaxIdleConnsPerHost:    Parallel,
		IdleConnTimeout:        30 * time.Second,
		DisableCompression:     true, // the limit is on what comes over the wire
		ForceAttemptHTTP2:      true,
	}
	return &http.Client{Transport: capped{transport, o.Most}, Timeout: o.Limit,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}
