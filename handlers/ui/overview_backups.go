package ui

import (
	"context"

	"berth/core/access"
	"berth/core/backups"
	"berth/core/fault"
	"berth/handlers/endpoint"
)

// BackupStander tells how it is with backups; see backups.Desk.
type BackupStander interface {
	Standing(ctx context.Context) (backups.Standing, error)
	Database(ctx context.Context) (backups.OfDatabase, error)
}

// backupNeeds tells administrators of backups that are not made or not copied.
func (o *overview) backupNeeds(desk BackupStander) ([]need, error) {
	if p := endpoint.Principal(o.ctx); !p.Can(access.Administer) {
		return nil, nil
	}
	s, err := desk.Standing(o.ctx)
	var needs []need
	add := func(name, why string, n need) {
		if why != "" {
			n.Tone, n.Icon, n.Kind, n.Name, n.Href, n.Why, n.Action, n.ActionHref = "bad", "cross", "Backups", name, "/backups", why, "See backups", "/backups"
			needs = append(needs, n)
		}
	}
	if fault.CodeOf(err) == "backup.elsewhere" {
		d, err := desk.Database(o.ctx)
		add("Of the database", d.Problem, need{Since: at(d.Safe(), o.now)})
		return needs, err
	}
	add("The last backup was not made", s.NotMade, need{Since: at(s.Broken, o.now)})
	add("Copies off site", s.Problem, need{Since: at(s.Since, o.now)})
	add("The rehearsal of a restore", s.Tried.Problem, need{Since: at(s.Tried.At, o.now)})
	return needs, err
}
