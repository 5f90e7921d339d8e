package hubclient

import (
	"context"

	"berth/core/hubcall"
	"berth/core/hubs"
	"berth/core/integrations"
)

// Test implements integrations.Outside: the hub that holds the lease Duties reaches secret backends.
func (c *Client) Test(ctx context.Context, slug string) error {
	hub, err := c.opts.Directory.HolderOf(ctx, hubs.Duties)
	if err != nil {
		return err
	}
	return c.tell(ctx, hub, hubcall.TestBackend, hubcall.AboutIntegration{Slug: slug})
}

// Pick implements integrations.Outside.
func (c *Client) Pick(ctx context.Context, slug string, s integrations.Step) ([]integrations.Choice, error) {
	return lead[[]integrations.Choice](ctx, c, hubcall.Pick, hubcall.PickOf{Slug: slug, Step: s})
}
