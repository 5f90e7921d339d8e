// Package hub is the only part that holds connections and the only part that ticks:
// worker sessions, repository polling, the deployment pipeline, upkeep.
//
// It is small and can restart at any moment: everything that must not be lost is in the
// store before the hub acts on it, and what it keeps in memory (sessions, live
// requests, lines of a log on their way to the store) is either rebuilt or marked as
// missing. It must not know HTTP handlers or any vendor; adapters are handed in.
//
// Start with hub.go (what runs), then look.go (what each tick does), pipeline.go (a
// deployment's way to its worker) and session.go (what a worker says).
package hub
