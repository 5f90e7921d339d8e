package stacks

import "berth/core"

// Filter narrows a list of stacks; empty fields do not.
type Filter struct {
	Repository core.RepositoryID
	Worker     core.WorkerID
	Status     Status
	Search     string // part of the name
	Held       bool   // only what is held back: paused, or in quarantine
}

// Change is what an edit of a stack sets; nil fields stay.
type Change struct {
	Name       *string
	Path       *string
	Worker     *core.WorkerID
	WorkerTags *[]string
	AutoSync   *bool
}
