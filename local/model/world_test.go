package model

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fleet"
	"berth/core/repositories"
	"berth/core/stacks"
	"berth/core/store"
)

// world is everything that takes part in a schedule: the real store, and a hub, links, two
// hosts with their workers and a repository as state machines.
type world struct {
	store   *store.Store
	data    *database
	random  *rand.Rand
	defect  defect
	repo    core.RepositoryID
	stack   core.StackID
	ids     [2]core.WorkerID
	telling bool // the story is written down
	checked int  // writes of the store when what it shows was last checked
	state
}

// state is what a schedule changes, apart from the store. It is copied where schedules branch.
type state struct {
	now     time.Time
	calm    bool // nothing fails any more: the end of a schedule
	acting  int  // at the end: who makes the next write; 0: the hub, else host number acting-1
	due     bool // at the end: something is to be tried again or repaired
	fuse    int  // durable writes until the one that acts dies; 0: it lives
	commits []commit
	hub     hub
	links   []link
	hosts   [2]host
	wishes  []wish
	ended   []core.DeploymentID // that somebody asked to cancel
	effects []key               // each change of a host, by the command that made it
	over    []key               // commands whose end is journaled
	spoilt  bool                // a teardown failed for good: what it left is visible as a decision
	story   []string
}

// commit is one of the repository's. Its number is its place, from 1.
type commit struct {
	tree   int  // number of the commit that last changed the stack's folder
	broken bool // it cannot be rendered
	bad    bool // what it starts never becomes healthy
	keep   bool // on_failure: keep
	heal   bool // self_heal: true
}

var person = access.Principal{Kind: access.KindUser, ID: "usr_1", Name: "ada@example.org"}

// newWorld makes a world with one stack that syncs by itself and is assigned to the first host.
func newWorld(t testing.TB, bad defect) *world {
	t.Helper()
	data, db := openDatabase(t)
	w := &world{data: data, defect: bad, state: state{now: began}}
	w.store = store.New(db, w.tick)
	ctx := context.Background()
	r, err := w.store.AddRepository(ctx, repositories.Repository{ID: core.RepositoryID(core.NewID(core.PrefixRepository, w.tick())),
		Name: "apps", URL: "https://git.example/apps.git", Branch: "main", CreatedAt: w.now}, access.System.Audit("repository.create", "", ""))
	if err != nil {
		t.Fatal(err)
	}
	w.repo = r.ID
	for i := range w.ids {
		w.ids[i] = w.enrol(t, fmt.Sprintf("host-%d", i))
		w.hosts[i] = host{up: true}
	}
	st, _, err := w.store.CreateStack(ctx, stacks.Stack{ID: core.StackID(core.NewID(core.PrefixStack, w.tick())), Name: "web", Repository: w.repo,
		Path: "web", Worker: w.ids[0], AutoSync: true}, nil, person)
	if err != nil {
		t.Fatal(err)
	}
	w.stack, w.hub.up = st.ID, true
	w.commits = []commit{{tree: 1}}
	return w
}

func (w *world) enrol(t testing.TB, hostname string) core.WorkerID {
	t.Helper()
	token := fleet.Token{ID: core.WorkerTokenID(core.NewID(core.PrefixWorkerToken, w.tick())), CreatedAt: w.now, ExpiresAt: w.now.Add(time.Hour)}
	if err := w.store.AddWorkerToken(context.Background(), token, []byte("mac"), access.System.Audit("worker_token.create", "", "")); err != nil {
		t.Fatal(err)
	}
	made, err := w.store.EnrolWorker(context.Background(), token.ID, func(fleet.Held) (fleet.Enrolment, error) {
		return fleet.Enrolment{First: true, Audit: access.System.Audit("worker.enrol", "", ""), Worker: fleet.Worker{ID: core.WorkerID(core.NewID(core.PrefixWorker, w.tick())),
			TokenID: token.ID, Hostname: hostname, Tags: []string{}, CreatedAt: w.now}}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return made.ID
}

// tick is the clock. No two readings are the same, so that identifiers sort by age.
func (w *world) tick() time.Time {
	w.now = w.now.Add(time.Millisecond)
	return w.now
}

// branch notes how everything is; the function that it returns puts it back.
func (w *world) branch() (back func()) {
	saved := w.copy()
	w.data.mark()
	return func() {
		w.data.back()
		w.state = saved
	}
}

func (s *state) copy() state {
	c := *s
	c.hub.work = slices.Clone(s.hub.work)
	c.commits, c.wishes, c.ended = slices.Clone(s.commits), slices.Clone(s.wishes), slices.Clone(s.ended)
	c.effects, c.over, c.story, c.links = slices.Clone(s.effects), slices.Clone(s.over), slices.Clone(s.story), slices.Clone(s.links)
	for i := range c.links {
		c.links[i].toHub, c.links[i].toWorker = slices.Clone(s.links[i].toHub), slices.Clone(s.links[i].toWorker)
	}
	for i := range c.hosts {
		c.hosts[i].journal, c.hosts[i].tasks, c.hosts[i].recent = slices.Clone(s.hosts[i].journal), slices.Clone(s.hosts[i].tasks), slices.Clone(s.hosts[i].recent)
	}
	return c
}

// tell adds to the story, when it is to be told: a schedule that fails is run again for that.
func (w *world) tell(format string, args ...any) {
	if w.telling {
		w.story = append(w.story, fmt.Sprintf(format, args...))
	}
}

// chance is true once in n times, and never when the schedule is at its end.
func (w *world) chance(n int) bool { return !w.calm && w.random.IntN(n) == 0 }

// died is the panic of a hub or worker whose fuse has burnt down.
type died struct{}

// durable is a write that a crash may come before or after, but not into.
func (w *world) durable(write func() error) error {
	w.burn()
	err := write()
	w.burn()
	return err
}

func (w *world) burn() {
	if w.fuse == 0 {
		return
	}
	if w.fuse--; w.fuse == 0 {
		panic(died{})
	}
}

func hashOf(number int) core.Commit {
	if number == 0 {
		return ""
	}
	return core.Commit(fmt.Sprintf("c%d", number))
}

func numberOf(c core.Commit) int {
	var n int
	fmt.Sscanf(string(c), "c%d", &n)
	return n
}

func (w *world) head() int { return len(w.commits) }

// tree is what polling sees of the stack's folder at a commit.
func (w *world) tree(number int) string { return fmt.Sprintf("t%d", w.commits[number-1].tree) }
