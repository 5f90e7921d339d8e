package metrics

import (
	"context"
	"io"
	"log/slog"

	"berth/core"
	"berth/core/fault"
)

// Board is the Source that stands where the metrics are made: in the hub.
type Board struct {
	Own     *Own   // the server's own families: the hub and the guard write them
	Workers *Cache // what workers report: the hub writes it
	sheet   sheet  // both, joined
}

// Config is what a Board needs.
type Config struct {
	Version   string // of this program
	HubURL    string // where other hubs and handlers reach this one; empty: there are none
	Validator Validator
	Process   func() Process // figures of this process; cheap, called for each scrape
	Clock     core.Clock
	Log       *slog.Logger // nil: nothing is told
}

// NewBoard returns a Board without workers.
func NewBoard(cfg Config) *Board {
	own := newOwn(cfg.Version, cfg.Process, cfg.Clock)
	if cfg.HubURL != "" {
		own.hubs.reached(cfg.HubURL)
	}
	workers := newCache(cfg.Validator, own, cfg.Clock, cfg.Log)
	return &Board{Own: own, Workers: workers, sheet: sheet{own: own, workers: workers}}
}

// All implements Source.
func (b *Board) All(ctx context.Context, f Format, w io.Writer) error {
	b.Workers.expire()
	runs := b.sheet.runs()
	defer sheets.giveBack(runs)
	return b.Workers.write(ctx, w, f, *runs)
}

// Worker implements Source.
func (b *Board) Worker(ctx context.Context, id core.WorkerID, f Format, w io.Writer) error {
	b.Workers.expire()
	runs := b.Workers.of(id)
	if len(runs) == 0 {
		return fault.New(fault.NotFound, "worker.not_found", "There is no such worker.")
	}
	return b.Workers.write(ctx, w, f, runs)
}
