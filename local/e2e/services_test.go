package e2e_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"berth/core/stacks"
	"berth/handlers/api"
	"berth/local/e2e/rig"
)

func stopStartRestart(t *testing.T, s *rig.Server) {
	stack := s.Repository(one(compose(box(t, "web"), box(t, "other")))).On("", "app")
	stack.Deployed()
	before := stack.Containers()

	stack.Act("web", "stop")
	stopped := stack.Containers()
	if stopped["web"].State.Status != "exited" || stopped["other"].State.Status != "running" {
		t.Fatalf("after stop web is %s, other %s", stopped["web"].State.Status, stopped["other"].State.Status)
	}
	shows(t, stack, "web", "exited")

	stack.Act("web", "start")
	started := stack.Containers()
	if started["web"].State.Status != "running" || started["web"].ID != before["web"].ID {
		t.Fatalf("after start web is %+v", started["web"].State)
	}
	shows(t, stack, "web", "running")

	stack.Act("web", "restart")
	restarted := stack.Containers()
	if restarted["web"].State.StartedAt == started["web"].State.StartedAt || restarted["web"].ID != before["web"].ID {
		t.Errorf("after restart web is %+v", restarted["web"].State)
	}
	wantAnew(t, before, restarted, "web")
	if problem := stack.Client.Problem(http.StatusNotFound, http.MethodPost, "/api/custom/stacks/"+string(stack.ID)+"/services/none/stop", nil); problem.Code != "service.not_found" {
		t.Errorf("stopping nothing: %+v", problem)
	}
}

// shows waits until the API shows a compose service in a state.
func shows(t *testing.T, stack *rig.Stack, service, state string) {
	t.Helper()
	rig.Until(t, rig.Soon, service+" shown as "+state, func() (bool, string) {
		seen := ""
		for _, item := range stack.Services().Items {
			for _, c := range item.Containers {
				if item.Name == service {
					seen += c.State
				}
			}
		}
		return seen == state, seen
	})
}

func serviceLogs(t *testing.T, s *rig.Server) {
	stack := s.Repository(one(compose(
		box(t, "web", `command: [sh, -c, 'i=0; while [ $$i -lt 30 ]; do echo "line $$i"; i=$$((i+1)); done; echo "to stderr <b>" >&2; sleep 3600']`)))).On("", "app")
	stack.Deployed()
	rig.Until(t, rig.Soon, "the whole log", func() (bool, string) {
		answer := stack.Logs("web", "100")
		return answer.Status == http.StatusOK && strings.Count(string(answer.Body), "\n") == 31, string(answer.Body)
	})
	answer := stack.Logs("web", "100")
	if text := string(answer.Body); !strings.HasPrefix(answer.Header.Get("Content-Type"), "text/plain") || !strings.Contains(text, "line 0\n") || !strings.Contains(text, "to stderr <b>\n") {
		t.Errorf("the log is %s %q", answer.Header.Get("Content-Type"), text)
	}
	if few := string(stack.Logs("web", "3").Body); strings.Count(few, "\n") != 3 || !strings.Contains(few, "line 29") {
		t.Errorf("the last three lines are %q", few)
	}
	for line := range strings.Lines(string(stack.Logs("web", "3&timestamps=true").Body)) {
		if at, text, timed := stacks.CutLineTime(line); !timed || time.Since(at).Abs() > time.Hour || strings.TrimSpace(text) == "" {
			t.Errorf("with timestamps a line is %q", line)
		}
	}
	for _, tail := range []string{"0", "-1", "many", "10001", "3&timestamps=maybe"} {
		if answer := stack.Logs("web", tail); answer.Status != http.StatusUnprocessableEntity {
			t.Errorf("tail=%s answered %d", tail, answer.Status)
		}
	}
}

func teardownAndDelete(t *testing.T, s *rig.Server) {
	file := strings.ReplaceAll(compose(box(t, "web", "volumes: [held:/held, ./state:/state]")), "    network_mode: none\n", "") + "volumes: {held: {}}\n"
	repository := s.Repository(map[string]string{"torn/compose.yaml": file, "purged/compose.yaml": file, "left/compose.yaml": compose(box(t, "web")), "never/compose.yaml": "services: {}\n"})
	torn, purged, left, never := repository.On("", "torn"), repository.On("", "purged"), repository.On("", "left"), repository.Manual("", "never")
	for _, stack := range []*rig.Stack{torn, purged, left} {
		stack.Deployed()
	}
	files := filepath.Join(s.Dir, "db_data", "stacks", string(torn.ID))
	if _, err := os.Stat(files); err != nil {
		t.Errorf("the revision's files: %v", err)
	}
	kept := left.Container("web")

	torn.Delete("?teardown=true")
	purged.Delete("?teardown=true&volumes=true")
	left.Delete("")
	never.Delete("?teardown=true")
	for stack, volumes := range map[*rig.Stack]int{torn: 1, purged: 0} {
		have := func(kind string) int {
			return len(strings.Fields(rig.Docker(t, kind, "ls", "--quiet", "--filter", "label=com.docker.compose.project="+stack.Name)))
		}
		if len(stack.Containers()) != 0 || have("network") != 0 || have("volume") != volumes {
			t.Errorf("after teardown there are %d containers, %d networks, %d volumes, want %d volumes alone", len(stack.Containers()), have("network"), have("volume"), volumes)
		}
	}
	rig.Until(t, rig.Soon, "the revision's files are gone", func() (bool, string) { _, err := os.Stat(files); return os.IsNotExist(err), files })
	if after := left.Container("web"); after.ID != kept.ID || after.State.StartedAt != kept.State.StartedAt {
		t.Error("a plain delete touched what runs")
	}
}

func removedContainer(t *testing.T, s *rig.Server) {
	stack := s.Repository(one(compose(box(t, "web"), box(t, "other")))).On("", "app")
	stack.Deployed()
	before := stack.Containers()
	rig.Docker(t, "rm", "--force", before["web"].ID, before["other"].ID)
	stack.Until("the stack is degraded", func(now api.StackAnswer) bool {
		return now.Status == stacks.StatusDegraded && now.Drifted && strings.Contains(now.Error, "compose service other has no container; compose service web has no container")
	})
	stack.Synced()
	after := stack.Containers()
	if len(after) != 2 || after["web"].State.Status != "running" {
		t.Errorf("after the sync there are %v", after)
	}
	stack.Until("the stack is active", func(now api.StackAnswer) bool { return now.Status == stacks.StatusActive && now.Error == "" })
}
