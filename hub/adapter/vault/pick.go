package vault

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"berth/core/fault"
	"berth/core/integrations"
	"berth/core/secrets"
)

var _ integrations.Backend = (*Client)(nil)

// Pick implements integrations.Backend: mounts, then paths, whose folders lead to more paths, and at
// last the fields of a secret that hold a text. Faults as of Resolve, and "vault.step".
func (c *Client) Pick(ctx context.Context, s integrations.Step) ([]integrations.Choice, error) {
	if s.Kind == integrations.StepMounts {
		return c.pickMounts(ctx)
	}
	path := strings.Trim(s.Path, "/")
	checked := secrets.VaultReference{Mount: s.Mount, Path: path, Field: "any"}
	if path == "" && s.Kind == integrations.StepPaths {
		checked.Path = "any"
	}
	if err := checked.Check(); err != nil {
		return nil, err
	}
	if err := c.allows(s.Mount, s.Mount); err != nil {
		return nil, err
	}
	switch s.Kind {
	case integrations.StepPaths:
		return c.pickPaths(ctx, s.Mount, path)
	case integrations.StepFields:
		return c.pickFields(ctx, checked)
	}
	return nil, fault.New(fault.Invalid, "vault.step", "Vault has no step %q; there are mounts, paths and fields", s.Kind)
}

// pickMounts lists the stores that the token may see; one that may not list them leads to the
// allowed mount.
func (c *Client) pickMounts(ctx context.Context) ([]integrations.Choice, error) {
	answer, err := c.get(ctx, mountsPath, nil)
	if err != nil {
		return nil, err
	}
	var told struct {
		Data struct{ Secret map[string]mount }
	}
	switch {
	case tells(answer.errors, invalidToken):
		return nil, errToken
	case answer.status != http.StatusOK && c.allowed != "":
		return names(c.allowed), nil
	case answer.status != http.StatusOK:
		return nil, fault.New(fault.Conflict, "vault.forbidden", "the token may not list mounts; set the allowed mount under Settings, Integrations")
	case json.Unmarshal(answer.body, &told) != nil:
		return nil, c.service.Malformed()
	}
	var choices []integrations.Choice
	for _, path := range slices.Sorted(maps.Keys(told.Data.Secret)) {
		name := strings.TrimSuffix(path, "/")
		usable := secrets.VaultReference{Mount: name, Path: "any", Field: "any"}.Check() == nil
		if told.Data.Secret[path].readable() && usable && c.allows(name, name) == nil {
			choices = append(choices, names(name)...)
		}
	}
	return choices, nil
}

// pickPaths lists what is directly in a folder; "" is the whole mount.
func (c *Client) pickPaths(ctx context.Context, mount, folder string) ([]integrations.Choice, error) {
	at := strings.TrimSuffix(mount+"/metadata/"+folder, "/")
	answer, err := c.get(ctx, at, map[string][]string{"list": {"true"}})
	if err != nil {
		return nil, err
	}
	var told struct{ Data struct{ Keys []string } }
	switch {
	case tells(answer.errors, invalidToken):
		return nil, errToken
	case answer.status == http.StatusForbidden:
		return nil, fault.New(fault.Conflict, "vault.forbidden", "the token may not list what is in %s; its policy needs list on %s/", strings.TrimSuffix(mount+"/"+folder, "/"), at)
	case answer.status == http.StatusNotFound:
		return nil, nil // nothing is in it
	case json.Unmarshal(answer.body, &told) != nil:
		return nil, c.service.Malformed()
	}
	choices := make([]integrations.Choice, 0, len(told.Data.Keys))
	for _, key := range told.Data.Keys {
		name, isFolder := strings.CutSuffix(key, "/")
		path := strings.TrimPrefix(folder+"/"+name, "/")
		if (secrets.VaultReference{Mount: mount, Path: path, Field: "any"}).Check() == nil { // others could not be written down
			choices = append(choices, integrations.Choice{ID: path, Name: name, Folder: isFolder})
		}
	}
	return choices, nil
}

// pickFields lists the names of a secret's fields that variables can take.
func (c *Client) pickFields(ctx context.Context, r secrets.VaultReference) ([]integrations.Choice, error) {
	secret, err := c.read(ctx, place{r.Mount, r.Path})
	if err != nil {
		return nil, err
	}
	if secret.lack != nothing {
		r.Field = "…"
		return nil, secret.lack.of(r)
	}
	var fields []string
	for name, raw := range secret.fields {
		r.Field = name
		if _, ok := text(raw); ok && r.Check() == nil {
			fields = append(fields, name)
		}
	}
	slices.Sort(fields)
	return names(fields...), nil
}

// names are choices that are called what they are.
func names(all ...string) []integrations.Choice {
	choices := make([]integrations.Choice, len(all))
	for i, name := range all {
		choices[i] = integrations.Choice{ID: name, Name: name}
	}
	return choices
}
