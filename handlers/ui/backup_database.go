package ui

import (
	"berth/core"
	"berth/core/backups"
)

// databaseFacts is how it is with the backups of a database server.
type databaseFacts struct {
	Version          string
	Problem, Unread  string
	Archiving        badge
	Archived, Failed moment
	Dumps, Dump      string // folder, and the newest in it
	Dumped           moment
	Size             string
	Program          string
}

func factsOfDatabase(d backups.OfDatabase, now core.Clock) databaseFacts {
	f := databaseFacts{Version: d.Version, Problem: d.Problem, Unread: d.Unread, Archiving: badge{"idle", "circle", "Off"}, Dumps: d.Dumps, Dump: d.Dump, Size: sizeOf(d.DumpSize), Program: d.Program}
	f.Archived, f.Failed, f.Dumped = at(d.Archived, now()), at(d.Failed, now()), at(d.Dumped, now())
	switch {
	case d.Archiving && d.Failed.After(d.Archived):
		f.Archiving = badge{"bad", "cross", "Fails"}
	case d.Archiving && d.Archived.IsZero():
		f.Archiving = badge{"busy", "clock", "Not yet"}
	case d.Archiving:
		f.Archiving = badge{"ok", "check", "On"}
	}
	return f
}
