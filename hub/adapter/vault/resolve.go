package vault

import (
	"context"
	"slices"
	"sync"

	"berth/core/fault"
	"berth/core/secrets"
	"berth/hub/adapter/outbound"
)

// Resolve implements secrets.Provider. Its faults are those of the package; with several problems the
// code is that of the first.
func (c *Client) Resolve(ctx context.Context, refs []secrets.Ref) (map[string]secrets.Value, error) {
	return outbound.Lookup[secrets.VaultReference, place, secret]{
		Parse: secrets.ParseVaultReference,
		Allow: func(r secrets.VaultReference) error { return c.allows(r.Mount, r.String()) },
		Place: func(r secrets.VaultReference) place { return place{r.Mount, r.Path} },
		Read:  c.readAll,
		Value: secret.value,
	}.Resolve(ctx, c.service, refs)
}

// allows refuses what lies outside the allowed mount; what names what was asked for.
func (c *Client) allows(mount, what string) error {
	if c.allowed == "" || mount == c.allowed {
		return nil
	}
	return fault.New(fault.Conflict, "vault.mount_refused", "%s: outside %s, the one mount that Settings, Integrations allow", what, c.allowed)
}

// readAll reads every place once. What the token was refused is read again when it could be renewed.
func (c *Client) readAll(ctx context.Context, places []place) (map[place]secret, error) {
	found := map[place]secret{}
	if len(places) == 0 {
		return found, nil
	}
	var upkeep sync.WaitGroup
	defer upkeep.Wait()
	if c.due() {
		upkeep.Go(func() { c.renew(ctx) })
	}
	if err := outbound.ReadEach(ctx, found, places, c.read); err != nil {
		return found, err
	}
	again := slices.DeleteFunc(slices.Clone(places), func(p place) bool { return found[p].lack != refused && found[p].lack != unknown })
	if len(again) == 0 || !c.renew(ctx) {
		return found, nil
	}
	return found, outbound.ReadEach(ctx, found, again, c.read)
}
