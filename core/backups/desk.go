package backups

import (
	"context"
	"io"

	"berth/core/access"
	"berth/core/fault"
)

// Shelf is where backups are kept.
type Shelf interface {
	// All returns what is here, and what was off site when that was last looked at; newest first.
	All(ctx context.Context) ([]Backup, error)
	// Standing tells how it is with making and copying; it asks nobody.
	Standing(ctx context.Context) (Standing, error)
	Make(ctx context.Context, why Reason) (Backup, error)
	Get(ctx context.Context, name string) (io.ReadSeekCloser, Backup, error)
	Take(ctx context.Context, from io.Reader, limit int64) (Backup, error)
	// Delete removes a backup and its copy off site; hereOnly leaves that.
	Delete(ctx context.Context, name string, hereOnly bool) error
	// Fetch brings a copy from off site here, once it was read whole; one that is here already is left as it is.
	Fetch(ctx context.Context, name string) (Backup, error)
	// Rehearse restores the newest backup into a folder that is thrown away. What comes of it is an answer, not an error.
	Rehearse(ctx context.Context) (Rehearsal, error)
	// Prepare reads a backup whole, keeps what there is now in another, calls note, and sets the first out for the next
	// start, which goes on with it and tells who asked for it. What fails, note too, leaves nothing set out.
	Prepare(ctx context.Context, name, asker string, note func() error) (before Backup, err error)
}

// Journal takes note of who did what.
type Journal interface {
	RecordEvent(ctx context.Context, e access.AuditEvent) error
}

// Desk holds the use cases of backups. Its fields are set once.
type Desk struct {
	shelf   Shelf
	looker  Looker // nil: there is no database server, or nobody can look
	journal Journal
	limit   int64
	restart func()
}

// NewDesk returns the use cases. shelf is nil where the data is in a database server that has backups of its own;
// limit is how many bytes an archive that is brought may have; restart ends this run of the server and begins another.
func NewDesk(shelf Shelf, journal Journal, limit int64, restart func()) *Desk {
	return &Desk{shelf: shelf, journal: journal, limit: limit, restart: restart}
}

// here returns the shelf. Conflict "backup.elsewhere" where there is none.
func (d *Desk) here() (Shelf, error) {
	if d.shelf == nil {
		return nil, fault.New(fault.Conflict, "backup.elsewhere",
			"This installation keeps everything in PostgreSQL, which has better backups than Berth could make of it: set up pg_dump or continuous archiving there, and keep SECRET_KEY in another place. The README's chapter on PostgreSQL says how.")
	}
	return d.shelf, nil
}

// Backups returns all backups, newest first. Conflict "backup.elsewhere".
func (d *Desk) Backups(ctx context.Context) ([]Backup, error) {
	shelf, err := d.here()
	if err != nil {
		return nil, err
	}
	return shelf.All(ctx)
}

// Make makes a backup now and returns it once it was read again. Faults: Conflict "backup.elsewhere", "backup.busy";
// Unavailable "backup.disk_full", "backup.storage", "backup.failed".
func (d *Desk) Make(ctx context.Context, by access.Principal) (Backup, error) {
	shelf, err := d.here()
	if err != nil {
		return Backup{}, err
	}
	b, err := shelf.Make(ctx, ByHand)
	if err != nil {
		return b, err
	}
	return b, d.journal.RecordEvent(ctx, by.Audit("backup.create", b.Name, ""))
}

// Open opens a backup to be downloaded. NotFound "backup.not_found", Conflict "backup.elsewhere", "backup.away".
func (d *Desk) Open(ctx context.Context, name string, by access.Principal) (io.ReadSeekCloser, Backup, error) {
	shelf, err := d.here()
	if err != nil {
		return nil, Backup{}, err
	}
	content, b, err := shelf.Get(ctx, name)
	if err != nil {
		return nil, b, err
	}
	if err := d.journal.RecordEvent(ctx, by.Audit("backup.download", name, "")); err != nil {
		content.Close()
		return nil, b, err
	}
	return content, b, nil
}

// Take stores an archive that somebody brings. Faults: those of Shelf.Take, Conflict "backup.elsewhere".
func (d *Desk) Take(ctx context.Context, from io.Reader, by access.Principal) (Backup, error) {
	shelf, err := d.here()
	if err != nil {
		return Backup{}, err
	}
	b, err := shelf.Take(ctx, from, d.limit)
	if err != nil {
		return b, err
	}
	return b, d.journal.RecordEvent(ctx, by.Audit("backup.upload", b.Name, ""))
}

// Standing tells how it is with making backups and copying them off site. Conflict "backup.elsewhere".
func (d *Desk) Standing(ctx context.Context) (Standing, error) {
	shelf, err := d.here()
	if err != nil {
		return Standing{}, err
	}
	return shelf.Standing(ctx)
}

// Fetch brings a copy from off site here. Faults: NotFound "backup.not_found", Invalid "backup.damaged", Conflict
// "backup.other_key", "backup.newer", "backup.busy", "backup.elsewhere" and those of the storage, Unavailable
// "backup.disk_full", "backup.storage".
func (d *Desk) Fetch(ctx context.Context, name string, by access.Principal) (Backup, error) {
	shelf, err := d.here()
	if err != nil {
		return Backup{}, err
	}
	b, err := shelf.Fetch(ctx, name)
	if err != nil {
		return b, err
	}
	return b, d.journal.RecordEvent(ctx, by.Audit("backup.fetch", name, ""))
}

// Delete removes a backup and its copy off site; hereOnly leaves the copy. NotFound "backup.not_found", Conflict
// "backup.elsewhere", "backup.busy" and faults of the storage, with which nothing is deleted.
func (d *Desk) Delete(ctx context.Context, name string, hereOnly bool, by access.Principal) error {
	shelf, err := d.here()
	if err != nil {
		return err
	}
	if err := shelf.Delete(ctx, name, hereOnly); err != nil {
		return err
	}
	detail := ""
	if hereOnly {
		detail = "the copy off site stays"
	}
	return d.journal.RecordEvent(ctx, by.Audit("backup.delete", name, detail))
}

// Rehearse finds out whether the newest backup can be restored, and changes nothing. NotFound "backup.none", Conflict
// "backup.busy", "backup.elsewhere".
func (d *Desk) Rehearse(ctx context.Context, by access.Principal) (Rehearsal, error) {
	shelf, err := d.here()
	if err != nil {
		return Rehearsal{}, err
	}
	r, err := shelf.Rehearse(ctx)
	if err != nil {
		return r, err
	}
	detail := "it can be restored"
	if r.Problem != "" {
		detail = "it cannot be restored"
	}
	return r, d.journal.RecordEvent(ctx, by.Audit("backup.rehearse", r.Name, detail))
}

// Restore has the server begin anew with what is in a backup, and returns the one that was made of what there is now. It
// says no before anything changed: NotFound "backup.not_found", Invalid "backup.damaged", Conflict "backup.other_key",
// "backup.newer", "backup.busy", "backup.elsewhere", Unavailable "backup.disk_full", "backup.storage", "backup.failed".
func (d *Desk) Restore(ctx context.Context, name string, by access.Principal) (before Backup, err error) {
	shelf, err := d.here()
	if err != nil {
		return before, err
	}
	note := func() error {
		return d.journal.RecordEvent(ctx, by.Audit("backup.restore", name, "the server begins anew with it"))
	}
	if before, err = shelf.Prepare(ctx, name, by.Name, note); err != nil {
		return before, err
	}
	d.restart()
	return before, nil
}

// Limit is how many bytes an archive that is brought may have.
func (d *Desk) Limit() int64 { return d.limit }
