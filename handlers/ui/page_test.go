package ui

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// evil breaks out of HTML, attributes, scripts and addresses, reorders text, hides some of it and
// commands terminals.
const evil = "\"'`><evil onx=1>&amp;</evil>{{.}}javascript:alert(1)\x1b[31m\x00\x08\u202e\u2066\u200b\u0085end"

// poison puts evil into every string of a view model, two entries into every list, and yes into
// everything that is yes or no. Fields that name icons and tones are words of ours.
func poison(v reflect.Value, name string, yes bool) {
	switch v.Kind() {
	case reflect.String:
		if name != "Icon" && name != "Tone" {
			v.SetString(evil)
		} else {
			v.SetString(map[string]string{"Icon": "check", "Tone": "ok"}[name])
		}
	case reflect.Bool:
		v.SetBool(yes)
	case reflect.Int:
		v.SetInt(3)
	case reflect.Struct:
		for i := range v.NumField() {
			poison(v.Field(i), v.Type().Field(i).Name, yes)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			poison(v.Index(i), "", yes)
		}
	default:
		panic("a view model has a " + v.Type().String() + ", which clean does not reach")
	}
}

func TestEveryTemplateFitsItsModelInEachState(t *testing.T) {
	covered := map[string]bool{}
	for name, s := range samples() {
		covered[s.file] = true
		t.Run(name, func(t *testing.T) {
			page, err := s.render()
			if err != nil {
				t.Fatal(err)
			}
			check(t, page)
		})
	}
	files, err := fs.Glob(templateFiles, "templates/pages/*.html")
	if err != nil || len(files) == 0 {
		t.Fatal("no templates", err)
	}
	for _, file := range files {
		if !covered[path.Base(file)] {
			t.Errorf("no sample shows %s", file)
		}
	}
}

// TestHostileTextStaysText is A24 of the catalogue for every field of every page.
func TestHostileTextStaysText(t *testing.T) {
	for name, s := range samples() {
		t.Run(name, func(t *testing.T) {
			shown := false
			for _, yes := range []bool{true, false} {
				page, err := s.hostile(yes)
				if err != nil {
					t.Fatal(err)
				}
				shown = shown || bytes.Contains(page, []byte("evil"))
				walk(t, page, func(n *html.Node) { harmless(t, n) })
			}
			if !shown {
				t.Error("nothing of the model is on the page")
			}
		})
	}
}

func harmless(t *testing.T, n *html.Node) {
	t.Helper()
	if n.Type == html.ElementNode && n.Data == "evil" {
		t.Error("outside text became an element")
	}
	field := n.Data == "input" || n.Data == "option" || n.Parent != nil && n.Parent.Data == "textarea"
	for _, a := range n.Attr {
		if strings.HasPrefix(a.Key, "on") || a.Key == "style" {
			t.Errorf("<%s> has the attribute %s", n.Data, a.Key)
		}
		if (a.Key == "href" || a.Key == "action") && strings.HasPrefix(strings.TrimSpace(a.Val), "javascript:") {
			t.Errorf("<%s %s> runs script", n.Data, a.Key)
		}
		if !field && suspicious(a.Val) {
			t.Errorf("<%s %s=%q> has text that reorders or hides", n.Data, a.Key, a.Val)
		}
	}
	if n.Type == html.TextNode && !field && suspicious(n.Data) {
		t.Errorf("in <%s>: %q reorders or hides", n.Parent.Data, n.Data)
	}
}

