package ui

import (
	"fmt"

	"berth/core/jobs"
)

// standingBadges has one badge for each way in which a job stands.
var standingBadges = map[jobs.Standing]badge{
	jobs.StandingBroken:  {"bad", "alert", "Broken"},
	jobs.StandingFailing: {"bad", "cross", "Failing"},
	jobs.StandingMissed:  {"warn", "clock", "Missed"},
	jobs.StandingWell:    {"ok", "check", "Well"},
	jobs.StandingNew:     {"idle", "circle", "New"},
	jobs.StandingPaused:  {"idle", "pause", "Paused"},
}

// runBadges has one badge for each state of a run.
var runBadges = map[jobs.RunState]badge{
	jobs.RunQueued:    {"busy", "clock", "Queued"},
	jobs.RunRunning:   {"busy", "ring", "Running"},
	jobs.RunSucceeded: {"ok", "check", "Succeeded"},
	jobs.RunFailed:    {"bad", "cross", "Failed"},
	jobs.RunCancelled: {"idle", "stop", "Cancelled"},
	jobs.RunSkipped:   {"idle", "skip", "Skipped"},
	jobs.RunLost:      {"bad", "question", "Unknown"},
}

// runStates is in which order states of runs are told: what went wrong first.
var runStates = []jobs.RunState{jobs.RunFailed, jobs.RunLost, jobs.RunSkipped, jobs.RunCancelled, jobs.RunSucceeded, jobs.RunRunning, jobs.RunQueued}

var runTriggers = map[jobs.Trigger]string{jobs.TriggerCron: "Schedule", jobs.TriggerManual: "By hand", jobs.TriggerAPI: "API", jobs.TriggerRetry: "Retry"}

// runCause says what caused a run.
func runCause(r jobs.Run) string {
	word, known := runTriggers[r.Trigger]
	switch {
	case !known:
		return string(r.Trigger)
	case r.Trigger == jobs.TriggerRetry:
		return fmt.Sprintf("Retry, attempt %d", r.Attempt)
	}
	return word
}
