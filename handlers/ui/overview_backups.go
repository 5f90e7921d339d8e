package ui

import (
	"context"

	"berth/core/backups"
	"berth/core/fault"
)

// BackupStander tells how it is with backups; see backups.Desk.
type BackupStander interface {
	Standing(ctx context.Context) (backups.Standing, error)
	Database(ctx context.Context) (backups.OfDatabase, error)
}

// backupNeeds tells of backups that are not made, old, not copied or not to be restored.
func (o *overview) backupNeeds(desk BackupStander) ([]need, error) {
	s, err := desk.Standing(o.ctx)
	var needs []need
	add := func(name, why string, n need) {
		if why == "" {
			return
		}
		n.Tone, n.Icon, n.Kind, n.Name, n.Href, n.Why = "bad", "cross", "Backups", name, "/backups", why
		if n.Action == "" {
			n.Action, n.ActionHref = "See backups", "/backups"
		}
		needs = append(needs, n)
	}
	if fault.CodeOf(err) == "backup.elsewhere" {
		d, err := desk.Database(o.ctx)
		add("Of the database", d.Problem, need{Since: at(d.Safe(), o.now)})
		return needs, err
	}
	add("The last backup was not made", s.NotMade, need{Since: at(s.Broken, o.now)})
	if s.NotMade == "" && s.Old(s.Made, o.now) {
		add("The newest backup is old", "Backups are made by themselves, and no newer one came. Make one now; what keeps it from being made is said then.",
			need{Since: at(s.Made, o.now), Action: "Make a backup now", ActionHref: "/backups", Post: true})
	}
	add("Copies off site", s.Problem, need{Since: at(s.Since, o.now)})
	add("The rehearsal of a restore", s.Tried.Problem, need{Since: at(s.Tried.At, o.now)})
	return needs, err
}
