package handlers_test

import (
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"

	"berth/core/access"
)

// TestTheListOfStacksBeginsWithWhatNeedsSomebody, page by page; the API keeps to names until it is asked otherwise.
func TestTheListOfStacksBeginsWithWhatNeedsSomebody(t *testing.T) {
	s := newStand(t)
	s.found()
	session := s.session(s.user(access.RoleOperator))
	_, page := s.madeStack(session)
	s.multiply("stacks", strings.TrimPrefix(page, "/stacks/"), `id = substr(id, 1, length(id)-4) || printf('%04d', i), path = 'folder-' || i, name = printf('stack-%03d', i),
		status = CASE i WHEN 119 THEN 'error' WHEN 120 THEN 'degraded' ELSE 'active' END, out_of_sync = CASE i WHEN 118 THEN 1 ELSE 0 END`, 120)
	for query, first := range map[string][]string{
		"":            {"stack-119", "stack-120", "stack-118", "web", "stack-001"}, // web is new
		"?order=need": {"stack-119", "stack-120", "stack-118", "web", "stack-001"},
		"?order=name": {"stack-001", "stack-002", "stack-003", "stack-004", "stack-005"},
	} {
		got := listed(t, s, session, "/stacks"+query)
		if len(got) != 121 || !slices.Equal(got[:5], first) {
			t.Errorf("/stacks%s lists %d, first %q", query, len(got), got[:min(5, len(got))])
		}
		if slices.Sort(got); len(slices.Compact(got)) != 121 {
			t.Errorf("/stacks%s lists some twice", query)
		}
	}
	says(t, s.browse(session, "/stacks?order=age"), 422, "must be one of name, need")
	says(t, s.browse(session, "/stacks/bulk?do=sync&all=on"), 200, "These are the first 100", ">stack-119<")
	p := s.players(t)
	p.session = session
	for query, first := range map[string]string{"": "stack-001", "&order=name": "stack-001", "&order=need": "stack-119"} {
		items := p.play(200, "GET", "/api/custom/stacks?limit=1"+query, "")["items"].([]any)
		if name := items[0].(map[string]any)["name"]; name != first {
			t.Errorf("the API lists %v first with %q, want %s", name, query, first)
		}
	}
	p.play(422, "GET", "/api/custom/stacks?order=age", "")
}

var (
	nameInList = regexp.MustCompile(`<a class="name" href="/stacks/[^"]+"><bdi>([^<]+)`)
	moreOfList = regexp.MustCompile(`aria-label="Pages"><a class="button" href="([^"]+)"`)
)

// listed reads a list of stacks to its end.
func listed(t *testing.T, s *stand, session, page string) (names []string) {
	t.Helper()
	for range 10 {
		w := s.browse(session, page)
		says(t, w, 200)
		body := w.Body.String()
		for _, found := range nameInList.FindAllStringSubmatch(body, -1) {
			names = append(names, found[1])
		}
		more := moreOfList.FindStringSubmatch(body)
		if more == nil {
			return names
		}
		page = html.UnescapeString(more[1])
	}
	t.Fatal("the list does not end")
	return nil
}
