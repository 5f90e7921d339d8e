package handlers_test

import (
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"berth/handlers/endpoint"
)

// description is the OpenAPI document as its readers have it, and what holds answers against it.
type description struct {
	doc map[string]any
	mux *http.ServeMux // knows which path a request is for
}

// describe fetches the document from the stand.
func describe(t testing.TB, s *stand) *description {
	t.Helper()
	w := s.do(call{method: "GET", path: "/api/custom/openapi.json"})
	if w.Code != http.StatusOK {
		t.Fatalf("the document: %d %s", w.Code, w.Body)
	}
	d := &description{doc: map[string]any{}, mux: http.NewServeMux()}
	if err := json.Unmarshal(w.Body.Bytes(), &d.doc); err != nil {
		t.Fatal(err)
	}
	d.each(func(method, path string, _ map[string]any) {
		d.mux.Handle(method+" "+path, http.NotFoundHandler())
	})
	return d
}

// each visits every operation, in order of path and method.
func (d *description) each(visit func(method, path string, op map[string]any)) {
	paths := d.doc["paths"].(map[string]any)
	for _, path := range sortedKeys(paths) {
		item := paths[path].(map[string]any)
		for _, method := range sortedKeys(item) {
			visit(strings.ToUpper(method), path, item[method].(map[string]any))
		}
	}
}

func sortedKeys(m map[string]any) []string {
	var all []string
	for key := range m {
		all = append(all, key)
	}
	slices.Sort(all)
	return all
}

// operation finds what describes a request; nil when nothing does.
func (d *description) operation(method, path string) map[string]any {
	_, pattern := d.mux.Handler(httptest.NewRequest(method, origin+path, nil))
	_, path, found := strings.Cut(pattern, " ")
	if !found {
		return nil
	}
	return at(d.doc, "paths", path, strings.ToLower(method)).(map[string]any)
}

// resolve follows a reference.
func (d *description) resolve(v any) map[string]any {
	m, _ := v.(map[string]any)
	ref, is := m["$ref"].(string)
	if !is {
		return m
	}
	var target any = d.doc
	for _, step := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
		inner, _ := target.(map[string]any)
		target = inner[step]
	}
	found, _ := target.(map[string]any)
	return found
}

// complaints says what an answer has that the document does not say, and the other way round.
func (d *description) complaints(method, path string, w *httptest.ResponseRecorder) []string {
	op := d.operation(method, path)
	if op == nil {
		return []string{"the request is not described"}
	}
	described, found := op["responses"].(map[string]any)[strconv.Itoa(w.Code)]
	if !found {
		return []string{fmt.Sprintf("status %d is not described", w.Code)}
	}
	response := d.resolve(described)
	content, _ := response["content"].(map[string]any)
	if len(content) == 0 {
		if w.Body.Len() > 0 {
			return []string{"there is a body, but none is described"}
		}
		return nil
	}
	media, _, err := mime.ParseMediaType(w.Header().Get("Content-Type"))
	if err != nil || content[media] == nil {
		return []string{fmt.Sprintf("the body is %q, described are %v", w.Header().Get("Content-Type"), sortedKeys(content))}
	}
	all := missingHeaders(response, w.Header())
	if !strings.HasSuffix(media, "json") {
		return all
	}
	return append(all, d.misfits(at(content, media, "schema"), w.Body.Bytes())...)
}

func missingHeaders(response map[string]any, got http.Header) []string {
	var all []string
	described, _ := response["headers"].(map[string]any)
	for name := range described {
		if got.Get(name) == "" && name != endpoint.AwayHeader { // which is there only while no hub is
			all = append(all, "header "+name+" is missing")
		}
	}
	return all
}
