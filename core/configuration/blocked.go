package configuration

import (
	"fmt"
	"slices"
	"strings"

	"berth/core/integrations"
	"berth/core/repositories"
	"berth/core/secrets"
)

// Why what a file wants cannot be done is told before anything is: what is to be known in advance.

func (p *planner) blockKey(is Key, was *Key) string {
	if was != nil && (is.Type != was.Type || is.Host != was.Host || is.Account != was.Account) {
		return fmt.Sprintf("a key of this name is a %s key for %s, and that cannot be changed; delete it first, or give this one another name", was.Type, was.Host)
	}
	return ""
}

func (p *planner) blockRepository(is Repository, _ *Repository) string {
	known := func(k Key) bool { return k.Name == is.Key }
	if is.Key != "" && !slices.ContainsFunc(p.want.Keys, known) && !slices.ContainsFunc(p.have.Keys, known) {
		return fmt.Sprintf("it is read with the repository key %q, which is neither in the file nor here", is.Key)
	}
	return ""
}

func (p *planner) hasRepository(name string) bool {
	known := func(r Repository) bool { return r.Name == name }
	return slices.ContainsFunc(p.want.Repositories, known) || slices.ContainsFunc(p.have.Repositories, known)
}

func (p *planner) lacksGlobals(names []string) string {
	for _, name := range names {
		known := func(v Variable) bool { return v.Name == name }
		if !slices.ContainsFunc(p.want.Variables, known) && !slices.ContainsFunc(p.have.Variables, known) {
			return fmt.Sprintf("it is to have the global variable %s, which is neither in the file nor here", name)
		}
	}
	return ""
}

func (p *planner) blockStack(is Stack, was *Stack) string {
	switch {
	case was != nil && was.Repository != is.Repository:
		return fmt.Sprintf("it is of repository %s, and a stack stays with its repository; delete it first, or give this one another name", was.Repository)
	case !p.hasRepository(is.Repository):
		return fmt.Sprintf("its repository %s is neither in the file nor here", is.Repository)
	case is.Worker != "" && (was == nil || was.Worker != is.Worker):
		if reason := p.lacksWorker(is.Worker); reason != "" {
			return reason
		}
	}
	if was == nil || was.Path != is.Path {
		if reason := p.lacksFolder(is.Repository, is.Path); reason != "" {
			return reason
		}
	}
	return p.lacksGlobals(is.Globals)
}

// lacksWorker says why a name means no worker, or several.
func (p *planner) lacksWorker(name string) string {
	var labels []string
	for _, w := range p.have.Workers {
		if w.Name == name {
			return ""
		}
		if strings.HasPrefix(w.Name, name+" (") {
			labels = append(labels, w.Name)
		}
	}
	if len(labels) > 0 {
		return fmt.Sprintf("%s is the hostname of several workers; write which one: %s", name, strings.Join(labels, ", "))
	}
	return fmt.Sprintf("worker %s is not enrolled here; enrol it and apply the file again, or name another worker", name)
}

func (p *planner) blockJob(is Job, was *Job) string {
	switch {
	case was != nil && was.Repository != is.Repository:
		return fmt.Sprintf("it is of repository %s, and a job stays with its repository; delete it first, or give this one another name", was.Repository)
	case !p.hasRepository(is.Repository):
		return fmt.Sprintf("its repository %s is neither in the file nor here", is.Repository)
	}
	if was == nil || was.Path != is.Path {
		if reason := p.lacksFolder(is.Repository, is.Path); reason != "" {
			return reason
		}
	}
	return p.lacksGlobals(is.Globals)
}

func blockVariable(is Variable, was *Variable) string {
	switch {
	case was == nil:
		return ""
	case was.Secret() && !is.Secret():
		return "it is a secret here, and a secret cannot become a plain variable; delete it first"
	case was.Secret() && was.Provider != is.Provider, !was.Secret() && is.Secret() && is.Provider != secrets.Internal:
		return fmt.Sprintf("its provider cannot be switched to %s; delete it first", is.Provider)
	}
	return ""
}

