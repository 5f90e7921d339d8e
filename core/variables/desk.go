package variables

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/secrets"
)

// Desk holds the use cases of variables. Its fields are set once. A change reaches
// containers with the next deployment that somebody or something asks for.
type Desk struct {
	store     Store
	seals     Seals
	providers Providers
	now       core.Clock
}

// NewDesk returns the use cases on a store.
func NewDesk(store Store, seals Seals, providers Providers, now core.Clock) *Desk {
	return &Desk{store: store, seals: seals, providers: providers, now: now}
}

// Draft is a variable to be added.
type Draft struct {
	Owner     Owner
	Name      string
	Value     string // required for an internal secret
	Secret    bool
	Provider  string // of a secret; empty: secrets.Internal
	Reference string // of a secret that an external provider keeps
}

// Create adds a variable. Invalid "variable.invalid" names every bad field; Invalid
// "variable.provider_disabled" names a provider that is not enabled.
func (d *Desk) Create(ctx context.Context, draft Draft, by access.Principal) (Variable, error) {
	bad := append(draft.Owner.check(), checkName(draft.Name)...)
	bad = append(bad, checkValue(draft.Value)...)
	bad = append(bad, draft.checkSecret()...)
	if err := fault.BadFields("variable.invalid", bad); err != nil {
		return Variable{}, err
	}
	if draft.Secret && draft.Provider == "" {
		draft.Provider = secrets.Internal
	}
	if draft.Secret {
		if err := d.usable(ctx, draft.Provider); err != nil {
			return Variable{}, err
		}
	}
	v, err := d.fresh(draft)
	if err != nil {
		return Variable{}, err
	}
	return d.store.AddVariable(ctx, v, by.Audit("variable.create", string(v.ID), v.String()))
}

// checkSecret complains about what does not go together with being secret or not.
func (d Draft) checkSecret() []fault.Field {
	var bad []fault.Field
	switch internal := d.Provider == "" || d.Provider == secrets.Internal; {
	case !d.Secret && d.Provider != "":
		bad = append(bad, fault.Field{Path: "secret_provider", Problem: "is for secret variables only"})
	case d.Secret && !internal && !secrets.KnownProvider(d.Provider):
		bad = append(bad, fault.Field{Path: "secret_provider", Problem: "must be internal, vault or manager"})
	case d.Secret && internal && d.Value == "":
		bad = append(bad, fault.Field{Path: "value", Problem: "is required for a secret"})
	}
	switch external := d.Secret && secrets.KnownProvider(d.Provider) && d.Provider != secrets.Internal; {
	case !external && d.Reference != "":
		bad = append(bad, fault.Field{Path: "reference", Problem: "is for secrets that an external provider keeps"})
	case external && d.Value != "":
		bad = append(bad, fault.Field{Path: "value", Problem: "must be left out: the provider keeps it, and reference says where"})
	case external:
		bad = append(bad, badReference(secrets.CheckReference(d.Provider, d.Reference))...)
	}
	return bad
}

// badReference names the parts of a reference that are wrong.
func badReference(err error) (bad []fault.Field) {
	var known *fault.Error
	if !errors.As(err, &known) {
		return nil
	}
	for _, f := range known.Fields {
		bad = append(bad, fault.Field{Path: "reference", Problem: strings.TrimPrefix(f.Path+": ", "reference: ") + f.Problem})
	}
	return bad
}

// usable refuses a provider that a person has to enable or configure first.
func (d *Desk) usable(ctx context.Context, provider string) error {
	err := d.providers.Usable(ctx, provider)
	if !fault.Is(err, fault.Conflict) {
		return err
	}
	problem := fmt.Sprintf("the secret provider %s cannot be chosen: %s", provider, fault.PublicOf(err))
	return fault.BadFields("variable.provider_disabled", []fault.Field{{Path: "secret_provider", Problem: problem}})
}

// fresh makes a new variable of a draft that was checked.
func (d *Desk) fresh(draft Draft) (Stored, error) {
	now := d.now()
	v := Stored{Variable: Variable{ID: core.VariableID(core.NewID(core.PrefixVariable, now)), Owner: draft.Owner, Name: draft.Name,
		Secret: draft.Secret, Provider: draft.Provider, Reference: draft.Reference, CreatedAt: now, UpdatedAt: now}}
	return d.hold(v, draft.Value)
}

// hold puts a value into v: sealed when v is secret, as it is otherwise.
func (d *Desk) hold(v Stored, value string) (Stored, error) {
	if !v.Secret {
		v.Value = value
		return v, nil
	}
	sealed, err := d.seals.Seal(Place(v.ID), []byte(value))
	if err != nil {
		return v, fmt.Errorf("keep a secret variable: %w", err)
	}
	v.Value, v.Sealed = "", sealed
	return v, nil
}

// Delete removes a variable; a global one is unbound from everything.
func (d *Desk) Delete(ctx context.Context, id core.VariableID, by access.Principal) error {
	return d.store.DeleteVariable(ctx, id, by)
}

// Variables returns variables in order of age. Invalid "variable.invalid_filter".
func (d *Desk) Variables(ctx context.Context, f Filter, p core.Page) (core.List[Variable], error) {
	switch f.Scope {
	case "", ScopeGlobal, ScopeStack, ScopeJob:
	default:
		return core.List[Variable]{}, fault.BadFields("variable.invalid_filter", []fault.Field{{Path: "scope", Problem: "must be global, stack or job"}})
	}
	return d.store.Variables(ctx, f, p)
}
