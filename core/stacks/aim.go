package stacks

import "berth/core"

// Aim says what a deployment puts in place and where, beyond the plain case: the head of
// the stack's branch on the stack's own worker, which is its zero.
type Aim struct {
	Revision int           `json:"revision,omitempty"` // a kept revision, with its files and manifest; 0: the head of the branch
	Worker   core.WorkerID `json:"worker,omitempty"`   // where the stack moves to; empty: it stays
}
