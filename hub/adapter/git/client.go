package git

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"berth/core/repositories"
)

// newClient returns the client that asks Git hosts. It keeps no cookies and follows
// redirects only as sameHost allows.
func newClient(transport http.RoundTripper) *http.Client {
	if transport == nil {
		transport = &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			DialContext:            (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
			TLSHandshakeTimeout:    10 * time.Second,
			MaxResponseHeaderBytes: 64 << 10,
			MaxIdleConnsPerHost:    parallelAsks,
			MaxIdleConns:           4 * parallelAsks,
			IdleConnTimeout:        90 * time.Second,
			ForceAttemptHTTP2:      true,
		}
	}
	return &http.Client{Transport: transport, CheckRedirect: sameHost}
}

// errElsewhere is a redirect that is not followed.
type errElsewhere struct{ to string }

func (e errElsewhere) Error() string { return "redirect to " + e.to }

// sameHost lets a request for the refs be redirected within its host: to another path,
// or from http to https on the default ports. The credential goes along, so nothing
// else is followed.
func sameHost(next *http.Request, before []*http.Request) error {
	first := before[0].URL
	upgrade := first.Scheme == "http" && next.URL.Scheme == "https" && first.Port() == "" && next.URL.Port() == ""
	same := strings.EqualFold(first.Hostname(), next.URL.Hostname()) &&
		(upgrade || first.Scheme == next.URL.Scheme && port(first) == port(next.URL))
	switch {
	case !same:
		return errElsewhere{to: elsewhere(next.URL)}
	case len(before) > 5:
		return errors.New("more than five redirects")
	case !strings.HasSuffix(next.URL.Path, refsPath), next.URL.User != nil:
		return fmt.Errorf("redirect away from %s", refsPath)
	}
	return nil
}

// elsewhere is the address that a redirect leads to, as far as it can be shown to people.
func elsewhere(to *url.URL) string {
	plain := *to
	plain.User, plain.Fragment = nil, ""
	plain.Path = strings.TrimSuffix(plain.Path, "/git-upload-pack")
	if address, err := repositories.Address(base(&plain)); err == nil {
		return address
	}
	return to.Scheme + "://" + to.Host
}

func port(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "http":
		return "80"
	}
	return "443"
}
