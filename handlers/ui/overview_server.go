package ui

import (
	"context"

	"berth/core/access"
	"berth/core/fault"
	"berth/core/integrations"
	"berth/core/keys"
	"berth/handlers/endpoint"
)

// OverviewServer is what the overview shows administrators of the server itself.
type OverviewServer struct {
	Backups      BackupStander
	Keys         KeyStander
	Integrations IntegrationLister
}

// KeyStander tells how it is with keys; see keys.Desk.
type KeyStander interface {
	Status(ctx context.Context) (keys.Status, error)
}

// IntegrationLister lists integrations, and says which secret backends cannot be used; see integrations.Desk.
type IntegrationLister interface {
	SecretBackends
	Integrations(ctx context.Context) ([]integrations.Integration, error)
}

// needs tells administrators of what is wrong with the server itself.
func (s OverviewServer) needs(o *overview) ([]need, error) {
	if !endpoint.Principal(o.ctx).Can(access.Administer) {
		return nil, nil
	}
	all, err := o.backupNeeds(s.Backups)
	if err != nil {
		return nil, err
	}
	status, err := s.Keys.Status(o.ctx)
	if err != nil {
		return nil, err
	}
	if lost := status.Pass.Lost; lost > 0 {
		all = append(all, need{Tone: "bad", Icon: "key", Kind: "Keys", Name: "Sealed values", Href: string(inKeys), Since: at(status.Pass.EndedAt, o.now), Action: "See which", ActionHref: string(inKeys),
			Why: valuesIn(lost) + " cannot be opened with any data key, so what needs them fails. Enter them again where they belong, or restore a backup of before."})
	}
	known, err := s.Integrations.Integrations(o.ctx)
	if err != nil {
		return nil, err
	}
	for _, i := range known {
		why, err := s.unusable(o.ctx, i)
		if err != nil {
			return nil, err
		}
		if why != "" {
			all = append(all, need{Tone: "bad", Icon: "plug", Kind: categories[i.Category].name, Name: i.Name, Href: integrationHref(i.Slug), Since: at(i.UpdatedAt, o.now), Why: why,
				Action: "Complete it", ActionHref: integrationHref(i.Slug)})
		}
	}
	return all, nil
}

// unusable says why an integration that is enabled cannot be used as it is set; empty: it can.
func (s OverviewServer) unusable(ctx context.Context, i integrations.Integration) (why string, err error) {
	switch {
	case !i.Enabled || i.Locked:
		return "", nil
	case i.Category == integrations.CategorySecretBackend:
		if err = s.Integrations.Usable(ctx, i.Slug); expected(err) {
			return fault.PublicOf(err), nil
		}
		return "", err
	case lacksSetting(i):
		return "It is enabled, and a setting that it needs is missing.", nil
	}
	return "", nil
}
