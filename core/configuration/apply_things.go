package configuration

import (
	"context"
	"strconv"
	"strings"

	"berth/core"
	"berth/core/identity"
	"berth/core/integrations"
	"berth/core/jobs"
	"berth/core/repositories"
	"berth/core/stacks"
	"berth/core/variables"
)

func (a *apply) key(ctx context.Context, name string) error {
	is, was := a.want.keys[name], a.have.keys[name]
	if was.id != "" {
		_, err := a.Repositories.UpdateCredential(ctx, was.id, repositories.CredentialChange{Username: &is.Username}, a.by)
		return err
	}
	made, err := a.Repositories.ExpectCredential(ctx, repositories.CredentialDraft{Name: is.Name, Type: is.Type, Host: is.Host, Username: is.Username}, is.Account, a.by)
	if is.id = made.ID; err == nil {
		a.have.keys[name] = is
	}
	return err
}

func (a *apply) host(ctx context.Context, address string) error {
	at := max(strings.LastIndexByte(address, ':'), 0)
	n, _ := strconv.Atoi(strings.TrimPrefix(address[at:], ":")) // 0 is refused
	var keys []repositories.HostKey
	for _, line := range a.want.hosts[address].Keys {
		keys = append(keys, hostKey(line))
	}
	_, err := a.Repositories.AcceptHost(ctx, address[:at], n, keys, a.by)
	return err
}

// repository makes or edits a repository, and turns its webhook on or off.
func (a *apply) repository(ctx context.Context, name string) (note string, err error) {
	is, was := a.want.repositories[name], a.have.repositories[name]
	key := a.have.keys[is.Key].id
	if is.Key != "" && key == "" {
		return "", missing("repository key", is.Key)
	}
	if was.id == "" {
		made, err := a.Repositories.Create(ctx, repositories.Draft{Name: is.Name, URL: is.URL, Branch: is.Branch, Tag: is.Tag, Semver: is.Semver, Credential: key}, a.by)
		if err != nil {
			return "", err
		}
		note = "It has an age key of its own: what is encrypted for another installation's is to be encrypted anew for this one."
		was = is
		was.id, was.Webhook, was.Statuses, was.Follow = made.ID, false, repositories.StatusesOff, Follow{}
	}
	is.id = was.id
	if is.URL != was.URL || is.Branch != was.Branch || is.Tag != was.Tag || is.Semver != was.Semver || is.Key != was.Key || is.Statuses != was.Statuses {
		change := repositories.Change{URL: &is.URL, Branch: &is.Branch, Tag: &is.Tag, Semver: &is.Semver, Credential: &key, Statuses: &is.Statuses}
		if _, err := a.Repositories.Update(ctx, was.id, change, a.by); err != nil {
			return note, err
		}
	}
	a.have.repositories[name] = is
	switch {
	case is.Webhook && !was.Webhook:
		_, _, err = a.Hooks.NewSecret(ctx, is.id, a.by)
		note = "Its webhook has a secret that nobody saw: make a new one on its webhook page and copy it to the Git host. " + note
	case !is.Webhook && was.Webhook:
		_, err = a.Hooks.TurnOff(ctx, is.id, a.by)
	}
	return note, err
}

func (a *apply) integration(ctx context.Context, slug string) error {
	is := a.want.integrations[slug]
	settings := map[string]string{}
	for _, s := range is.Settings {
		settings[s.Name] = s.Value
	}
	return a.Integrations.Prepare(ctx, slug, integrations.Change{Enabled: is.Enabled, Settings: settings}, is.Secrets, a.by)
}

// stack makes or edits a stack. What is new does not deploy by itself yet; see setGoing.
func (a *apply) stack(ctx context.Context, name string) error {
	is, was := a.want.stacks[name], a.have.stacks[name]
	worker := a.have.workers[is.Worker].id
	if was.id == "" {
		repository := a.have.repositories[is.Repository].id
		if repository == "" {
			return missing("repository", is.Repository)
		}
		made, _, err := a.Stacks.Create(ctx, stacks.Draft{Name: is.Name, Repository: repository, Path: is.Path, Worker: worker, WorkerTags: is.WorkerTags}, a.by)
		if err != nil {
			return err
		}
		was = Stack{Name: is.Name, id: made.ID}
	} else if err := a.editStack(ctx, is, was, worker); err != nil {
		return err
	}
	a.have.stacks[name] = was
	if err := a.bind(ctx, variables.OfStack(was.id), is.Globals, was.Globals); err != nil {
		return err
	}
	if is.Paused && !was.Paused {
		_, err := a.Stacks.Pause(ctx, was.id, a.by)
		return err
	}
	return nil
}

