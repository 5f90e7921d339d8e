package endpoint

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestAQueryHoldsWhatIsKnownAndNothingElse(t *testing.T) {
	paged := map[string][]string{"limit": nil, "after": nil, "state": {"open", "over"}, "kind": {"a", "b"}}
	for name, c := range map[string]struct {
		known map[string][]string
		query string
		code  string // empty: it is served
		says  string
		paths string
	}{
		"no query":                       {paged, "", "", "", ""},
		"nothing after the mark":         {paged, "?", "", "", ""},
		"what is known":                  {paged, "?limit=5&after=x%26y", "", "", ""},
		"an empty value":                 {paged, "?limit=", "", "", ""},
		"a misspelt name":                {paged, "?limits=5", "query.unknown", "limits is no query parameter of this operation; it takes after, kind, limit, state.", "limits"},
		"another case":                   {paged, "?Limit=5", "query.unknown", "it takes after, kind, limit, state", "Limit"},
		"several":                        {paged, "?to=1&from=2&limit=3", "query.unknown", "from is no query parameter", "from,to"},
		"none is known":                  {nil, "?x=1", "query.unknown", "it takes none", "x"},
		"the same twice":                 {paged, "?limit=1&limit=2", "query.repeated", "limit must not be given more than once", "limit"},
		"unknown and repeated":           {paged, "?limit=1&limit=2&x=1", "query.unknown", "x is no", "x"},
		"a semicolon":                    {paged, "?limit=1;after=2", "query.unreadable", "percent-encoded", ""},
		"half an escape":                 {paged, "?limit=%4", "query.unreadable", "percent-encoded", ""},
		"a value in the place of a name": {paged, "?berth_sk_canarycanarycanarycanarycanarycanary", "query.unknown", "(a name of 45 bytes) is no", "(a name of 45 bytes)"},
		"text that reorders":             {paged, "?a%E2%80%AEb=1", "query.unknown", "(a name of 5 bytes) is no", "(a name of 5 bytes)"},
		"very many":                      {paged, "?" + strings.Repeat("x&", 5) + "a&b&c&d&e&f&g&h&i&j&k&l&m", "query.unknown", "a is no", "a,b,c,d,e,f,g,h,i,j"},
		"a word":                         {paged, "?state=over&kind=", "", "", ""},
		"a word that is none":            {paged, "?state=ended", "query.invalid", "state: must be one of open, over, or be left out", "state"},
		"a word in other letters":        {paged, "?state=Open", "query.invalid", "state: must be one of open, over, or be left out", "state"},
		"two words that are none":        {paged, "?state=canary&kind=canary&limit=canary", "query.invalid", "kind: must be one of a, b, or be left out; state: must", "kind,state"},
	} {
		t.Run(name, func(t *testing.T) {
			served := false
			w := httptest.NewRecorder()
			KnownQuery(c.known, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { served = true })).
				ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/x"+c.query, nil))
			if served != (c.code == "") {
				t.Fatalf("served: %t, %s", served, w.Body)
			}
			if served {
				return
			}
			var p Problem
			if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
				t.Fatal(err)
			}
			var paths []string
			for _, f := range p.Fields {
				paths = append(paths, f.Path)
			}
			status := http.StatusBadRequest
			if c.code == "query.invalid" {
				status = http.StatusUnprocessableEntity
			}
			if w.Code != status || p.Code != c.code || !strings.Contains(p.Detail, c.says) || strings.Join(paths, ",") != c.paths {
				t.Errorf("got %d %s", w.Code, w.Body)
			}
			if strings.Contains(w.Body.String(), "canary") {
				t.Errorf("it came back: %s", w.Body)
			}
		})
	}
}
