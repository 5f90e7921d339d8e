package handlers_test

import (
	"berth/core/jobs"
	"berth/handlers"
)

// jobsDeps is what jobs and their runs need: the real use cases on the stand's store.
func (s *stand) jobsDeps() handlers.JobsDeps {
	return handlers.JobsDeps{Desk: jobs.NewDesk(s.store, s.ring, noHub{}, s.now), Store: s.store, Now: s.now}
}
