package browser

import (
	"strings"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// Variant is one way of looking at a page.
type Variant struct {
	Name          string
	Width, Height int64
	Scheme        string // of colours: light or dark
}

// Variants are those of which pictures are kept. Narrow is the width down to which nothing may have to be scrolled sideways.
var (
	Variants = []Variant{{"wide-light", 1280, 900, "light"}, {"wide-dark", 1280, 900, "dark"}, {"phone-light", 390, 844, "light"}, {"phone-dark", 390, 844, "dark"}}
	Narrow   = Variant{"narrow", 320, 700, "light"}
)

// Look makes the browser look at its page in another way.
func (b *Browser) Look(v Variant) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, chromedp.EmulateViewport(v.Width, v.Height)); err != nil {
		b.t.Fatal(err)
	}
	Call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: v.Scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}})
}

// tallest is how many pixels high a page may be that is pictured whole; of a taller one, the browser has no picture.
const tallest = 12_000

// Picture is the page as a PNG: whole, or as much as a window shows when it is very tall.
func (b *Browser) Picture() []byte {
	b.t.Helper()
	take := chromedp.FullScreenshot(100)
	if Ask[int](b, `document.documentElement.scrollHeight`) > tallest {
		take = chromedp.CaptureScreenshot()
	}
	picture, err := chromedp.Run(b.ctx, take)
	if err != nil {
		b.t.Fatal(err)
	}
	return picture
}

// Addresses are where a page leads.
type Addresses struct {
	Links []string `json:"links"` // as written
	Forms []string `json:"forms"` // "POST http://host/path"
}

// Addresses returns where the page leads.
func (b *Browser) Addresses() Addresses {
	b.t.Helper()
	return Ask[Addresses](b, addresses)
}

// Complaints judges the page as it stands: what keeps people out, what no screen reader can name, what is too dim
// to read, and, at the width of the narrowest screen, what has to be scrolled sideways. It leaves the browser at
// the first of Variants.
func (b *Browser) Complaints(schemes ...string) []string {
	b.t.Helper()
	found := append(Ask[[]string](b, Judgement), b.unnamed()...)
	found = append(found, Ask[[]string](b, sideways)...)
	for _, scheme := range schemes {
		narrow := Narrow
		narrow.Scheme = scheme
		b.Look(narrow)
		found = append(found, Ask[[]string](b, sideways)...)
		for _, dim := range Ask[[]string](b, Contrast) {
			found = append(found, scheme+": "+dim)
		}
	}
	b.Look(Variants[0])
	return append(found, b.Troubles()...)
}

// operable are the roles of what people act on.
var operable = map[string]bool{"button": true, "link": true, "textbox": true, "searchbox": true, "checkbox": true, "radio": true, "combobox": true, "listbox": true, "option": true,
	"menuitem": true, "tab": true, "switch": true, "slider": true, "spinbutton": true, "DisclosureTriangle": true, "image": true, "img": true, "dialog": true}

// unnamed are the parts of the browser's accessibility tree that people act on and that have no name.
func (b *Browser) unnamed() (bad []string) {
	b.t.Helper()
	nodes := Call(b, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{}).Nodes
	seen := 0
	for _, n := range nodes {
		if n.Ignored || n.Role == nil || !operable[text(n.Role)] {
			continue
		}
		seen++
		if text(n.Name) == "" {
			bad = append(bad, "no name in the accessibility tree: "+text(n.Role))
		}
	}
	if seen == 0 {
		bad = append(bad, "nothing in the accessibility tree can be acted on")
	}
	return bad
}

// text is a value that is text.
func text(v *accessibility.Value) string {
	if v == nil {
		return ""
	}
	return strings.TrimSpace(strings.Trim(string(v.Value), `"`))
}
