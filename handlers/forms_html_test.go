package handlers_test

import (
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// field is what a person fills in on a page, as its HTML has it.
type field struct {
	name, kind string // kind: that of an input, "select" or "textarea"
	value      string // of a tick or a radio button: what it sends
	on         bool   // a tick or a radio button that is set
	options    []string
	invalid    bool   // marked as wrong
	secret     bool   // nothing of it comes back
	stored     bool   // a secret is kept in its place, which stays when it is empty
	complete   string // the autocomplete attribute
	beneath    string // the text that describes it
	problem    bool   // that text says what is wrong
}

// ticks reports whether the field is set or not, and sends its value only where it is set.
func (f field) ticks() bool { return f.kind == "checkbox" || f.kind == "radio" }

// typed reports whether people put something into the field.
func (f field) typed() bool { return f.kind != "hidden" && f.kind != "file" }

// blank is a form.
type blank struct {
	method, action string // action: an address without host
	fields         []field
	buttons        []field // by which it is sent; value is that of the button, options an address and a method of its own
}

// typed reports whether there is something to fill in.
func (b blank) typed() bool { return slices.ContainsFunc(b.fields, field.typed) }

// find returns the field of the same name and, where there may be several of that, of the same value.
func (b blank) find(f field) (field, bool) {
	for _, own := range b.fields {
		if own.name == f.name && (!f.ticks() && f.kind != "hidden" || own.value == f.value) {
			return own, true
		}
	}
	return field{}, false
}

// sent is what a browser sends of the form.
func (b blank) sent(button field) url.Values {
	v := url.Values{}
	for _, f := range b.fields {
		if f.name != "" && (!f.ticks() || f.on) && f.kind != "file" {
			v.Add(f.name, strings.ReplaceAll(f.value, "\n", "\r\n"))
		}
	}
	if button.name != "" {
		v.Add(button.name, button.value)
	}
	return v
}

// pageOf is a page that was answered, as a tree.
type pageOf struct {
	at   *url.URL
	root *html.Node
}

func newPageOf(at, body string) pageOf {
	to, err := url.Parse(at)
	if err != nil {
		panic(err)
	}
	root, err := html.Parse(strings.NewReader(body))
	if err != nil {
		panic(err)
	}
	return pageOf{to, root}
}

// forms are the forms of the page, with the fields that stand elsewhere and belong to them.
func (p pageOf) forms() []blank {
	var all []blank
	byID := map[string]int{}
	for n := range p.root.Descendants() {
		if n.Data != "form" || n.Type != html.ElementNode {
			continue
		}
		b := blank{method: strings.ToUpper(valueOf(n, "method")), action: p.address(valueOf(n, "action"))}
		for inner := range n.Descendants() {
			p.add(&b, inner)
		}
		if id := valueOf(n, "id"); id != "" {
			byID[id] = len(all)
		}
		all = append(all, b)
	}
	for n := range p.root.Descendants() {
		if i, known := byID[valueOf(n, "form")]; known && n.Type == html.ElementNode && valueOf(n, "form") != "" {
			p.add(&all[i], n)
		}
	}
	return all
}

// address is where a form leads that says to.
func (p pageOf) address(to string) string {
	ref, err := url.Parse(to)
	if err != nil {
		panic(err)
	}
	if to == "" {
		return p.at.RequestURI()
	}
	return p.at.ResolveReference(ref).RequestURI()
}

// add takes a node of a form in, if it is a field or a button.
func (p pageOf) add(b *blank, n *html.Node) {
	if n.Type != html.ElementNode || carries(n, "disabled") {
		return
	}
	f := field{name: valueOf(n, "name"), kind: valueOf(n, "type"), value: valueOf(n, "value"), on: carries(n, "checked"), invalid: valueOf(n, "aria-invalid") == "true",
		stored: strings.HasPrefix(valueOf(n, "placeholder"), "stored"), complete: valueOf(n, "autocomplete")}
	switch {
	case n.Data == "button" && f.kind != "button", n.Data == "input" && f.kind == "submit":
		f.options = []string{valueOf(n, "formaction"), strings.ToUpper(valueOf(n, "formmethod"))}
		b.buttons = append(b.buttons, f)
		return
	case n.Data == "textarea":
		f.kind, f.value = "textarea", strings.TrimPrefix(textOf(n), "\n")
		if carries(n, "readonly") {
			f.kind = "hidden"
		}
	case n.Data == "select":
		f.kind = "select"
		f.readOptions(n)
	case n.Data != "input" || f.kind == "button":
		return
	}
	f.beneath, f.problem = p.described(valueOf(n, "aria-describedby"))
	b.fields = append(b.fields, f)
}

func (f *field) readOptions(n *html.Node) {
	for o := range n.Descendants() {
		if o.Data != "option" || o.Type != html.ElementNode {
			continue
		}
		f.options = append(f.options, valueOf(o, "value"))
		if len(f.options) == 1 || carries(o, "selected") {
			f.value = valueOf(o, "value")
		}
	}
}

// described is the text of the elements with these identifiers, and whether it tells of a problem.
func (p pageOf) described(ids string) (text string, problem bool) {
	for n := range p.root.Descendants() {
		if id := valueOf(n, "id"); id == "" || !slices.Contains(strings.Fields(ids), id) {
			continue
		}
		text += " " + textOf(n)
		for inner := range n.Descendants() {
			problem = problem || slices.Contains(strings.Fields(valueOf(inner, "class")), "problem")
		}
		for up := n; up != nil; up = up.Parent {
			problem = problem || slices.Contains(strings.Fields(valueOf(up, "class")), "problem") || valueOf(up, "role") == "alert"
		}
	}
	return strings.TrimSpace(text), problem
}

// alerts are the texts that a screen reader speaks at once.
func (p pageOf) alerts() (all []string) {
	for n := range p.root.Descendants() {
		if text := strings.TrimSpace(textOf(n)); valueOf(n, "role") == "alert" && text != "" {
			all = append(all, text)
		}
	}
	return all
}

func textOf(n *html.Node) string {
	var text strings.Builder
	for inner := range n.Descendants() {
		if inner.Type == html.TextNode {
			text.WriteString(inner.Data)
		}
	}
	return text.String()
}

func valueOf(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func carries(n *html.Node, name string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
}
