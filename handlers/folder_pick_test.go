package handlers_test

import (
	"net/url"
	"strings"
	"testing"

	"berth/core/access"
)

// TestAnotherFolderKeepsWhatWasTyped: on the pages that add a stack or a job, a folder that is clicked takes the place of the
// one before and of the name that was proposed for it, and of nothing else.
func TestAnotherFolderKeepsWhatWasTyped(t *testing.T) {
	s := newStand(t)
	s.found()
	session := s.session(s.user(access.RoleOperator))
	s.git.Commit("https://git.test/apps.git", "main", map[string]string{"web/compose.yaml": "services: {}", "shop/compose.yaml": "services: {}", "a/job.yaml": "name: a", "b/job.yaml": "name: b"})
	w := s.submit(session, "/repositories", url.Values{"url": {"https://git.test/apps.git"}, "branch": {"main"}})
	id, _, _ := strings.Cut(strings.TrimPrefix(w.Header().Get("Location"), "/repositories/"), "?")
	reading := s.browse(session, "/stacks/new?repository="+id)
	says(t, reading, 200, "is being read", `formaction="/stacks/new"`, `name="again"`)
	silent(t, reading.Body.String(), `http-equiv="refresh"`)
	s.look(id)
	for sent, c := range map[string]struct{ says, silent []string }{
		"/stacks/new?name=web&path=web&worker_tags=eu&folder=shop": {[]string{`value="shop"`, `value="eu"`, `value="shop" aria-current="true"`}, []string{`name="name" type="text" value="web"`, `value="on" checked`}},
		"/stacks/new?name=mine&path=web&auto_sync=on&folder=shop":  {[]string{`name="name" type="text" value="mine"`, `name="path" type="text" value="shop"`, `value="on" checked`}, nil},
		"/stacks/new?name=mine&path=web&auto_sync=on&again=1":      {[]string{`name="name" type="text" value="mine"`, `name="path" type="text" value="web"`, `value="on" checked`}, nil},
		"/jobs/new?name=mine&path=a&folder=b":                      {[]string{`name="name" type="text" value="mine"`, `name="path" type="text" value="b"`}, nil},
		"/jobs/new?name=a&path=a&folder=b":                         {[]string{`name="name" type="text" value="b"`}, nil},
		"/jobs/new?name=mine&path=else&again=1":                    {[]string{`name="name" type="text" value="mine"`, `name="path" type="text" value="else"`}, nil},
	} {
		page := s.browse(session, sent+"&repository_id="+id)
		says(t, page, 200, c.says...)
		silent(t, page.Body.String(), c.silent...)
	}
}
