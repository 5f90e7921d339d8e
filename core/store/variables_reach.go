package store

import (
	"context"
	"fmt"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/variables"
)

var errNoGlobal = fault.New(fault.NotFound, "variable.not_found", "There is no such global variable. It may have been removed meanwhile.")

// maxReached bounds the stacks and jobs that are listed of one variable.
const maxReached = 20_000

// VariableOwners implements variables.Store.
func (s *Store) VariableOwners(ctx context.Context, id core.VariableID) ([]variables.Owner, error) {
	scan := func(row scanner) (o variables.Owner, err error) { return o, row.Scan(&o.Scope, &o.ID) }
	return read(ctx, s, func(tx *Tx) ([]variables.Owner, error) {
		return many(tx, scan, `SELECT scope, scope_id FROM variable_bindings WHERE variable_id = ? ORDER BY scope, scope_id LIMIT ?`, id, maxReached)
	})
}

// VariableReach implements variables.Store.
func (s *Store) VariableReach(ctx context.Context) (map[core.VariableID]variables.Reach, error) {
	reach := map[core.VariableID]variables.Reach{}
	_, err := read(ctx, s, func(tx *Tx) ([]core.VariableID, error) {
		return many(tx, func(row scanner) (id core.VariableID, err error) {
			var r variables.Reach
			err = row.Scan(&id, &r.Stacks, &r.Jobs)
			reach[id] = r
			return id, err
		}, `SELECT variable_id, count(CASE WHEN scope = ? THEN 1 END), count(CASE WHEN scope = ? THEN 1 END) FROM variable_bindings GROUP BY variable_id ORDER BY variable_id LIMIT ?`,
			variables.ScopeStack, variables.ScopeJob, variables.MaxPerScope)
	})
	return reach, err
}

// BindVariable implements variables.Store.
func (s *Store) BindVariable(ctx context.Context, id core.VariableID, o variables.Owner, bound bool, by access.Principal) error {
	return s.db.Write(ctx, func(tx *Tx) error {
		if err := ownerExists(tx, o); err != nil {
			return err
		}
		name, err := one(tx, errNoGlobal, scalar[string], `SELECT name FROM variables WHERE id = ? AND scope = ?`, id, variables.ScopeGlobal)
		if err != nil {
			return err
		}
		if _, err := tx.exec(`DELETE FROM variable_bindings WHERE variable_id = ? AND scope = ? AND scope_id = ?`, id, o.Scope, o.ID); err != nil {
			return err
		}
		what := "does not reach"
		if bound {
			what = "reaches"
			if _, err := tx.exec(`INSERT INTO variable_bindings (variable_id, scope, scope_id) VALUES (?, ?, ?)`, id, o.Scope, o.ID); err != nil {
				return err
			}
		}
		if err := s.mendOwner(tx, o); err != nil {
			return err
		}
		return s.audit(tx, by.Audit("variable.bind", o.ID, fmt.Sprintf("global variable %s %s %s", name, what, o)))
	})
}
