package configuration

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"berth/core"
	"berth/core/fault"
	"berth/core/fleet"
	"berth/core/identity"
	"berth/core/integrations"
	"berth/core/jobs"
	"berth/core/repositories"
	"berth/core/stacks"
	"berth/core/variables"
)

func number(n int) string { return strconv.Itoa(n) }

// every reads all pages of a list.
func every[T any](what string, list func(core.Page) (core.List[T], error)) (all []T, err error) {
	ask := core.Page{Limit: core.MaxPage}
	for {
		page, err := list(ask)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", what, err)
		}
		if len(page.LeftOut) > 0 {
			return nil, fault.New(fault.Unavailable, "configuration.unreadable", "These %s are stored and cannot be read, so the configuration would not be whole: %q. The server's log says why.", what, page.LeftOut)
		}
		all = append(all, page.Items...)
		if page.Next == "" {
			return all, nil
		}
		ask.After = page.Next
	}
}

// gather reads this installation. It is no single moment of it: what changes meanwhile may be in it or not.
func (d *Desk) gather(ctx context.Context) (Configuration, error) {
	g := &gathering{Desk: d, owned: map[variables.Owner][]Variable{}, globals: map[variables.Owner][]string{},
		keys: map[core.CredentialID]string{}, repositories: map[core.RepositoryID]string{}, workers: map[core.WorkerID]string{}}
	for _, step := range []func(context.Context) error{g.readKeys, g.readHosts, g.readWorkers, g.readRepositories, g.readIntegrations, g.readVariables, g.readPolicies, g.readStacks, g.readJobs, g.readPeople} {
		if err := step(ctx); err != nil {
			return Configuration{}, err
		}
	}
	g.c.normal()
	return g.c, nil
}

// gathering is a configuration that is being read, with what its identifiers mean.
type gathering struct {
	*Desk
	c            Configuration
	owned        map[variables.Owner][]Variable
	globals      map[variables.Owner][]string
	keys         map[core.CredentialID]string
	repositories map[core.RepositoryID]string
	workers      map[core.WorkerID]string
}

func (g *gathering) readKeys(ctx context.Context) error {
	all, err := every("repository keys", func(p core.Page) (core.List[repositories.Credential], error) {
		return g.Repositories.Credentials(ctx, p)
	})
	for _, c := range all {
		empty, err := g.Repositories.Expected(ctx, c.ID)
		if err != nil {
			return err
		}
		k := Key{Name: c.Name, Type: c.Type, Host: c.Host, Account: c.Account, id: c.ID, empty: empty}
		if c.Type == repositories.TypeBasic {
			k.Username = c.Username
		}
		g.keys[c.ID] = c.Name
		g.c.Keys = append(g.c.Keys, k)
	}
	return err
}

func (g *gathering) readHosts(ctx context.Context) error {
	all, err := every("SSH hosts", func(p core.Page) (core.List[repositories.SSHHost], error) { return g.Repositories.Hosts(ctx, p) })
	for _, h := range all {
		host := Host{Address: h.Address}
		for _, key := range h.Keys {
			host.Keys = append(host.Keys, key.Line())
		}
		g.c.Hosts = append(g.c.Hosts, host)
	}
	return err
}

func (g *gathering) readRepositories(ctx context.Context) error {
	all, err := every("repositories", func(p core.Page) (core.List[repositories.Repository], error) {
		return g.Repositories.Repositories(ctx, p)
	})
	for _, r := range all {
		hook, err := g.Hooks.Webhook(ctx, r.ID)
		if err != nil {
			return err
		}
		g.repositories[r.ID] = r.Name
		g.c.Repositories = append(g.c.Repositories, Repository{Name: r.Name, URL: r.URL, Branch: r.Branch, Tag: r.Tag, Semver: r.Semver, Key: g.keys[r.Credential],
			Webhook: len(hook.Secrets) > 0, Statuses: r.Statuses, Follow: followOf(r.Following, g.workers), id: r.ID})
	}
	return err
}

func (g *gathering) readIntegrations(ctx context.Context) error {
	all, err := g.Integrations.Integrations(ctx)
	for _, i := range all {
		if i.Locked || i.UpdatedAt.IsZero() {
			continue
		}
		g.c.Integrations = append(g.c.Integrations, integrationOf(i))
	}
	return err
}

