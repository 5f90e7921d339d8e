package hub

import (
	"context"
	"time"

	"berth/core"
	"berth/core/jobs"
	"berth/core/stacks"
)

// runRecorder records runs of jobs, each while the link of its worker is held here.
type runRecorder struct {
	*recorder[core.RunID, ran]
	store JobStore
}

// ran is what is known of a run beside its log.
type ran struct {
	startedAt time.Time // of its container; zero: it was not started, as far as is known
	logTo     string    // how far the log of the container was heard, in its worker's words
}

// runNews is what is new of one run.
type runNews = news[core.RunID, ran]

func newRunRecorder(store JobStore, around surroundings) *runRecorder {
	return &runRecorder{newRecorder("run", runKeeper{store}, around), store}
}

// begin begins to record a run whose command is sent for the first time, of which nothing can be stored yet.
func (r *runRecorder) begin(c stacks.Command) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.all[c.Run] == nil && r.claims[c.Run] == nil {
		r.all[c.Run] = &recording[ran]{worker: c.Worker, heard: stacks.Heard{Command: c.ID, Attempt: c.Attempt}}
	}
}

// runKeeper implements keeper.
type runKeeper struct{ store JobStore }

func (k runKeeper) load(ctx context.Context, id core.RunID) (*recording[ran], error) {
	r, err := k.store.Run(ctx, id)
	if err != nil || r.State.Ended() {
		return nil, err
	}
	kept, err := k.store.RunRecorded(ctx, id)
	if err != nil {
		return nil, err
	}
	return &recording[ran]{progress: ran{startedAt: r.StartedAt, logTo: kept.Heard.LogTo}, worker: r.Worker,
		heard: stacks.Heard{Command: r.Command, Attempt: kept.Heard.Attempt, Event: kept.Heard.Event}, number: kept.Number, total: kept.Bytes}, nil
}

func (k runKeeper) save(ctx context.Context, all []runNews) error {
	var progress []jobs.Progress
	var pieces []jobs.LogPiece
	for _, n := range all {
		progress = append(progress, jobs.Progress{Run: n.id, StartedAt: n.progress.startedAt,
			Heard: jobs.Heard{Attempt: n.heard.Attempt, Event: n.heard.Event, LogTo: n.progress.logTo}})
		pieces = append(pieces, piecesOf(n)...)
	}
	return k.store.SaveRunLog(ctx, progress, pieces)
}

func piecesOf(n runNews) []jobs.LogPiece {
	pieces := make([]jobs.LogPiece, len(n.pieces))
	for i, p := range n.pieces {
		pieces[i] = jobs.LogPiece{Run: n.id, Number: p.number, At: p.at, Text: p.text}
	}
	return pieces
}

// logTo returns how far the log of a run's container was heard.
func (r *runRecorder) logTo(id core.RunID) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if known := r.all[id]; known != nil {
		return known.progress.logTo
	}
	return ""
}

// end stores how a run ended. outcome is asked with when its container was started, as far as is known.
func (r *runRecorder) end(ctx context.Context, id core.RunID, text string, outcome func(startedAt time.Time) jobs.Outcome) (ended bool, err error) {
	err = r.conclude(ctx, id, text, func(n runNews) (bool, error) {
		var err error
		ended, err = r.store.EndRun(ctx, outcome(n.progress.startedAt), piecesOf(n))
		return ended, err
	})
	return ended, err
}
