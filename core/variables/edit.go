package variables

import (
	"context"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/secrets"
)

// Change is what an edit of a variable sets; nil fields stay. An empty Value keeps that
// of a secret.
type Change struct {
	Name     *string
	Value    *string
	Secret   *bool
	Provider *string
	// Reference is where an external provider keeps the value of a secret.
	Reference *string
}

var (
	errProviderLocked = fault.New(fault.Conflict, "variable.provider_locked",
		"The provider of a secret cannot be switched. Delete the variable and create it anew with the other provider.")
	errSecretLocked = fault.New(fault.Conflict, "variable.secret_locked",
		"A secret cannot become a plain variable, because that would show its value. Delete the variable and create it anew.")
	errValueElsewhere = fault.New(fault.Conflict, "variable.value_elsewhere",
		"The value of this secret lives with its provider. Change it there.")
)

// Update edits a variable. A plain one may become an internal secret; the other way round
// is Conflict "variable.secret_locked", and another provider Conflict
// "variable.provider_locked". Invalid "variable.invalid"; NotFound "variable.not_found".
func (d *Desk) Update(ctx context.Context, id core.VariableID, c Change, by access.Principal) (Variable, error) {
	var bad []fault.Field
	if c.Name != nil {
		bad = append(bad, checkName(*c.Name)...)
	}
	if c.Value != nil {
		bad = append(bad, checkValue(*c.Value)...)
	}
	if err := fault.BadFields("variable.invalid", bad); err != nil {
		return Variable{}, err
	}
	return d.store.EditVariable(ctx, id, func(v Stored) (Stored, bool, error) { return d.apply(v, c) }, by)
}

// apply puts a change into v and says whether anything changed.
func (d *Desk) apply(v Stored, c Change) (Stored, bool, error) {
	if err := c.allowed(v.Variable); err != nil {
		return v, false, err
	}
	renamed := c.Name != nil && *c.Name != v.Name
	if renamed {
		v.Name = *c.Name
	}
	becomes := c.makesSecret(v.Variable)
	if becomes {
		v.Secret, v.Provider = true, secrets.Internal
	}
	moved := c.Reference != nil && *c.Reference != v.Reference
	if moved {
		v.Reference = *c.Reference
	}
	value, replaced := c.newValue(v.Variable, becomes)
	if becomes && value == "" {
		return v, false, fault.BadFields("variable.invalid", []fault.Field{{Path: "value", Problem: "is required for a secret; the variable has none so far"}})
	}
	if !renamed && !replaced && !moved {
		return v, false, nil
	}
	v.UpdatedAt = d.now()
	if !replaced {
		return v, true, nil
	}
	v, err := d.hold(v, value)
	return v, true, err
}

// newValue returns the value that is to be kept, and whether that is news.
func (c Change) newValue(v Variable, becomes bool) (value string, replaced bool) {
	switch {
	case c.Value != nil && *c.Value != "":
		return *c.Value, v.Secret || *c.Value != v.Value
	case becomes:
		return v.Value, true
	case c.Value == nil || v.Secret:
		return "", false
	}
	return "", v.Value != ""
}

// makesSecret reports whether the change turns a plain variable into a secret.
func (c Change) makesSecret(v Variable) bool { return c.Secret != nil && *c.Secret && !v.Secret }

// allowed refuses what the rules of secrets forbid for v.
func (c Change) allowed(v Variable) error {
	switch {
	case v.Secret && c.Secret != nil && !*c.Secret:
		return errSecretLocked
	case v.Secret && c.Provider != nil && *c.Provider != v.Provider:
		return errProviderLocked
	case v.Secret && v.Provider != secrets.Internal && c.Value != nil && *c.Value != "":
		return errValueElsewhere
	case c.Reference != nil && v.Secret && v.Provider != secrets.Internal:
		return fault.BadFields("variable.invalid", badReference(secrets.CheckReference(v.Provider, *c.Reference)))
	case c.Reference != nil:
		return fault.BadFields("variable.invalid", []fault.Field{{Path: "reference", Problem: "is for secrets that an external provider keeps"}})
	case !v.Secret && c.Provider != nil && (!c.makesSecret(v) || *c.Provider != secrets.Internal):
		return fault.BadFields("variable.invalid", []fault.Field{{Path: "secret_provider",
			Problem: "a plain variable can only become an internal secret; delete it and create it anew for another provider"}})
	}
	return nil
}
