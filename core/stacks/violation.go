package stacks

import (
	"strings"

	"berth/core"
	"berth/core/policy"
)

// Violation is something of a project that a policy refuses.
type Violation struct {
	policy.Refusal
	core.Place        // where it is written; zero: nobody knows
	Service    string // compose service; empty: it is about the whole project
	Field      string // of the compose service: "privileged", "ports[0]"; or the whole path
}

// NewViolation says of a refusal which of the compose services it is about. Their names may have dots.
func NewViolation(r policy.Refusal, services []core.ComposeService, where core.Place) Violation {
	v := Violation{Refusal: r, Place: where, Field: r.Path}
	for _, s := range services {
		if field, about := strings.CutPrefix(r.Path, "services."+s.Name+"."); about && len(s.Name) > len(v.Service) {
			v.Service, v.Field = s.Name, field
		}
	}
	return v
}

// String says what is refused, where that stands, and who refuses it.
func (v Violation) String() string {
	if v.File == "" {
		return v.Refusal.String()
	}
	return v.Place.String() + ": " + v.Refusal.String()
}
