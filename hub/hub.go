package hub

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"berth/core"
	"berth/core/hubs"
	"berth/core/jobs"
)

// Options is what a hub is made of. Everything is required but what says what nil means.
type Options struct {
	Store        Store
	Fleet        Fleet
	Sources      Sources
	Variables    Variables
	Seals        Seals
	Files        RevisionFiles
	SecretsFiles SecretsFiles
	AgeKeys      AgeKeys // nil: every repository has one
	Git          core.GitRemote
	Mirrors      Mirrors  // nil: none is left over
	Follower     Follower // nil: no repository is followed
	Compose      core.ComposeReader
	Drafts       core.ComposeDrafter // nil: nothing is linted
	Documents    core.DocumentReader // of repositories
	Rendered     core.DocumentReader // of rendered Compose files, which are larger
	Snapshots    Snapshots
	Meter        Meter
	Post         Post // nil: nothing is sent to the outside
	Keys         Keys // nil: data keys are not changed

	Peers Peers    // nil: this is the only hub
	Self  hubs.Hub // what its row tells the others; the hub adds ID and StartedAt

	Rotation  time.Duration // how often secret values are compared with those that run: SECRETS_INTERVAL; 0: never
	Scan      time.Duration // how often a repository is looked at: SCAN_INTERVAL
	Heartbeat time.Duration // HEARTBEAT_INTERVAL; the read deadline of a link is three times this
	Version   string
	Now       core.Clock
	Log       *slog.Logger

	decisions decisions // those of the core, unless a test has others
}

// Limits of what the hub does at once.
const (
	maxPipelines = 8  // deployments between start and dispatch
	maxPolls     = 16 // repositories being looked at
	maxWakers    = 16 // hubs being told of runs
)

// Hub runs the duties. Make it with New; it does nothing until Run.
type Hub struct {
	// Set once.
	opts     Options
	log      *slog.Logger
	recorder *deploymentRecorder
	runs     *runRecorder
	nudges   chan struct{} // holds one: more would say nothing new
	room     chan struct{} // holds one: there is room for more work at once
	plans    chan struct{} // holds one for each plan that is being made

	polls      *group[core.RepositoryID]
	hosts      *hosts
	pipelines  *group[core.DeploymentID]
	schedule   *schedule
	defects    *defects
	members    membership
	mirrored   mirrored
	figures    figures
	unreadable complaint // of the ticking goroutine: deployments that cannot be read

	clock   *timekeeper
	wakers  *group[core.WorkerID] // tells other hubs of runs for their workers
	endings chore                 // tells the hub that leads of runs that have ended here

	mu       sync.Mutex
	sessions map[core.WorkerID]*session    // guarded by mu; the newest of each worker that said hello
	waiting  map[core.DeploymentID]parking // guarded by mu; until what they wait for may have come
	links    map[*session]bool             // guarded by mu; all that are served
	revoked  map[core.WorkerID]bool        // guarded by mu; since this hub started
	closing  bool                          // guarded by mu; no session is taken any more
	serving  sync.WaitGroup                // sessions
}

// New returns a hub that is ready to run.
func New(opts Options) *Hub {
	if opts.decisions.fire == nil {
		opts.decisions = decisions{jobs.Fire, jobs.Begin}
	}
	h := &Hub{
		opts:     opts,
		log:      opts.Log,
		nudges:   make(chan struct{}, 1),
		room:     make(chan struct{}, 1),
		plans:    make(chan struct{}, maxPlans),
		schedule: newSchedule(opts.Scan),
		sessions: map[core.WorkerID]*session{},
		waiting:  map[core.DeploymentID]parking{},
		links:    map[*session]bool{},
		defects:  &defects{found: map[any]finding{}},
		revoked:  map[core.WorkerID]bool{},
		figures:  figures{wakes: make(chan struct{}, 1)},
		clock:    newTimekeeper(),
	}
	h.polls, h.pipelines = newGroup[core.RepositoryID](maxPolls, h.goOn), newGroup[core.DeploymentID](maxPipelines, h.goOn)
	h.hosts = newHosts(h.goOn)
	h.wakers = newGroup[core.WorkerID](maxWakers, func() {})
	around := surroundings{now: opts.Now, as: h.asMember, report: h.report}
	h.recorder, h.runs = newDeploymentRecorder(opts.Store, around), newRunRecorder(opts.Store, around)
	return h
}

// Nudge makes the hub look at once. It never blocks.
func (h *Hub) Nudge() {
	h.clock.wake()
	if h.opts.Post != nil {
		h.opts.Post.Wake()
	}
	select {
	case h.nudges <- struct{}{}:
	default:
	}
}

// Prepare marks every worker as gone, unless other hubs may hold their links. It is called once,
// before the first one is admitted.
func (h *Hub) Prepare(ctx context.Context) error {
	if h.opts.Peers != nil {
		return nil
	}
	return h.opts.Fleet.AllWorkersLeft(ctx)
}

// goOn makes the hub start more of what found no room. It never blocks.
func (h *Hub) goOn() {
	select {
	case h.room <- struct{}{}:
	default:
	}
}

// lastWords is how long, once the hub is stopping, the store may take for what is left to say.
const lastWords = 6 * time.Second

// Run does the hub's duties until ctx ends, and returns when everything that it started
// has ended, a few seconds later at most. Sessions are told when to come back. It ends by itself, with an error, when a newer
// release has changed the database.
func (h *Hub) Run(ctx context.Context) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	var cannot error // why this hub cannot go on; set before duties are over
	var duties sync.WaitGroup
	duties.Go(func() { h.recorder.run(ctx) })
	duties.Go(func() { h.runs.run(ctx) })
	duties.Go(func() {
		if cannot = h.belong(ctx); cannot != nil {
			end()
		}
	})
	duties.Go(func() { h.readHosts(ctx) })
	h.endings.begin(func() { h.tellEndings(ctx) })
	h.tick(ctx)
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWords)
	defer cancel()
	h.closeSessions()
	h.polls.wait()
	h.pipelines.wait()
	h.serving.Wait()
	duties.Wait()
	h.endings.end()
	err := errors.Join(cannot, h.recorder.flush(last), h.runs.flush(last))
	if h.opts.Peers != nil {
		h.leavePeers(last)
		return err
	}
	h.report("that no worker is linked any more cannot be stored", h.opts.Fleet.AllWorkersLeft(last))
	return err
}

// tick looks after every nudge, when there is room again for more work, and at least once
// a second.
func (h *Hub) tick(ctx context.Context) {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for ctx.Err() == nil {
		h.look(ctx)
		select {
		case <-ctx.Done():
		case <-h.nudges:
			h.schedule.forget()
			h.figures.wake()
		case <-h.room:
		case <-ticker.C:
		}
	}
}

// report logs an error that ends here, unless it only says that the hub is stopping.
func (h *Hub) report(what string, err error, args ...any) {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, hubs.ErrLost) {
		return // the hub is stopping, or another has taken over: it goes on there
	}
	h.log.Error(what, append(args, "error", err)...)
}
