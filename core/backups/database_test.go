package backups_test

import (
	"strings"
	"testing"
	"time"

	"berth/core/backups"
)

func TestWhatIsMissingOfADatabasesBackups(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	for name, c := range map[string]struct {
		see  backups.OfDatabase
		want string // part of the problem; empty: none
	}{
		"nothing":                          {backups.OfDatabase{}, "Nothing shows"},
		"a log that is archived":           {backups.OfDatabase{Archiving: true, Archived: ago(time.Hour), Failed: ago(2 * time.Hour)}, ""},
		"a log that is not yet":            {backups.OfDatabase{Archiving: true}, "has not done so yet"},
		"a log that fails":                 {backups.OfDatabase{Archiving: true, Archived: ago(2 * time.Hour), Failed: ago(time.Hour)}, "fails to archive"},
		"a log that fails, and a dump":     {backups.OfDatabase{Archiving: true, Failed: ago(time.Hour), Dump: "a.dump", Dumped: ago(3 * time.Hour)}, ""},
		"a log that fails, and an old one": {backups.OfDatabase{Archiving: true, Failed: ago(time.Hour), Dump: "a.dump", Dumped: ago(60 * time.Hour)}, "fails to archive"},
		"archived once, and not now":       {backups.OfDatabase{Archived: ago(time.Hour)}, "Nothing shows"},
		"a dump":                           {backups.OfDatabase{Dump: "a.dump", Dumped: ago(47 * time.Hour)}, ""},
		"an old dump":                      {backups.OfDatabase{Dump: "a.dump", Dumped: ago(49 * time.Hour)}, "older than two times BACKUP_INTERVAL (24h0m0s)"},
	} {
		t.Run(name, func(t *testing.T) {
			c.see.Judge(now, 24*time.Hour)
			if c.want == "" && c.see.Problem != "" || !strings.Contains(c.see.Problem, c.want) {
				t.Errorf("the problem is %q, want %q", c.see.Problem, c.want)
			}
		})
	}
	old := backups.OfDatabase{Dump: "a.dump", Dumped: ago(9000 * time.Hour)}
	if old.Judge(now, 0); old.Problem != "" {
		t.Errorf("where nobody said how often: %q", old.Problem)
	}
}

func TestHowFarWhatIsSafeReaches(t *testing.T) {
	first, second := time.Unix(1, 0), time.Unix(2, 0)
	for name, c := range map[string]struct {
		see  backups.OfDatabase
		want time.Time
	}{
		"nothing":            {backups.OfDatabase{}, time.Time{}},
		"a dump":             {backups.OfDatabase{Dumped: first}, first},
		"a log after a dump": {backups.OfDatabase{Dumped: first, Archiving: true, Archived: second}, second},
		"a dump after a log": {backups.OfDatabase{Dumped: second, Archiving: true, Archived: first}, second},
		"a log of the past":  {backups.OfDatabase{Archived: second}, time.Time{}},
		"an archive that is": {backups.OfDatabase{Archiving: true, Archived: second}, second},
	} {
		if got := c.see.Safe(); !got.Equal(c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
