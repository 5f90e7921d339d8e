package handlers_test

import (
	"strings"
	"testing"

	"berth/core"
	"berth/core/access"
)

func TestALogOfADeploymentIsSearchedTimedAndSaved(t *testing.T) {
	s := newStand(t)
	s.found()
	session := s.session(s.user(access.RoleViewer))
	_, stack := s.madeStack(s.session(s.user(access.RoleOperator)))
	id := core.DeploymentID(core.NewID(core.PrefixDeployment, s.now()))
	s.exec(`INSERT INTO deployments (id, stack_id, state, trigger, actor, commit_hash, revision, worker_id, options, phases, error_code, error, tree, cancelling, queued_at, started_at, finished_at)
		VALUES (?, ?, 'succeeded', 'manual', 'ada', '', 0, '', '{}', '[]', '', '', '', 0, 1700000000000000, 1700000000000000, 1700000100000000)`, id, strings.TrimPrefix(stack, "/stacks/"))
	for i, text := range []string{"pulling the image\ndone <b>pulling</b>\n", "nothing more\n"} {
		s.exec(`INSERT INTO deployment_log (deployment_id, number, at, text) VALUES (?, ?, 1700000003000000, ?)`, id, i+1, text)
	}
	page := "/deployments/" + string(id)
	says(t, s.browse(session, page), 200, "pulling the image", "nothing more", `<span class="at">0:03</span>`, page+"?times=clock", page+"/log/file")
	found := s.browse(session, page+"?q=PULL&times=clock")
	says(t, found, 200, "pulling the image", "done &lt;b&gt;pulling", "2 of 3", `datetime="2023-11-14T22:13:23Z"`, "22:13:23", "data-second", page+"?q=PULL")
	if strings.Contains(found.Body.String(), "nothing more") {
		t.Error("a line that does not hold it is shown")
	}
	says(t, s.browse(session, page+"?q=nowhere"), 200, "No line holds it.")
	plain := s.browse(session, page+"/log/file")
	if got := plain.Body.String(); got != "pulling the image\ndone <b>pulling</b>\nnothing more\n" || !strings.HasPrefix(plain.Header().Get("Content-Disposition"), "attachment; filename=web-dep_") {
		t.Errorf("the file is %q, %s", got, plain.Header().Get("Content-Disposition"))
	}
	timed := s.browse(session, page+"/log/file?times=clock").Body.String()
	if !strings.HasPrefix(timed, "2023-11-14T22:13:23Z pulling the image\n2023-11-14T22:13:23Z done") {
		t.Errorf("with times it is %q", timed)
	}
	says(t, s.browse(session, "/deployments/dep_none/log/file"), 404)
}
