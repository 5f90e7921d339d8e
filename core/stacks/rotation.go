package stacks

import (
	"slices"
	"strings"
	"time"

	"berth/core"
)

// Delivered is what the last deployment that put a stack in place gave its containers.
type Delivered struct {
	Stack    core.StackID
	Name     string
	Revision int
	Services []core.ComposeService
	Redeploy bool              // secrets.redeploy_on_rotation of the revision's manifest
	Prints   map[string]string // fingerprint of each secret value by the name of its variable; without those of a secrets file
	Rotation Rotation          // what was found out so far
}

// Rotation is what a provider holds by now that differs from what a stack's containers were given.
type Rotation struct {
	Stale []string  `json:"stale,omitempty"` // names of variables, sorted; empty: nothing is older
	Since time.Time `json:"since,omitzero"`  // when that was noticed first
	Seen  string    `json:"seen,omitempty"`  // fingerprint of the newer values for which a deployment was queued
}

// Text says in one line what is newer.
func (r Rotation) Text() string {
	if len(r.Stale) == 1 {
		return "the value of " + r.Stale[0] + " is newer at its provider"
	}
	return "the values of " + strings.Join(r.Stale, ", ") + " are newer at their providers"
}

// Compare returns the names of the variables whose value is another one now, sorted. What is not known
// now is as it was found before.
func (d Delivered) Compare(now map[string]string) []string {
	stale := []string{}
	for name, print := range d.Prints {
		current, known := now[name]
		if known && current != print || !known && slices.Contains(d.Rotation.Stale, name) {
			stale = append(stale, name)
		}
	}
	slices.Sort(stale)
	return stale
}
