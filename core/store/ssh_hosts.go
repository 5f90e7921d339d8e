package store

import (
	"context"
	"errors"
	"strings"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/repositories"
)

var errSSHHostMissing = fault.New(fault.NotFound, "ssh_host.not_found", "No keys were accepted for this SSH host.")

const sshHostColumns = `address, keys, accepted_at, accepted_by`

func scanSSHHost(row scanner) (repositories.SSHHost, error) {
	var h repositories.SSHHost
	var accepted int64
	err := row.Scan(&h.Address, jsonInto{&h.Keys}, &accepted, &h.AcceptedBy)
	h.AcceptedAt = fromMicros(accepted)
	return h, legible("the keys of SSH host", h.Address, err)
}

// SSHHost implements repositories.Store.
func (s *Store) SSHHost(ctx context.Context, address string) (repositories.SSHHost, error) {
	h, err := read(ctx, s, func(tx *Tx) (repositories.SSHHost, error) {
		return one(tx, errSSHHostMissing, scanSSHHost, `SELECT `+sshHostColumns+` FROM ssh_hosts WHERE address = ?`, address)
	})
	if errors.Is(err, errSSHHostMissing) {
		return repositories.SSHHost{Address: address}, nil
	}
	return h, err
}

// SSHHostList implements repositories.Store.
func (s *Store) SSHHostList(ctx context.Context, ask core.Page) (core.List[repositories.SSHHost], error) {
	return read(ctx, s, func(tx *Tx) (core.List[repositories.SSHHost], error) {
		return pageLegible(tx, ask, func(h repositories.SSHHost) string { return h.Address }, scanSSHHost,
			`SELECT `+sshHostColumns+` FROM ssh_hosts WHERE address > ? ORDER BY address LIMIT ?`, ask.After, ask.Limit+1)
	})
}

// AcceptSSHHost implements repositories.Store.
func (s *Store) AcceptSSHHost(ctx context.Context, h repositories.SSHHost, by access.Principal) error {
	return s.db.Write(ctx, func(tx *Tx) error {
		_, err := tx.exec(`INSERT INTO ssh_hosts (`+sshHostColumns+`) VALUES (?, ?, ?, ?)
			ON CONFLICT (address) DO UPDATE SET keys = excluded.keys, accepted_at = excluded.accepted_at, accepted_by = excluded.accepted_by`,
			h.Address, toJSON(h.Keys), micros(h.AcceptedAt), h.AcceptedBy)
		if err != nil {
			return err
		}
		if err := askStopped(tx, h); err != nil {
			return err
		}
		prints := make([]string, len(h.Keys))
		for i, k := range h.Keys {
			prints[i] = k.Type + " " + k.Fingerprint()
		}
		return s.audit(tx, by.Audit("ssh_host.accept", h.Address, strings.Join(prints, ", ")))
	})
}

// askStopped has repositories looked at that stopped at the host's key.
func askStopped(tx *Tx, h repositories.SSHHost) error {
	host := strings.TrimSuffix(h.Address, ":22")
	_, err := tx.exec(`UPDATE repositories SET asked_at = ?, asked_by = ?
		WHERE error_code IN ('git.host_key_unknown', 'git.host_key_changed') AND url LIKE ?`, micros(h.AcceptedAt), h.AcceptedBy, "ssh://%@"+host+"/%")
	return err
}

// ForgetSSHHost implements repositories.Store.
func (s *Store) ForgetSSHHost(ctx context.Context, address string, by access.Principal) error {
	return s.db.Write(ctx, func(tx *Tx) error {
		if err := tx.change(errSSHHostMissing, `DELETE FROM ssh_hosts WHERE address = ?`, address); err != nil {
			return err
		}
		return s.audit(tx, by.Audit("ssh_host.forget", address, ""))
	})
}
