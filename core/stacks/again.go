package stacks

// Again is the revision that a redeploy puts in place again; 0: the head of the branch. While
// that head is in quarantine it is the one that runs: somebody, or a failure, took the head back,
// and a wish to have the same once more must not bring it. While a rollback is under way it is what
// that puts in place. Sync is the way to the head. open holds the stack's deployments that have not ended.
func (s Stack) Again(open []Deployment) int {
	revision := 0
	if s.Quarantine.Tree != "" && (s.SeenTree == "" || s.SeenTree == s.Quarantine.Tree) {
		revision = s.Revision
	}
	for _, d := range open {
		if d.Trigger == TriggerRollback && !d.Cancelling && !d.State.Ended() {
			revision = d.Aim.Revision
		}
	}
	return revision
}

// Aimed returns a wish with what it turns out to aim at, once the stack is known.
func (s Stack) Aimed(ask Ask, open []Deployment) Ask {
	if ask.Trigger == TriggerRedeploy && !ask.Retry && ask.Aim == (Aim{}) {
		ask.Aim.Revision = s.Again(open)
	}
	return ask
}

// Releases reports whether a wish ends the stack's quarantine: a change of the folder does, and so does
// what a person asks for, but for putting in place again what runs instead, or elsewhere.
func (s Stack) Releases(ask Ask) bool {
	switch {
	case ask.Aim.Worker != "":
		return false
	case ask.Trigger == TriggerRedeploy && ask.Aim.Revision != 0:
		return false
	}
	return !ask.Automatic() || ask.SeenTree != ""
}
