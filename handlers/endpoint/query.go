package endpoint

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"berth/core"
	"berth/core/fault"
)

const (
	maxCursor = 200               // characters
	maxWait   = 300 * time.Second // of ?wait=
)

// PageOf reads ?limit= (1 to 500, default 50) and ?after= (a cursor that a list returned).
func PageOf(r *http.Request) (core.Page, error) {
	page := core.Page{After: r.URL.Query().Get("after"), Limit: core.DefaultPage}
	var bad []fault.Field
	if text := r.URL.Query().Get("limit"); text != "" {
		limit, err := strconv.Atoi(text)
		if err != nil || limit < 1 || limit > core.MaxPage {
			bad = append(bad, fault.Field{Path: "limit", Problem: "must be a number from 1 to 500"})
		}
		page.Limit = limit
	}
	if len(page.After) > maxCursor {
		bad = append(bad, fault.Field{Path: "after", Problem: "must be the \"next\" of an earlier page"})
	}
	return page, fault.BadFields("query.invalid", bad)
}

// WaitOf reads ?wait=: how long the answer may be held back until the operation has
// ended, from 0 to 300 s, as seconds ("60") or a duration ("60s", "5m"). Zero when absent.
func WaitOf(r *http.Request) (time.Duration, error) {
	text := r.URL.Query().Get("wait")
	if text == "" {
		return 0, nil
	}
	if !strings.ContainsAny(text, "hms") {
		text += "s"
	}
	wait, err := time.ParseDuration(text)
	if err != nil || wait < 0 || wait > maxWait {
		return 0, fault.BadFields("query.invalid", []fault.Field{{Path: "wait", Problem: "must be a duration from 0s to 300s, such as 60s"}})
	}
	return wait, nil
}

// LocalPath returns to when it is a path on this server, else "/": what a redirect may
// follow when the target came from outside.
func LocalPath(to string) string {
	if len(to) > 2000 || !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") || strings.ContainsAny(to, "\\\r\n\t") {
		return "/"
	}
	return to
}
