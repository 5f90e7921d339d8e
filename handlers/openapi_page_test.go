package handlers_test

import (
	"encoding/xml"
	"io"
	"net/http"
	"strings"
	"testing"
)

// docsPage returns the elements of the page, in order, and the page itself.
func docsPage(t *testing.T, s *stand) ([]xml.StartElement, string) {
	t.Helper()
	w := s.do(call{method: "GET", path: "/api/custom/docs"})
	if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "text/html; charset=utf-8" {
		t.Fatalf("%d %s", w.Code, w.Header())
	}
	dec := xml.NewDecoder(strings.NewReader(w.Body.String()))
	dec.Strict, dec.AutoClose, dec.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	var all []xml.StartElement
	for {
		token, err := dec.Token()
		if err == io.EOF {
			return all, w.Body.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		if start, is := token.(xml.StartElement); is {
			all = append(all, start.Copy())
		}
	}
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func TestThePageShowsEveryOperationAndSchema(t *testing.T) {
	s := newStand(t)
	d := describe(t, s)
	elements, text := docsPage(t, s)
	ids := map[string]bool{}
	for _, e := range elements {
		if id := attribute(e, "id"); id != "" && (ids[id] || strings.Contains(id, " ")) {
			t.Errorf("the id %q is there twice or is none", id)
		} else if id != "" {
			ids[id] = true
		}
	}
	d.each(func(method, path string, op map[string]any) {
		if !ids[op["operationId"].(string)] || !strings.Contains(text, "<code>"+path+"</code>") {
			t.Errorf("%s %s is not on the page", method, path)
		}
	})
	for name := range at(d.doc, "components", "schemas").(map[string]any) {
		if !ids["schema-"+name] {
			t.Errorf("the schema %s is not on the page", name)
		}
	}
	for _, e := range elements {
		if anchor, is := strings.CutPrefix(attribute(e, "href"), "#"); is && !ids[anchor] {
			t.Errorf("the link to #%s leads nowhere", anchor)
		}
	}
	for _, want := range []string{
		`curl -X POST \` + "\n  -H &#34;X-Service-Api-Key: $API_KEY&#34; \\\n" + `  &#34;http://berth.test/api/custom/stacks/$ID/sync&#34;`,
		`-d &#39;{&#34;email&#34;:&#34;…&#34;,&#34;password&#34;:&#34;…&#34;,&#34;code&#34;:&#34;…&#34;}&#39;`,
		`<code>queued</code>, <code>running</code>`, `&#34;stack_id&#34;: &#34;stk_…&#34;`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not show %s", want)
		}
	}
}

func TestThePageLoadsNothingFromOutsideAndRunsNothing(t *testing.T) {
	s := newStand(t)
	elements, _ := docsPage(t, s)
	styles := 0
	for _, e := range elements {
		switch e.Name.Local {
		case "script", "style", "iframe", "img", "object", "embed", "base", "form":
			t.Errorf("the page has a %s", e.Name.Local)
		case "link":
			if attribute(e, "rel") == "icon" {
				continue
			}
			styles++
			w := s.do(call{method: "GET", path: attribute(e, "href")})
			if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "text/css; charset=utf-8" || strings.Contains(w.Body.String(), "url(") || strings.Contains(w.Body.String(), "@import") {
				t.Errorf("the style is %d %s", w.Code, w.Header())
			}
		case "a":
			if to := attribute(e, "href"); to != "/" && to != "/api/custom/openapi.json" && !strings.HasPrefix(to, "#") {
				t.Errorf("the page leads to %s", to)
			}
		}
		for _, a := range e.Attr {
			if a.Name.Local == "style" || strings.HasPrefix(a.Name.Local, "on") {
				t.Errorf("%s has the attribute %s, which the content policy refuses", e.Name.Local, a.Name.Local)
			}
		}
	}
	if styles != 1 {
		t.Errorf("the page loads %d styles", styles)
	}
}
