package lambda

import (
	"net/http"
	"net/url"
	"strings"
)

// event is what counts of an event, in any form. What of it is an object or a list is kept as it
// came, and read when it is known that it is needed: half of an event says the other half again.
type event struct {
	version, method, path, rawQuery, body string
	encoded                               bool // the body is base64
	cookies                               []string

	headers, headerLists []byte // JSON: values by name, lists of values by name
	query, queryLists    []byte

	stage, domain, id, source string // of the request's context
	httpMethod, httpPath      string
	elb                       bool // it comes from a load balancer
}

// read reads an event; false when it is no JSON object.
func read(payload []byte) (e event, ok bool) {
	s := &scan{data: payload}
	s.object(func(key string) {
		switch key {
		case "version":
			e.version = s.text()
		case "httpMethod":
			e.method = s.text()
		case "path", "rawPath":
			e.path = s.text()
		case "rawQueryString":
			e.rawQuery = s.text()
		case "body":
			e.body = s.text()
		case "isBase64Encoded":
			e.encoded = string(s.skip()) == "true"
		case "cookies":
			s.list(func() { e.cookies = append(e.cookies, s.text()) })
		case "headers":
			e.headers = s.skip()
		case "multiValueHeaders":
			e.headerLists = s.skip()
		case "queryStringParameters":
			e.query = s.skip()
		case "multiValueQueryStringParameters":
			e.queryLists = s.skip()
		case "requestContext":
			s.object(func(key string) { e.about(s, key) })
		default:
			s.skip()
		}
	})
	return e, s.ended()
}

// about reads one member of the request's context.
func (e *event) about(s *scan, key string) {
	switch key {
	case "stage":
		e.stage = s.text()
	case "domainName":
		e.domain = s.text()
	case "requestId":
		e.id = s.text()
	case "elb":
		e.elb = len(s.skip()) > 0
	case "http", "identity":
		s.object(func(key string) {
			switch key {
			case "method":
				e.httpMethod = s.text()
			case "path":
				e.httpPath = s.text()
			case "sourceIp":
				e.source = s.text()
			default:
				s.skip()
			}
		})
	default:
		s.skip()
	}
}

// listed reports whether the event has lists of values, which then say all that there is.
func (e *event) listed() bool { return strings.Contains(string(e.headerLists), ":") }

// header returns the header. Single values stay whole: which of them are lists that commas
// separate, only their readers know.
func (e *event) header() http.Header {
	h := make(http.Header, 32)
	each(e.headerLists, e.headers, func(name, value string) {
		name = http.CanonicalHeaderKey(name)
		h[name] = append(h[name], value)
	})
	return h
}

// each reads values by name: from lists, or, where there are none, from single ones.
func each(lists, singles []byte, take func(name, value string)) {
	s, found := &scan{data: lists}, false
	s.object(func(name string) { s.list(func() { found = true; take(name, s.text()) }) })
	if found {
		return
	}
	s = &scan{data: singles}
	s.object(func(name string) { take(name, s.text()) })
}

// decodedQuery joins parameters that the host has decoded. The order of names is lost in the
// event, so that any is as good; repeats keep theirs.
func (e *event) decodedQuery() string {
	values := url.Values{}
	each(e.queryLists, e.query, values.Add)
	return values.Encode()
}

// sentQuery joins parameters that the host left as they were sent.
func (e *event) sentQuery() string {
	var out strings.Builder
	each(e.queryLists, e.query, func(name, value string) {
		if out.Len() > 0 {
			out.WriteByte('&')
		}
		out.WriteString(name + "=" + value)
	})
	return out.String()
}
