package backups

import (
	"berth/core/fault"
	"berth/core/notify"
)

// Problems tells what is wrong with backups, for notices; see notify.Source.
func (s *Shelf) Problems() notify.Seen {
	all, err := s.local()
	seen := notify.BackupsSeen{All: all, Standing: s.standing(), Every: s.o.Every}
	if err != nil {
		seen.Unlistable = fault.PublicOf(err)
	}
	s.mu.Lock()
	seen.Tried, seen.Copied = s.begun, s.copied
	s.mu.Unlock()
	return seen.Judge(s.o.Now())
}
