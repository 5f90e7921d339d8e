package handlers_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"berth/core/stacks"
	"berth/handlers/endpoint"
	"berth/local/stand/browser"
)

// logTimes is what the lines of a log on a page say of their times: day where one begins, time of day, text.
const logTimes = `[...document.querySelectorAll("#log li")].map((e) => [e.dataset.day || "", e.querySelector(".at").textContent, e.querySelector(".line").textContent].join("|")).join("\n")`

// TestTimesOfALogInABrowser: they are the reader's, for lines that come while the log is followed as for those before,
// and are hidden and shown without a look at the server.
func TestTimesOfALogInABrowser(t *testing.T) {
	s := newStand(t)
	s.found()
	later := make(chan string)
	s.hears(talker{lines: []string{"one", "two"}, asked: &[]stacks.LogAsk{}, later: later})
	session, id := s.spoken()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }))
	t.Cleanup(server.Close)
	app, err := url.Parse(origin)
	s.must(err)
	b := browser.Open(t, app.Host, server.Listener.Addr().String())
	b.SetCookie(origin, endpoint.SessionCookie, session)
	b.Live("Asia/Kolkata") // half past three in the night, and in the afternoon
	logs := origin + "/stacks/" + id + "/services/web/logs"

	b.Open(logs)
	const before = "Nov 15, 2023|03:43:23|one\n|15:43:23|two"
	shows := func(want string) {
		t.Helper()
		b.Until("the log", fmt.Sprintf("%s === %q", logTimes, want))
	}
	shows(before)
	s.must(b.Do(chromedp.Click(chromedp.CSS("[data-stream]"), chromedp.NodeVisible)))
	b.Until("the log to be followed", `document.querySelector("[data-stream]").getAttribute("aria-pressed") === "true"`)
	const three = before + "\nNov 16, 2023|03:43:23|three"
	later <- "three"
	shows(three)
	if title := browser.Ask[string](b, `document.querySelector("#log li:last-child time").title`); plainSpaces(title) != "Nov 16, 2023, 3:43:23 AM\n15 Nov 2023, 22:13:23 UTC" {
		t.Errorf("below the pointer it says %q", title)
	}
	if iso := browser.Ask[string](b, `document.querySelector("#log li:last-child time").dateTime`); iso != "2023-11-15T22:13:23Z" {
		t.Errorf("for machines it is %q", iso)
	}
	keepLog(t, b, "shown")

	const shown = `[...document.querySelectorAll("#log .at")].filter((e) => e.checkVisibility()).length`
	const told = `[location.search, document.querySelector("#log-file").search].join()`
	s.must(b.Do(chromedp.Click(chromedp.CSS("[data-times]"), chromedp.NodeVisible)))
	if n, is := browser.Ask[int](b, shown), browser.Ask[string](b, told); n != 0 || is != "?times=off,?times=off" {
		t.Errorf("hidden: %d times are shown, the addresses say %s", n, is)
	}
	later <- "four"
	shows(three + "\n|15:43:23|four")
	keepLog(t, b, "hidden")
	if n := browser.Ask[int](b, shown); n != 0 {
		t.Errorf("%d times of lines that came since are shown", n)
	}
	s.must(b.Do(chromedp.Click(chromedp.CSS("[data-times]"), chromedp.NodeVisible)))
	if n, is := browser.Ask[int](b, shown), browser.Ask[string](b, told); n != 4 || is != "," {
		t.Errorf("shown again: %d times, the addresses say %s", n, is)
	}
	for _, ill := range b.Complaints("light", "dark") {
		t.Error(ill)
	}
	b.Open(logs + "?times=off&q=two")
	if n := browser.Ask[int](b, shown); n != 0 || !browser.Ask[bool](b, `document.querySelector("[data-times]").checked`) {
		t.Errorf("%d times are shown that the address hides", n)
	}
	for _, trouble := range b.Troubles() {
		t.Error("the browser complains:", trouble)
	}
}

// keepLog keeps pictures of the page, on the narrowest screen too.
func keepLog(t *testing.T, b *browser.Browser, name string) {
	t.Helper()
	for _, v := range append([]browser.Variant{browser.Narrow}, browser.Variants...) {
		b.Look(v)
		if err := os.WriteFile(filepath.Join(t.ArtifactDir(), "log."+name+"."+v.Name+".png"), b.Picture(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b.Look(browser.Variants[0])
}
