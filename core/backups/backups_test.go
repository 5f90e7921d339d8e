package backups

import (
	"slices"
	"strings"
	"testing"
	"time"

	"berth/core/fault"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func TestANameSaysWhenAndWhy(t *testing.T) {
	for _, why := range []Reason{ByHand, BySchedule, BeforeRestore, BeforeUpgrade, Uploaded} {
		name := Name(noon.In(time.FixedZone("", 3600)), why, [3]byte{1, 2, 255})
		if name != "berth-20261122T120000Z-"+string(why)+"-0102ff.backup" {
			t.Errorf("it is called %s", name)
		}
		if at, got, err := ParseName(name); !at.Equal(noon) || got != why || err != nil {
			t.Errorf("%s reads as %v %s %v", name, at, got, err)
		}
	}
	for _, name := range []string{"", "..", "berth-20261122T120000Z-manual-0102ff.backup/", "../berth-20261122T120000Z-manual-0102ff.backup", "berth-20261122T120000Z-manual-0102FF.backup",
		"berth-20261322T120000Z-manual-0102ff.backup", "berth-20261122T120000Z-other-0102ff.backup", "berth-20261122T120000Z-manual-0102ff.backup\n", ".part-1"} {
		if _, _, err := ParseName(name); !fault.Is(err, fault.NotFound) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestOnlyWhatABackupHoldsIsAMember(t *testing.T) {
	const digest = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
	for member, want := range map[Member]string{
		{Name: Database, Size: 1 << 40}:                                               "",
		{Name: FileMember("blobs/" + digest), Size: MaxFileSize}:                      "blobs/" + digest,
		{Name: FileMember("stk_06h093ycy4yvxppd846mqremk0/12/compose.yaml"), Size: 1}: "stk_06h093ycy4yvxppd846mqremk0/12/compose.yaml",
	} {
		if name, fine := RevisionFile(member); !fine || name != want {
			t.Errorf("%s: %q, %t", member.Name, name, fine)
		}
	}
	for _, member := range []Member{{Name: ""}, {Name: "database.sqlite-wal"}, {Name: Database, Size: -1}, {Name: FileMember("blobs/" + digest), Size: MaxFileSize + 1},
		{Name: "blobs/" + digest}, {Name: FileMember("blobs/" + digest + "/x")}, {Name: FileMember("stk_06h093ycy4yvxppd846mqremk0/0/compose.yaml")},
		{Name: FileMember("stk_06h093ycy4yvxppd846mqremk0/1/../compose.yaml")}, {Name: FileMember("/etc/passwd")}} {
		if name, fine := RevisionFile(member); fine {
			t.Errorf("%q passes as %q", member.Name, name)
		}
	}
}

func TestWhatANewerReleaseMadeIsRefused(t *testing.T) {
	fine := Head{Format: 1, Version: "2.0", Schema: 7, MadeAt: noon}
	for name, c := range map[string]struct {
		head func(*Head)
		code string
	}{
		"this release's":            {func(*Head) {}, ""},
		"an older release's":        {func(h *Head) { h.Schema = 1 }, ""},
		"a newer schema":            {func(h *Head) { h.Schema = 8 }, "backup.newer"},
		"a newer form":              {func(h *Head) { h.Format = 2 }, "backup.newer"},
		"a version of many letters": {func(h *Head) { h.Format, h.Version = 2, strings.Repeat("9", 1000) }, "backup.newer"},
		"no form":                   {func(h *Head) { h.Format = 0 }, "backup.damaged"},
		"no schema":                 {func(h *Head) { h.Schema = 0 }, "backup.damaged"},
		"no time":                   {func(h *Head) { h.MadeAt = time.Time{} }, "backup.damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			h := fine
			c.head(&h)
			err := h.Check(7)
			if (err == nil) != (c.code == "") || err != nil && (fault.CodeOf(err) != c.code || len(fault.PublicOf(err)) > 300) {
				t.Errorf("Check = %v", err)
			}
		})
	}
}

// made are backups by their age in hours.
func made(why Reason, hours ...int) (all []Backup) {
	for _, h := range hours {
		at := noon.Add(-time.Duration(h) * time.Hour)
		all = append(all, Backup{Name: Name(at, why, [3]byte{}), Head: Head{MadeAt: at, Reason: why}})
	}
	return all
}

func TestWhatStays(t *testing.T) {
	all := slices.Concat(made(BySchedule, 1, 25, 49, 73), made(ByHand, 2, 1000, 2000), made(Uploaded, 3, 3000), made(BeforeRestore, 4, 400, 500), made(BeforeUpgrade, 5000))
	for name, c := range map[string]struct {
		keep Keep
		want []Backup
	}{
		"two of each kind":          {Keep{Newest: 2}, slices.Concat(made(BeforeRestore, 500), made(BySchedule, 73, 49))},
		"never none":                {Keep{}, slices.Concat(made(BeforeRestore, 500, 400), made(BySchedule, 73, 49, 25))},
		"what is younger stays":     {Keep{Newest: 1, For: 60 * time.Hour}, slices.Concat(made(BeforeRestore, 500, 400), made(BySchedule, 73))},
		"there are not so many":     {Keep{Newest: 10}, nil},
		"all are younger than that": {Keep{Newest: 1, For: 1000 * time.Hour}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if got := c.keep.Expired(all, noon); !slices.Equal(got, c.want) {
				t.Errorf("expired are %v", got)
			}
		})
	}
}

func TestWhenTheNextIsDue(t *testing.T) {
	const day = 24 * time.Hour
	for name, c := range map[string]struct {
		all  []Backup
		want time.Duration
	}{
		"there is none": {nil, 0},
		"only by hand":  {made(ByHand, 1), 0},
		"one hour ago":  {made(BySchedule, 50, 1), 23 * time.Hour},
		"a day ago":     {made(BySchedule, 24), 0},
		"long ago":      {made(BySchedule, 1000), 0},
		"in the future, says a clock that was set back": {made(BySchedule, -1000), day},
	} {
		t.Run(name, func(t *testing.T) {
			if got := DueIn(c.all, day, noon); got != c.want {
				t.Errorf("in %v, want %v", got, c.want)
			}
		})
	}
}
