package store

import (
	"context"
	"fmt"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/seal"
	"berth/core/variables"
)

// BindVariables implements variables.Store.
func (s *Store) BindVariables(ctx context.Context, o variables.Owner, ids []core.VariableID, by access.Principal) error {
	return s.db.Write(ctx, func(tx *Tx) error {
		if err := ownerExists(tx, o); err != nil {
			return err
		}
		if _, err := tx.exec(`DELETE FROM variable_bindings WHERE scope = ? AND scope_id = ?`, o.Scope, o.ID); err != nil {
			return err
		}
		names := make([]string, len(ids))
		for i, id := range ids {
			missing := fault.BadFields("input.reference", []fault.Field{{Path: "ids", Problem: fmt.Sprintf("%q names no global variable", id)}})
			name, err := one(tx, missing, scalar[string], `SELECT name FROM variables WHERE id = ? AND scope = ?`, id, variables.ScopeGlobal)
			if err != nil {
				return err
			}
			names[i] = name
			if _, err := tx.exec(`INSERT INTO variable_bindings (variable_id, scope, scope_id) VALUES (?, ?, ?)`, id, o.Scope, o.ID); err != nil {
				return err
			}
		}
		if err := s.mendOwner(tx, o); err != nil {
			return err
		}
		return s.audit(tx, by.Audit("variable.bind", o.ID, fmt.Sprintf("global variables of %s: %s", o, orNone(someNames(names)))))
	})
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

// BoundVariables implements variables.Store.
func (s *Store) BoundVariables(ctx context.Context, o variables.Owner) ([]variables.Variable, error) {
	return read(ctx, s, func(tx *Tx) ([]variables.Variable, error) {
		if err := ownerExists(tx, o); err != nil {
			return nil, err
		}
		return many(tx, scanVariable, `SELECT `+variableColumns+` FROM variables JOIN variable_bindings b ON b.variable_id = variables.id
			WHERE b.scope = ? AND b.scope_id = ? ORDER BY variables.name LIMIT ?`, o.Scope, o.ID, variables.MaxPerScope)
	})
}

// EffectiveVariables implements variables.EffectiveStore.
func (s *Store) EffectiveVariables(ctx context.Context, o variables.Owner) ([]variables.Variable, error) {
	return read(ctx, s, func(tx *Tx) ([]variables.Variable, error) {
		return many(tx, scanVariable, `SELECT `+variableColumns+` FROM variables
			WHERE (scope = ? AND scope_id = ?)
			   OR (id IN (SELECT variable_id FROM variable_bindings WHERE scope = ? AND scope_id = ?)
			       AND name NOT IN (SELECT name FROM variables WHERE scope = ? AND scope_id = ?))
			ORDER BY name LIMIT ?`,
			o.Scope, o.ID, o.Scope, o.ID, o.Scope, o.ID, 2*variables.MaxPerScope)
	})
}

// SealedVariables implements variables.SealedStore.
func (s *Store) SealedVariables(ctx context.Context, ids []core.VariableID) (map[core.VariableID]seal.Sealed, error) {
	return read(ctx, s, func(tx *Tx) (map[core.VariableID]seal.Sealed, error) {
		found := make(map[core.VariableID]seal.Sealed, len(ids))
		for _, id := range ids {
			sealed, err := one(tx, nil, scalar[seal.Sealed], `SELECT sealed FROM variables WHERE id = ?`, id)
			if err != nil {
				return nil, err
			}
			if sealed != nil {
				found[id] = sealed
			}
		}
		return found, nil
	})
}
