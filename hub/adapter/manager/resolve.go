package manager

import (
	"context"
	"errors"
	"slices"
	"sync"

	"berth/core/fault"
	"berth/core/secrets"
	"berth/hub/adapter/outbound"
)

// wanted is one reference, read.
type wanted struct {
	variable string
	secrets.ManagerReference
}

func (w wanted) place() place { return place{w.Project, w.Environment, w.Path} }

// Resolve implements secrets.Provider. Its faults are those of the package; with several problems the
// code is that of the first.
func (c *Client) Resolve(ctx context.Context, refs []secrets.Ref) (map[string]secrets.Value, error) {
	ctx, cancel := context.WithTimeout(ctx, c.service.Whole())
	defer cancel()
	var problems outbound.Problems
	asked := c.sort(refs, &problems)
	found, err := c.listAll(ctx, asked)
	values := make(map[string]secrets.Value, len(asked))
	for _, w := range asked {
		folder, known := found[w.place()]
		if !known {
			continue // err says why
		}
		value, problem := folder.value(w.ManagerReference)
		if problem != nil {
			problems.Add(problem)
			continue
		}
		values[w.variable] = value
	}
	if err != nil {
		problems.Add(c.service.Trouble(ctx, err))
	}
	return values, problems.Fault()
}

// sort reads references and leaves out those that this client refuses to ask for.
func (c *Client) sort(refs []secrets.Ref, problems *outbound.Problems) []wanted {
	asked := make([]wanted, 0, len(refs))
	for _, ref := range refs {
		r, err := secrets.ParseManagerReference(ref.Reference)
		if err == nil {
			err = c.allows(r.Project, r.String())
		}
		var problem *fault.Error
		if errors.As(err, &problem) {
			problems.Add(problem)
			continue
		}
		asked = append(asked, wanted{ref.Variable, r})
	}
	return asked
}

// allows refuses what lies outside the allowed project; what names what was asked for.
func (c *Client) allows(project, what string) error {
	if allowed := c.settings.AllowedProject; allowed != "" && project != allowed {
		return fault.New(fault.Conflict, "manager.project_refused", "%s: outside %s, the one project that Settings, Integrations allow", what, allowed)
	}
	return nil
}

// listAll lists every place once.
func (c *Client) listAll(ctx context.Context, asked []wanted) (map[place]folder, error) {
	var places []place
	for _, w := range asked {
		if !slices.Contains(places, w.place()) {
			places = append(places, w.place())
		}
	}
	var mu sync.Mutex
	found := map[place]folder{}
	err := outbound.Each(ctx, len(places), func(ctx context.Context, i int) error {
		folder, err := c.list(ctx, places[i], true)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		found[places[i]] = folder
		return nil
	})
	return found, err
}
