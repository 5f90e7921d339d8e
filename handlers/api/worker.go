package api

import (
	"net/http"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/fleet"
)

// WorkerAnswer is a worker as the API shows it.
type WorkerAnswer struct {
	ID           core.WorkerID      `json:"id"`
	TokenID      core.WorkerTokenID `json:"token_id"` // of the token that it registered with
	Hostname     string             `json:"hostname"`
	Tags         []string           `json:"tags"`
	Version      string             `json:"version"` // of its program
	Advice       string             `json:"advice"`  // what to do when its release is too old or too new for the server's; "" when they are at most one apart
	OS           string             `json:"os"`
	Arch         string             `json:"arch"`
	Online       bool               `json:"online"` // it is known to be there; false does not mean that it is known to be away: see presence
	Presence     fleet.There        `json:"presence"`
	Revoked      bool               `json:"revoked"`
	Stacks       int                `json:"stacks"`        // that are assigned to it
	ConnectedAt  *time.Time         `json:"connected_at"`  // start of its last link; null: never
	LeftAt       *time.Time         `json:"left_at"`       // end of the last link that is known to have ended; null: none
	UnheardSince *time.Time         `json:"unheard_since"` // when the hub that could tell of it was last heard of; null unless its presence is unknown
	CreatedAt    time.Time          `json:"created_at"`
}

func showWorker(w fleet.Worker) WorkerAnswer {
	return WorkerAnswer{
		ID: w.ID, TokenID: w.TokenID, Hostname: w.Hostname, Tags: orEmpty(w.Tags), Version: w.Version, Advice: w.Advice, OS: w.OS, Arch: w.Arch,
		Online: w.Online, Presence: w.Presence(), Revoked: w.Revoked, Stacks: w.Stacks,
		ConnectedAt: optionalTime(w.ConnectedAt), LeftAt: optionalTime(w.LeftAt), UnheardSince: optionalTime(w.UnheardSince), CreatedAt: w.CreatedAt,
	}
}

func workerID(r *http.Request) (core.WorkerID, error) {
	return pathID[core.WorkerID](r, core.PrefixWorker, fault.New(fault.NotFound, "worker.not_found", "There is no such worker."))
}
