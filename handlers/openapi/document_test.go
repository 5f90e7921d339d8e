package openapi

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"

	"berth/core/access"
	"berth/handlers/guard"
)

// row is a route that can be described; change makes it another.
func row(change func(*Route)) Route {
	r := Route{Method: http.MethodGet, Pattern: "/api/custom/stacks/{id}", Rule: guard.Rule{Capability: access.View, Surface: guard.API},
		Operation: Operation{Summary: "Read", Tag: "stacks", Response: base{}, Status: http.StatusOK}}
	if change != nil {
		change(&r)
	}
	return r
}

func TestFailuresFollowFromTheRow(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Route)
		want   []int
	}{
		"a read":        {nil, []int{400, 401, 403, 404, 429, 500, 503}},
		"a list":        {func(r *Route) { r.Pattern, r.Query = "/api/custom/stacks", []Param{{Name: "limit"}} }, []int{400, 401, 403, 422, 429, 500, 503}},
		"about oneself": {func(r *Route) { r.Pattern, r.Rule.Capability = "/api/custom/me", access.SignedIn }, []int{400, 401, 429, 500, 503}},
		"open to all":   {func(r *Route) { r.Pattern, r.Rule.Capability = "/api/custom/setup", access.Public }, []int{400, 401, 429, 500, 503}},
		"a write":       {func(r *Route) { r.Method, r.Rule.Capability = http.MethodDelete, access.Operate }, []int{400, 401, 403, 404, 409, 429, 500, 503}},
		"a write by anyone": {func(r *Route) {
			r.Method, r.Pattern, r.Rule.Capability = http.MethodPost, "/api/custom/login", access.Public
		}, []int{400, 401, 403, 429, 500, 503}},
		"a body": {func(r *Route) { r.Method, r.Rule.Capability, r.Request = http.MethodPatch, access.Operate, leaf{} },
			[]int{400, 401, 403, 404, 409, 413, 415, 422, 429, 500, 503}},
		"health": {func(r *Route) {
			r.Pattern, r.Rule = "/healthz", guard.Rule{Capability: access.Public, Surface: guard.Probe}
		}, []int{500}},
		"what the row adds": {func(r *Route) { r.Problems = []int{409, 401} }, []int{400, 401, 403, 404, 409, 429, 500, 503}},
	} {
		if got := row(c.change).failures(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestOperationIDs(t *testing.T) {
	for route, want := range map[string]string{
		"GET /api/custom/stacks":                                  "getStacks",
		"GET /api/custom/stacks/{id}":                             "getStacksById",
		"POST /api/custom/service-accounts/{id}/keys":             "postServiceAccountsByIdKeys",
		"DELETE /api/custom/service-accounts/{id}/keys/{key_id}":  "deleteServiceAccountsByIdKeysByKeyId",
		"POST /api/custom/stacks/{id}/services/{service}/restart": "postStacksByIdServicesByServiceRestart",
		"GET /metrics":             "getServerMetrics",
		"GET /api/custom/metrics":  "getMetrics",
		"GET /api/custom/a.json/x": "getAJsonX",
	} {
		method, pattern, _ := strings.Cut(route, " ")
		if got := operationID(method, pattern); got != want {
			t.Errorf("%s is %s, want %s", route, got, want)
		}
	}
}

func TestATableThatCannotBeDescribedIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		routes []Route
		want   string
	}{
		"no summary":          {[]Route{row(func(r *Route) { r.Summary = "" })}, "needs a summary"},
		"no status":           {[]Route{row(func(r *Route) { r.Status = 0 })}, "needs a summary, a tag and a status"},
		"an unknown wildcard": {[]Route{row(func(r *Route) { r.Pattern = "/api/custom/ships/{id}" })}, "ships/{id}"},
		"an unknown method":   {[]Route{row(func(r *Route) { r.Method = "BREW" })}, "BREW"},
		"an unknown status":   {[]Route{row(func(r *Route) { r.Problems = []int{418} })}, "418"},
		"one name for two":    {[]Route{row(nil), row(nil)}, "getStacksById"},
		"a type with no schema": {[]Route{row(func(r *Route) { r.Response = timed{} })},
			"writes its own JSON"},
	} {
		if _, err := Document(c.routes, "1", "http://x"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want something about %q", name, err, c.want)
		}
	}
}

func TestADocument(t *testing.T) {
	text, err := Document([]Route{row(nil), row(func(r *Route) { r.Method, r.Status, r.OrNoContent = http.MethodDelete, http.StatusAccepted, true }),
		row(func(r *Route) { r.Pattern, r.Rule.Surface = "/page", guard.Page }),
		row(func(r *Route) {
			r.Pattern, r.ContentType, r.Response, r.Rule.Streams, r.Detail = "/api/custom/log", "text/plain", nil, true, "Lines."
		})}, "1.2", "https://berth.example")
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Info    struct{ Version string }
		Servers []struct{ URL string }
		Tags    []struct{ Name string }
		Paths   map[string]map[string]struct {
			Description string
			Responses   map[string]struct {
				Content map[string]struct{ Schema map[string]any }
			}
		}
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if got.Info.Version != "1.2" || got.Servers[0].URL != "https://berth.example" || len(got.Tags) != 1 || len(got.Paths) != 2 {
		t.Errorf("got %+v", got)
	}
	single, log := got.Paths["/api/custom/stacks/{id}"], got.Paths["/api/custom/log"]["get"]
	if ref := single["get"].Responses["200"].Content["application/json"].Schema["$ref"]; ref != "#/components/schemas/base" {
		t.Errorf("it is answered with %v", ref)
	}
	if _, empty := single["delete"].Responses["204"]; !empty || single["delete"].Responses["202"].Content == nil {
		t.Errorf("the deletion is answered with %v", single["delete"].Responses)
	}
	if log.Responses["200"].Content["text/plain"].Schema["type"] != "string" || !strings.HasPrefix(log.Description, "Lines. ") || !strings.Contains(log.Description, "go on for long") {
		t.Errorf("the log is %+v", log)
	}
}

func TestASiteThatCannotBeMadeSaysSoEachTime(t *testing.T) {
	made := 0
	site := NewSite(func() []Route { made++; return []Route{row(func(r *Route) { r.Tag = "" })} }, "1", "/", Paths{})
	for range 2 {
		for _, handler := range []http.Handler{site.Document(), site.Page()} {
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
			if w.Code != http.StatusInternalServerError || strings.Contains(w.Body.String(), "tag") {
				t.Errorf("%d %s", w.Code, w.Body)
			}
		}
	}
	if made != 2 {
		t.Errorf("the table was taken %d times", made)
	}
}

// TestExamplesOfTypesThatHoldThemselvesEnd would not return otherwise.
func TestExamplesOfTypesThatHoldThemselvesEnd(t *testing.T) {
	types := newCatalogue(known)
	s := types.of(reflect.TypeFor[everything](), inAnswer)
	d := &document{Components: components{Schemas: types.schemas}}
	text := d.show(s)
	for _, want := range []string{`"id": "…"`, `"at": "2026-01-02T15:04:05Z"`, `"later": "2026-01-02T15:04:05Z"`, `"colour": "red"`, `"…": "red"`, `"ratio": 0`} {
		if !strings.Contains(text, want) {
			t.Errorf("the example has no %s: %.500s", want, text)
		}
	}
}
