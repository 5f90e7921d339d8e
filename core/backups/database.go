package backups

import (
	"context"
	"fmt"
	"time"

	"berth/core/fault"
)

// OfDatabase is what can be seen of the backups of a database server, which are its own.
type OfDatabase struct {
	Version   string    // of the server
	Archiving bool      // it archives its log as it is written: archive_mode
	Archived  time.Time // when a piece of the log was last archived; zero: never
	Failed    time.Time // when that failed last; zero: never
	Dumps     string    // folder of this host in which dumps are looked for; empty: in none
	Dump      string    // newest dump; empty: there is none
	Dumped    time.Time // when that was written
	DumpSize  int64     // bytes
	Program   string    // what pg_dump --version says on this host; empty: there is none
	Unread    string    // why the server's figures cannot be read, for people; empty: they can
	Problem   string    // what is missing, for people; empty: nothing
}

// Judge sets Problem. every is how often a backup is wanted; 0: nobody said.
func (d *OfDatabase) Judge(now time.Time, every time.Duration) {
	failing := d.Failed.After(d.Archived)
	old := every > 0 && now.Sub(d.Dumped) > 2*every
	switch {
	case d.Archiving && !failing && !d.Archived.IsZero():
		d.Problem = ""
	case d.Dump != "" && !old:
		d.Problem = ""
	case d.Archiving && failing:
		d.Problem = "The database server fails to archive its log, and there is no recent dump. Its own log says why it fails."
	case d.Dump != "":
		d.Problem = fmt.Sprintf("The newest dump is older than two times BACKUP_INTERVAL (%s), and the database server archives no log.", every)
	case d.Archiving:
		d.Problem = "The database server is to archive its log and has not done so yet, and there is no dump."
	default:
		d.Problem = "Nothing shows that the database is backed up: its server archives no log, and there is no dump."
	}
}

// Safe returns how far what is safe reaches; zero: nothing is.
func (d OfDatabase) Safe() time.Time {
	if d.Archiving && d.Archived.After(d.Dumped) {
		return d.Archived
	}
	return d.Dumped
}

// Looker looks at the backups of a database server.
type Looker interface {
	Look(ctx context.Context) (OfDatabase, error)
}

// Seeing has d look at the backups of the database server that keeps everything.
func (d *Desk) Seeing(l Looker) *Desk {
	d.looker = l
	return d
}

// Database tells of the backups of the database server. Conflict "backup.here" where Berth makes them itself.
func (d *Desk) Database(ctx context.Context) (OfDatabase, error) {
	if d.looker == nil {
		return OfDatabase{}, fault.New(fault.Conflict, "backup.here", "This installation keeps everything in the embedded database, and makes backups of it itself. List those.")
	}
	return d.looker.Look(ctx)
}
