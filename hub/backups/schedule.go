package backups

import (
	"context"
	"time"

	"berth/core/backups"
	"berth/core/fault"
)

// calm is how long after a start the schedule waits: workers come back then, and deployments go on.
const calm = time.Minute

// again is how long after a failure the next attempt comes, and how often what is over is looked for.
const again = 10 * time.Minute

// Run makes the backups of the schedule and deletes those that are over, until ctx ends.
func (s *Shelf) Run(ctx context.Context) error {
	s.tell()
	timer := time.NewTimer(calm)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-timer.C:
			timer.Reset(s.round(ctx))
		}
	}
}

// round does what is due, and returns how long there is nothing to do.
func (s *Shelf) round(ctx context.Context) time.Duration {
	all, err := s.local()
	if err != nil {
		s.o.Log.Error("the backups cannot be listed", "error", err)
		return again
	}
	if s.check(ctx, all) {
		s.tell()
		if all, err = s.local(); err != nil {
			return again
		}
	}
	s.o.Meter.KnowBackups(all, s.o.Every)
	if s.o.Every > 0 && backups.DueIn(all, s.o.Every, s.o.Now()) == 0 {
		if _, err := s.Make(ctx, backups.BySchedule); err != nil && ctx.Err() == nil {
			s.o.Log.Error("a backup that was due was not made; it is tried again", "in", again, "error", err)
			return again
		}
		if all, err = s.local(); err != nil {
			return again
		}
	}
	for _, b := range s.o.Keep.Expired(all, s.o.Now()) {
		switch err := s.Delete(ctx, b.Name, true); {
		case err == nil:
			s.o.Log.Info("an old backup was deleted", "name", b.Name)
		case !fault.Is(err, fault.NotFound):
			s.o.Log.Warn("an old backup was not deleted", "name", b.Name, "error", err)
		}
	}
	if s.o.Every == 0 {
		return again
	}
	return max(time.Second, min(again, backups.DueIn(all, s.o.Every, s.o.Now())))
}
