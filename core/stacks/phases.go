package stacks

import "time"

// SetPhase returns phases with the named one in the given state. A phase that is new, or
// begins anew, starts now; one that ends gets its duration. The input is not changed.
func SetPhase(phases []Phase, name PhaseName, state PhaseState, message string, now time.Time) []Phase {
	out := append([]Phase(nil), phases...)
	for i := range out {
		if out[i].Name == name {
			if state == PhaseRunning && out[i].State != PhaseRunning { // it begins anew
				out[i].StartedAt, out[i].DurationMS = now.UTC(), 0
			}
			out[i].State, out[i].Message = state, message
			if state != PhaseRunning {
				out[i].DurationMS = Elapsed(out[i].StartedAt, now)
			}
			return out
		}
	}
	return append(out, Phase{Name: name, State: state, StartedAt: now.UTC(), Message: message})
}

// CancelPhases returns the phases of a deployment that was stopped because somebody asked for it: the
// one that it was at did not fail.
func CancelPhases(phases []Phase) []Phase {
	out := append([]Phase(nil), phases...)
	for i := range out {
		if out[i].State == PhaseFailed || out[i].State == PhaseRunning {
			out[i].State = PhaseCancelled
		}
	}
	return out
}

// FailRunning returns phases with every running one failed: what a deployment's end
// leaves must not look as if it went on.
func FailRunning(phases []Phase, message string, now time.Time) []Phase {
	out := append([]Phase(nil), phases...)
	for i := range out {
		if out[i].State == PhaseRunning {
			out[i].State, out[i].Message, out[i].DurationMS = PhaseFailed, message, Elapsed(out[i].StartedAt, now)
		}
	}
	return out
}
