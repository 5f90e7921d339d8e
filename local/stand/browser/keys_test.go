package browser_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"berth/local/stand/browser"
)

// bad is a page with one of each defect that the judges look for.
const bad = `<!doctype html><html lang="en"><title>Bad</title><style>
#last { position: absolute; top: 0; left: 0 } #bare:focus { outline: none } #veil { position: fixed; top: 200px; left: 0; width: 100%; height: 60px; background: white }
#under { position: absolute; top: 210px; left: 40px } #far { position: absolute; top: 40px; left: -500px }
#slow { transition: color 2s } #turn { animation: turn 3s infinite } @keyframes turn { to { rotate: 1turn } } #wide { width: 3000px; height: 9px }</style>
<main><a id="first" href="/1" style="position:absolute;top:90px;left:10px">first</a> <a id="last" href="/2">last</a> <a id="bare" href="/3" style="position:absolute;top:120px">bare</a>
<a id="far" href="/4">far</a> <a id="under" href="/5">under</a><div id="veil">veil</div>
<div inert><a id="never" href="/6">never</a></div><p id="slow">slow</p><p id="turn">turn</p><div id="wide"></div></main>`

// TestTheJudgesSee: what they are there for.
func TestTheJudgesSee(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if r.URL.Path != "/" {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		w.Write([]byte(bad)) //nolint:errcheck // the browser says so
	}))
	t.Cleanup(server.Close)
	b := browser.Start(t)
	b.Open(server.URL)
	for what, found := range map[string][]string{
		"does not show that it has the focus: <a id=\"bare\"": b.Keyed(),
		"has the focus out of sight: <a id=\"far\"":           b.Keyed(),
		"is covered while it has the focus: <a id=\"under\"":  b.Keyed(),
		"the Tab key does not lead to <a id=\"never\"":        b.Keyed(),
		"from first the Tab key leads back to last":           b.Keyed(),
		"changes within 2s: <p id=\"slow\"":                   b.Moving(),
		"is animated for 3s: <p id=\"turn\"":                  b.Moving(),
		"runs: turn":                                          b.Moving(),
		"it is 3008 pixels wide on a screen of 1280":          b.Sideways(),
	} {
		if !slices.ContainsFunc(found, func(said string) bool { return strings.HasPrefix(said, what) }) {
			t.Errorf("want %q, found\n%s", what, strings.Join(found, "\n"))
		}
	}
	tab := b.Tab()
	tab.Live("Asia/Kolkata")
	tab.Open(server.URL)
	if zone := browser.Ask[int](tab, `new Date(0).getTimezoneOffset()`); zone != -330 {
		t.Errorf("the zone of the second window is %d minutes off", zone)
	}
	tab.Close()
}
