package manager

import (
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"berth/core/fault"
	"berth/core/integrations"
	"berth/core/secrets"
)

var _ integrations.Backend = (*Client)(nil)

// Pick implements integrations.Backend: projects, then environments, and at last the secrets and the
// folders of a folder. Faults as of Resolve, and "manager.step".
func (c *Client) Pick(ctx context.Context, s integrations.Step) ([]integrations.Choice, error) {
	if s.Kind == integrations.StepProjects {
		return c.pickProjects(ctx)
	}
	r := secrets.ManagerReference{Project: s.Project, Environment: s.Environment, Path: strings.Trim(s.Path, "/"), Name: "any"}
	if s.Kind == integrations.StepEnvironments {
		r.Environment, r.Path = "any", ""
	}
	if err := r.Check(); err != nil {
		return nil, err
	}
	if err := c.allows(s.Project, s.Project); err != nil {
		return nil, err
	}
	switch s.Kind {
	case integrations.StepEnvironments:
		return c.pickEnvironments(ctx, s.Project)
	case integrations.StepSecrets:
		return c.pickSecrets(ctx, r)
	}
	return nil, fault.New(fault.Invalid, "manager.step", "the secrets manager has no step %q; there are projects, environments and secrets", s.Kind)
}

// pickProjects lists the projects that the identity may read, or the allowed one.
func (c *Client) pickProjects(ctx context.Context) ([]integrations.Choice, error) {
	if id := c.settings.AllowedProject; id != "" {
		p, err := c.project(ctx, id)
		if err != nil {
			return nil, err
		}
		return []integrations.Choice{{ID: id, Name: cmp.Or(p.Name, id)}}, nil
	}
	var choices []integrations.Choice
	query := url.Values{"type": {"secret-manager"}, "limit": {strconv.Itoa(pageSize)}}
	lack, err := c.pages(ctx, &c.projects, query, func(body []byte) (int, int, error) {
		var told struct {
			Projects, Workspaces []project
			Total                int `json:"totalCount"`
		}
		if json.Unmarshal(body, &told) != nil {
			return 0, 0, c.service.Malformed()
		}
		found := slices.Concat(told.Projects, told.Workspaces)
		for _, p := range found {
			if (secrets.ManagerReference{Project: p.ID, Environment: "any", Name: "any"}).Check() == nil {
				choices = append(choices, integrations.Choice{ID: p.ID, Name: cmp.Or(p.Name, p.ID)})
			}
		}
		return len(found), told.Total, nil
	})
	if err == nil && lack != nothing {
		err = fault.New(fault.Conflict, "manager.forbidden", "the identity may not list projects; set the allowed project under Settings, Integrations")
	}
	return choices, err
}

func (c *Client) pickEnvironments(ctx context.Context, id string) ([]integrations.Choice, error) {
	p, err := c.project(ctx, id)
	if err != nil {
		return nil, err
	}
	choices := make([]integrations.Choice, 0, len(p.Environments))
	for _, e := range p.Environments {
		choices = append(choices, integrations.Choice{ID: e.Slug, Name: cmp.Or(e.Name, e.Slug)})
	}
	return choices, nil
}

// foldersPath lists folders.
var foldersPath = []string{"/api/v1/folders"}

// pickSecrets lists the folders in a folder, then the names of its secrets; values are not asked for.
func (c *Client) pickSecrets(ctx context.Context, r secrets.ManagerReference) ([]integrations.Choice, error) {
	at := place{r.Project, r.Environment, r.Path}
	found, err := c.list(ctx, at, false)
	if err != nil {
		return nil, err
	}
	if found.lack != nothing {
		r.Name = "…"
		return nil, found.lack.of(r)
	}
	choices, err := c.pickFolders(ctx, at)
	if err != nil {
		return nil, err
	}
	var names []string
	for name := range found.secrets {
		names = append(names, name)
	}
	for name := range found.imports {
		if len(found.secrets[name]) == 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		r.Name = name
		if r.Check() == nil { // others could not be written down
			choices = append(choices, integrations.Choice{ID: name, Name: name})
		}
	}
	return choices, nil
}

func (c *Client) pickFolders(ctx context.Context, at place) ([]integrations.Choice, error) {
	var choices []integrations.Choice
	_, err := c.pages(ctx, &route{paths: foldersPath}, at.query("path"), func(body []byte) (int, int, error) {
		var told struct {
			Folders []struct{ Name string }
			Total   int `json:"totalCount"`
		}
		if json.Unmarshal(body, &told) != nil {
			return 0, 0, c.service.Malformed()
		}
		for _, f := range told.Folders {
			path := strings.TrimPrefix(at.path+"/"+f.Name, "/")
			if (secrets.ManagerReference{Project: at.project, Environment: at.environment, Path: path, Name: "any"}).Check() == nil {
				choices = append(choices, integrations.Choice{ID: path, Name: f.Name, Folder: true})
			}
		}
		return len(told.Folders), told.Total, nil
	})
	slices.SortFunc(choices, func(a, b integrations.Choice) int { return cmp.Compare(a.Name, b.Name) })
	return choices, err
}
