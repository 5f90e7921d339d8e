package store

import (
	"context"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/variables"
)

var (
	errVariableMissing   = fault.New(fault.NotFound, "variable.not_found", "There is no such variable.")
	errVariableNameTaken = fault.New(fault.Conflict, "variable.name_taken", "There is a variable of this name here already. Edit that one, or choose another name.")
)

// variableColumns leave out the sealed value; has_value tells whether there is one.
const (
	variableColumns = `variables.id, variables.scope, variables.scope_id, variables.name, variables.value, variables.secret, variables.provider, variables.reference,
	(variables.value <> '' OR variables.reference <> '' OR variables.sealed IS NOT NULL), variables.created_at, variables.updated_at`
	storedColumns = variableColumns + `, variables.sealed`
)

func scanVariable(row scanner) (variables.Variable, error) {
	var v variables.Variable
	var created, updated int64
	err := row.Scan(variableFields(&v, &created, &updated)...)
	v.CreatedAt, v.UpdatedAt = fromMicros(created), fromMicros(updated)
	return v, err
}

func scanStored(row scanner) (variables.Stored, error) {
	var v variables.Stored
	var created, updated int64
	err := row.Scan(append(variableFields(&v.Variable, &created, &updated), &v.Sealed)...)
	v.CreatedAt, v.UpdatedAt = fromMicros(created), fromMicros(updated)
	return v, err
}

func variableFields(v *variables.Variable, created, updated *int64) []any {
	return []any{&v.ID, &v.Owner.Scope, &v.Owner.ID, &v.Name, &v.Value, &v.Secret, &v.Provider, &v.Reference, &v.HasValue, created, updated}
}

func variableByID(tx *Tx, id core.VariableID) (variables.Variable, error) {
	return one(tx, errVariableMissing, scanVariable, `SELECT `+variableColumns+` FROM variables WHERE id = ?`, id)
}

// Variables implements variables.Store.
func (s *Store) Variables(ctx context.Context, f variables.Filter, ask core.Page) (core.List[variables.Variable], error) {
	return read(ctx, s, func(tx *Tx) (core.List[variables.Variable], error) {
		items, err := many(tx, scanVariable, `SELECT `+variableColumns+` FROM variables
			WHERE id > ? AND (? = '' OR scope = ?) AND (? = '' OR scope_id = ?) ORDER BY id LIMIT ?`,
			ask.After, f.Scope, f.Scope, f.ScopeID, f.ScopeID, ask.Limit+1)
		return page(items, ask, func(v variables.Variable) string { return string(v.ID) }), err
	})
}

// OwnVariables implements variables.Store.
func (s *Store) OwnVariables(ctx context.Context, o variables.Owner) ([]variables.Variable, error) {
	return read(ctx, s, func(tx *Tx) ([]variables.Variable, error) {
		if err := ownerExists(tx, o); err != nil {
			return nil, err
		}
		return many(tx, scanVariable, `SELECT `+variableColumns+` FROM variables WHERE scope = ? AND scope_id = ? ORDER BY name LIMIT ?`,
			o.Scope, o.ID, variables.MaxPerScope)
	})
}

// AddVariable implements variables.Store.
func (s *Store) AddVariable(ctx context.Context, v variables.Stored, e access.AuditEvent) (variables.Variable, error) {
	return writeNew(ctx, s, func(tx *Tx) (variables.Variable, error) {
		if err := ownerExists(tx, v.Owner); err != nil {
			return v.Variable, err
		}
		if err := insertVariable(tx, v); err != nil {
			return v.Variable, err
		}
		if err := variablesAllowed(tx, v.Owner); err != nil {
			return v.Variable, err
		}
		if err := s.mendByVariable(tx, v.Variable); err != nil {
			return v.Variable, err
		}
		if err := s.audit(tx, e); err != nil {
			return v.Variable, err
		}
		return variableByID(tx, v.ID)
	})
}

// ownerExists refuses a stack or job that does not exist.
func ownerExists(tx *Tx, o variables.Owner) error {
	switch o.Scope {
	case variables.ScopeGlobal:
		return nil
	case variables.ScopeStack:
		return mustExist(tx, `SELECT 1 FROM stacks WHERE id = ?`, o.ID, "scope_id", "names no stack")
	}
	return mustExist(tx, `SELECT 1 FROM jobs WHERE id = ?`, o.ID, "scope_id", "names no job")
}

