package gateway

import (
	"maps"
	"net/http"
	"strings"

	"berth/core/config"
)

const domain = "abc123.execute-api.eu-central-1.amazonaws.com"

// header returns what the host passes on of a header, with what it adds itself.
func (g *Gateway) header(r *http.Request) http.Header {
	h := r.Header.Clone()
	h.Set("Host", hostOf(r))
	h.Set("X-Forwarded-Proto", "https")
	h.Set("X-Forwarded-Port", "443")
	h.Set("X-Amzn-Trace-Id", "Root=1-67891233-abcdef012345678912345678")
	h.Set("X-Forwarded-For", strings.Join(append(h.Values("X-Forwarded-For"), g.client()), ", "))
	return h
}

func hostOf(r *http.Request) string {
	if r.Host != "" {
		return r.Host
	}
	return r.URL.Host
}

// lower returns a header with names in lower case; those of several values are joined.
func lower(h http.Header) map[string]string {
	joined := map[string]string{}
	for name, values := range h {
		joined[strings.ToLower(name)] = strings.Join(values, ",")
	}
	return joined
}

// rest fills an event of a REST API. It has the path as it was sent, and decoded parameters.
func (g *Gateway) rest(e map[string]any, r *http.Request) {
	h := g.header(r)
	last, all := map[string]string{}, map[string][]string{}
	for name, values := range r.URL.Query() {
		last[name], all[name] = values[len(values)-1], values
	}
	headers := map[string]string{}
	for name, values := range h {
		headers[name] = values[len(values)-1]
	}
	path := g.Stage + r.URL.EscapedPath()
	maps.Copy(e, map[string]any{"resource": "/{proxy+}", "path": path, "httpMethod": r.Method, "headers": headers, "multiValueHeaders": h,
		"queryStringParameters": last, "multiValueQueryStringParameters": all, "pathParameters": map[string]string{"proxy": strings.TrimPrefix(path, "/")},
		"stageVariables": nil, "requestContext": map[string]any{"accountId": "123456789012", "apiId": "abc123", "domainName": domain, "domainPrefix": "abc123",
			"extendedRequestId": "x", "httpMethod": r.Method, "path": "/prod" + path, "protocol": "HTTP/1.1", "requestId": g.id(), "resourceId": "r", "resourcePath": "/{proxy+}",
			"stage": "prod", "requestTimeEpoch": 1583349317135, "identity": map[string]any{"sourceIp": g.client(), "userAgent": h.Get("User-Agent"), "accountId": nil}}})
}

// http fills an event of payload format 2.0. An HTTP API decodes the path and takes the
// cookies out of the header; a function URL does neither.
func (g *Gateway) http(e map[string]any, r *http.Request) {
	h, path, host, stage := g.header(r), r.URL.EscapedPath(), domain, "$default"
	var cookies []string
	for _, line := range h.Values("Cookie") {
		for cookie := range strings.SplitSeq(line, ";") {
			cookies = append(cookies, strings.TrimSpace(cookie))
		}
	}
	if g.Form == config.EventFunctionURL {
		host = "abc123.lambda-url.eu-central-1.on.aws"
	} else {
		h.Del("Cookie")
		path, _, _ = strings.Cut(r.URL.Path, "?") // as it is lost on the way
		if g.Stage != "" {
			stage, path = strings.Trim(g.Stage, "/"), g.Stage+path
		}
	}
	query := map[string]string{}
	for name, values := range r.URL.Query() {
		query[name] = strings.Join(values, ",")
	}
	maps.Copy(e, map[string]any{"version": "2.0", "routeKey": "$default", "rawPath": path, "rawQueryString": r.URL.RawQuery, "headers": lower(h),
		"queryStringParameters": query, "requestContext": map[string]any{"accountId": "123456789012", "apiId": "abc123", "domainName": host, "domainPrefix": "abc123",
			"http":      map[string]any{"method": r.Method, "path": path, "protocol": "HTTP/1.1", "sourceIp": g.client(), "userAgent": h.Get("User-Agent")},
			"requestId": g.id(), "routeKey": "$default", "stage": stage, "time": "12/Mar/2020:19:03:58 +0000", "timeEpoch": 1583348638390}})
	if len(cookies) > 0 {
		e["cookies"] = cookies
	}
}

// alb fills an event of a load balancer: path and parameters as they were sent.
func (g *Gateway) alb(e map[string]any, r *http.Request) {
	all, last := map[string][]string{}, map[string]string{}
	for part := range strings.SplitSeq(r.URL.RawQuery, "&") {
		name, value, _ := strings.Cut(part, "=")
		if part != "" {
			all[name], last[name] = append(all[name], value), value
		}
	}
	maps.Copy(e, map[string]any{"requestContext": map[string]any{"elb": map[string]any{"targetGroupArn": "arn:aws:elasticloadbalancing:eu-central-1:123456789012:targetgroup/berth/6d0ecf831eec9f09"}},
		"httpMethod": r.Method, "path": g.Stage + r.URL.EscapedPath()})
	h := g.header(r)
	if g.Plain { // the last of several values is all that there is
		single := map[string]string{}
		for name, values := range h {
			single[strings.ToLower(name)] = values[len(values)-1]
		}
		e["headers"], e["queryStringParameters"] = single, last
		return
	}
	multiple := map[string][]string{}
	for name, values := range h {
		multiple[strings.ToLower(name)] = values
	}
	e["multiValueHeaders"], e["multiValueQueryStringParameters"] = multiple, all
}
