package lambda_test

import (
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"berth/core/config"
)

// seen is what a handler sees of a request.
type seen struct {
	Method, URI, Path, Escaped, Host, Body string
	Query                                  url.Values
	Header                                 http.Header
	Cookies                                []string
	Address, Scheme                        string
}

// added are headers that hosts and clients add on the way.
var added = []string{"X-Forwarded-For", "X-Forwarded-Port", "X-Forwarded-Proto", "X-Amzn-Trace-Id", "Accept-Encoding", "User-Agent", "Content-Length"}

func look(r *http.Request) seen {
	body, _ := io.ReadAll(r.Body)
	s := seen{Method: r.Method, URI: r.RequestURI, Path: r.URL.Path, Escaped: r.URL.EscapedPath(), Host: r.Host, Body: string(body),
		Query: r.URL.Query(), Header: r.Header.Clone(), Scheme: r.URL.Scheme + r.URL.Host}
	for _, c := range r.Cookies() {
		s.Cookies = append(s.Cookies, c.String())
	}
	for _, name := range append(added, "Cookie") {
		s.Header.Del(name)
	}
	for name, values := range s.Header { // which of them came apart is not told by every host
		s.Header[name] = []string{strings.Join(values, ",")}
	}
	if port, err := netip.ParseAddrPort(r.RemoteAddr); err == nil {
		s.Address = port.Addr().String()
	}
	return s
}

// sentAs are requests of which a handler must see the same as behind net/http; those that a
// host changes beyond repair name it; a load balancer does so without multi-value headers.
var sentAs = map[string]struct {
	r       *http.Request
	damaged []config.EventForm
}{
	"a plain one":                   {request("GET", "/stacks", ""), nil},
	"a slash at the end":            {request("GET", "/stacks/", ""), nil},
	"the root":                      {request("GET", "/", ""), nil},
	"a space in the path":           {request("GET", "/a%20b", ""), nil},
	"an escaped slash in the path":  {request("GET", "/a%2Fb", ""), []config.EventForm{config.EventHTTPv2}},
	"an escaped ? in the path":      {request("GET", "/a%3Fb?c=d", ""), []config.EventForm{config.EventHTTPv2}},
	"an escaped # in the path":      {request("GET", "/a%23b", ""), nil},
	"a percent sign in the path":    {request("GET", "/a%25b", ""), nil},
	"an escape that is text":        {request("GET", "/a%2541", ""), nil},
	"letters beyond ASCII":          {request("GET", "/gr%C3%B6%C3%9Fe", ""), nil},
	"bytes that are no text":        {request("GET", "/a%FFb", ""), []config.EventForm{config.EventHTTPv2}},
	"a repeated parameter":          {request("GET", "/?a=1&a=2&b=3", ""), nil},
	"an escaped parameter":          {request("GET", "/?q=a%26b%3Dc%25d+e%20f", ""), nil},
	"a parameter without value":     {request("GET", "/?a=&b=1", ""), nil},
	"an escaped name":               {request("GET", "/?a%5Bb%5D=c", ""), nil},
	"a query that is a URL":         {request("GET", "/?next=%2Fstacks%3Fa%3Db%26c%3Dd", ""), nil},
	"a body":                        {request("POST", "/", `{"a":"<b>&\u2028"}`, "Content-Type", "application/json"), nil},
	"a binary body":                 {request("POST", "/", "\x00\xff\xfe", "Content-Type", "application/octet-stream"), nil},
	"a method with a body":          {request("PATCH", "/x", "x=1", "Content-Type", "application/x-www-form-urlencoded"), nil},
	"a cookie":                      {request("GET", "/", "", "Cookie", "berth_session=abc=="), nil},
	"several cookies":               {request("GET", "/", "", "Cookie", "a=1; b=2, 3; c=\"4\""), nil},
	"several cookie lines":          {request("GET", "/", "", "Cookie", "a=1", "Cookie", "b=2"), []config.EventForm{config.EventALB}},
	"a date":                        {request("GET", "/", "", "If-Range", "Wed, 21 Oct 2026 07:28:00 GMT", "If-Modified-Since", "Wed, 21 Oct 2026 07:28:00 GMT"), nil},
	"tags":                          {request("GET", "/", "", "If-None-Match", `"a,b", W/"c"`), nil},
	"a list":                        {request("GET", "/", "", "Accept", "text/html,application/xhtml+xml;q=0.9, */*;q=0.8"), nil},
	"a header that comes twice":     {request("GET", "/", "", "X-Many", "1", "X-Many", "2, 3"), []config.EventForm{config.EventALB}},
	"a key":                         {request("GET", "/", "", "X-Service-Api-Key", "berth_sk_1"), nil},
	"another host":                  {func() *http.Request { r := request("GET", "/", ""); r.Host = "other.test:8443"; return r }(), nil},
	"a HEAD":                        {request("HEAD", "/x", ""), nil},
	"OPTIONS":                       {request("OPTIONS", "/x", "", "Origin", "https://a.test"), nil},
	"a claim of another address":    {request("GET", "/", "", "X-Forwarded-For", "203.0.113.9"), nil},
	"an authorization with a comma": {request("GET", "/", "", "Authorization", "X, y: z"), nil},
}