func blockWorker(is Worker, was *Worker) string {
	if was == nil {
		return "workers enrol by themselves: make a token under Workers and start it on that host"
	}
	return fmt.Sprintf("a worker says its tags itself: start it with WORKER_TAGS=%s", strings.Join(is.Tags, ","))
}

func blockUser(_ User, was *User) string {
	if was == nil {
		return "people are invited, not made by a file: invite them under Users"
	}
	return ""
}

// needs says what has to be given once a file was applied.
func needs(want, have Configuration) (all []Need) {
	for _, k := range want.Keys {
		at := slices.IndexFunc(have.Keys, func(h Key) bool { return h.Name == k.Name })
		if at < 0 || have.Keys[at].empty {
			all = append(all, Need{SectionKeys, "", k.Name, needOfKey(k)})
		}
	}
	for _, i := range want.Integrations {
		at := slices.IndexFunc(have.Integrations, func(h Integration) bool { return h.Slug == i.Slug })
		for _, name := range i.Secrets {
			if at < 0 || !slices.Contains(have.Integrations[at].Secrets, name) || slices.Contains(have.Integrations[at].unset, name) {
				all = append(all, Need{SectionIntegrations, "", i.Slug, "its " + labelOf(i.Slug, name) + " is to be given under Settings, Integrations"})
			}
		}
	}
	all = append(all, unset("", SectionVariables, want.Variables, have.Variables)...)
	for _, w := range want.Workers {
		if !slices.ContainsFunc(have.Workers, func(h Worker) bool { return h.Name == w.Name }) {
			all = append(all, Need{SectionWorkers, "", w.Name, "it is to be enrolled: make a token under Workers and start it on that host"})
		}
	}
	for _, s := range want.Stacks {
		at := slices.IndexFunc(have.Stacks, func(h Stack) bool { return h.Name == s.Name })
		all = append(all, unset("stack "+s.Name, SectionStacks, s.Variables, stackAt(have, at).Variables)...)
	}
	for _, j := range want.Jobs {
		at := slices.IndexFunc(have.Jobs, func(h Job) bool { return h.Name == j.Name })
		all = append(all, unset("job "+j.Name, SectionJobs, j.Variables, jobAt(have, at).Variables)...)
	}
	for _, u := range want.Users {
		if !slices.ContainsFunc(have.Users, func(h User) bool { return h.Email == u.Email }) {
			all = append(all, Need{SectionUsers, "", u.Email, fmt.Sprintf("is to be invited as %s under Users", u.Role)})
		}
	}
	return all
}

func stackAt(c Configuration, at int) Stack {
	if at < 0 {
		return Stack{}
	}
	return c.Stacks[at]
}

func jobAt(c Configuration, at int) Job {
	if at < 0 {
		return Job{}
	}
	return c.Jobs[at]
}

// unset lists internal secrets that have no value yet.
func unset(owner string, s Section, want, have []Variable) (all []Need) {
	for _, v := range want {
		if v.Provider != secrets.Internal {
			continue
		}
		at := slices.IndexFunc(have, func(h Variable) bool { return h.Name == v.Name })
		if at < 0 || have[at].empty {
			all = append(all, Need{s, owner, v.Name, "the value of this secret is to be given on the page of its variables"})
		}
	}
	return all
}

func needOfKey(k Key) string {
	switch k.Type {
	case repositories.TypeSSH:
		return fmt.Sprintf("its private key is to be given under Settings, Repository keys; or have one made there and add its public key at %s", k.Host)
	case repositories.TypeOAuth:
		return fmt.Sprintf("connect %s again as %s under Settings, Repository keys", k.Host, k.Account)
	}
	return fmt.Sprintf("the password or token of %s at %s is to be given under Settings, Repository keys", k.Username, k.Host)
}

// labelOf is what people know a setting as.
func labelOf(slug, name string) string {
	for _, d := range integrations.Declared() {
		for _, f := range d.Fields {
			if d.Slug == slug && f.Name == name {
				return strings.ToLower(f.Label)
			}
		}
	}
	return name
}
