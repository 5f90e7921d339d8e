package outbound

import (
	"context"
	"errors"
	"slices"
	"sync"

	"berth/core/fault"
	"berth/core/secrets"
)

// Lookup is how references R of one server become values: each lies at a place P, where what is found F holds the values
// of several.
type Lookup[R any, P comparable, F any] struct {
	Parse func(string) (R, error)
	Allow func(R) error // refuses what this client does not ask for
	Place func(R) P
	Read  func(ctx context.Context, places []P) (map[P]F, error) // also with an error it returns what it has
	Value func(F, R) (secrets.Value, *fault.Error)
}

// asked is a reference, read, and the variable that it is for.
type asked[R any] struct {
	variable  string
	reference R
}

// Resolve returns the values that could be had, by variable, and one fault for all problems. It asks for each place once.
func (l Lookup[R, P, F]) Resolve(ctx context.Context, s *Service, refs []secrets.Ref) (map[string]secrets.Value, error) {
	ctx, cancel := context.WithTimeout(ctx, s.Whole())
	defer cancel()
	var problems Problems
	all := l.sort(refs, &problems)
	found, err := l.Read(ctx, l.places(all))
	values := make(map[string]secrets.Value, len(all))
	for _, a := range all {
		f, known := found[l.Place(a.reference)]
		if !known {
			continue // err says why
		}
		value, problem := l.Value(f, a.reference)
		if problem != nil {
			problems.Add(problem)
			continue
		}
		values[a.variable] = value
	}
	if err != nil {
		problems.Add(s.Trouble(ctx, err))
	}
	return values, problems.Fault()
}

// sort reads references and leaves out those that are refused.
func (l Lookup[R, P, F]) sort(refs []secrets.Ref, problems *Problems) []asked[R] {
	all := make([]asked[R], 0, len(refs))
	for _, ref := range refs {
		r, err := l.Parse(ref.Reference)
		if err == nil {
			err = l.Allow(r)
		}
		var problem *fault.Error
		if errors.As(err, &problem) {
			problems.Add(problem)
			continue
		}
		all = append(all, asked[R]{ref.Variable, r})
	}
	return all
}

// places are where references lie, each once.
func (l Lookup[R, P, F]) places(all []asked[R]) []P {
	var places []P
	for _, a := range all {
		if p := l.Place(a.reference); !slices.Contains(places, p) {
			places = append(places, p)
		}
	}
	return places
}

// ReadEach reads places into found, several at a time; the first error ends the others.
func ReadEach[P comparable, F any](ctx context.Context, found map[P]F, places []P, read func(context.Context, P) (F, error)) error {
	var mu sync.Mutex
	return Each(ctx, len(places), func(ctx context.Context, i int) error {
		f, err := read(ctx, places[i])
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		found[places[i]] = f
		return nil
	})
}