// variablesAllowed refuses when an owner has more variables than it may have.
func variablesAllowed(tx *Tx, o variables.Owner) error {
	count, err := one(tx, nil, scalar[int], `SELECT count(*) FROM variables WHERE scope = ? AND scope_id = ?`, o.Scope, o.ID)
	if err == nil && count > variables.MaxPerScope {
		err = fault.New(fault.Conflict, "variable.limit", "There would be more than %d variables here. Delete some that are not needed any more.", variables.MaxPerScope)
	}
	return err
}

func insertVariable(tx *Tx, v variables.Stored) error {
	return tx.insert(errVariableNameTaken, `INSERT INTO variables (id, scope, scope_id, name, secret, provider, value, reference, sealed, created_at, updated_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		v.ID, v.Owner.Scope, v.Owner.ID, v.Name, v.Secret, v.Provider, v.Value, v.Reference, v.Sealed, micros(v.CreatedAt), micros(v.UpdatedAt))
}

func updateVariable(tx *Tx, v variables.Stored) error {
	return tx.insert(errVariableNameTaken, `UPDATE variables SET name = ?, secret = ?, provider = ?, value = ?, reference = ?, sealed = ?, updated_at = ? WHERE id = ?`,
		v.Name, v.Secret, v.Provider, v.Value, v.Reference, v.Sealed, micros(v.UpdatedAt), v.ID)
}

// EditVariable implements variables.Store.
func (s *Store) EditVariable(ctx context.Context, id core.VariableID, edit func(variables.Stored) (variables.Stored, bool, error), by access.Principal) (variables.Variable, error) {
	return write(ctx, s, func(tx *Tx) (variables.Variable, error) {
		before, err := one(tx, errVariableMissing, scanStored, `SELECT `+storedColumns+` FROM variables WHERE id = ?`, id)
		if err != nil {
			return before.Variable, err
		}
		v, changed, err := edit(before)
		if err != nil || !changed {
			return before.Variable, err
		}
		if err := updateVariable(tx, v); err != nil {
			return before.Variable, err
		}
		if err := s.mendByVariable(tx, v.Variable); err != nil {
			return before.Variable, err
		}
		if err := s.audit(tx, by.Audit("variable.update", string(id), v.String())); err != nil {
			return before.Variable, err
		}
		return variableByID(tx, id)
	})
}

// DeleteVariable implements variables.Store.
func (s *Store) DeleteVariable(ctx context.Context, id core.VariableID, by access.Principal) error {
	return s.db.Write(ctx, func(tx *Tx) error {
		v, err := variableByID(tx, id)
		if err != nil {
			return err
		}
		if err := s.mendByVariable(tx, v); err != nil { // while its bindings are there
			return err
		}
		if err := tx.change(errVariableMissing, `DELETE FROM variables WHERE id = ?`, id); err != nil {
			return err
		}
		return s.audit(tx, by.Audit("variable.delete", string(id), v.String()))
	})
}

// ImportVariables implements variables.Store.
func (s *Store) ImportVariables(ctx context.Context, o variables.Owner, plan func(map[string]variables.Stored) ([]variables.Stored, error), by access.Principal) error {
	return s.db.WriteNew(ctx, func(tx *Tx) error {
		if err := ownerExists(tx, o); err != nil {
			return err
		}
		stored, err := many(tx, scanStored, `SELECT `+storedColumns+` FROM variables WHERE scope = ? AND scope_id = ? ORDER BY name LIMIT ?`,
			o.Scope, o.ID, variables.MaxPerScope)
		if err != nil {
			return err
		}
		existing := make(map[string]variables.Stored, len(stored))
		for _, v := range stored {
			existing[v.Name] = v
		}
		changed, err := plan(existing)
		if err != nil {
			return err
		}
		for _, v := range changed {
			if err := s.importOne(tx, v, existing[v.Name].ID != "", by); err != nil {
				return err
			}
		}
		if err := s.mendOwner(tx, o); err != nil {
			return err
		}
		return variablesAllowed(tx, o)
	})
}

func (s *Store) importOne(tx *Tx, v variables.Stored, exists bool, by access.Principal) error {
	action, keep := "variable.create", insertVariable
	if exists {
		action, keep = "variable.update", updateVariable
	}
	if err := keep(tx, v); err != nil {
		return err
	}
	return s.audit(tx, by.Audit(action, string(v.ID), v.String()+", imported"))
}