// TestAHandlerSeesWhatItSeesBehindNetHTTP, through every host.
func TestAHandlerSeesWhatItSeesBehindNetHTTP(t *testing.T) {
	var got seen
	handler := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = look(r) })
	server := httptest.NewServer(handler)
	defer server.Close()
	plain, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range sentAs {
		body, _ := io.ReadAll(c.r.Body)
		c.r.Body = io.NopCloser(strings.NewReader(string(body))) // for the next time
		again := func() *http.Request {
			r := c.r.Clone(t.Context())
			r.Body = io.NopCloser(strings.NewReader(string(body)))
			return r
		}
		direct := again()
		direct.URL.Host = plain.Host
		send(t, http.DefaultTransport, direct)
		want := got
		want.Address = "192.0.2.1"
		for host, g := range hosts(t, handler) {
			t.Run(name+"/"+host, func(t *testing.T) {
				send(t, g, again())
				if damaged := slices.Contains(c.damaged, g.Form) && (g.Form != config.EventALB || g.Plain); damaged {
					return
				}
				expected := want
				if g.Form == config.EventRESTv1 || g.Form == config.EventALB { // which lose the order of names
					expected.URI, got.URI = "", ""
				}
				if g.Plain { // and all but the last of a repeated parameter
					expected.Query = maps.Clone(want.Query)
					for name, values := range expected.Query {
						expected.Query[name] = values[len(values)-1:]
					}
				}
				if !reflect.DeepEqual(got, expected) {
					t.Errorf("the handler sees\n%+v, behind net/http\n%+v", got, expected)
				}
			})
		}
	}
}

// TestTheAddressIsTheHostsWord: whatever a client claims, its address is what the host saw.
func TestTheAddressIsTheHostsWord(t *testing.T) {
	var address string
	handler := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { address = r.RemoteAddr })
	for host, g := range hosts(t, handler) {
		for client, want := range map[string]string{"198.51.100.7": "198.51.100.7:0", "2001:db8::1": "[2001:db8::1]:0"} {
			g.Client = client
			send(t, g, request("GET", "/", "", "X-Forwarded-For", "203.0.113.9, 10.0.0.1"))
			if address != want {
				t.Errorf("%s: %s comes from %q, want %q", host, client, address, want)
			}
		}
	}
	withPort := behind(t, config.EventALB, handler)
	withPort.Client = "198.51.100.7:4711" // a load balancer may be told to write the port
	if send(t, withPort, request("GET", "/", "")); address != "198.51.100.7:4711" {
		t.Errorf("an address with a port is %q", address)
	}
}

// TestTheRequestIDIsTheHosts.
func TestTheRequestIDIsTheHosts(t *testing.T) {
	var id any
	for host, g := range hosts(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { id = r.Context().Value(idKey{}) })) {
		g.ID = "JKJaXmPLvHcESHA="
		send(t, g, request("GET", "/", ""))
		if want := g.ID; id != want && g.Form != config.EventALB || id == nil {
			t.Errorf("%s: the id is %v", host, id)
		}
	}
}

// TestTheBasePathIsCut, whole segments alone.
func TestTheBasePathIsCut(t *testing.T) {
	var path string
	handler := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { path = r.URL.Path })
	for _, form := range config.EventForms {
		h := function(t, form, "/prod/v1", handler)
		g := gatewayOf(form, h)
		for stage, cases := range map[string]map[string]string{
			"/prod/v1": {"/stacks": "/stacks", "/": "/", "/prod/v1/x": "/prod/v1/x"},
			"":         {"/prod/v1": "/", "/prod/v10/x": "/prod/v10/x", "/stacks": "/stacks", "/prod": "/prod"},
		} {
			if g.Stage = stage; form == config.EventFunctionURL && stage != "" {
				continue // which has none
			}
			for sent, want := range cases {
				if send(t, g, request("GET", sent, "")); path != want {
					t.Errorf("%s: %q after %q arrives as %q, want %q", form, sent, stage, path, want)
				}
			}
		}
	}
}

// TestOnlyHostsThatDecodeAreAskedToCompress: a REST API gives clients the base64 of a body that is no text.
func TestOnlyHostsThatDecodeAreAskedToCompress(t *testing.T) {
	var asked string
	for host, g := range hosts(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked = r.Header.Get("Accept-Encoding") })) {
		want := "gzip"
		if g.Form == config.EventRESTv1 {
			want = ""
		}
		if send(t, g, request("GET", "/metrics", "", "Accept-Encoding", "gzip")); asked != want {
			t.Errorf("%s: the handler is asked for %q, want %q", host, asked, want)
		}
	}
}