// check holds for every page: well-formed, each id once, everything named, no style or script within.
func check(t *testing.T, page []byte) {
	t.Helper()
	wellFormed(t, page)
	sentByEnter(t, page)
	ids, labelled, needed := map[string]int{}, map[string]bool{}, map[string]string{}
	headings := 0
	walk(t, page, func(n *html.Node) {
		if n.Type == html.TextNode && strings.Contains(n.Data, "<no value>") {
			t.Error("the page shows something that its model does not have")
		}
		if n.Type != html.ElementNode {
			return
		}
		ids[attr(n, "id")]++
		headings += map[string]int{"h1": 1}[n.Data]
		switch n.Data {
		case "label":
			labelled[attr(n, "for")] = true
		case "input", "select", "textarea":
			if attr(n, "type") != "hidden" {
				needed[attr(n, "id")] = n.Data
			}
		case "a", "button", "summary":
			if strings.TrimSpace(text(n)) == "" {
				t.Errorf("<%s %s> has no name", n.Data, attr(n, "href"))
			}
		case "script":
			if attr(n, "src") == "" || text(n) != "" {
				t.Error("a script stands in the page; the content policy refuses it")
			}
		case "style":
			t.Error("a style stands in the page; the content policy refuses it")
		}
		for _, reference := range []string{"aria-labelledby", "aria-describedby"} {
			for _, id := range strings.Fields(attr(n, reference)) {
				needed["#"+id] = reference
			}
		}
	})
	if headings != 1 {
		t.Errorf("the page has %d main headings, want 1", headings)
	}
	for id, n := range ids {
		if id != "" && n > 1 {
			t.Errorf("the id %q stands %d times", id, n)
		}
	}
	for id, what := range needed {
		if reference, isID := strings.CutPrefix(id, "#"); isID && ids[reference] == 0 {
			t.Errorf("%s names %q, which is not there", what, reference)
		} else if !isID && !labelled[id] {
			t.Errorf("%s %q has no label", what, id)
		}
	}
}

// void are the elements that have no end tag (HTML Living Standard, void elements), and the
// SVG shapes, which close themselves.
var void = map[string]bool{"meta": true, "link": true, "input": true}

// wellFormed demands an end for every beginning, in order: browsers forgive, and then do not nest
// what was meant to.
func wellFormed(t *testing.T, page []byte) {
	t.Helper()
	var open []string
	for z := html.NewTokenizer(bytes.NewReader(page)); ; {
		switch z.Next() {
		case html.ErrorToken:
			if len(open) > 0 {
				t.Errorf("never closed: %v", open)
			}
			return
		case html.StartTagToken:
			if name, _ := z.TagName(); !void[string(name)] {
				open = append(open, string(name))
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			if len(open) == 0 || open[len(open)-1] != string(name) {
				t.Fatalf("</%s> closes %v", name, open)
			}
			open = open[:len(open)-1]
		}
	}
}

func walk(t *testing.T, page []byte, visit func(*html.Node)) {
	t.Helper()
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	visit(root)
	for n := range root.Descendants() {
		visit(n)
	}
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func text(n *html.Node) string {
	if n.Type == html.TextNode {
		return n.Data
	}
	var all strings.Builder
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		all.WriteString(text(c))
	}
	return all.String()
}

// TestEveryFieldIsShown: what no template speaks of has no place in a view model.
func TestEveryFieldIsShown(t *testing.T) {
	var templates strings.Builder
	err := fs.WalkDir(templateFiles, "templates", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		content, err := templateFiles.ReadFile(name)
		templates.Write(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range samples() {
		fields(s.model, func(owner reflect.Type, name string) {
			if !regexp.MustCompile(`\.` + name + `\b`).MatchString(templates.String()) {
				t.Errorf("no template shows %s.%s", owner.Name(), name)
			}
		})
	}
}

// fields visits every field that a template can reach from a model.
func fields(model reflect.Type, visit func(owner reflect.Type, name string)) {
	switch model.Kind() {
	case reflect.Slice:
		fields(model.Elem(), visit)
	case reflect.Struct:
		for i := range model.NumField() {
			visit(model, model.Field(i).Name)
			fields(model.Field(i).Type, visit)
		}
	}
}

func TestEveryIconIsUsed(t *testing.T) {
	var pages strings.Builder
	for _, s := range samples() {
		page, err := s.render()
		if err != nil {
			t.Fatal(err)
		}
		pages.Write(page)
	}
	for _, known := range []map[string]badge{asText(statusBadges), asText(deploymentBadges), asText(phaseBadges), asText(standingBadges), asText(runBadges)} {
		for _, b := range known {
			fmt.Fprintf(&pages, "icon-%s\"", b.Icon)
		}
	}
	for name := range icons {
		if !strings.Contains(pages.String(), "icon-"+name+`"`) {
			t.Errorf("no page shows the icon %q", name)
		}
	}
	if _, err := icon("no-such-icon"); err == nil {
		t.Error("an unknown icon is drawn")
	}
}

func asText[S ~string](known map[S]badge) map[string]badge {
	out := map[string]badge{}
	for state, b := range known {
		out[string(state)] = b
	}
	return out
}
