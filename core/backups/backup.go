package backups

import (
	"cmp"
	"slices"
	"time"
)

// Backup is one archive that was made, opened again and found whole.
type Backup struct {
	Name    string
	Size    int64 // bytes of the archive
	Head    Head
	Problem string // why it cannot be restored here, for people; empty: it can
	Here    bool   // it is in the folder of this server
	Checked bool   // it was read whole as it is there, and found good
	Away    bool   // there is a copy off site
}

// Keep says which backups stay. Those that a person asked for or brought are never deleted by themselves.
type Keep struct {
	Newest int           // so many of those that were made by schedule, and of those before a restore or an upgrade
	For    time.Duration // at least; 0: the count alone decides
}

// Expired returns the backups that may go, oldest first. Of each reason the newest stays whatever its age.
func (k Keep) Expired(all []Backup, now time.Time) []Backup {
	var expired []Backup
	kept := map[Reason]int{}
	for _, b := range Newest(all) {
		kept[b.Head.Reason]++
		byItself := b.Head.Reason != ByHand && b.Head.Reason != Uploaded
		if byItself && kept[b.Head.Reason] > max(1, k.Newest) && now.Sub(b.Head.MadeAt) > k.For {
			expired = append(expired, b)
		}
	}
	slices.Reverse(expired)
	return expired
}

// Newest returns backups newest first.
func Newest(all []Backup) []Backup {
	return slices.SortedStableFunc(slices.Values(all), func(a, b Backup) int {
		return cmp.Or(b.Head.MadeAt.Compare(a.Head.MadeAt), cmp.Compare(b.Name, a.Name))
	})
}

// DueIn is how long it is until the next backup by schedule; 0: it is due. A clock that was set back does not hold it up
// for longer than every.
func DueIn(all []Backup, every time.Duration, now time.Time) time.Duration {
	for _, b := range Newest(all) {
		if b.Head.Reason == BySchedule {
			return min(max(0, every-now.Sub(b.Head.MadeAt)), every)
		}
	}
	return 0
}
