package githost

import (
	"crypto/subtle"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
)

// Host is a Git host for the bare repositories <name>.git below one folder. As an
// http.Handler it serves them for reading at /<name>.git. Its methods may be called
// at the same time.
type Host struct {
	dir   string
	slots chan struct{} // one per request that a Git process may serve

	writing sync.Mutex // held while a repository changes

	mu     sync.Mutex
	logins map[string]login // by repository; guarded by mu
}

type login struct{ user, password string }

// requests is how many http-backend processes run at the same time.
const requests = 16

// New returns a host for the repositories below dir, which need not exist yet.
func New(dir string) *Host {
	return &Host{dir: dir, slots: make(chan struct{}, requests), logins: map[string]login{}}
}

var validName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,99}$`)

// Create makes an empty repository. One that exists already stays as it is. Names are
// lower-case letters, digits, dashes and underscores.
func (h *Host) Create(repo string) error {
	dir, err := h.repository(repo)
	if err != nil {
		return err
	}
	h.writing.Lock()
	defer h.writing.Unlock()
	if _, err := os.Stat(filepath.Join(dir, "HEAD")); err == nil {
		return nil
	}
	if err := os.MkdirAll(h.dir, 0o755); err != nil {
		return fmt.Errorf("make the folder of the Git host: %w", err)
	}
	_, err = git("", nil, "init", "--quiet", "--bare", "--template=", "--initial-branch=main", "--", dir)
	return err
}

// Path returns the path of a repository's address.
func (h *Host) Path(repo string) string { return "/" + repo + ".git" }

// Dir returns the folder of a repository, for those who change it by hand.
func (h *Host) Dir(repo string) string { return filepath.Join(h.dir, repo+".git") }

// Delete removes a repository. Deleting none is no error.
func (h *Host) Delete(repo string) error {
	dir, err := h.repository(repo)
	if err != nil {
		return err
	}
	h.writing.Lock()
	defer h.writing.Unlock()
	return os.RemoveAll(dir)
}

// Protect demands this user and password, by HTTP basic authentication, from everyone
// who reads the repository from now on. An empty user opens it again.
func (h *Host) Protect(repo, user, password string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if user == "" {
		delete(h.logins, repo)
		return
	}
	h.logins[repo] = login{user, password}
}

func (h *Host) allows(repo, user, password string) bool {
	h.mu.Lock()
	want, protected := h.logins[repo]
	h.mu.Unlock()
	if !protected {
		return true
	}
	sameUser := subtle.ConstantTimeCompare([]byte(want.user), []byte(user))
	samePassword := subtle.ConstantTimeCompare([]byte(want.password), []byte(password))
	return sameUser&samePassword == 1
}

func (h *Host) repository(repo string) (string, error) {
	if !validName.MatchString(repo) {
		return "", fmt.Errorf("repository name %q: use lower-case letters, digits, - and _", repo)
	}
	return filepath.Abs(h.Dir(repo))
}

// environment is all that Git sees: no configuration of the machine or its user.
func environment() []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.DevNull, "LC_ALL=C",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_TERMINAL_PROMPT=0"}
}

// reason adds what Git wrote to the error of a process that failed.
func reason(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		return fmt.Errorf("%w: %s", err, exit.Stderr)
	}
	return err
}
