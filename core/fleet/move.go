package fleet

import "fmt"

// WhyNotMove says why a stack may not move from one worker to another; empty: it may. Between two
// workers of one container engine, taking it down in the old place would take it down in the new one
// too, so both engines must be known. What a revoked worker runs is never taken down.
func WhyNotMove(from, to Worker) string {
	switch {
	case from.ID == to.ID:
		return "the stack is on this worker already; sync it to deploy it there"
	case from.Revoked:
		return ""
	case from.Engine == "" || to.Engine == "":
		unknown := from
		if from.Engine != "" {
			unknown = to
		}
		return fmt.Sprintf("worker %s has not said which container engine it uses, and a stack is never moved between two workers of one engine. "+
			"Connect that worker with its Docker Engine running, then try again", unknown.Hostname)
	case from.Engine == to.Engine:
		return "this worker uses the same container engine as the one where the stack runs; it would be taken down in both. Choose a worker on another host"
	}
	return ""
}
