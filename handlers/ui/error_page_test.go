package ui

import (
	"net/http/httptest"
	"strings"
	"testing"

	"berth/core/access"
	"berth/handlers/endpoint"
)

// TestEveryErrorPageHasANextStep: to read and to follow, for a page as for a form, whoever asks.
func TestEveryErrorPageHasANextStep(t *testing.T) {
	for _, status := range []int{400, 401, 403, 404, 405, 409, 413, 415, 422, 429, 500, 501, 502, 503, 504} {
		for _, role := range append([]access.Role{""}, access.Roles...) {
			for _, method := range []string{"GET", "POST"} {
				r := visit(role, "/stacks")
				r.Method = method
				w := httptest.NewRecorder()
				ErrorPage(w, r, endpoint.Problem{Status: status, Title: "Title", Code: "x.y", Detail: "The reason.", RequestID: "K3ZQ7M2WAYHXB4"})
				page := w.Body.String()
				_, after, _ := strings.Cut(page, `<p class="lead">`)
				_, after, _ = strings.Cut(after, "</p>")
				next, _, _ := strings.Cut(after, `<div class="actions">`)
				if w.Code != status || !strings.Contains(next, "<p>") || !strings.Contains(page, `class="button is-main"`) {
					t.Errorf("%s as %q: %d has no next step:\n%s", method, role, status, page)
				}
			}
		}
	}
}

// TestAFormWithoutASessionKeepsWhatWasTyped: the page has no word of it, and the browser can send it once more.
func TestAFormWithoutASessionKeepsWhatWasTyped(t *testing.T) {
	r := visit("", "/variables")
	r.Method = "POST"
	w := httptest.NewRecorder()
	ErrorPage(w, r, endpoint.Problem{Status: 401, Code: "auth.session_ended", Detail: "The session has ended."})
	for _, wanted := range []string{"what you typed is still here", "load it again", `target="_blank"`, `href="/login?next=%2Fprofile"`} {
		if !strings.Contains(w.Body.String(), wanted) {
			t.Errorf("the page lacks %q:\n%s", wanted, w.Body)
		}
	}
}

// TestAnErrorPageAdvisesWhatHelps: to wait where that helps, and to have somebody act where it does not.
func TestAnErrorPageAdvisesWhatHelps(t *testing.T) {
	const wait, act = "Wait a moment, then load the page again.", "whoever runs this server has to put that right"
	for code, want := range map[string]string{"hub.away": wait, "server.busy": wait, "store.away": wait, "key.wrong": act, "key.check_missing": act, "store.unsuitable": act, "store.older": act, "store.disk_full": act} {
		w := httptest.NewRecorder()
		ErrorPage(w, visit(access.RoleAdmin, "/stacks"), endpoint.Problem{Status: 503, Title: "Service Unavailable", Code: code, Detail: "The reason.", RequestID: "K3ZQ7M2WAYHXB4"})
		page := w.Body.String()
		if w.Code != 503 || !strings.Contains(page, "The reason.") || !strings.Contains(page, want) || strings.Contains(page, wait) != (want == wait) {
			t.Errorf("%s: %d, it does not advise %q:\n%s", code, w.Code, want, page)
		}
	}
}
