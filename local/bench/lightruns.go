package main

import (
	"sync"

	"berth/core"
	"berth/core/wire"
	"berth/hub/link"
)

// lightRuns are the runs of jobs that light workers do: each container has ended as soon as it was started.
type lightRuns struct {
	mu      sync.Mutex
	started map[core.RunID]int // guarded by mu; how often a container was started for a run
	ended   map[core.CommandID]bool
}

func newLightRuns() *lightRuns {
	return &lightRuns{started: map[core.RunID]int{}, ended: map[core.CommandID]bool{}}
}

// do does what a command asks for and says so; one that comes again is answered and not repeated.
func (r *lightRuns) do(conn link.Conn, cmd wire.Command) error {
	if cmd.Run == nil {
		return nil
	}
	if r.first(cmd) {
		if err := send(conn, wire.Accepted{ID: cmd.ID, Attempt: cmd.Attempt}); err != nil {
			return err
		}
		if err := send(conn, wire.Event{ID: cmd.ID, Attempt: cmd.Attempt, Number: 1, Started: true}); err != nil {
			return err
		}
		if err := send(conn, wire.Event{ID: cmd.ID, Attempt: cmd.Attempt, Number: 2, Log: "done: 1 file, 42 bytes\n", LogTo: "1 0"}); err != nil {
			return err
		}
	}
	code := 0
	return send(conn, wire.Result{ID: cmd.ID, Attempt: cmd.Attempt, Status: wire.ResultSucceeded, Phases: []wire.PhaseEvent{}, Events: 2, ExitCode: &code, RanMS: 1})
}

func (r *lightRuns) first(cmd wire.Command) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended[cmd.ID] {
		return false
	}
	r.ended[cmd.ID] = true
	r.started[cmd.Run.Run]++
	return true
}

// counts returns how many runs began, and how many of them more than once.
func (r *lightRuns) counts() (runs, twice int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, times := range r.started {
		if times > 1 {
			twice++
		}
	}
	return len(r.started), twice
}
