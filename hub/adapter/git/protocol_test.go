package git

import (
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"berth/core"
	"berth/core/coretest"
	"berth/core/fault"
	"berth/local/stand/githost"
)

func git(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("git", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// Hosts that know only the first version of the protocol keep the whole contract.
func TestContractInTheFirstVersion(t *testing.T) {
	coretest.GitRemote(t,
		func(t *testing.T) core.GitRemote { return open(t, Options{}) },
		func(t *testing.T) coretest.GitHost {
			b := newBench(t)
			b.server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				r.Header.Del("Git-Protocol")
				b.host.ServeHTTP(w, r)
			})
			return b
		})
}

// Certificates are verified, when asking and when fetching, and SSL_CERT_FILE is heeded.
func TestOverTLS(t *testing.T) {
	b := newBench(t)
	server := httptest.NewUnstartedServer(b.host)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	src, commit := source(t, b, server.URL)
	_, err := open(t, Options{}).Head(t.Context(), src)
	coretest.WantFault(t, err, fault.Unavailable, "git.unreachable", "connection")

	trusting := open(t, Options{Transport: server.Client().Transport})
	_, err = trusting.Fetch(t.Context(), src)
	coretest.WantFault(t, err, fault.Unavailable, "git.unreachable", "broke off")

	bundle := filepath.Join(t.TempDir(), "ca.pem")
	write(t, bundle, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})))
	t.Setenv("SSL_CERT_FILE", bundle)
	mustFetch(t, trusting, src, commit)
}

// A host that cannot cut the history sends all of it.
func TestHostWithoutShallowFetches(t *testing.T) {
	b := newBench(t)
	base := between(t, b, func(w http.ResponseWriter, r *http.Request, _ string) bool {
		r.Header.Del("Git-Protocol")
		if r.Method != http.MethodGet {
			return false
		}
		answer := httptest.NewRecorder()
		b.host.ServeHTTP(answer, r)
		w.Header().Set("Content-Type", answer.Header().Get("Content-Type"))
		io.WriteString(w, strings.Replace(answer.Body.String(), " shallow ", " shallop ", 1))
		return true
	})
	r := open(t, Options{})
	src, first := source(t, b, base)
	second := b.Push(t, src.URL, coretest.GitPush{Files: map[string]string{"a": "2"}})
	mustFetch(t, r, src, second)
	if list, err := r.Commits(t.Context(), src.Repository, second, 9); err != nil || len(list) != 2 || list[1].Commit != first {
		t.Errorf("commits are %v, %v", list, err)
	}
}

// Some hosts serve the repository's files and nothing else.
func TestHostWithoutGit(t *testing.T) {
	dir := t.TempDir()
	host := githost.New(dir)
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer server.Close()
	if err := host.Create("files"); err != nil {
		t.Fatal(err)
	}
	src := core.GitSource{Repository: newID(), URL: server.URL + host.Path("files")}
	r := open(t, Options{})
	git(t, "-C", host.Dir("files"), "update-server-info")
	_, err := r.Head(t.Context(), src)
	coretest.WantFault(t, err, fault.NotFound, "git.branch_missing", "empty")

	commits := map[string]core.Commit{}
	for _, branch := range []string{"main", "side", "main"} {
		hash, err := host.Commit("files", branch, map[string]string{"a": branch + string(commits[branch])}, "x")
		if err != nil {
			t.Fatal(err)
		}
		commits[branch] = core.Commit(hash)
	}
	git(t, "-C", host.Dir("files"), "update-server-info")
	for branch, want := range map[string]core.Commit{"": commits["main"], "main": commits["main"], "side": commits["side"]} {
		src.Branch = branch
		if got, err := r.Head(t.Context(), src); err != nil || got.Commit != want {
			t.Errorf("head of %q is %q, %v; want %s", branch, got, err, want)
		}
		mustFetch(t, r, src, want)
	}
	src.Branch = "none"
	_, err = r.Fetch(t.Context(), src)
	coretest.WantFault(t, err, fault.NotFound, "git.branch_missing", `"none"`)
}

func TestRepositoryWithLongHashes(t *testing.T) {
	b := newBench(t)
	git(t, "init", "-q", "--bare", "--object-format=sha256", "--initial-branch=main", b.host.Dir("long"))
	src := core.GitSource{Repository: newID(), URL: b.server.URL + b.host.Path("long")}
	hash, err := b.host.Commit("long", "main", map[string]string{"apps/a": "1"}, "x")
	if err != nil || len(hash) != 64 {
		t.Fatal(hash, err)
	}
	r := open(t, Options{})
	if got, err := r.Head(t.Context(), src); err != nil || string(got.Commit) != hash {
		t.Errorf("head is %q, %v", got, err)
	}
	mustFetch(t, r, src, core.Commit(hash))
	tree, err := r.Tree(t.Context(), src.Repository, core.Commit(hash))
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	if got, err := tree.Hashes(t.Context(), []string{"apps"}); err != nil || len(got["apps"]) != 64 {
		t.Errorf("hashes are %v, %v", got, err)
	}
}

// The mirror follows when the address of a repository changes to an unrelated one.
func TestAddressThatChangesToAnotherRepository(t *testing.T) {
	b := newBench(t)
	r := open(t, Options{})
	src, first := source(t, b, b.server.URL)
	mustFetch(t, r, src, first)
	git(t, "init", "-q", "--bare", "--object-format=sha256", "--initial-branch=main", b.host.Dir("long"))
	hash, err := b.host.Commit("long", "main", map[string]string{"a": "1"}, "x")
	if err != nil {
		t.Fatal(err)
	}
	src.URL = b.server.URL + b.host.Path("long")
	mustFetch(t, r, src, core.Commit(hash))
}

func TestDefaultBranchIsTheHostsOwn(t *testing.T) {
	b := newBench(t)
	src, _ := source(t, b, b.server.URL)
	trunk := b.Push(t, src.URL, coretest.GitPush{Branch: "trunk", Files: map[string]string{"t": "1"}})
	git(t, "-C", b.host.Dir(name(src.URL)), "symbolic-ref", "HEAD", "refs/heads/trunk")
	mustFetch(t, open(t, Options{}), src, trunk)
}

func TestHooksAndSettingsOfTheMachineAreNotUsed(t *testing.T) {
	home := t.TempDir()
	write(t, filepath.Join(home, ".gitconfig"), "[url \"http://127.0.0.1:1/\"]\n\tinsteadOf = http://\n[core]\n\thooksPath = "+home+"\n")
	t.Setenv("HOME", home)
	b := newBench(t)
	src, commit := source(t, b, b.server.URL)
	mustFetch(t, open(t, Options{}), src, commit)
}
