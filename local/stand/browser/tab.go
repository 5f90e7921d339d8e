package browser

import (
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// Tab opens one more window of the same browser, which has its cookies and its storage, and which people would
// see beside the first. It ends with Close, or with the browser.
func (b *Browser) Tab() *Browser {
	b.t.Helper()
	ctx, end := chromedp.NewContext(b.ctx, chromedp.WithNewWindow(true))
	tab := &Browser{t: b.t, ctx: ctx, end: end, permitted: map[int64]bool{}, documents: b.documents}
	tab.begin()
	return tab
}

// Close closes the window, and with the first one the browser.
func (b *Browser) Close() { b.end() }

// begin makes the window, and listens to what its pages do.
func (b *Browser) begin() {
	b.t.Helper()
	// The browser lives as long as the context of the first thing that it does.
	if err := chromedp.Do(b.ctx, chromedp.EmulateViewport(1280, 900)); err != nil {
		b.t.Fatal("the browser does not start: ", err)
	}
	if err := chromedp.Listen(b.ctx, b.notice); err != nil {
		b.t.Fatal(err)
	}
}

// Prefer makes the browser say that its reader prefers something: pairs of a feature of media and its value, such
// as "forced-colors", "active". What is not named is as it is by itself.
func (b *Browser) Prefer(pairs ...string) {
	b.t.Helper()
	var all []*emulation.MediaFeature
	for i := 0; i < len(pairs); i += 2 {
		all = append(all, &emulation.MediaFeature{Name: pairs[i], Value: pairs[i+1]})
	}
	Call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: all})
}

// Live makes the browser one of somebody in a time zone, such as Asia/Kolkata.
func (b *Browser) Live(zone string) {
	b.t.Helper()
	Call(b, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: zone})
}

// Resize makes the window as wide as this.
func (b *Browser) Resize(width int64) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, chromedp.EmulateViewport(width, 900)); err != nil {
		b.t.Fatal(err)
	}
}

// Sideways are what makes the page wider than its window, and panels that cut something off.
func (b *Browser) Sideways() []string {
	b.t.Helper()
	return Ask[[]string](b, sideways)
}

// Moving are the animations and transitions of the page, those of what is not seen now included, that last longer
// than a person could notice.
func (b *Browser) Moving() []string {
	b.t.Helper()
	return Ask[[]string](b, moving)
}