// editStack changes what differs. It does not set going what stood still; see setGoing.
func (a *apply) editStack(ctx context.Context, is, was Stack, worker core.WorkerID) error {
	var change stacks.Change
	differ := false
	if is.Path != was.Path {
		change.Path, differ = &is.Path, true
	}
	if anywhere(is) {
		is.Worker = was.Worker
	}
	if is.Worker != was.Worker && worker != "" {
		change.Worker, differ = &worker, true
	}
	if !equal(is.WorkerTags, was.WorkerTags) {
		change.WorkerTags, differ = &is.WorkerTags, true
	}
	if was.AutoSync && !is.AutoSync {
		change.AutoSync, differ = &is.AutoSync, true
	}
	if !differ {
		return nil
	}
	_, err := a.Stacks.Update(ctx, was.id, change, a.by)
	return err
}

func equal(a, b []string) bool {
	return len(differences(parts(nil).list("x", a), parts(nil).list("x", b))) == 0
}

func (a *apply) job(ctx context.Context, name string) error {
	is, was := a.want.jobs[name], a.have.jobs[name]
	if was.id == "" {
		repository := a.have.repositories[is.Repository].id
		if repository == "" {
			return missing("repository", is.Repository)
		}
		made, err := a.Jobs.Create(ctx, jobs.Draft{Name: is.Name, Repository: repository, Path: is.Path}, a.by)
		if err != nil {
			return err
		}
		if _, err := a.Jobs.Update(ctx, made.ID, jobs.Change{Paused: new(true)}, a.by); err != nil {
			return err
		}
		was = Job{Name: is.Name, Path: made.Path, Paused: true, id: made.ID}
	}
	a.have.jobs[name] = was
	change := jobs.Change{}
	if is.Path != was.Path {
		change.Path = &is.Path
	}
	if is.Paused && !was.Paused {
		change.Paused = &is.Paused
	}
	if change != (jobs.Change{}) {
		if _, err := a.Jobs.Update(ctx, was.id, change, a.by); err != nil {
			return err
		}
	}
	return a.bind(ctx, variables.OfJob(was.id), is.Globals, was.Globals)
}

// setGoing lets what was made or changed deploy and run by itself, now that its variables are there.
func (a *apply) setGoing(ctx context.Context, s Step) error {
	owner := ""
	switch s.Section {
	case SectionStacks:
		owner = "stack " + s.Name
	case SectionJobs:
		owner = "job " + s.Name
	default:
		return nil
	}
	stack, job := s.Section == SectionStacks, s.Section == SectionJobs
	is, was := a.want.stacks[s.Name], a.have.stacks[s.Name]
	starts := stack && (is.AutoSync && !was.AutoSync || !is.Paused && was.Paused) || job && !a.want.jobs[s.Name].Paused && a.have.jobs[s.Name].Paused
	if starts && a.unready[owner] {
		return errHeld
	}
	if job && starts {
		_, err := a.Jobs.Update(ctx, a.have.jobs[s.Name].id, jobs.Change{Paused: new(false)}, a.by)
		return err
	}
	if stack && is.AutoSync && !was.AutoSync {
		if _, err := a.Stacks.Update(ctx, was.id, stacks.Change{AutoSync: new(true)}, a.by); err != nil {
			return err
		}
	}
	if stack && !is.Paused && was.Paused {
		_, err := a.Stacks.Resume(ctx, was.id, a.by)
		return err
	}
	return nil
}

func (a *apply) account(ctx context.Context, name string) error {
	is, was := a.want.accounts[name], a.have.accounts[name]
	if was.id == "" {
		made, err := a.Accounts.Create(ctx, a.by, is.Name, is.Role)
		if err != nil || !is.Disabled {
			return err
		}
		was.id = made.ID
	}
	_, err := a.Store.ChangeServiceAccount(ctx, a.by, was.id, identity.AccountChange{Role: &is.Role, Disabled: &is.Disabled})
	return err
}

func (a *apply) user(ctx context.Context, email string) error {
	is := a.want.users[email]
	_, err := a.Store.ChangeUser(ctx, a.by, a.have.users[email].id, identity.UserChange{Role: &is.Role, Disabled: &is.Disabled})
	return err
}
