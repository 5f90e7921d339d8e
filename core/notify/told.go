package notify

import (
	"fmt"
	"strings"
	"time"
)

// Told is one message to one target: what webhooks get as JSON.
type Told struct {
	ID    string    `json:"id"`    // of the message; the same one when it comes again
	Event string    `json:"event"` // the kind of problem, or test
	Over  bool      `json:"over"`  // the problem is not there any more
	Title string    `json:"title"`
	Items []Item    `json:"items"` // at most 20
	More  int       `json:"more"`  // how many are not listed
	URL   string    `json:"url"`   // of the server
	At    time.Time `json:"at"`
}

// Item is one problem of a message.
type Item struct {
	Name   string `json:"name"`
	Detail string `json:"detail"`
	URL    string `json:"url"`
}

// Bounds of a message.
const (
	maxItems  = 20
	maxDetail = 300 // characters
)

// For returns what a target is told of a notice; false: nothing.
func (n Notice) For(r Route, app string, at time.Time) (Told, bool) {
	t := Told{Event: string(n.Kind), Over: n.Over, URL: app, At: at.UTC(), Items: []Item{}}
	count, first := 0, ""
	for _, p := range n.Problems {
		if !r.takes(p) {
			continue
		}
		if count++; count == 1 {
			first = p.Name
		}
		if count > maxItems {
			t.More++
			continue
		}
		item := Item{Name: p.Name, URL: app + p.Path}
		if !n.Over {
			item.Detail = brief(p.Detail)
		}
		t.Items = append(t.Items, item)
	}
	w := words[n.Kind]
	one, several := w.one, w.several
	if n.Over {
		one, several = w.over, w.allOver
	}
	if t.Title = fmt.Sprintf(one, first); count > 1 {
		t.Title = fmt.Sprintf(several, count)
	}
	return t, count > 0
}

// Test is what a target is told to try it.
func Test(app string, at time.Time) Told {
	return Told{ID: "test", Event: "test", Title: "Test message from Berth: notices arrive here", Items: []Item{}, URL: app, At: at.UTC()}
}

// brief is the first line of a text, not too long.
func brief(text string) string {
	text, _, _ = strings.Cut(text, "\n")
	if runes := []rune(text); len(runes) > maxDetail {
		return string(runes[:maxDetail]) + "…"
	}
	return text
}

// Text is the message in plain lines.
func (t Told) Text() string {
	var b strings.Builder
	b.WriteString(t.Title + ".\n")
	for _, i := range t.Items {
		b.WriteString("\n" + i.Name)
		if i.Detail != "" {
			b.WriteString(": " + i.Detail)
		}
		b.WriteString("\n" + i.URL + "\n")
	}
	if t.More > 0 {
		fmt.Fprintf(&b, "\nAnd %d more: %s\n", t.More, t.URL)
	}
	return b.String()
}
