package hub

import (
	"strings"
	"testing"

	"berth/core"
	"berth/core/stacks"
	"berth/core/wire"
)

func TestPartsOfAReport(t *testing.T) {
	part := func(n, of int, ids ...string) wire.Observed {
		m := wire.Observed{Part: n, Parts: of}
		for _, id := range ids {
			m.Stacks = append(m.Stacks, wire.StackObserved{Stack: core.StackID(id)})
		}
		return m
	}
	whole := wire.Observed{Complete: true}
	for name, c := range map[string]struct {
		messages []wire.Observed
		want     string // what each message completes
	}{
		"all of them":               {[]wire.Observed{part(1, 3, "a"), part(2, 3, "b", "c"), part(3, 3, "d")}, "- - a,b,c"},
		"one that is all":           {[]wire.Observed{part(1, 1, "a")}, ""},
		"no parts":                  {[]wire.Observed{part(0, 0, "a"), whole}, "- -"},
		"one is missing":            {[]wire.Observed{part(1, 3, "a"), part(3, 3, "b")}, "- -"},
		"the first is missing":      {[]wire.Observed{part(2, 2, "a")}, "-"},
		"one comes twice":           {[]wire.Observed{part(1, 3, "a"), part(2, 3, "b"), part(2, 3, "b"), part(3, 3, "c")}, "- - - -"},
		"of another report":         {[]wire.Observed{part(1, 2, "a"), part(2, 3, "b"), part(3, 3, "c")}, "- - -"},
		"begun anew":                {[]wire.Observed{part(1, 3, "a"), part(2, 3, "b"), part(1, 2, "c"), part(2, 2, "d")}, "- - - c"},
		"a single stack in between": {[]wire.Observed{part(1, 2, "a"), part(0, 0, "b"), part(2, 2, "c")}, "- - a,b"},
		"a whole one in between":    {[]wire.Observed{part(1, 2, "a"), whole, part(2, 2, "c")}, "- - -"},
		"and once more":             {[]wire.Observed{part(1, 2, "a"), part(2, 2, "b"), part(2, 2, "b")}, "- a -"},
	} {
		var p parts
		var got []string
		for _, m := range c.messages {
			told, last := p.take(m)
			var ids []string
			for _, o := range told {
				ids = append(ids, string(o.Stack))
			}
			if text := strings.Join(ids, ","); last {
				got = append(got, text)
			} else {
				got = append(got, "-"+text)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if len(p.told) > 0 && p.next == 0 {
			t.Errorf("%s: what is over is remembered", name)
		}
	}
}

func TestAStackThatNoPartListsIsGone(t *testing.T) {
	s := newStand(t)
	w, p := s.online()
	s.commit(map[string]string{"web/compose.yaml": "service web\n", "other/compose.yaml": "service web\n", "third/compose.yaml": "service web\n"})
	var all []stacks.Stack
	var seen []wire.StackObserved
	for _, name := range []string{"web", "other", "third"} {
		st := s.add(name, name, w.ID, true)
		cmd := expect[wire.Command](p)
		p.succeed(cmd)
		s.stackIs(st.ID, stacks.StatusActive)
		all = append(all, st)
		seen = append(seen, wire.StackObserved{Stack: st.ID, Revision: 1, Containers: []stacks.ContainerState{{Service: "web", State: "running"}}})
	}
	p.send(wire.Observed{Part: 1, Parts: 2, Stacks: seen[:1]})
	p.send(wire.Observed{Part: 2, Parts: 2, Stacks: seen[1:2]})
	s.stackIs(all[2].ID, stacks.StatusDegraded)
	s.stackIs(all[0].ID, stacks.StatusActive)
	s.stackIs(all[1].ID, stacks.StatusActive)
}
