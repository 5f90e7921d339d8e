package handlers_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"berth/core/access"
	"berth/handlers/endpoint"
	"berth/local/stand/browser"
)

// mainPages are those that people live in, one of each kind.
var mainPages = []string{"/", "/stacks", "/stacks?group=worker", "/stacks/new?path=web&repository={repository}", "/stacks/{stack}", "/stacks/{stack}/variables", "/stacks/{stack}/settings", "/stacks/{stack}/revisions",
	"/stacks/{stack}/services/app/logs", "/deployments", "/deployments/{deployment}", "/jobs", "/jobs/{job}", "/job-runs", "/job-runs/{run}", "/repositories", "/repositories/{repository}", "/repository-keys", "/variables", "/workers",
	"/workers/new", "/workers/{worker}", "/policy", "/integrations", "/integrations/vault", "/service-accounts", "/users", "/backups", "/audit-events", "/email", "/keys", "/configuration", "/about", "/profile", "/search?q=a", "/design"}

// TestWaysToUseThePages goes through each main page as people do who have no pointer, who bear no motion, who have
// colours of their own, and whose window is very narrow or very wide. (X)
func TestWaysToUseThePages(t *testing.T) {
	s := newStand(t)
	s.deps.UI.Live = linked{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) })) // which is built anew below
	t.Cleanup(server.Close)
	app, err := url.Parse(origin)
	s.must(err)
	b := browser.Open(t, app.Host, server.Listener.Addr().String())
	p := s.players(t)
	said := map[string]bool{}
	p.playAll(func() {
		b.SetCookie(origin, endpoint.SessionCookie, s.session(s.user(access.RoleAdmin)))
		for _, path := range mainPages {
			for _, ill := range useEachWay(b, origin+p.fill(path)) {
				if !said[ill] {
					t.Errorf("%s: %s", path, ill)
				}
				said[ill] = true
			}
			keepPicture(t, b, path)
		}
		motionIsThere(t, b)
		timesAreTheReaders(t, s, b, p.fill("/stacks/{stack}/revisions"))
	})
}

// useEachWay returns what is wrong with a page.
func useEachWay(b *browser.Browser, address string) (bad []string) {
	for _, width := range []int64{1280, 390} {
		b.Resize(width)
		b.Open(address)
		for _, ill := range b.Keyed() {
			bad = append(bad, fmt.Sprintf("%d wide: %s", width, ill))
		}
	}
	b.Prefer("prefers-reduced-motion", "reduce")
	b.Open(address)
	bad = append(bad, b.Moving()...)
	b.Prefer("forced-colors", "active")
	if !browser.Ask[bool](b, `matchMedia("(forced-colors: active)").matches`) {
		bad = append(bad, "the browser has no colours of its reader's own")
	}
	for _, dim := range browser.Ask[[]string](b, browser.Contrast) {
		bad = append(bad, "in colours of the reader's own: "+dim)
	}
	b.Prefer()
	for _, width := range []int64{320, 2560} {
		b.Resize(width)
		for _, ill := range b.Sideways() {
			bad = append(bad, fmt.Sprintf("%d wide: %s", width, ill))
		}
	}
	return append(bad, b.Troubles()...)
}

// keepPicture leaves a picture of the page at its widest.
func keepPicture(t *testing.T, b *browser.Browser, path string) {
	t.Helper()
	name := "wide" + strings.NewReplacer("/", ".", "?", "_", "&", "_", "{", "", "}", "").Replace(path) + ".png"
	if err := os.WriteFile(filepath.Join(t.ArtifactDir(), name), b.Picture(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// motionIsThere demands that something moves for readers who did not ask for rest, else nothing was proven above.
func motionIsThere(t *testing.T, b *browser.Browser) {
	t.Helper()
	b.Resize(1280)
	b.Prefer("prefers-reduced-motion", "no-preference")
	b.Open(origin + "/design")
	if len(b.Moving()) == 0 {
		t.Error("nothing moves on the page that shows every part")
	}
	b.Prefer()
}

// timesAreTheReaders looks from a zone that is half an hour off the full hours: what is shown is the time there, and
// below the pointer stands that of UTC, too; both without script as UTC alone.
func timesAreTheReaders(t *testing.T, s *stand, b *browser.Browser, path string) {
	t.Helper()
	kolkata, err := time.LoadLocation("Asia/Kolkata")
	s.must(err)
	b.Live("Asia/Kolkata")
	seen := 0
	for _, path := range []string{path, "/design", "/audit-events", "/profile", "/"} {
		b.Open(origin + path)
		for _, shown := range browser.Ask[[]struct{ At, Title, Text, Exactly string }](b, `[...document.querySelectorAll("time")].map((e) => ({ At: e.dateTime, Title: e.title, Text: e.textContent, Exactly: "exactly" in e.dataset ? "yes" : "" }))`) {
			at, err := time.Parse(time.RFC3339, shown.At)
			s.must(err)
			there, utc := at.In(kolkata).Format("Jan 2, 2006, 3:04:05 PM"), at.UTC().Format("2 Jan 2006, 15:04:05 UTC")
			if title := plainSpaces(shown.Title); !strings.HasPrefix(title, there+"\n") || !strings.HasSuffix(title, utc) {
				t.Errorf("%s: %s says %q below the pointer, want %q and %q", path, shown.At, title, there, utc)
			}
			if text := plainSpaces(shown.Text); shown.Exactly != "" && text != there {
				t.Errorf("%s: %s is shown as %q, want %q", path, shown.At, text, there)
			}
			seen++
		}
	}
	if seen < 10 {
		t.Errorf("only %d times were found: the walk is broken", seen)
	}
}

// plainSpaces puts spaces for those that browsers put between the numbers of a time so that it is not broken.
func plainSpaces(text string) string { return strings.ReplaceAll(text, "\u202f", " ") }
