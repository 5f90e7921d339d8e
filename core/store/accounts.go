package store

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/identity"
)

var (
	errAccountMissing   = fault.New(fault.NotFound, "service_account.not_found", "There is no such service account.")
	errAccountNameTaken = fault.New(fault.Conflict, "service_account.name_taken", "Another service account has this name; choose another.")
)

const accountColumns = `service_accounts.id, service_accounts.name, service_accounts.role, service_accounts.disabled,
	service_accounts.created_at, service_accounts.updated_at`

// accountInto returns where accountColumns are scanned to, and what completes a afterwards.
func accountInto(a *identity.ServiceAccount) (dest []any, finish func()) {
	var created, updated int64
	return []any{&a.ID, &a.Name, &a.Role, &a.Disabled, &created, &updated},
		func() { a.CreatedAt, a.UpdatedAt = fromMicros(created), fromMicros(updated) }
}

func scanAccount(row scanner) (identity.ServiceAccount, error) {
	var a identity.ServiceAccount
	dest, finish := accountInto(&a)
	err := row.Scan(dest...)
	finish()
	return a, err
}

// ServiceAccounts lists service accounts with their keys, oldest first.
func (s *Store) ServiceAccounts(ctx context.Context, ask core.Page) (core.List[identity.ServiceAccount], error) {
	return read(ctx, s, func(tx *Tx) (core.List[identity.ServiceAccount], error) {
		items, err := many(tx, scanAccount, `SELECT `+accountColumns+` FROM service_accounts WHERE id > ? ORDER BY id LIMIT ?`, ask.After, ask.Limit+1)
		if err != nil {
			return core.List[identity.ServiceAccount]{}, err
		}
		list := page(items, ask, func(a identity.ServiceAccount) string { return string(a.ID) })
		if len(list.Items) == 0 {
			return list, nil
		}
		keys, err := many(tx, scanKey, `SELECT `+keyColumns+` FROM api_keys WHERE account_id >= ? AND account_id <= ? ORDER BY account_id, id LIMIT ?`,
			list.Items[0].ID, list.Items[len(list.Items)-1].ID, core.MaxPage*identity.MaxKeys)
		giveKeys(list.Items, keys)
		return list, err
	})
}

// giveKeys hands keys, in order of account, to their accounts, in order of id.
func giveKeys(accounts []identity.ServiceAccount, keys []identity.APIKey) {
	for i := range accounts {
		n := 0
		for n < len(keys) && keys[n].Account == accounts[i].ID {
			n++
		}
		accounts[i].Keys, keys = keys[:n:n], keys[n:]
	}
}

func accountByID(tx *Tx, id core.ServiceAccountID) (identity.ServiceAccount, error) {
	a, err := one(tx, errAccountMissing, scanAccount, `SELECT `+accountColumns+` FROM service_accounts WHERE id = ?`, id)
	if err != nil {
		return a, err
	}
	a.Keys, err = many(tx, scanKey, `SELECT `+keyColumns+` FROM api_keys WHERE account_id = ? ORDER BY id LIMIT ?`, id, identity.MaxKeys)
	return a, err
}

// AddServiceAccount implements identity.AccountStore.
func (s *Store) AddServiceAccount(ctx context.Context, who access.Principal, a identity.ServiceAccount) error {
	return s.db.WriteNew(ctx, func(tx *Tx) error {
		if err := tx.insert(errAccountNameTaken, `INSERT INTO service_accounts (id, name, role, disabled, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)`,
			a.ID, a.Name, a.Role, a.Disabled, micros(a.CreatedAt), micros(a.UpdatedAt)); err != nil {
			return err
		}
		return s.audit(tx, who.Audit("service_account.create", string(a.ID), fmt.Sprintf("%s: role %s", a.Name, a.Role)))
	})
}

// ChangeServiceAccount changes a service account and audits it; its keys follow at once.
// NotFound "service_account.not_found", Conflict "service_account.name_taken".
func (s *Store) ChangeServiceAccount(ctx context.Context, who access.Principal, id core.ServiceAccountID, change identity.AccountChange) (identity.ServiceAccount, error) {
	return write(ctx, s, func(tx *Tx) (identity.ServiceAccount, error) {
		a, err := accountByID(tx, id)
		if err != nil || change == (identity.AccountChange{}) {
			return a, err
		}
		before := a
		if change.Name != nil {
			a.Name = *change.Name
		}
		if change.Role != nil {
			a.Role = *change.Role
		}
		if change.Disabled != nil {
			a.Disabled = *change.Disabled
		}
		a.UpdatedAt = fromMicros(micros(s.now())) // as it will be read
		if err := tx.insert(errAccountNameTaken, `UPDATE service_accounts SET name = ?, role = ?, disabled = ?, updated_at = ? WHERE id = ?`,
			a.Name, a.Role, a.Disabled, micros(a.UpdatedAt), a.ID); err != nil {
			return a, err
		}
		return a, s.audit(tx, who.Audit("service_account.change", string(a.ID), accountChangeOf(before, a)))
	})
}

// accountChangeOf says for people what differs between two states of an account.
func accountChangeOf(before, a identity.ServiceAccount) string {
	changed := changeOf(identity.User{Role: before.Role, Disabled: before.Disabled}, identity.User{Role: a.Role, Disabled: a.Disabled})
	if a.Name != before.Name {
		changed = strings.TrimSuffix("was called "+before.Name+"; "+changed, "; ")
	}
	return a.Name + ": " + cmp.Or(changed, "nothing differs")
}

// DeleteServiceAccount removes a service account with its keys and audits it. NotFound
// "service_account.not_found".
func (s *Store) DeleteServiceAccount(ctx context.Context, who access.Principal, id core.ServiceAccountID) error {
	return s.db.Write(ctx, func(tx *Tx) error {
		a, err := accountByID(tx, id)
		if err != nil {
			return err
		}
		if err := tx.change(errAccountMissing, `DELETE FROM service_accounts WHERE id = ?`, id); err != nil {
			return err
		}
		return s.audit(tx, who.Audit("service_account.delete", string(id), a.Name))
	})
}
