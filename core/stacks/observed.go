package stacks

import (
	"slices"
	"time"
)

// ContainerState is one container of a stack as the engine reports it.
type ContainerState struct {
	Service      string    `json:"service"`
	Container    string    `json:"container"` // name
	ContainerID  string    `json:"container_id"`
	Image        string    `json:"image"`
	State        string    `json:"state"`  // created, running, paused, restarting, exited, dead, removing
	Health       string    `json:"health"` // starting, healthy, unhealthy; empty: none declared
	ExitCode     int       `json:"exit_code"`
	RestartCount int       `json:"restart_count"`
	StartedAt    time.Time `json:"started_at"`
	Ports        []string  `json:"ports,omitempty"` // "8080->80/tcp"
	Revision     int       `json:"revision"`        // dev.berth.revision at its creation
	// Changed names what a hand has changed of the container since it was deployed and
	// verified: "image", "memory limit"; "container" when it was made by somebody else;
	// ChangedStopped when somebody ended it, ChangedHalted when somebody asked Berth to; ChangedForeign
	// alone when no stack made it.
	Changed []string `json:"changed,omitempty"`
}

// ChangedStopped is in ContainerState.Changed of a container that somebody stopped or killed and
// that has not run since; one that ended by itself does not have it.
const ChangedStopped = "stopped"

// ChangedHalted is there instead when a person stopped it through Berth. It is as they want it: no
// difference, and nothing to repair.
const ChangedHalted = "halted"

// Halted reports whether a person stopped it through Berth.
func (c ContainerState) Halted() bool { return slices.Contains(c.Changed, ChangedHalted) }

// ChangedForeign is in ContainerState.Changed of a container that has the name of the stack's Compose
// project, though no stack made it. It is no container of the stack, and nobody's to stop or remove but
// the person's who made it.
const ChangedForeign = "foreign"

// Foreign reports whether somebody else put a container beside the stack's own.
func (c ContainerState) Foreign() bool { return slices.Contains(c.Changed, ChangedForeign) }

// Own returns the containers that are the stack's.
func Own(containers []ContainerState) []ContainerState {
	return slices.DeleteFunc(slices.Clone(containers), ContainerState.Foreign)
}

// traitsOf returns what was changed of a container, apart from whether it runs.
func traitsOf(c ContainerState) []string {
	return slices.DeleteFunc(slices.Clone(c.Changed), func(name string) bool { return name == ChangedStopped || name == ChangedHalted })
}
