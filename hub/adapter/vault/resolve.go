package vault

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
	secrets.VaultReference
}

func (w wanted) place() place { return place{w.Mount, w.Path} }

// Resolve implements secrets.Provider. Its faults are those of the package; with several problems the
// code is that of the first.
func (c *Client) Resolve(ctx context.Context, refs []secrets.Ref) (map[string]secrets.Value, error) {
	ctx, cancel := context.WithTimeout(ctx, c.service.Whole())
	defer cancel()
	var problems outbound.Problems
	asked := c.sort(refs, &problems)
	found, err := c.readAll(ctx, asked)
	values := make(map[string]secrets.Value, len(asked))
	for _, w := range asked {
		secret, known := found[w.place()]
		if !known {
			continue // err says why
		}
		value, problem := secret.value(w.VaultReference)
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
		r, err := secrets.ParseVaultReference(ref.Reference)
		if err == nil {
			err = c.allows(r.Mount, r.String())
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

// allows refuses what lies outside the allowed mount; what names what was asked for.
func (c *Client) allows(mount, what string) error {
	if c.allowed == "" || mount == c.allowed {
		return nil
	}
	return fault.New(fault.Conflict, "vault.mount_refused", "%s: outside %s, the one mount that Settings, Integrations allow", what, c.allowed)
}

// readAll reads every place once. What the token was refused is read again when it could be renewed.
func (c *Client) readAll(ctx context.Context, asked []wanted) (map[place]secret, error) {
	found := map[place]secret{}
	var places []place
	for _, w := range asked {
		if !slices.Contains(places, w.place()) {
			places = append(places, w.place())
		}
	}
	if len(places) == 0 {
		return found, nil
	}
	var upkeep sync.WaitGroup
	defer upkeep.Wait()
	if c.due() {
		upkeep.Go(func() { c.renew(ctx) })
	}
	if err := c.readInto(ctx, found, places); err != nil {
		return found, err
	}
	again := slices.DeleteFunc(places, func(p place) bool { return found[p].lack != refused && found[p].lack != unknown })
	if len(again) == 0 || !c.renew(ctx) {
		return found, nil
	}
	return found, c.readInto(ctx, found, again)
}

func (c *Client) readInto(ctx context.Context, found map[place]secret, places []place) error {
	var mu sync.Mutex
	return outbound.Each(ctx, len(places), func(ctx context.Context, i int) error {
		secret, err := c.read(ctx, places[i])
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		found[places[i]] = secret
		return nil
	})
}
