package notify

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"berth/core/backups"
)

// Seen is what was seen of problems that are not in the store.
type Seen struct {
	Problems []Problem
	Unsure   []Kind // nothing is known of these yet, so they are as they were when the server was last up
}

// Source tells of problems that are not in the store. It asks nobody, so it is quick.
type Source func() Seen

// BackupsSeen is how it is with backups.
type BackupsSeen struct {
	All        []backups.Backup // newest first
	Unlistable string           // why there is no list of them, for people; empty: there is
	Standing   backups.Standing
	Every      time.Duration // of backups by schedule; 0: none
	Tried      bool          // one was made, or was not, since the server is up
	Copied     bool          // copying off site has ended, well or not, since the server is up
}

// Judge says what is wrong with backups.
func (b BackupsSeen) Judge(now time.Time) (seen Seen) {
	add := func(kind Kind, version, detail string) {
		seen.Problems = append(seen.Problems, Problem{Kind: kind, Subject: "server", Version: version, Name: "this server", Detail: detail, Path: "/backups"})
	}
	if why := cmp.Or(b.Unlistable, b.Standing.NotMade); why != "" {
		add(BackupFailed, "", why)
	} else if !b.Tried {
		seen.Unsure = append(seen.Unsure, BackupFailed)
	}
	if at, old := b.newest(now); old {
		add(BackupOld, "", fmt.Sprintf("The newest is of %s.", at.UTC().Format("2006-01-02 15:04 MST")))
	}
	switch s := b.Standing; {
	case s.Problem != "":
		add(OffsiteFailed, "", s.Problem)
	case s.On && s.Waiting > 0 && !s.Newest.IsZero() && b.old(s.Newest, now):
		add(OffsiteFailed, "", fmt.Sprintf("The newest copy is of %s.", s.Newest.UTC().Format("2006-01-02 15:04 MST")))
	case !b.Copied:
		seen.Unsure = append(seen.Unsure, OffsiteFailed)
	}
	if r := b.Standing.Tried; r.Problem != "" {
		add(RehearsalFailed, "", r.Name+": "+r.Problem)
	}
	return seen
}

// newest is when the newest backup was made that is here, and whether that is too long ago.
func (b BackupsSeen) newest(now time.Time) (at time.Time, old bool) {
	for _, one := range b.All {
		if one.Here {
			return one.Head.MadeAt, b.old(one.Head.MadeAt, now)
		}
	}
	return at, false
}

func (b BackupsSeen) old(at, now time.Time) bool {
	return b.Every > 0 && now.Sub(at) > backups.OldAfter*b.Every
}

// with adds what was seen to what is in the store.
func (s Seen) with(current []Problem, known []Known) []Problem {
	current = slices.Concat(current, s.Problems)
	for _, k := range known {
		if slices.Contains(s.Unsure, k.Kind) && k.GoneAt.IsZero() {
			current = append(current, k.Problem)
		}
	}
	return current
}

// look asks all sources.
func look(sources []Source) (all Seen) {
	for _, source := range sources {
		seen := source()
		all.Problems = append(all.Problems, seen.Problems...)
		all.Unsure = append(all.Unsure, seen.Unsure...)
	}
	return all
}
