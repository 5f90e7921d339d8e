package git

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/hub/adapter/ssh"
)

// Options change how a Remote works. The zero value is fit for production.
type Options struct {
	Logger       *slog.Logger      // nil: the default logger
	Transport    http.RoundTripper // for asking; nil: one with short connect times. Fetching is up to git.
	AskTimeout   time.Duration     // for one Head; 0: 30 s
	FetchTimeout time.Duration     // for one Fetch; 0: 5 min
	MirrorLimit  int64             // bytes on disk per mirror; 0: 2 GiB
	SSH          ssh.Reach         // for hosts over SSH; zero: public addresses only
}

// At most so many conversations with Git hosts happen at the same time.
const (
	parallelAsks    = 16
	parallelFetches = 8
)

// Remote implements core.GitRemote over HTTP(S) and SSH. Its methods may be called at the same
// time; fetches into one mirror wait for each other. Only one process may use a folder.
type Remote struct {
	root         string // holds the mirrors
	git          program
	log          *slog.Logger
	client       *http.Client
	ssh          ssh.Reach
	askTimeout   time.Duration
	fetchTimeout time.Duration
	limit        int64
	asks         gate
	fetches      gate

	mu      sync.Mutex
	mirrors map[core.RepositoryID]*mirror // every one touched since Open; guarded by mu
}

var _ core.GitRemote = (*Remote)(nil)

// Open returns a Remote that keeps its mirrors below dir, which it makes if needed and
// frees of what a crash left. Unavailable "git.command_missing" when there is no git
// command of version 2.31 or newer.
func Open(dir string, opts Options) (*Remote, error) {
	root, err := filepath.Abs(dir)
	if err != nil {
		return nil, noWorkspace(dir, err)
	}
	if err := os.MkdirAll(root, 0o700); err != nil {
		return nil, noWorkspace(dir, err)
	}
	if err := removeLeftovers(root); err != nil {
		return nil, noWorkspace(dir, err)
	}
	git, err := findProgram(root)
	if err != nil {
		return nil, err
	}
	r := &Remote{root: root, git: git, log: opts.Logger, askTimeout: opts.AskTimeout, fetchTimeout: opts.FetchTimeout,
		limit: opts.MirrorLimit, asks: make(gate, parallelAsks), fetches: make(gate, parallelFetches),
		ssh: opts.SSH, mirrors: map[core.RepositoryID]*mirror{}}
	r.defaults()
	r.client = newClient(opts.Transport)
	return r, nil
}

func (r *Remote) defaults() {
	if r.log == nil {
		r.log = slog.Default()
	}
	if r.askTimeout == 0 {
		r.askTimeout = 30 * time.Second
	}
	if r.fetchTimeout == 0 {
		r.fetchTimeout = 5 * time.Minute
	}
	if r.limit == 0 {
		r.limit = 2 << 30
	}
}

func noWorkspace(dir string, err error) error {
	return fault.New(fault.Unavailable, "git.workspace", "The folder for Git mirrors %q cannot be used; check REPOS_WORKSPACE and its permissions.", dir).Because(err)
}

// Close frees idle connections. Trees are closed by those who opened them.
func (r *Remote) Close() error {
	r.client.CloseIdleConnections()
	return nil
}

// Head implements core.GitRemote.
func (r *Remote) Head(ctx context.Context, src core.GitSource) (core.GitHead, error) {
	if err := check(src); err != nil {
		return core.GitHead{}, err
	}
	leave, err := r.asks.enter(ctx)
	if err != nil {
		return core.GitHead{}, givenUp(err)
	}
	defer leave()
	answer, err := r.ask(ctx, src)
	if err != nil {
		return core.GitHead{}, err
	}
	answer.hangUp()
	return answer.head(answer.commit), nil
}

// Fetch implements core.GitRemote. It starts no process when the mirror has the head.
func (r *Remote) Fetch(ctx context.Context, src core.GitSource) (core.GitHead, error) {
	if err := check(src); err != nil {
		return core.GitHead{}, err
	}
	m, err := r.mirror(src.Repository)
	if err != nil {
		return core.GitHead{}, err
	}
	unlock, err := m.lock.enter(ctx)
	if err != nil {
		return core.GitHead{}, givenUp(err)
	}
	defer unlock()
	leave, err := r.fetches.enter(ctx)
	if err != nil {
		return core.GitHead{}, givenUp(err)
	}
	defer leave()
	answer, err := r.ask(ctx, src)
	if err != nil {
		return core.GitHead{}, err
	}
	defer answer.hangUp()
	commit, err := m.update(ctx, answer, src)
	if err != nil {
		return core.GitHead{}, err
	}
	return answer.head(commit), nil
}

// Forget implements core.GitRemote. It waits for a fetch that is under way.
func (r *Remote) Forget(ctx context.Context, repository core.RepositoryID) error {
	m, err := r.mirror(repository)
	if err != nil {
		return err
	}
	unlock, err := m.lock.enter(ctx)
	if err != nil {
		return givenUp(err)
	}
	defer unlock()
	return m.remove()
}

// mirror returns the one mirror of a repository, made or not.
func (r *Remote) mirror(repository core.RepositoryID) (*mirror, error) {
	if !core.ValidID(core.PrefixRepository, string(repository)) {
		return nil, fault.New(fault.Internal, "git.repository_id", "A repository was asked for by something that is no identifier of one.")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	m := r.mirrors[repository]
	if m == nil {
		m = &mirror{remote: r, dir: filepath.Join(r.root, string(repository)+mirrorSuffix), lock: make(gate, 1)}
		r.mirrors[repository] = m
	}
	return m, nil
}

// Names of folders that exist only while a mirror is made or replaced.
const (
	freshPrefix = ".fresh-"
	oldPrefix   = ".old-"
)

func removeLeftovers(root string) error {
	entries, err := os.ReadDir(root)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), freshPrefix) || strings.HasPrefix(e.Name(), oldPrefix) {
			if err := os.RemoveAll(filepath.Join(root, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}
