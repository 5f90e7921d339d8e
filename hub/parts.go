package hub

import (
	"berth/core/stacks"
	"berth/core/wire"
)

// parts puts together a report of everything that a worker tells in several messages. Each is
// stored as it comes; only the ids are kept, until the last one says which stacks are no more.
type parts struct {
	next, of int                  // the part that has to come; 0: none has begun
	told     []stacks.Observation // by the parts before it, and by what came in between
}

// take takes in a message. With the last part of a report whose parts have all come, it hands out which
// stacks the earlier ones told of. A part that is missing makes the rest mean no more than what
// they list.
func (p *parts) take(m wire.Observed) (told []stacks.Observation, last bool) {
	switch {
	case m.Part == 1:
		*p = parts{next: 1, of: m.Parts}
	case m.Part == 0 && p.next == 0:
		return nil, false
	case m.Part != 0 && (m.Part != p.next || m.Parts != p.of):
		*p = parts{}
		return nil, false
	}
	if m.Part > 0 && m.Part == m.Parts {
		told = p.told
		*p = parts{}
		return told, true
	}
	if m.Complete {
		*p = parts{}
		return nil, false
	}
	for _, o := range m.Stacks {
		if len(p.told) < wire.MaxParts*wire.MaxStacks {
			p.told = append(p.told, stacks.Observation{Stack: o.Stack, Told: true})
		}
	}
	if m.Part > 0 {
		p.next++
	}
	return nil, false
}
