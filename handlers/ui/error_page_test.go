package ui

import (
	"net/http/httptest"
	"strings"
	"testing"

	"berth/core/access"
	"berth/handlers/endpoint"
)

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
