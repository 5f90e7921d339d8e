package manager

import (
	"context"
	"net/url"
	"sync/atomic"

	"berth/core/fault"
)

// route is one question under the paths that servers have had for it, newest first.
type route struct {
	paths []string
	good  atomic.Int32 // which the server knew last
}

// ask asks under the path that the server knows; below is what follows it, and begins with a slash unless it
// is empty. Older servers call a project a workspace: both names are sent.
func (c *Client) ask(ctx context.Context, r *route, below string, query url.Values) (said, error) {
	if project := query.Get("projectId"); project != "" {
		query.Set("workspaceId", project)
	}
	first := int(r.good.Load())
	for i := range r.paths {
		at := (first + i) % len(r.paths)
		answer, err := c.get(ctx, r.paths[at]+below, query)
		if err != nil || !answer.noPath {
			r.good.Store(int32(at))
			return answer, err
		}
	}
	return said{}, fault.New(fault.Conflict, "manager.malformed",
		"what answers at %s has no API that Berth knows; is it the address of a secrets manager of Infisical's kind?", c.service.Address)
}
