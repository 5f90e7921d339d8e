package worker

import (
	"context"
	"crypto/ed25519"
	"log/slog"
	"time"

	"berth/core"
	"berth/core/policy"
	"berth/core/wire"
	"berth/hub/link"
)

// Dial opens a connection to the hub and enrols on it. A refusal by the hub is a fault:
// TooMany or Unavailable, perhaps with RetryAfter, when it is worth trying again soon;
// any other kind when a person has to do something first.
type Dial func(ctx context.Context) (link.Conn, wire.Enrolled, error)

// Options are what a worker is made of. All are required but Tags, Allow, Limits and StackDir.
type Options struct {
	Dial      Dial
	Engine    Engine
	Key       ed25519.PrivateKey // of this worker, from Identity
	DataDir   string             // survives restarts: journal, content, what was applied
	StackDir  string             // rendered Compose files for people to look at; empty: none are written
	Hostname  string             // names the worker to people
	Tags      []string
	Allow     []string      // what the engine allows projects beyond the default; told to the hub
	Limits    *policy.Rules // the policy file of the host, which the engine obeys too; nil: there is none
	Version   string
	Heartbeat time.Duration // the worker's own interval; the hub's shorter one goes first
	Log       *slog.Logger
	Now       core.Clock
}

// The worker's own bounds.
const (
	maxParallel   = 4   // commands of stacks that run at the same time
	maxQueued     = 64  // those that wait for their turn; more are refused
	maxRuns       = 64  // runs of jobs at the same time
	maxRunsQueued = 256 // those that wait for their turn; more are refused
	maxRequests   = 16  // live requests at the same time
	maxRecent     = 256
)

// How long things may take.
const (
	drainGrace     = 5 * time.Second // for running commands when the worker stops
	drainFlush     = 2 * time.Second // for the last results to be written
	welcomeWithin  = 30 * time.Second
	lookWithin     = 20 * time.Second // for the engine to say what runs
	identifyWithin = 3 * time.Second  // for the engine to say which it is, before Hello
	logGrace       = 2 * time.Second  // that a result waits for its last log lines
	runLogGrace    = 30 * time.Second // that the result of a run does, whose log is what people look at
	lookEvery      = 2 * time.Second  // while something runs here
	restEvery      = 10 * time.Second // while nothing does
	completeEvery  = 5 * time.Minute
	engineAgain    = time.Second      // between two tries while the engine is away and a container must be known about
	stopWithin     = time.Minute      // for the engine to end a container, its ten seconds included
	removeWithin   = 30 * time.Second // for the engine to remove a container
	logWithin      = time.Minute      // for the end of a log to be read, after the container has ended
	sweepFirst     = time.Minute      // until leftovers are looked for, after the start
	sweepEvery     = time.Hour
	lateAfter      = 20 * time.Second   // for the engine to make a container that nobody waits for any more
	leftoverAfter  = 24 * time.Hour     // that nothing knows a container which has ended
	strayAfter     = 8 * 24 * time.Hour // or one that runs: no run may take that long
)