func integrationOf(i integrations.Integration) Integration {
	one := Integration{Slug: i.Slug, Enabled: i.Enabled}
	for _, name := range slices.Sorted(maps.Keys(i.Settings)) {
		if i.Settings[name] != "" {
			one.Settings = append(one.Settings, Setting{name, i.Settings[name]})
		}
	}
	for _, field := range i.Fields {
		if i.Expected[field.Name] {
			one.Secrets = append(one.Secrets, field.Name)
			if !i.Set[field.Name] {
				one.unset = append(one.unset, field.Name)
			}
		}
	}
	return one
}

func (g *gathering) readVariables(ctx context.Context) error {
	all, err := every("variables", func(p core.Page) (core.List[variables.Variable], error) {
		return g.Variables.Variables(ctx, variables.Filter{}, p)
	})
	if err != nil {
		return err
	}
	for _, v := range all {
		one := Variable{Name: v.Name, Value: v.Value, Provider: v.Provider, Reference: v.Reference, id: v.ID, empty: v.Secret && !v.HasValue}
		g.owned[v.Owner] = append(g.owned[v.Owner], one)
	}
	g.c.Variables = g.owned[variables.Global]
	reach, err := g.Variables.Reach(ctx)
	if err != nil {
		return err
	}
	for _, v := range g.c.Variables {
		if reach[v.id] == (variables.Reach{}) {
			continue
		}
		owners, err := g.Variables.Owners(ctx, v.id)
		if err != nil {
			return err
		}
		for _, o := range owners {
			g.globals[o] = append(g.globals[o], v.Name)
		}
	}
	return nil
}

func (g *gathering) readWorkers(ctx context.Context) error {
	kept := false
	all, err := every("workers", func(p core.Page) (core.List[fleet.Worker], error) {
		return g.Fleet.Workers(ctx, fleet.Filter{Revoked: &kept}, p)
	})
	for _, w := range all {
		g.workers[w.ID] = w.Label()
		g.c.Workers = append(g.c.Workers, Worker{Name: w.Label(), Tags: slices.Clone(w.Tags), id: w.ID})
	}
	return err
}

func (g *gathering) readStacks(ctx context.Context) error {
	all, err := every("stacks", func(p core.Page) (core.List[stacks.Stack], error) { return g.Store.Stacks(ctx, stacks.Filter{}, p) })
	for _, s := range all {
		if s.Deleting {
			continue
		}
		owner := variables.OfStack(s.ID)
		one := Stack{Name: s.Name, Repository: g.repositories[s.Repository], Path: s.Path, WorkerTags: slices.Clone(s.WorkerTags), AutoSync: s.AutoSync, Paused: s.Paused,
			Globals: g.globals[owner], Variables: g.owned[owner], id: s.ID}
		if len(s.WorkerTags) == 0 {
			one.Worker = g.workers[s.Worker]
		}
		g.c.Stacks = append(g.c.Stacks, one)
	}
	return err
}

func (g *gathering) readJobs(ctx context.Context) error {
	all, err := every("jobs", func(p core.Page) (core.List[jobs.Job], error) { return g.Store.Jobs(ctx, jobs.Filter{}, p) })
	for _, j := range all {
		owner := variables.OfJob(j.ID)
		g.c.Jobs = append(g.c.Jobs, Job{Name: j.Name, Repository: g.repositories[j.Repository], Path: j.Path, Paused: j.Paused, Globals: g.globals[owner], Variables: g.owned[owner], id: j.ID})
	}
	return err
}

func (g *gathering) readPeople(ctx context.Context) error {
	accounts, err := every("service accounts", func(p core.Page) (core.List[identity.ServiceAccount], error) { return g.Store.ServiceAccounts(ctx, p) })
	if err != nil {
		return err
	}
	for _, a := range accounts {
		g.c.Accounts = append(g.c.Accounts, Account{Name: a.Name, Role: a.Role, Disabled: a.Disabled, id: a.ID})
	}
	users, err := every("users", func(p core.Page) (core.List[identity.User], error) { return g.Store.Users(ctx, p) })
	for _, u := range users {
		g.c.Users = append(g.c.Users, User{Email: u.Email, Role: u.Role, Disabled: u.Disabled, id: u.ID})
	}
	return err
}
