package handlers_test

import (
	"html"
	"net/url"
	"regexp"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"berth/core/access"
	"berth/local/stand/browser"
)

var (
	issuedToken = regexp.MustCompile(`WORKER_TOKEN=(berth_wt_\S+)`)
	tokenPage   = regexp.MustCompile(`/worker-tokens/wtk_[a-z0-9]+`)
)

// TestAPageSaysWhetherANewWorkerHasCome, which those without script open beside the one with the command.
func TestAPageSaysWhetherANewWorkerHasCome(t *testing.T) {
	s := newStand(t)
	session := s.session(s.found())
	issued := s.submit(session, "/workers/new", url.Values{"name": {"rack 4"}, "expires_in": {"1"}})
	body := html.UnescapeString(issued.Body.String())
	page, token := tokenPage.FindString(body), issuedToken.FindStringSubmatch(body)
	says(t, issued, 201, `data-look="`+page+`"`, "No worker has connected yet.", `<noscript><p><a href="`+page+`" target="_blank">`)
	waits := s.browse(session, page)
	says(t, waits, 200, "rack 4", "Waiting.", "No worker has connected yet.", `http-equiv="refresh"`)
	silent(t, waits.Body.String(), "berth_wt_")
	w := s.enrolled(token[1], "edge-1")
	says(t, s.browse(session, page), 200, "Never connected.", `href="/workers/`+string(w.ID)+`"`, `http-equiv="refresh"`)
	s.exec(`UPDATE workers SET connected_at = 2, left_at = 1 WHERE id = ?`, w.ID)
	joined := s.browse(session, page)
	says(t, joined, 200, "Connected.", `Worker <a href="/workers/`+string(w.ID)+`"><bdi>edge-1</bdi></a> is there`)
	silent(t, joined.Body.String(), `http-equiv="refresh"`)

	late := tokenPage.FindString(s.submit(session, "/workers/new", url.Values{"expires_in": {"1"}}).Body.String())
	s.later(25 * time.Hour)
	says(t, s.browse(s.session(s.user(access.RoleAdmin)), late), 200, "Expired.", "No worker has registered with the token in time.")
}

// TestThePageWithTheCommandTellsOfTheWorker by itself, and keeps the command meanwhile.
func TestThePageWithTheCommandTellsOfTheWorker(t *testing.T) {
	w := newWatched(t)
	w.b.Open(origin + "/workers/new")
	w.streams(1)
	w.must(w.b.Do(chromedp.Click(chromedp.CSS("main .button.is-main"))))
	w.b.Until("the command", `!!document.querySelector("#command")`)
	w.streams(2)
	command := browser.Ask[string](w.b, `document.querySelector("#command").textContent`)
	made := w.enrolled(issuedToken.FindStringSubmatch(command)[1], "edge-1")
	w.exec(`UPDATE workers SET connected_at = 2, left_at = 1 WHERE id = ?`, made.ID)
	w.worker("a-word-to-everybody")
	w.b.Until("the worker", `document.querySelector("#joined").innerText.startsWith("Connected. Worker edge-1 is there")`)
	if now := browser.Ask[string](w.b, `document.querySelector("#command").textContent`); now != command {
		t.Errorf("the command became %q", now)
	}
	w.troubles()
}
