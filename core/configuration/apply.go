package configuration

import (
	"context"
	"slices"
	"strings"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/variables"
)

// apply is a plan that is being done.
type apply struct {
	*Desk
	by         access.Principal
	want, have indexed
	unready    map[string]bool // owners of variables one of which failed: they are not set going
	unmade     map[string]bool // names of repositories of which a stack or a job could not be made
}

// indexed is a configuration by name.
type indexed struct {
	keys         map[string]Key
	hosts        map[string]Host
	repositories map[string]Repository
	integrations map[string]Integration
	variables    map[string]Variable // by owner and name
	workers      map[string]Worker
	policies     map[string]Policy
	stacks       map[string]Stack
	jobs         map[string]Job
	accounts     map[string]Account
	users        map[string]User
}

func index(c Configuration) indexed {
	x := indexed{by(c.Keys, func(k Key) string { return k.Name }), by(c.Hosts, func(h Host) string { return h.Address }),
		by(c.Repositories, func(r Repository) string { return r.Name }), by(c.Integrations, func(i Integration) string { return i.Slug }), map[string]Variable{},
		by(c.Workers, func(w Worker) string { return w.Name }), by(c.Policies, func(p Policy) string { return p.For }), by(c.Stacks, func(s Stack) string { return s.Name }), by(c.Jobs, func(j Job) string { return j.Name }),
		by(c.Accounts, func(a Account) string { return a.Name }), by(c.Users, func(u User) string { return u.Email })}
	x.own("", c.Variables)
	for _, s := range c.Stacks {
		x.own("stack "+s.Name, s.Variables)
	}
	for _, j := range c.Jobs {
		x.own("job "+j.Name, j.Variables)
	}
	return x
}

func (x indexed) own(owner string, all []Variable) {
	for _, v := range all {
		x.variables[owner+"/"+v.Name] = v
	}
}

func by[T any](all []T, name func(T) string) map[string]T {
	m := make(map[string]T, len(all))
	for _, one := range all {
		m[name(one)] = one
	}
	return m
}

// all does steps: first what is made and changed, then what is deleted, what others need last; at the end what was
// made is set going.
func (a *apply) all(ctx context.Context, steps []Step) []Done {
	done := make([]Done, len(steps))
	for i, s := range steps {
		done[i].Step = s
		if s.Action == ActionBlocked {
			done[i].Problem = s.Reason
			a.unready[s.Owner] = true
		}
		if s.Action == ActionCreate || s.Action == ActionChange {
			a.one(ctx, &done[i])
		}
		a.noteUnmade(done[i])
	}
	for i := len(steps) - 1; i >= 0; i-- {
		if steps[i].Action == ActionDelete {
			done[i].fail(a.remove(ctx, steps[i]))
		}
	}
	for i := range done {
		if done[i].Problem == "" && (steps[i].Action == ActionCreate || steps[i].Action == ActionChange) && steps[i].Owner == "" {
			done[i].fail(a.setGoing(ctx, steps[i]))
		}
	}
	return done
}

// fail notes why a step was not done.
func (d *Done) fail(err error) {
	if err != nil {
		d.Problem = fault.PublicOf(err)
	}
}

// one makes or changes one thing.
func (a *apply) one(ctx context.Context, d *Done) {
	var err error
	switch {
	case d.Section == SectionVariables || d.Owner != "":
		err = a.variable(ctx, d.Owner, d.Name, d.Action == ActionCreate)
	case d.Section == SectionKeys:
		err = a.key(ctx, d.Name)
	case d.Section == SectionHosts:
		err = a.host(ctx, d.Name)
	case d.Section == SectionRepositories:
		d.Note, err = a.repository(ctx, d.Name)
	case d.Section == SectionIntegrations:
		err = a.integration(ctx, d.Name)
	case d.Section == SectionPolicies:
		err = a.policy(ctx, d.Name)
	case d.Section == SectionStacks:
		err = a.stack(ctx, d.Name)
	case d.Section == SectionJobs:
		err = a.job(ctx, d.Name)
	case d.Section == SectionFollow:
		err = a.follow(ctx, d.Name)
	case d.Section == SectionAccounts:
		err = a.account(ctx, d.Name)
	case d.Section == SectionUsers:
		err = a.user(ctx, d.Name)
	}
	if err != nil && d.Owner != "" {
		a.unready[d.Owner] = true
	}
	d.fail(err)
}

// remove deletes one thing. What a stack runs goes on running.
func (a *apply) remove(ctx context.Context, s Step) error {
	switch {
	case s.Section == SectionVariables || s.Owner != "":
		return a.Variables.Delete(ctx, a.have.variables[s.Owner+"/"+s.Name].id, a.by)
	case s.Section == SectionRepositories:
		return a.Repositories.Delete(ctx, a.have.repositories[s.Name].id, a.by)
	case s.Section == SectionStacks:
		_, err := a.Stacks.Delete(ctx, a.have.stacks[s.Name].id, false, false, a.by)
		return err
	case s.Section == SectionJobs:
		return a.Jobs.Delete(ctx, a.have.jobs[s.Name].id, a.by)
	}
	return a.Store.DeleteServiceAccount(ctx, a.by, a.have.accounts[s.Name].id)
}

// errHeld is why something that was made does not deploy or run by itself yet.
var errHeld = fault.New(fault.Conflict, "configuration.held", "It is here, but does not deploy or run by itself yet, because one of its variables could not be set. Apply the file again when that is mended.")

// missing is why something is not done whose other half was not.
func missing(what, name string) error {
	return fault.New(fault.Conflict, "configuration.missing", "It needs the %s %s, which is not here.", what, name)
}

// owner is what a variable of a file belongs to.
func (a *apply) owner(name string) (variables.Owner, error) {
	switch kind, of, _ := strings.Cut(name, " "); kind {
	case "stack":
		if id := a.have.stacks[of].id; id != "" {
			return variables.OfStack(id), nil
		}
		return variables.Owner{}, missing(kind, of)
	case "job":
		if id := a.have.jobs[of].id; id != "" {
			return variables.OfJob(id), nil
		}
		return variables.Owner{}, missing(kind, of)
	}
	return variables.Global, nil
}

func (a *apply) variable(ctx context.Context, owner, name string, fresh bool) error {
	at := owner + "/" + name
	is, was := a.want.variables[at], a.have.variables[at]
	if !fresh {
		change := variables.Change{}
		switch {
		case is.Secret() && !was.Secret():
			change.Secret = new(true)
		case is.Secret():
			change.Reference = &is.Reference
		default:
			change.Value = &is.Value
		}
		_, err := a.Variables.Update(ctx, was.id, change, a.by)
		return err
	}
	of, err := a.owner(owner)
	if err != nil {
		return err
	}
	made, err := a.Variables.Expect(ctx, variables.Draft{Owner: of, Name: is.Name, Value: is.Value, Secret: is.Secret(), Provider: is.Provider, Reference: is.Reference}, a.by)
	is.id = made.ID
	if err == nil {
		a.have.variables[at] = is
	}
	return err
}

// bind makes exactly these global variables reach a stack or job.
func (a *apply) bind(ctx context.Context, o variables.Owner, names, before []string) error {
	if slices.Equal(names, before) {
		return nil
	}
	ids := make([]core.VariableID, len(names))
	for i, name := range names {
		if ids[i] = a.have.variables["/"+name].id; ids[i] == "" {
			return missing("global variable", name)
		}
	}
	_, err := a.Variables.Bind(ctx, o, ids, a.by)
	return err
}
