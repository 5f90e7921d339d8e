package stacks

import "berth/core"

// Filter narrows a list of stacks; empty fields do not.
type Filter struct {
	Repository core.RepositoryID
	Worker     core.WorkerID
	Status     Status
	Search     string // part of the name
	Held       bool   // only what is held back: paused, or in quarantine
	Order      Order
}

// Order is how a list of stacks is ordered; the zero value is by name.
type Order string

// The orders of lists of stacks.
const (
	OrderName Order = "name"
	// OrderNeed begins with what needs somebody: errors, what is degraded, what differs from what was deployed or holds a
	// commit back, what is not as the newest commit has it, what is under way; then the others. Each of these is by name.
	OrderNeed Order = "need"
)

// Orders are all of them.
var Orders = []Order{OrderName, OrderNeed}

// Change is what an edit of a stack sets; nil fields stay.
type Change struct {
	Name       *string
	Path       *string
	Worker     *core.WorkerID
	WorkerTags *[]string
	AutoSync   *bool
}
