package worker

import (
	"context"
	"time"

	"berth/core"
	"berth/hub/worker/applied"
)

// How often the engine is asked what runs after a deployment, and the pause before it is
// asked again.
const (
	tidyLooks = 3
	tidyPause = time.Second
)

// tidy records what is there after a deployment: what the containers are like, when it was
// verified, and which revisions they carry. The content of the others is forgotten and, when all went
// well, deleted if no stack uses it. A failure costs disk space, and that nothing is claimed of
// what hands do until the next deployment.
func (s *steps) tidy(ctx context.Context, stack core.StackID, project string, verified bool) {
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	list, err := s.engine.Containers(ctx, project)
	for look := 1; err != nil && look < tidyLooks && pause(ctx, nil, tidyPause) == nil; look++ {
		list, err = s.engine.Containers(ctx, project)
	}
	if err != nil {
		return // unknown is not the same as unused
	}
	var running []int
	for _, c := range list {
		running = append(running, c.Revision)
	}
	var portrait applied.Portrait
	if verified {
		portrait = portraitOf(s.digestKey, stack, list)
	}
	s.shelf.Lock()
	defer s.shelf.Unlock()
	if err := s.applied.Ended(stack, portrait, running); err != nil {
		s.log.Warn("the record of a stack could not be written", "stack", stack, "error", err)
		return
	}
	if verified {
		s.collect()
	}
}

// collect is called with shelf held.
func (s *steps) collect() {
	keep, known := s.applied.InUse()
	if !known {
		return
	}
	for _, e := range s.journal.Entries() {
		if e.Run != nil {
			for _, digest := range e.Run.Content {
				keep[digest] = true
			}
		}
	}
	if err := s.content.Collect(keep); err != nil {
		s.log.Warn("unused content could not be deleted", "error", err)
	}
}
