package jobs

// Tells reports whether the end of a run says how its job is. That it was cancelled does not, nor that it gave
// way to another run of the job.
func (r Run) Tells() bool {
	switch r.State {
	case RunSucceeded, RunFailed, RunLost:
		return true
	case RunSkipped:
		return r.ErrorCode != "run.overlap" && r.ErrorCode != "run.queue_full"
	}
	return false
}
