package outbound

import (
	"fmt"
	"slices"
	"strings"

	"berth/core/fault"
)

// maxTexts is how many problems one fault tells.
const maxTexts = 10

// Problems collects what keeps references from being resolved. The zero value has none.
type Problems struct {
	first *fault.Error
	texts []string // each once, in the order in which they came
	kind  fault.Kind
}

// Add notes a problem.
func (p *Problems) Add(problem *fault.Error) {
	if p.first == nil {
		p.first, p.kind = problem, problem.Kind
	}
	if problem.Kind != fault.Unavailable {
		p.kind = fault.Conflict
	}
	if !slices.Contains(p.texts, problem.Public) {
		p.texts = append(p.texts, problem.Public)
	}
}

// Fault returns nil when there are none, or one fault for all: its code is that of the first, and its
// kind Unavailable when that is the kind of each, so that trying again may help.
func (p *Problems) Fault() error {
	if p.first == nil {
		return nil
	}
	texts := p.texts
	if more := len(texts) - maxTexts; more > 0 {
		texts = append(slices.Clone(texts[:maxTexts]), fmt.Sprintf("and %d more", more))
	}
	return &fault.Error{Kind: p.kind, Code: p.first.Code, Public: strings.Join(texts, "; "), RetryAfter: p.first.RetryAfter, Cause: p.first.Cause}
}
