package e2e_test

import (
	"html"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"berth/core/repositories"
	"berth/core/stacks"
	"berth/handlers/api"
	"berth/local/e2e/rig"
	"berth/local/stand/sshhost"
)

// TestAStackOverSSH follows a stack whose repository is read over SSH from OpenSSH's own server, with a key that
// is made here: nothing happens before somebody accepted the host's key, and when the host shows another one,
// syncing stops and what runs stays until somebody accepts that.
func TestAStackOverSSH(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{LocalWorker: true, Environment: map[string]string{"ALLOWED_PRIVATE_IP_RANGES": "127.0.0.0/8"}})
	s.InsideWorker()
	h := openSSH(t, s)
	key := rig.Post[api.RepositoryKeyAnswer](s.Client, "/api/custom/repository-keys",
		api.CreateRepositoryKeyRequest{Name: rig.Name(), Type: repositories.TypeSSH, Host: h.Addr, Generate: true}, http.StatusCreated)
	if err := h.Authorize(key.PublicKey); err != nil {
		t.Fatal(err)
	}
	name := s.GitRepository(one(compose(box(t, "web"))))
	repository := s.AddRepositoryAt(name, h.URL(s.Git.Dir(name)), key.ID)
	stack := repository.On("", "app")
	h.stopped(repository, "git.host_key_unknown", h.fingerprint())
	failedAs(t, stack, stack.Failed("git.host_key_unknown"), stacks.PhaseFetch, h.Addr)

	h.accept("")
	repository.Until("the repository is well", func(now api.RepositoryAnswer) bool { return now.ErrorCode == "" && now.Head != "" })
	healed(t, stack)
	first := repository.Commit(one(compose(box(t, "web"), box(t, "second"))))
	running := stack.At(first)
	before := stack.Containers()

	accepted := h.fingerprint()
	if err := h.ChangeKeys("ed25519"); err != nil {
		t.Fatal(err)
	}
	second := repository.Commit(one(compose(box(t, "web"), box(t, "second"), box(t, "third"))))
	h.stopped(repository, "git.host_key_changed", h.fingerprint(), accepted, "syncing has stopped", "what runs stays as it is")
	d := stack.Sync()
	if d.State != stacks.DeploymentFailed || d.ErrorCode != "git.host_key_changed" {
		t.Errorf("a sync meanwhile ended %s: %s", d.State, d.Error)
	}
	if now := stack.Now(); now.Commit != first || now.Revision != running.Revision {
		t.Errorf("the stack shows commit %s and revision %d, want %s and %d", now.Commit, now.Revision, first, running.Revision)
	}
	wantAnew(t, before, stack.Containers())

	h.accept(accepted)
	repository.Until("the repository is well", func(now api.RepositoryAnswer) bool { return now.ErrorCode == "" && now.Head == second })
	stack.At(second)
	if strings.Contains(s.Log.String(), "PRIVATE KEY") {
		t.Error("the server's log holds a private key")
	}
}

// sshHost is the SSH host of one test, and the server that reads from it.
type sshHost struct {
	*sshhost.Host
	s *rig.Server
}

func openSSH(t *testing.T, s *rig.Server) sshHost {
	t.Helper()
	h, err := sshhost.Open(t.TempDir(), sshhost.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return sshHost{h, s}
}

// fingerprint is what ssh-keygen calls the key that the host shows now.
func (h sshHost) fingerprint() string {
	h.s.T.Helper()
	text, err := h.Fingerprint("ed25519")
	if err != nil {
		h.s.T.Fatal(err)
	}
	return text
}

// stopped waits until syncing of a repository has stopped for a reason, which the API and the page tell.
func (h sshHost) stopped(r *rig.Repository, code string, parts ...string) {
	h.s.T.Helper()
	now := r.Until("the repository has stopped with "+code, func(now api.RepositoryAnswer) bool { return now.ErrorCode == code })
	page := h.s.Person.Ask(http.MethodGet, "/repositories/"+string(r.ID), nil)
	for _, part := range append(parts, h.Addr) {
		if !strings.Contains(now.Error, part) {
			h.s.T.Errorf("%q is missing in %s", part, now.Error)
		}
		if !strings.Contains(html.UnescapeString(string(page.Body)), part) {
			h.s.T.Errorf("%q is missing on the repository's page (%d)", part, page.Status)
		}
	}
}

// accept scans the host, compares what it shows with what its owner has, and accepts that. before is the fingerprint
// that is accepted so far; empty: none is.
func (h sshHost) accept(before string) {
	h.s.T.Helper()
	host, number := sshAddress(h.s.T, h.Addr)
	scan := rig.Post[api.KeyscanAnswer](h.s.Client, "/api/custom/repository-keys/keyscan", api.KeyscanRequest{Host: host, Port: number}, http.StatusOK)
	if len(scan.Keys) != 1 || scan.Keys[0].Fingerprint != h.fingerprint() || scan.Same {
		h.s.T.Fatalf("the scan shows %+v, want one new key %s", scan, h.fingerprint())
	}
	known := ""
	for _, k := range scan.Accepted.Keys {
		known += k.Fingerprint
	}
	if known != before {
		h.s.T.Errorf("accepted so far is %q, want %q", known, before)
	}
	ask := api.AcceptSSHHostRequest{Host: host, Port: number, Keys: []api.AcceptedHostKey{{Type: scan.Keys[0].Type, Key: scan.Keys[0].Key}}}
	if answer := h.s.Ask(http.MethodPut, "/api/custom/repository-keys/hosts", ask); answer.Status != http.StatusOK {
		h.s.T.Fatalf("accepting the key: %d %s", answer.Status, answer.Body)
	}
}

// sshAddress takes host:port apart.
func sshAddress(t testing.TB, address string) (host string, port int) {
	t.Helper()
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	if port, err = strconv.Atoi(text); err != nil {
		t.Fatal(err)
	}
	return host, port
}
