package worker

import (
	"context"

	"berth/core/wire"
)

// teardown removes a stack from this host. Doing it again, or where nothing is left,
// changes nothing and succeeds.
func (s *steps) teardown(ctx context.Context, w *work, d wire.Teardown) error {
	w.phase = "the removal of containers"
	if err := s.engine.Down(ctx, d.Project, d.Stack, d.Volumes, w.line); err != nil {
		return err
	}
	if d.Volumes {
		if err := s.content.RemoveState(d.Stack); err != nil {
			return diskFault(err)
		}
	}
	s.removeCompose(d.Project)
	s.shelf.Lock()
	defer s.shelf.Unlock()
	if err := s.applied.Remove(d.Stack); err != nil {
		return diskFault(err)
	}
	s.collect()
	return nil
}
