package manager

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"berth/core/fault"
)

// project is what the server tells of one.
type project struct {
	ID, Name     string
	Environments []struct{ Slug, Name string }
}

// Test asks whether the server answers, takes the identity, and lets it see the allowed project, if one
// is set.
func (c *Client) Test(ctx context.Context) error {
	if c.settings.AllowedProject == "" {
		_, err := c.token(ctx, "")
		return err
	}
	_, err := c.project(ctx, c.settings.AllowedProject)
	return err
}

// project asks for one project.
func (c *Client) project(ctx context.Context, id string) (project, error) {
	answer, err := c.ask(ctx, &c.projects, "/"+url.PathEscape(id), url.Values{})
	var told struct{ Project, Workspace project }
	switch {
	case err != nil:
		return project{}, err
	case answer.status == http.StatusForbidden:
		return project{}, fault.New(fault.Conflict, "manager.forbidden", "the identity may not read the project %s; add it to the project", id)
	case answer.status != http.StatusOK:
		return project{}, fault.New(fault.Conflict, "manager.project_missing", "there is no project %s, or the identity may not know of it", id)
	case json.Unmarshal(answer.body, &told) != nil:
		return project{}, c.service.Malformed()
	case told.Project.ID != "":
		return told.Project, nil
	case told.Workspace.ID != "":
		return told.Workspace, nil
	}
	return project{}, c.service.Malformed()
}
