package lambda

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/aws/aws-lambda-go/lambdacontext"

	"berth/core/config"
)

// facts are what an event tells of a request, in the words of net/http.
type facts struct {
	path   string // escaped
	query  string // as sent
	header http.Header
	host   string // of the event, where the request names none
	client string // address of whoever reached the host, with or without port; empty: not told
	id     string // the host's, of the request
	size   int    // bytes of the event

	body *bytes.Buffer // of the answer, once the request was served
}

type factsKey struct{}

// with hands facts to ServeHTTP, which the adapter calls.
func (f *facts) with(ctx context.Context) context.Context {
	return context.WithValue(ctx, factsKey{}, f)
}

// request returns r, which the adapter made, as net/http would have made it.
func (f *facts) request(r *http.Request) (*http.Request, error) {
	uri := f.path
	if f.query != "" {
		uri += "?" + f.query
	}
	address, err := url.ParseRequestURI(uri)
	if err != nil {
		return r, err
	}
	r.URL, r.RequestURI, r.Header = address, uri, f.header
	r.Host = f.host
	if named := f.header.Get("Host"); named != "" {
		r.Host = named
	}
	for _, hop := range []string{"Host", "Transfer-Encoding", "Connection"} {
		f.header.Del(hop)
	}
	r.RemoteAddr = remoteAddress(f.client)
	if r.ContentLength == 0 {
		r.Body = http.NoBody
	}
	return r, nil
}

// remoteAddress has the form of net/http's, so that whoever reads it need not know of hosts
// without connections. The port is unknown.
func remoteAddress(client string) string {
	if address, err := netip.ParseAddr(client); err == nil {
		return net.JoinHostPort(address.String(), "0")
	}
	return client
}

// lastForwarded returns the last entry of X-Forwarded-For: the one that the load balancer
// wrote, whatever the client had claimed before it.
func lastForwarded(h http.Header) string {
	all := strings.Join(h.Values("X-Forwarded-For"), ",")
	return strings.TrimSpace(all[strings.LastIndexByte(all, ',')+1:])
}

// path returns the path of an event without the base path, escaped.
func (h *Handler) path(text string) string {
	escaped := escapePath(text, h.options.Form == config.EventHTTPv2)
	return withoutBase(escaped, h.options.BasePath)
}

// invocation returns the host's id of the invocation.
func invocation(ctx context.Context) string {
	if known, found := lambdacontext.FromContext(ctx); found {
		return known.AwsRequestID
	}
	return ""
}
