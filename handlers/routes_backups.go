package handlers

import (
	"net/http"

	"berth/core"
	"berth/core/access"
	"berth/handlers/api"
	"berth/handlers/guard"
	"berth/handlers/ui"
)

// BackupsDeps is what backups need.
type BackupsDeps struct {
	Desk  api.BackupDesk // *backups.Desk
	Limit int64          // bytes of an archive that is uploaded
	Now   core.Clock
}

func backupRoutes(d Deps) []Route {
	b := d.Backups
	const all, single = "/api/custom/backups", "/api/custom/backups/{name}"
	row := func(method, pattern string, handler http.Handler, op Operation) Route {
		op.Tag = "backups"
		op.Problems = append(op.Problems, http.StatusConflict)
		return Route{Method: method, Pattern: pattern, Capability: access.Administer, Surface: guard.API, Handler: handler, Operation: op}
	}
	upload := row(http.MethodPost, all+"/upload", api.UploadBackup(b.Desk, b.Limit), Operation{Summary: "Upload the archive of a backup",
		Detail:      "The archive is the request body, as application/octet-stream and of at most BACKUP_UPLOAD_MAX_MB. It is read whole before it is listed: one that is damaged, of another SECRET_KEY or of a newer release is refused.",
		RequestType: "application/octet-stream", Response: api.BackupAnswer{}, Status: http.StatusCreated, Problems: []int{http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity}})
	upload.BodyLimit = guard.AnyBody
	return []Route{
		row(http.MethodGet, all, api.ListBackups(b.Desk),
			Operation{Summary: "List backups, newest first", Detail: "Those that are off site alone are listed too; what the storage has is asked for at most every quarter of an hour.", Response: api.BackupsAnswer{}, Status: http.StatusOK}),
		row(http.MethodPost, all, api.CreateBackup(b.Desk),
			Operation{Summary: "Make a backup now", Detail: "It is made from the running server, and answered once it was opened again and found whole.", Response: api.BackupAnswer{}, Status: http.StatusCreated}),
		row(http.MethodGet, all+"/database", api.DatabaseBackups(b.Desk), Operation{Summary: "See how PostgreSQL is backed up",
			Detail:   "For installations that keep everything in PostgreSQL: whether its server archives its log, and which dump is the newest in BACKUP_DIR on the hub's host. 409 where Berth makes backups itself.",
			Response: api.DatabaseBackupsAnswer{}, Status: http.StatusOK}),
		upload,
		row(http.MethodPost, all+"/rehearse", api.RehearseBackup(b.Desk), Operation{Summary: "Rehearse a restore",
			Detail:   "The newest backup that is here is restored into a folder that is thrown away: its rows go into a fresh schema and are compared, the database is checked, and the key must open it. Nothing of the server changes. That it fails is an answer.",
			Response: api.RehearsalAnswer{}, Status: http.StatusOK, Problems: []int{http.StatusNotFound}}),
		row(http.MethodGet, single, api.DownloadBackup(b.Desk),
			Operation{Summary: "Download the archive of a backup", Detail: "It is encrypted: only a server with the same SECRET_KEY can read it. Parts can be asked for with Range.", ContentType: "application/octet-stream", Status: http.StatusOK}),
		row(http.MethodPost, single+"/restore", api.RestoreBackup(b.Desk),
			Operation{Summary: "Restore a backup", Detail: "The whole archive is checked and a backup of the present is made before anything changes. Then the server begins anew with it within seconds; when it does not come up, what there was is put back. Everybody has to sign in again. What runs on workers goes on, and is observed and compared.",
				Response: api.RestoringAnswer{}, Status: http.StatusAccepted, Problems: []int{http.StatusUnprocessableEntity}}),
		row(http.MethodPost, single+"/fetch", api.FetchBackup(b.Desk),
			Operation{Summary: "Fetch a backup from off site", Detail: "The copy is brought here and answered once it was opened and found whole. Restoring does so by itself.",
				Response: api.BackupAnswer{}, Status: http.StatusOK, Problems: []int{http.StatusUnprocessableEntity}}),
		row(http.MethodDelete, single, api.DeleteBackup(b.Desk), Operation{Summary: "Delete a backup",
			Detail: "Its copy off site is deleted first; where=here leaves it.", Query: []Param{oneOf("where", "where it is deleted; everywhere, the default, is off site too", []string{api.DeleteHere, api.DeleteEverywhere})}, Status: http.StatusNoContent}),
	}
}

func uiBackupRoutes(b BackupsDeps) []Route {
	const all, one = "/backups", "/backups/{name}"
	upload := form(all+"/upload", access.Administer, ui.UploadBackup(b.Desk, b.Limit, b.Now))
	upload.BodyLimit = guard.AnyBody
	return []Route{
		page(all, access.Administer, ui.Backups(b.Desk, b.Limit, b.Now)),
		form(all, access.Administer, ui.CreateBackup(b.Desk, b.Limit, b.Now)),
		upload,
		form(all+"/rehearse", access.Administer, ui.RehearseBackup(b.Desk, b.Limit, b.Now)),
		page(one, access.Administer, ui.Backup(b.Desk, b.Now)),
		form(one+"/restore", access.Administer, ui.RestoreBackup(b.Desk, b.Now)),
		form(one+"/fetch", access.Administer, ui.FetchBackup(b.Desk, b.Now)),
		form(one+"/delete", access.Administer, ui.DeleteBackup(b.Desk, b.Now)),
	}
}
