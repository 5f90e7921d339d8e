package githost

import (
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"
)

func newHost(t *testing.T) (*Host, string) {
	t.Helper()
	host := New(t.TempDir())
	server := httptest.NewServer(host)
	t.Cleanup(server.Close)
	if err := host.Create("demo"); err != nil {
		t.Fatal(err)
	}
	return host, server.URL + host.Path("demo")
}

func commit(t *testing.T, h *Host, branch string, c Change) string {
	t.Helper()
	hash, err := h.Apply("demo", branch, c)
	if err != nil || len(hash) != 40 {
		t.Fatalf("commit: %q, %v", hash, err)
	}
	return hash
}

func gitSays(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Env = environment()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "failed: " + string(out)
	}
	return strings.TrimSpace(string(out))
}

func TestGitReadsWhatWasCommitted(t *testing.T) {
	host, url := newHost(t)
	first := commit(t, host, "main", Change{Files: map[string]string{"a/\"b\"\n.txt": "", "run": "#!"}, Executable: []string{"run"},
		Links: map[string]string{"link": "run"}, Message: "first"})
	second := commit(t, host, "main", Change{Files: map[string]string{"c": "two\n"}, Delete: []string{"run"}})

	clone := t.TempDir()
	if out := gitSays(t, "clone", "-q", url, clone); out != "" {
		t.Fatal(out)
	}
	if got := gitSays(t, "-C", clone, "rev-list", "HEAD"); got != second+"\n"+first {
		t.Errorf("history is %q", got)
	}
	if got := gitSays(t, "-C", clone, "log", "--format=%s %an", first); got != "first Berth" {
		t.Errorf("commit says %q", got)
	}
	if got := gitSays(t, "-C", clone, "ls-tree", "-r", "--format=%(objectmode) %(path)", first); got != "100644 \"a/\\\"b\\\"\\n.txt\"\n120000 link\n100755 run" {
		t.Errorf("first tree is %q", got)
	}
	if got := gitSays(t, "-C", clone, "show", "HEAD:c"); got != "two" {
		t.Errorf("c is %q", got)
	}
	if got := gitSays(t, "-C", clone, "ls-tree", "--name-only", "HEAD", "run"); got != "" {
		t.Errorf("run is still there: %q", got)
	}
}

func TestNothingNewGivesNoCommit(t *testing.T) {
	host, _ := newHost(t)
	files := map[string]string{"a": "1"}
	first, err := host.Commit("demo", "main", files, "one")
	if err != nil {
		t.Fatal(err)
	}
	if again, err := host.Commit("demo", "main", files, "two"); err != nil || again != first {
		t.Errorf("the same files gave %s after %s, %v", again, first, err)
	}
	if err := host.Create("demo"); err != nil {
		t.Errorf("making it again: %v", err)
	}
}

func TestOrphanAndDeletedBranch(t *testing.T) {
	host, url := newHost(t)
	commit(t, host, "main", Change{Files: map[string]string{"a": "1"}})
	orphan := commit(t, host, "main", Change{Files: map[string]string{"b": "1"}, Orphan: true})
	if got := gitSays(t, "-C", host.Dir("demo"), "rev-list", "main"); got != orphan {
		t.Errorf("history of the orphan is %q", got)
	}
	if err := host.DeleteBranch("demo", "main"); err != nil {
		t.Fatal(err)
	}
	if got := gitSays(t, "ls-remote", url); got != "" {
		t.Errorf("refs are left: %q", got)
	}
	if err := host.Delete("demo"); err != nil {
		t.Fatal(err)
	}
	if got := gitSays(t, "ls-remote", url); !strings.Contains(got, "not found") {
		t.Errorf("deleted repository answers %q", got)
	}
}

func TestProtectedRepositoryWantsItsLogin(t *testing.T) {
	host, url := newHost(t)
	commit(t, host, "main", Change{Files: map[string]string{"a": "1"}})
	host.Protect("demo", "me", "p:w")
	if got := gitSays(t, "ls-remote", url); !strings.Contains(got, "could not read Username") {
		t.Errorf("anonymous got %q", got)
	}
	if got := gitSays(t, "ls-remote", strings.Replace(url, "//", "//me:wrong@", 1)); !strings.Contains(got, "Authentication failed") {
		t.Errorf("a wrong password got %q", got)
	}
	if got := gitSays(t, "ls-remote", strings.Replace(url, "//", "//me:p%3Aw@", 1)); !strings.Contains(got, "refs/heads/main") {
		t.Errorf("the right password got %q", got)
	}
}

func TestNothingButRepositoriesIsServed(t *testing.T) {
	host, _ := newHost(t)
	for _, path := range []string{"/", "/demo", "/../demo.git/HEAD", "/Demo.git/HEAD", "/none.git/HEAD"} {
		answer := httptest.NewRecorder()
		host.ServeHTTP(answer, httptest.NewRequest("GET", path, nil))
		if answer.Code != 404 {
			t.Errorf("%s answered %d", path, answer.Code)
		}
	}
	for _, name := range []string{"", "..", "a/b", "-x", "A"} {
		if err := host.Create(name); err == nil {
			t.Errorf("a repository named %q was made", name)
		}
	}
}
