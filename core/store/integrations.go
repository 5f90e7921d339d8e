package store

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"berth/core/access"
	"berth/core/fault"
	"berth/core/integrations"
)

const integrationColumns = `slug, enabled, settings, sealed, version, updated_at`

func scanIntegration(row scanner) (integrations.Stored, error) {
	var i integrations.Stored
	var settings []byte
	var updated int64
	err := row.Scan(&i.Slug, &i.Enabled, &settings, &i.Sealed, &i.Version, &updated)
	if err == nil {
		err = json.Unmarshal(settings, &i.Settings)
	}
	i.UpdatedAt = fromMicros(updated)
	return i, err
}

// maxIntegrations is more than there can be; see core/integrations.
const maxIntegrations = 500

// Integrations implements integrations.Store.
func (s *Store) Integrations(ctx context.Context) (map[string]integrations.Stored, error) {
	return read(ctx, s, func(tx *Tx) (map[string]integrations.Stored, error) {
		all, err := many(tx, scanIntegration, `SELECT `+integrationColumns+` FROM integrations ORDER BY slug LIMIT ?`, maxIntegrations)
		bySlug := make(map[string]integrations.Stored, len(all))
		for _, i := range all {
			bySlug[i.Slug] = i
		}
		return bySlug, err
	})
}

// hurryUnresolved makes the next try of what failed for want of a secret due now.
func (s *Store) hurryUnresolved(tx *Tx) error {
	_, err := tx.exec(`UPDATE stacks SET retry_at = ? WHERE retry_at > ? AND (SELECT error_code FROM deployments WHERE stack_id = stacks.id ORDER BY id DESC LIMIT 1) = 'secret.unresolved'`,
		micros(s.now()), micros(s.now()))
	return err
}

// EditIntegration implements integrations.Store.
func (s *Store) EditIntegration(ctx context.Context, slug string, edit func(integrations.Stored) (integrations.Stored, error), by access.Principal) error {
	return s.db.Write(ctx, func(tx *Tx) error {
		before, err := one(tx, nil, scanIntegration, `SELECT `+integrationColumns+` FROM integrations WHERE slug = ?`, slug)
		if err != nil {
			return err
		}
		i, err := edit(before)
		if err != nil {
			return err
		}
		settings, err := json.Marshal(i.Settings)
		if err != nil {
			return fmt.Errorf("keep integration %s: %w", slug, err)
		}
		_, err = tx.exec(`INSERT INTO integrations (`+integrationColumns+`) VALUES (?, ?, ?, ?, ?, ?)
			ON CONFLICT (slug) DO UPDATE SET enabled = excluded.enabled, settings = excluded.settings, sealed = excluded.sealed,
			version = excluded.version, updated_at = excluded.updated_at`,
			slug, i.Enabled, string(settings), i.Sealed, i.Version, micros(i.UpdatedAt))
		if err != nil {
			return err
		}
		detail := integrationChange(before, i)
		if !i.Enabled {
			return s.audit(tx, by.Audit("integration.update", slug, detail))
		}
		if err := s.hurryUnresolved(tx); err != nil {
			return err
		}
		return s.audit(tx, by.Audit("integration.update", slug, detail))
	})
}

// integrationChange names what differs between two states of an integration, without values.
func integrationChange(before, after integrations.Stored) string {
	changed := []string{map[bool]string{true: "enabled", false: "disabled"}[after.Enabled]}
	if before.Enabled == after.Enabled {
		changed[0] = "still " + changed[0]
	}
	names := map[string]bool{}
	for _, settings := range []map[string]string{before.Settings, after.Settings} {
		for name := range settings {
			names[name] = before.Settings[name] != after.Settings[name]
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if names[name] {
			changed = append(changed, name)
		}
	}
	return strings.Join(changed, ", ")
}

var errNoIntegration = fault.New(fault.NotFound, "integration.not_found", "There is no such integration.")

// DeleteIntegration implements integrations.Store.
func (s *Store) DeleteIntegration(ctx context.Context, slug string, by access.Principal) error {
	return s.db.Write(ctx, func(tx *Tx) error {
		if err := tx.change(errNoIntegration, `DELETE FROM integrations WHERE slug = ?`, slug); err != nil {
			return err
		}
		return s.audit(tx, by.Audit("integration.delete", slug, slug))
	})
}
