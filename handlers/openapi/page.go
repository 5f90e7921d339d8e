package openapi

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"
	"sync"
)

//go:embed page/page.html
var pageFiles embed.FS

// pageTemplate is parsed when the page is first shown.
var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page.html").Funcs(template.FuncMap{"prose": prose, "type": typeWords}).ParseFS(pageFiles, "page/page.html"))
})

// pageView is the whole page.
type pageView struct {
	Info info
	Paths
	Server   string
	Areas    []areaView
	Schemas  []schemaView
	Failures members[*response]
}

// areaView is the operations of one tag.
type areaView struct {
	ID, Name   string
	Operations []operationView
}

type operationView struct {
	*operation
	Method, Path string
	Curl         string
	Request      *schema // nil: no body
	RequestShown string  // an example
	Answers      []answerView
	Failures     []failureView
}

// answerView is one good answer.
type answerView struct {
	Status, Text, Media string
	Schema              *schema // nil: no body
	Shown               string  // an example
}

type failureView struct{ Status, Name, Text string }

type schemaView struct {
	Name string
	*schema
}

// renderPage shows a route table to people.
func renderPage(routes []Route, version, appURL string, at Paths) ([]byte, error) {
	d, err := describe(routes, version, appURL)
	if err != nil {
		return nil, err
	}
	view := pageView{Info: d.Info, Paths: at, Server: strings.TrimSuffix(appURL, "/"), Failures: d.Components.Responses}
	for _, t := range d.Tags {
		view.Areas = append(view.Areas, d.area(t.Name, view.Server))
	}
	for _, s := range d.Components.Schemas {
		view.Schemas = append(view.Schemas, schemaView{s.Name, s.Value})
	}
	slices.SortFunc(view.Schemas, func(a, b schemaView) int { return strings.Compare(a.Name, b.Name) })
	var out bytes.Buffer
	if err := pageTemplate().Execute(&out, view); err != nil {
		return nil, fmt.Errorf("render the description: %w", err)
	}
	return out.Bytes(), nil
}

func (d *document) area(name, server string) areaView {
	area := areaView{ID: strings.ReplaceAll(name, " ", "-"), Name: name}
	for _, path := range d.Paths {
		for _, method := range path.Value {
			if method.Value.Tags[0] == name {
				area.Operations = append(area.Operations, d.view(path.Name, strings.ToUpper(method.Name), server, method.Value))
			}
		}
	}
	return area
}

func (d *document) view(path, method, server string, op *operation) operationView {
	v := operationView{operation: op, Method: method, Path: path}
	if op.RequestBody != nil {
		v.Request = op.RequestBody.Content[jsonMedia].Schema
		if v.Request != nil { // what is sent as bytes alone has no form that an example shows
			v.RequestShown = d.show(v.Request)
		}
	}
	v.Curl = d.curl(v, server)
	for _, r := range op.Responses {
		if r.Value.Ref != "" {
			name := strings.TrimPrefix(r.Value.Ref, "#/components/responses/")
			v.Failures = append(v.Failures, failureView{r.Name, name, d.Components.Responses.get(name).Description})
			continue
		}
		answer := answerView{Status: r.Name, Text: r.Value.Description}
		answer.Media = strings.Join(slices.Sorted(maps.Keys(r.Value.Content)), ", ")
		for media, content := range r.Value.Content { // several are all text
			answer.Schema = content.Schema
			if media == jsonMedia {
				answer.Shown = d.show(content.Schema)
			}
		}
		v.Answers = append(v.Answers, answer)
	}
	return v
}

// show returns an example of a schema, as people write JSON.
func (d *document) show(s *schema) string {
	text, err := json.MarshalIndent(d.example(s, 0), "", "  ")
	if err != nil {
		return "" // examples are made of strings, numbers, lists and objects
	}
	return string(text)
}
