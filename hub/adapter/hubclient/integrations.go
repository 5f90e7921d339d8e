package hubclient

import (
	"context"

	"berth/core/hubcall"
	"berth/core/integrations"
)

// Test implements integrations.Outside: the hub that holds the lease Duties reaches secret backends.
func (c *Client) Test(ctx context.Context, slug string) error {
	return c.tellLeader(ctx, hubcall.TestBackend, hubcall.AboutIntegration{Slug: slug})
}

// Pick implements integrations.Outside.
func (c *Client) Pick(ctx context.Context, slug string, s integrations.Step) ([]integrations.Choice, error) {
	return lead[[]integrations.Choice](ctx, c, hubcall.Pick, hubcall.PickOf{Slug: slug, Step: s})
}
