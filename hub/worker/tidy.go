package worker

import (
	"context"

	"berth/core"
)

// tidy forgets the content of revisions that no container of the stack carries any more
// and, when all went well, deletes what no stack uses. A failure costs disk space only.
func (s *steps) tidy(ctx context.Context, stack core.StackID, project string, collect bool) {
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	list, err := s.engine.Containers(ctx, project)
	if err != nil {
		return // unknown is not the same as unused
	}
	var running []int
	for _, c := range list {
		running = append(running, c.Revision)
	}
	s.shelf.Lock()
	defer s.shelf.Unlock()
	if err := s.applied.Trim(stack, running); err != nil {
		s.log.Warn("the record of a stack could not be shortened", "stack", stack, "error", err)
		return
	}
	if collect {
		s.collect()
	}
}

// collect is called with shelf held.
func (s *steps) collect() {
	keep, known := s.applied.InUse()
	if !known {
		return
	}
	if err := s.content.Collect(keep); err != nil {
		s.log.Warn("unused content could not be deleted", "error", err)
	}
}
