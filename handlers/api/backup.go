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
	Delete(ctx context.Context, name string, by access.Principal) error
	Restore(ctx context.Context, name string, by access.Principal) (before backups.Backup, err error)
}

// BackupAnswer is a backup as the API shows it.
type BackupAnswer struct {
	Name      string    `json:"name"`
	Size      int64     `json:"size"` // bytes of the archive
	CreatedAt time.Time `json:"created_at"`
	Verified  bool      `json:"verified"` // it was opened again after it was made or uploaded, and found whole; others are not listed
	Reason    string    `json:"reason"`   // manual, schedule, before-restore, before-upgrade or uploaded
	Version   string    `json:"version"`  // of the server that made it; "" when the archive does not open
	Schema    int       `json:"schema"`   // of its database; 0 when the archive does not open
	Problem   string    `json:"problem"`  // why it cannot be restored here; "" when it can
}

func showBackup(b backups.Backup) BackupAnswer {
	return BackupAnswer{Name: b.Name, Size: b.Size, CreatedAt: b.Head.MadeAt, Verified: true, Reason: string(b.Head.Reason),
		Version: b.Head.Version, Schema: b.Head.Schema, Problem: b.Problem}
}

// ListBackups lists all backups, newest first.
func ListBackups(desk BackupDesk) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		all, err := desk.Backups(r.Context())
		if err != nil {
			return err
		}
		items := endpoint.Items[BackupAnswer]{Items: []BackupAnswer{}}
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

// DeleteBackup deletes a backup.
func DeleteBackup(desk BackupDesk) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		if err := desk.Delete(r.Context(), r.PathValue("name"), endpoint.Principal(r.Context())); err != nil {
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
