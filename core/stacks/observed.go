package stacks

import "time"

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
	// verified: "image", "memory limit"; "container" when it was made by somebody else.
	Changed []string `json:"changed,omitempty"`
}
