package notify

import (
	"maps"
	"slices"
	"time"
)

// Key names a problem.
type Key struct {
	Kind    Kind
	Subject string
}

// Notice is what is told at once: problems of a kind, or that they are over.
type Notice struct {
	Kind     Kind
	Over     bool
	Problems []Problem
}

// Step is what a look at all problems leads to.
type Step struct {
	Keep    []Known // what is stored of problems: those that are new or changed
	Drop    []Key   // what is not known any more
	Notices []Notice
}

// Empty reports whether nothing is to be done.
func (s Step) Empty() bool { return len(s.Keep)+len(s.Drop)+len(s.Notices) == 0 }

// Judge compares the problems that there are with those that are known. As soon as one of a kind has lasted long enough, all
// of that kind that nobody was told of are told together.
func Judge(now time.Time, current []Problem, known []Known) Step {
	before := map[Key]Known{}
	for _, k := range known {
		before[k.key()] = k
	}
	after := map[Key]Known{}
	for _, p := range current {
		k, there := before[p.key()]
		if !there || k.Version != p.Version {
			k = Known{Since: now}
		}
		k.Problem, k.GoneAt = p, time.Time{}
		after[p.key()] = k
	}
	var step Step
	for key, k := range before {
		if _, there := after[key]; there {
			continue
		}
		if k.ToldAt.IsZero() || words[k.Kind].over == "" {
			step.Drop = append(step.Drop, key)
			continue
		}
		if k.GoneAt.IsZero() {
			k.GoneAt = now
		}
		after[key] = k
	}
	step.tell(now, after)
	for key, k := range after {
		if was, there := before[key]; !there || !k.same(was) {
			step.Keep = append(step.Keep, k)
		}
	}
	slices.SortFunc(step.Keep, func(a, b Known) int { return a.key().compare(b.key()) })
	slices.SortFunc(step.Drop, Key.compare)
	return step
}

// tell makes notices of what has lasted long enough, and notes that in all.
func (s *Step) tell(now time.Time, all map[Key]Known) {
	for _, kind := range slices.Sorted(maps.Keys(words)) {
		var fresh, over []Key
		freshDue, overDue := false, false
		for key, k := range all {
			switch {
			case key.Kind != kind:
			case !k.GoneAt.IsZero():
				over = append(over, key)
				overDue = overDue || now.Sub(k.GoneAt) >= kind.hold()
			case k.ToldAt.IsZero():
				fresh = append(fresh, key)
				freshDue = freshDue || now.Sub(k.Since) >= kind.hold()
			}
		}
		if freshDue {
			s.add(kind, false, fresh, all, func(k *Known) { k.ToldAt = now })
		}
		if overDue {
			s.add(kind, true, over, all, nil)
		}
	}
}

func (s *Step) add(kind Kind, over bool, keys []Key, all map[Key]Known, note func(*Known)) {
	slices.SortFunc(keys, func(a, b Key) int { return cmpText(all[a].Name+a.Subject, all[b].Name+b.Subject) })
	notice := Notice{Kind: kind, Over: over}
	for _, key := range keys {
		k := all[key]
		notice.Problems = append(notice.Problems, k.Problem)
		if note == nil {
			delete(all, key)
			s.Drop = append(s.Drop, key)
			continue
		}
		note(&k)
		all[key] = k
	}
	s.Notices = append(s.Notices, notice)
}

func (p Problem) key() Key { return Key{p.Kind, p.Subject} }

func (k Key) compare(o Key) int {
	return cmpText(string(k.Kind)+" "+k.Subject, string(o.Kind)+" "+o.Subject)
}

func cmpText(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// same reports whether nothing of what is stored differs.
func (k Known) same(o Known) bool {
	return k.Version == o.Version && k.Name == o.Name && k.Detail == o.Detail && k.Since.Equal(o.Since) && k.ToldAt.Equal(o.ToldAt) && k.GoneAt.Equal(o.GoneAt)
}
