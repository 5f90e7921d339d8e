package api

import (
	"net/http"
	"time"

	"berth/core/backups"
	"berth/handlers/endpoint"
)

// DatabaseBackupsAnswer is what can be seen of the backups of the PostgreSQL server that keeps everything.
type DatabaseBackupsAnswer struct {
	Version   string     `json:"version"`     // of the server; "" when it does not say how it is with its log
	Archiving bool       `json:"archiving"`   // it archives its log: archive_mode
	Archived  *time.Time `json:"archived_at"` // when a piece of the log was last archived; null: never
	Failed    *time.Time `json:"failed_at"`   // when that failed last; null: never
	Dumps     string     `json:"dumps"`       // folder of the hub's host in which dumps are looked for, BACKUP_DIR; "" on a function host, which cannot
	Dump      string     `json:"dump"`        // name of the newest dump; "": there is none
	Dumped    *time.Time `json:"dumped_at"`   // when it was written; null: there is none
	DumpSize  int64      `json:"dump_size"`   // bytes; 0: there is none
	Program   string     `json:"program"`     // what pg_dump --version says on that host; "": there is none
	Problem   string     `json:"problem"`     // what is missing; "": nothing
}

// DatabaseBackups answers with how it is with the backups of the database server.
func DatabaseBackups(desk BackupDesk) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		d, err := desk.Database(r.Context())
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusOK, showOfDatabase(d))
	})
}

func showOfDatabase(d backups.OfDatabase) DatabaseBackupsAnswer {
	answer := DatabaseBackupsAnswer{Version: d.Version, Archiving: d.Archiving, Dumps: d.Dumps, Dump: d.Dump, DumpSize: d.DumpSize, Program: d.Program, Problem: d.Problem}
	for at, to := range map[*time.Time]**time.Time{&d.Archived: &answer.Archived, &d.Failed: &answer.Failed, &d.Dumped: &answer.Dumped} {
		if !at.IsZero() {
			*to = at
		}
	}
	return answer
}
