package notify_test

import (
	"strings"
	"testing"
	"time"

	"berth/core/backups"
	"berth/core/notify"
)

func TestWhatIsWrongWithBackups(t *testing.T) {
	at := func(age time.Duration) []backups.Backup {
		return []backups.Backup{{Here: true, Head: backups.Head{MadeAt: began.Add(-age)}}}
	}
	for name, c := range map[string]struct {
		seen         notify.BackupsSeen
		want, unsure string
	}{
		"all is well":              {notify.BackupsSeen{All: at(time.Hour), Every: time.Hour, Tried: true, Copied: true}, "", ""},
		"the server just began":    {notify.BackupsSeen{}, "", "backup_failed offsite_failed"},
		"one was not made":         {notify.BackupsSeen{Standing: backups.Standing{NotMade: "disk full"}, Tried: true, Copied: true}, "backup_failed: disk full", ""},
		"there is no list":         {notify.BackupsSeen{Unlistable: "no folder", Copied: true}, "backup_failed: no folder", ""},
		"the newest is too old":    {notify.BackupsSeen{All: at(3 * time.Hour), Every: time.Hour, Tried: true, Copied: true}, "backup_old: The newest is of", ""},
		"old without a schedule":   {notify.BackupsSeen{All: at(3 * time.Hour), Tried: true, Copied: true}, "", ""},
		"the storage is away":      {notify.BackupsSeen{Standing: backups.Standing{On: true, Problem: "refused"}, Tried: true, Copied: true}, "offsite_failed: refused", ""},
		"copies are too old":       {notify.BackupsSeen{Every: time.Hour, Standing: backups.Standing{On: true, Waiting: 1, Newest: began.Add(-3 * time.Hour)}, Tried: true, Copied: true}, "offsite_failed: The newest copy is of", ""},
		"a rehearsal did not work": {notify.BackupsSeen{Standing: backups.Standing{Tried: backups.Rehearsal{Name: "b", Problem: "damaged"}}, Tried: true, Copied: true}, "rehearsal_failed: b: damaged", ""},
	} {
		var got, unsure []string
		seen := c.seen.Judge(began)
		for _, p := range seen.Problems {
			got = append(got, string(p.Kind)+": "+p.Detail)
		}
		for _, k := range seen.Unsure {
			unsure = append(unsure, string(k))
		}
		all := strings.Join(got, ", ")
		if !strings.HasPrefix(all, c.want) || c.want == "" && all != "" || strings.Join(unsure, " ") != c.unsure {
			t.Errorf("%s: %q, unsure of %v", name, all, unsure)
		}
	}
}

func TestWhatARestartForgotIsNotOver(t *testing.T) {
	l := &ledger{world: world{known: map[notify.Key]notify.Known{}}, now: began}
	var seen notify.Seen
	w := notify.NewWatch(l, some{"slack": target("slack", nil)}, writer{}, writer{}, "https://berth.test", func() time.Time { return l.now }, func() notify.Seen { return seen })
	told := func(when string, now notify.Seen, want int) {
		t.Helper()
		seen = now
		for range 2 {
			if l.now = l.now.Add(time.Minute); w.Look(t.Context()) != nil {
				t.Fatal(when)
			}
		}
		if len(l.letters) != want {
			t.Errorf("%s: %d messages, want %d", when, len(l.letters), want)
		}
	}
	told("one was not made", notify.BackupsSeen{Standing: backups.Standing{NotMade: "disk full"}, Copied: true}.Judge(began), 1)
	told("still so", seen, 1)
	told("the server began anew", notify.BackupsSeen{}.Judge(began), 1)
	told("one was made", notify.BackupsSeen{Tried: true, Copied: true}.Judge(began), 2)
}
