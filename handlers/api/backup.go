package api

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"time"

	"berth/core/access"
	"berth/core/backups"
	"berth/core/fault"
	"berth/handlers/endpoint"
)

// BackupDesk is the use cases of backups; see backups.Desk.
type BackupDesk interface {
	Backups(ctx context.Context) ([]backups.Backup, error)
	Make(ctx context.Context, by access.Principal) (backups.Backup, error)
	Open(ctx context.Context, name string, by access.Principal) (io.ReadSeekCloser, backups.Backup, error)
	Take(ctx context.Context, from io.Reader, by access.Principal) (backups.Backup, error)
	Delete(ctx context.Context, name string, hereOnly bool, by access.Principal) error
	Standing(ctx context.Context) (backups.Standing, error)
	// Database tells of the backups of a database server. Conflict "backup.here".
	Database(ctx context.Context) (backups.OfDatabase, error)
	Fetch(ctx context.Context, name string, by access.Principal) (backups.Backup, error)
	Rehearse(ctx context.Context, by access.Principal) (backups.Rehearsal, error)
	Restore(ctx context.Context, name string, by access.Principal) (before backups.Backup, err error)
}

// BackupAnswer is a backup as the API shows it.
type BackupAnswer struct {
	Name      string    `json:"name"`
	Size      int64     `json:"size"` // bytes of the archive
	CreatedAt time.Time `json:"created_at"`
	Verified  bool      `json:"verified"` // it was opened again after it was made or brought here, and found whole; false for what is off site alone, and for minutes for what somebody put into the folder
	Reason    string    `json:"reason"`   // manual, schedule, before-restore, before-upgrade or uploaded
	Version   string    `json:"version"`  // of the server that made it; "" when the archive does not open, or is off site alone
	Schema    int       `json:"schema"`   // of its database; 0 as version is ""
	Problem   string    `json:"problem"`  // why it cannot be restored here; "" when it can
	Where     string    `json:"where"`    // here, offsite or both
}

// BackupsAnswer is all backups, and how it is with their copies.
type BackupsAnswer struct {
	Items   []BackupAnswer `json:"items"`
	Failing string         `json:"failing"` // why the last backup was not made; "" when it was
	Offsite OffsiteAnswer  `json:"offsite"`

	Rehearsal *RehearsalAnswer `json:"rehearsal"` // the last one; null: there was none
}

// RehearsalAnswer says how a rehearsal of a restore ended.
type RehearsalAnswer struct {
	Backup  string    `json:"backup"` // name of the one that was restored into a folder that is thrown away
	OK      bool      `json:"ok"`
	Problem string    `json:"problem"` // why it could not be restored; "" when it could
	EndedAt time.Time `json:"ended_at"`
	Seconds float64   `json:"seconds"` // that it took
}

func showRehearsal(r backups.Rehearsal) RehearsalAnswer {
	return RehearsalAnswer{Backup: r.Name, OK: r.Problem == "", Problem: r.Problem, EndedAt: r.At, Seconds: r.Took.Seconds()}
}

// RehearseBackup holds a rehearsal now and answers how it ended.
func RehearseBackup(desk BackupDesk) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		held, err := desk.Rehearse(r.Context(), endpoint.Principal(r.Context()))
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusOK, showRehearsal(held))
	})
}

// OffsiteAnswer says how it is with copies of backups off site.
type OffsiteAnswer struct {
	Enabled      bool       `json:"enabled"`       // a storage is configured and enabled
	Problem      string     `json:"problem"`       // why the last attempt failed; "" when it did not
	FailingSince *time.Time `json:"failing_since"` // null: it does not fail
	CheckedAt    *time.Time `json:"checked_at"`    // when the storage last told what it has; null: never
	NewestAt     *time.Time `json:"newest_at"`     // when the newest backup was made of which there is a copy; null: there is none
	Copies       int        `json:"copies"`
	Size         int64      `json:"size"`    // bytes of all copies
	Waiting      int        `json:"waiting"` // backups of which there is no copy yet
}

func showStanding(s backups.Standing) OffsiteAnswer {
	return OffsiteAnswer{Enabled: s.On, Problem: s.Problem, FailingSince: optionalTime(s.Since), CheckedAt: optionalTime(s.Listed), NewestAt: optionalTime(s.Newest),
		Copies: s.Copies, Size: s.Size, Waiting: s.Waiting}
}

