package ui

import (
	"testing"

	"golang.org/x/net/html"
)

// sentByEnter demands that the Enter key, in a field of a form, does what the form is for: browsers press the first
// button of a form wherever it stands (HTML Living Standard, implicit submission), and one that leads elsewhere
// must not be that.
func sentByEnter(t *testing.T, page []byte) {
	t.Helper()
	first, typed := map[string]*html.Node{}, map[string]bool{}
	walk(t, page, func(n *html.Node) {
		form := formOf(n)
		if form == "" {
			return
		}
		switch kind := attr(n, "type"); {
		case n.Data == "button" && kind != "button" && first[form] == nil:
			first[form] = n
		case n.Data == "input" && kind != "hidden" && kind != "checkbox" && kind != "radio":
			typed[form] = true
		}
	})
	for form, button := range first {
		if typed[form] && (attr(button, "formaction") != "" || attr(button, "formmethod") != "") {
			t.Errorf("Enter in a field of the form %q presses %q", form, text(button))
		}
	}
}

// formOf returns what tells the form of an element from the others of its page; empty: it has none.
func formOf(n *html.Node) string {
	if n.Type != html.ElementNode {
		return ""
	}
	if named := attr(n, "form"); named != "" {
		return named
	}
	for above := n.Parent; above != nil; above = above.Parent {
		if above.Data == "form" {
			if id := attr(above, "id"); id != "" {
				return id
			}
			return attr(above, "method") + " " + attr(above, "action")
		}
	}
	return ""
}
