package configuration

import (
	"context"
	"strings"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/fleet"
	"berth/core/identity"
	"berth/core/integrations"
	"berth/core/jobs"
	"berth/core/repositories"
	"berth/core/stacks"
	"berth/core/variables"
)

// Store is what is read and changed here without a use case of its own; *store.Store has it.
type Store interface {
	Stacks(ctx context.Context, f stacks.Filter, p core.Page) (core.List[stacks.Stack], error)
	Jobs(ctx context.Context, f jobs.Filter, p core.Page) (core.List[jobs.Job], error)
	ServiceAccounts(ctx context.Context, p core.Page) (core.List[identity.ServiceAccount], error)
	ChangeServiceAccount(ctx context.Context, who access.Principal, id core.ServiceAccountID, change identity.AccountChange) (identity.ServiceAccount, error)
	DeleteServiceAccount(ctx context.Context, who access.Principal, id core.ServiceAccountID) error
	Users(ctx context.Context, p core.Page) (core.List[identity.User], error)
	ChangeUser(ctx context.Context, who access.Principal, id core.UserID, change identity.UserChange) (identity.User, error)
	RecordEvent(ctx context.Context, e access.AuditEvent) error
}

// Desks are the use cases by which an installation is read and changed. Each change is checked, audited and committed
// as if a person had made it.
type Desks struct {
	Store        Store
	Repositories *repositories.Desk
	Hooks        *repositories.Hooks
	Integrations *integrations.Desk
	Variables    *variables.Desk
	Stacks       *stacks.Desk
	Jobs         *jobs.Desk
	Fleet        *fleet.Desk
	Accounts     *identity.Accounts
	Documents    core.DocumentReader // of files up to MaxFile
}

// Desk holds the use cases of configurations.
type Desk struct{ Desks }

// NewDesk returns the use cases.
func NewDesk(d Desks) *Desk { return &Desk{d} }

// Ask is a file that somebody brings.
type Ask struct {
	File        []byte
	Prune       bool   // what it does not name is deleted
	Fingerprint string // of the plan that was looked at; empty: none was, which pruning does not allow
}

// Export returns the file of this installation. Unavailable "configuration.unreadable" when a row cannot be read.
func (d *Desk) Export(ctx context.Context) ([]byte, error) {
	have, err := d.gather(ctx)
	if err != nil {
		return nil, err
	}
	return Write(have), nil
}

// Plan says what would be done for a file to hold here. Nothing changes. Invalid "configuration.invalid" and
// "document.invalid", TooLarge "document.too_large".
func (d *Desk) Plan(ctx context.Context, ask Ask) (Plan, error) {
	want, err := d.read(ask.File)
	if err != nil {
		return Plan{}, err
	}
	have, err := d.gather(ctx)
	if err != nil {
		return Plan{}, err
	}
	return d.compare(ctx, want, have, ask.Prune), nil
}

func (d *Desk) compare(ctx context.Context, want, have Configuration, prune bool) Plan {
	return Compare(want, have, prune, func(id core.RepositoryID, folder string) string { return d.Stacks.MissingFolder(ctx, id, folder) })
}

func (d *Desk) read(file []byte) (Configuration, error) {
	doc, err := d.Documents.ReadDocument(file)
	if err != nil {
		return Configuration{}, err
	}
	return Read(doc, "the file")
}

// Done is a step that was tried.
type Done struct {
	Step
	Problem string // why it failed; empty: it was done, or there was nothing to do
	Note    string // what a person should do now
}

// Report is what an apply did.
type Report struct {
	Steps []Done
	Needs []Need // what is missing now
}

// Count returns how many steps of an action were done, and how many of those that were to be done failed.
func (r Report) Count() (changed, failed int) {
	for _, s := range r.Steps {
		switch {
		case s.Problem != "":
			failed++
		case s.Action == ActionCreate, s.Action == ActionChange, s.Action == ActionDelete:
			changed++
		}
	}
	return changed, failed
}

// Apply does what Plan says, one step after the other. Each is done or not; one that fails keeps others from being
// tried only where they need it. Applying the file again does what is left. Faults are Plan's and Conflict
// "configuration.stale" when something has changed since the plan that was looked at; "configuration.unseen" when nobody
// looked at one that prunes.
func (d *Desk) Apply(ctx context.Context, ask Ask, by access.Principal) (Report, error) {
	want, err := d.read(ask.File)
	if err != nil {
		return Report{}, err
	}
	have, err := d.gather(ctx)
	if err != nil {
		return Report{}, err
	}
	plan := d.compare(ctx, want, have, ask.Prune)
	switch {
	case ask.Fingerprint != "" && ask.Fingerprint != plan.Fingerprint:
		return Report{}, fault.New(fault.Conflict, "configuration.stale", "Something here, or the file, has changed since the plan was made. Nothing was done. Make a new plan and look at it.")
	case ask.Fingerprint == "" && ask.Prune:
		return Report{}, fault.New(fault.Conflict, "configuration.unseen", "What prunes is applied with the fingerprint of a plan that was looked at. Nothing was done. Make a plan first, and give its fingerprint.")
	}
	if err := d.Store.RecordEvent(ctx, by.Audit("configuration.apply", "", plan.summary())); err != nil {
		return Report{}, err
	}
	a := &apply{Desk: d, by: by, want: index(want), have: index(have), unready: map[string]bool{}, unmade: map[string]bool{}}
	report := Report{Steps: a.all(ctx, plan.Steps)}
	if err := ctx.Err(); err != nil {
		return report, err
	}
	have, err = d.gather(ctx)
	report.Needs = needs(want, have)
	return report, err
}

// summary is what audit keeps of a plan.
func (p Plan) summary() string {
	words := []string{}
	for _, a := range []Action{ActionCreate, ActionChange, ActionDelete, ActionBlocked} {
		if n := p.Count(a); n > 0 {
			words = append(words, string(a)+" "+number(n))
		}
	}
	if len(words) == 0 {
		return "nothing to do"
	}
	return strings.Join(words, ", ")
}