// whereOf says where a backup is.
func whereOf(b backups.Backup) string {
	switch {
	case b.Here && b.Away:
		return "both"
	case b.Away:
		return "offsite"
	}
	return "here"
}

func showBackup(b backups.Backup) BackupAnswer {
	return BackupAnswer{Name: b.Name, Size: b.Size, CreatedAt: b.Head.MadeAt, Verified: b.Here && b.Checked, Reason: string(b.Head.Reason),
		Version: b.Head.Version, Schema: b.Head.Schema, Problem: b.Problem, Where: whereOf(b)}
}

// ListBackups lists all backups, newest first.
func ListBackups(desk BackupDesk) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		all, err := desk.Backups(r.Context())
		if err != nil {
			return err
		}
		standing, err := desk.Standing(r.Context())
		if err != nil {
			return err
		}
		items := BackupsAnswer{Items: []BackupAnswer{}, Failing: standing.NotMade, Offsite: showStanding(standing)}
		if standing.Tried.Name != "" {
			last := showRehearsal(standing.Tried)
			items.Rehearsal = &last
		}
		for _, b := range all {
			items.Items = append(items.Items, showBackup(b))
		}
		return endpoint.JSON(w, http.StatusOK, items)
	})
}

// CreateBackup makes a backup and answers once it was read again.
func CreateBackup(desk BackupDesk) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		b, err := desk.Make(r.Context(), endpoint.Principal(r.Context()))
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusCreated, showBackup(b))
	})
}

const archiveMedia = "application/octet-stream"

// DownloadBackup answers with the archive; parts of it can be asked for.
func DownloadBackup(desk BackupDesk) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		content, b, err := desk.Open(r.Context(), r.PathValue("name"), endpoint.Principal(r.Context()))
		if err != nil {
			return err
		}
		defer content.Close()
		w.Header().Set("Content-Type", archiveMedia)
		w.Header().Set("Content-Disposition", `attachment; filename="`+b.Name+`"`)
		http.ServeContent(w, r, "", b.Head.MadeAt, content)
		return nil
	})
}

// UploadBackup stores the archive that is the body, once it was read whole.
func UploadBackup(desk BackupDesk, limit int64) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		if kind := r.Header.Get("Content-Type"); kind != archiveMedia {
			return fault.New(fault.Unsupported, "request.media_type", "Send the archive as the body, with Content-Type: %s.", archiveMedia)
		}
		if r.ContentLength > limit {
			return backups.TooLarge(limit)
		}
		b, err := desk.Take(r.Context(), r.Body, endpoint.Principal(r.Context()))
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusCreated, showBackup(b))
	})
}

// FetchBackup brings a copy from off site here and answers once it was read whole.
func FetchBackup(desk BackupDesk) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		b, err := desk.Fetch(r.Context(), r.PathValue("name"), endpoint.Principal(r.Context()))
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusOK, showBackup(b))
	})
}

// Where a backup is deleted.
const (
	DeleteHere       = "here"
	DeleteEverywhere = "everywhere"
)

// DeleteBackup deletes a backup, with its copy off site unless where is here.
func DeleteBackup(desk BackupDesk) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		hereOnly := r.URL.Query().Get("where") == DeleteHere
		if err := desk.Delete(r.Context(), r.PathValue("name"), hereOnly, endpoint.Principal(r.Context())); err != nil {
			return err
		}
		w.WriteHeader(http.StatusNoContent)
		return nil
	})
}

// RestoringAnswer says that a restore has begun.
type RestoringAnswer struct {
	Restoring string `json:"restoring"` // name of the backup
	Before    string `json:"before"`    // name of the backup that was made of what there was
}

// restartSeconds is when it is worth asking again after a restore has begun.
const restartSeconds = 5

// RestoreBackup has the server begin anew with what is in a backup.
func RestoreBackup(desk BackupDesk) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		name := r.PathValue("name")
		before, err := desk.Restore(r.Context(), name, endpoint.Principal(r.Context()))
		if err != nil {
			return err
		}
		w.Header().Set("Retry-After", strconv.Itoa(restartSeconds))
		return endpoint.JSON(w, http.StatusAccepted, RestoringAnswer{Restoring: name, Before: before.Name})
	})
}
