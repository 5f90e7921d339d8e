package ui

import (
	"net/http"

	"berth/core"
	"berth/core/backups"
	"berth/core/fault"
	"berth/handlers/api"
	"berth/handlers/endpoint"
)

type backupPage struct {
	Line    backupLine
	Trouble string
}

type restoringPage struct{ Name, Before string }

var (
	backupView    = newView[backupPage]("backup_show.html")
	restoringView = newView[restoringPage]("backup_restoring.html")
)

// Backup shows one backup, with what can be done with it.
func Backup(desk api.BackupDesk, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		return writeBackup(w, r, http.StatusOK, desk, "", now)
	})
}

// RestoreBackup has the server begin anew with a backup, and shows that it does.
func RestoreBackup(desk api.BackupDesk, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		name := r.PathValue("name")
		before, err := desk.Restore(r.Context(), name, endpoint.Principal(r.Context()))
		if err != nil {
			return backupTrouble(w, r, err, desk, now)
		}
		return restoringView.write(w, r, http.StatusAccepted, newFrame(r, inBackups, "Restoring", crumb{"Backups", "/backups"}), restoringPage{name, before.Name})
	})
}

// FetchBackup brings a copy from off site here.
func FetchBackup(desk api.BackupDesk, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		b, err := desk.Fetch(r.Context(), r.PathValue("name"), endpoint.Principal(r.Context()))
		if err == nil {
			return seeOther(w, r, saying(backupHref(b.Name), "backup-fetched"))
		}
		return backupTrouble(w, r, err, desk, now)
	})
}

// DeleteBackup deletes a backup.
func DeleteBackup(desk api.BackupDesk, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := typed(r)
		if err != nil {
			return err
		}
		err = desk.Delete(r.Context(), r.PathValue("name"), form.Get("where") == "here", endpoint.Principal(r.Context()))
		if err == nil {
			return seeOther(w, r, saying("/backups", "backup-gone"))
		}
		return backupTrouble(w, r, err, desk, now)
	})
}

// backupTrouble shows the backup again with what went wrong.
func backupTrouble(w http.ResponseWriter, r *http.Request, err error, desk api.BackupDesk, now core.Clock) error {
	c, ours := complain(r, err)
	if !ours || fault.Is(err, fault.NotFound) || fault.CodeOf(err) == "backup.elsewhere" {
		return err
	}
	c.when(w)
	return writeBackup(w, r, c.Status, desk, c.general(), now)
}

func writeBackup(w http.ResponseWriter, r *http.Request, status int, desk api.BackupDesk, trouble string, now core.Clock) error {
	all, err := desk.Backups(r.Context())
	if err != nil {
		return err
	}
	for _, b := range all {
		if b.Name == r.PathValue("name") {
			f := newFrame(r, inBackups, "Backup", crumb{"Backups", "/backups"})
			f.Problem = status != http.StatusOK
			return backupView.write(w, r, status, f, backupPage{lineOfBackup(b, now), trouble})
		}
	}
	return backups.NotFound()
}
