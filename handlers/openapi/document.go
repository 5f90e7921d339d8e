package openapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"berth/core/access"
	"berth/handlers/endpoint"
	"berth/handlers/guard"
)

// Document returns the OpenAPI 3.1 document of a route table as JSON; the same table gives
// the same bytes. version is the program's, appURL the address of the server. It fails,
// naming the row or type, when something cannot be described.
func Document(routes []Route, version, appURL string) ([]byte, error) {
	d, err := describe(routes, version, appURL)
	if err != nil {
		return nil, err
	}
	return json.Marshal(d)
}

const introduction = "Deploys Docker Compose stacks from Git repositories to many hosts.\n\n" +
	"JSON in and out, UTF-8, times in RFC 3339 and UTC, identifiers opaque. Lists are ordered and come in pages: `next` of one page is `after` of the following one, " +
	"and empty on the last. A body with a field that is not described here is refused. Failures are problems as of RFC 9457; `code` is for programs, `detail` for people. " +
	"Every answer carries an `X-Request-Id`, under which the server's log has the request. Later versions may add fields to answers."

// The names of the ways to prove who asks.
const (
	bySession = "session"
	byKey     = "key"
)

func describe(routes []Route, version, appURL string) (*document, error) {
	known, err := meanings()
	if err != nil {
		return nil, err
	}
	d := &document{OpenAPI: "3.1.0", Info: info{Title: "Berth", Version: version, Description: introduction}, Servers: []server{{appURL}}}
	types := newCatalogue(known)
	ids := map[string]string{}
	for _, route := range routes {
		if !route.described() {
			continue
		}
		if err := d.add(route, types, ids); err != nil {
			return nil, fmt.Errorf("route %s %s: %w", route.Method, route.Pattern, err)
		}
	}
	addFailures(&d.Components, types.of(reflect.TypeFor[endpoint.Problem](), inAnswer))
	d.Components.Schemas = types.schemas
	d.Components.SecuritySchemes.add(bySession, securityScheme{"apiKey", "cookie", endpoint.SessionCookie, "A browser session, opened by signing in."})
	d.Components.SecuritySchemes.add(byKey, securityScheme{"apiKey", "header", guard.KeyHeader, "The API key of a service account."})
	return d, errors.Join(types.problems...)
}

// add describes one route.
func (d *document) add(route Route, types *catalogue, ids map[string]string) error {
	if route.Summary == "" || route.Tag == "" || route.Status == 0 {
		return errors.New("its Operation needs a summary, a tag and a status")
	}
	method, err := verb(route.Method)
	if err != nil {
		return err
	}
	op, err := route.operation(types)
	if err != nil {
		return err
	}
	if first, taken := ids[op.OperationID]; taken {
		return fmt.Errorf("its operation would be called %s, as that of %s is", op.OperationID, first)
	}
	ids[op.OperationID] = route.Pattern
	d.addTag(route.Tag)
	d.Paths.slot(route.Pattern).add(method, op)
	return nil
}

// addTag lists an area, once.
func (d *document) addTag(name string) {
	for _, known := range d.Tags {
		if known.Name == name {
			return
		}
	}
	d.Tags = append(d.Tags, tag{name})
}

func (r Route) operation(types *catalogue) (*operation, error) {
	op := &operation{OperationID: operationID(r.Method, r.Pattern), Summary: r.Summary, Description: r.authority(), Tags: []string{r.Tag}, Security: r.security()}
	if r.Detail != "" {
		op.Description = r.Detail + " " + op.Description
	}
	if r.Rule.Streams {
		op.Description += " The answer may go on for long; it ends when the credential loses its right to it."
	}
	var err error
	if op.Parameters, err = pathParameters(r.Pattern); err != nil {
		return nil, err
	}
	for _, q := range r.Query {
		op.Parameters = append(op.Parameters, parameter{Name: q.Name, In: "query", Required: q.Required, Description: q.Help, Schema: &schema{Type: q.Type, Enum: q.Words}})
	}
	if r.Request != nil {
		op.RequestBody = &body{Required: !r.Optional, Content: map[string]mediaType{jsonMedia: {types.of(reflect.TypeOf(r.Request), inRequest)}}}
	}
	if r.RequestType != "" {
		op.RequestBody = &body{Required: true, Content: map[string]mediaType{r.RequestType: {&schema{Type: "string"}}}}
	}
	op.Responses.add(strconv.Itoa(r.Status), r.success(types))
	if r.OrNoContent {
		op.Responses.add(strconv.Itoa(http.StatusNoContent), &response{Description: http.StatusText(http.StatusNoContent)})
	}
	failures, err := r.failureResponses()
	op.Responses = append(op.Responses, failures...)
	return op, err
}

const jsonMedia = "application/json"

// success is the answer when all went well.
func (r Route) success(types *catalogue) *response {
	answer := &response{Description: http.StatusText(r.Status)}
	switch {
	case r.ContentType != "":
		answer.Content = map[string]mediaType{}
		for kind := range strings.SplitSeq(r.ContentType, ", ") {
			answer.Content[kind] = mediaType{&schema{Type: "string"}}
		}
	case r.Response != nil:
		answer.Content = map[string]mediaType{jsonMedia: {types.of(reflect.TypeOf(r.Response), inAnswer)}}
	}
	if r.Live {
		answer.Headers = map[string]header{endpoint.AwayHeader: {"No hub is there, so what this tells of workers, containers and repositories may be old: `since=` and the time when one was last heard of, or `since=unknown`. Absent while one is there.", &schema{Type: "string"}}}
	}
	return answer
}

// security lists the credentials of which any one will do; empty where none is needed.
func (r Route) security() []map[string][]string {
	switch {
	case r.Rule.Capability == access.Public:
		return []map[string][]string{}
	case r.Rule.Surface == guard.Scrape:
		return []map[string][]string{{byKey: {}}}
	}
	return []map[string][]string{{byKey: {}}, {bySession: {}}}
}
