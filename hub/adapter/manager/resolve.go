package manager

import (
	"context"

	"berth/core/fault"
	"berth/core/secrets"
	"berth/hub/adapter/outbound"
)

// Resolve implements secrets.Provider. Its faults are those of the package; with several problems the
// code is that of the first.
func (c *Client) Resolve(ctx context.Context, refs []secrets.Ref) (map[string]secrets.Value, error) {
	return outbound.Lookup[secrets.ManagerReference, place, folder]{
		Parse: secrets.ParseManagerReference,
		Allow: func(r secrets.ManagerReference) error { return c.allows(r.Project, r.String()) },
		Place: func(r secrets.ManagerReference) place { return place{r.Project, r.Environment, r.Path} },
		Read:  c.listAll,
		Value: folder.value,
	}.Resolve(ctx, c.service, refs)
}

// allows refuses what lies outside the allowed project; what names what was asked for.
func (c *Client) allows(project, what string) error {
	if allowed := c.settings.AllowedProject; allowed != "" && project != allowed {
		return fault.New(fault.Conflict, "manager.project_refused", "%s: outside %s, the one project that Settings, Integrations allow", what, allowed)
	}
	return nil
}

// listAll lists every place once.
func (c *Client) listAll(ctx context.Context, places []place) (map[place]folder, error) {
	found := map[place]folder{}
	return found, outbound.ReadEach(ctx, found, places, func(ctx context.Context, p place) (folder, error) { return c.list(ctx, p, true) })
}
