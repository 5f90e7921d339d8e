package jobs

// Standing is how a job is, as lists show, count and filter it.
type Standing string

// The standings, those that need somebody first.
const (
	StandingBroken  Standing = "broken"  // its newest commit cannot be used
	StandingFailing Standing = "failing" // what ran last did not end well
	StandingMissed  Standing = "missed"  // times were given up since it last ended well
	StandingWell    Standing = "well"    // what ran last ended well
	StandingNew     Standing = "new"     // it was not read yet, or has not run yet
	StandingPaused  Standing = "paused"  // it does not fire by itself, and nothing else is the matter
)

// Standings are all of them, in that order.
var Standings = []Standing{StandingBroken, StandingFailing, StandingMissed, StandingWell, StandingNew, StandingPaused}

// Standing says how the job is. What needs somebody counts before a pause: a pause does not mend it.
func (j Job) Standing() Standing {
	switch {
	case j.ErrorCode != "":
		return StandingBroken
	case j.LastState == RunFailed || j.LastState == RunLost || j.LastState == RunSkipped:
		return StandingFailing
	case !j.MissedAt.IsZero() && j.MissedAt.After(j.LastSuccessAt):
		return StandingMissed
	case j.Paused:
		return StandingPaused
	case j.Commit == "" || j.LastState == "":
		return StandingNew
	}
	return StandingWell
}
