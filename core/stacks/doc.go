// Package stacks owns the desired state: stacks, their manifest, revisions,
// deployments and the decisions that lead to them.
//
// It decides and does no I/O; the store persists what it says and the hub carries it
// out. Start with Stack, then Deployment, then Decide.
package stacks
