package backups

import (
	"context"
	"io"
	"time"
)

// Copy is an archive that is kept off site.
type Copy struct {
	Name string
	Size int64 // bytes
}

// Storage keeps copies of archives away from this machine. An archive is encrypted before it gets there.
type Storage interface {
	// List returns all copies.
	List(ctx context.Context) ([]Copy, error)
	// Put stores size bytes of content as a whole, or nothing.
	Put(ctx context.Context, name string, size int64, content io.ReaderAt) error
	// Get reads a copy. NotFound when there is none.
	Get(ctx context.Context, name string) (io.ReadCloser, error)
	// Delete removes a copy; one that is not there is gone.
	Delete(ctx context.Context, name string) error
	// Test finds out whether all of these are allowed. The fault says what a person can do.
	Test(ctx context.Context) error
}

// Offsite is the storage as it is configured now.
type Offsite struct {
	Storage Storage // nil: none is configured
	Keep    Keep
	Version int // counts changes of the settings
}

// Rehearsal is a restore into a folder that is thrown away.
type Rehearsal struct {
	Name    string        `json:"name"` // of the backup; empty: there was never one
	At      time.Time     `json:"at"`   // when it ended
	Took    time.Duration `json:"took"`
	Problem string        `json:"problem"` // why that backup could not be restored, for people; empty: it could
}

// OldAfter is how many times the interval of its schedule a backup may be old.
const OldAfter = 2

// Old reports whether what was made then is too old, as schedules go.
func (s Standing) Old(made, now time.Time) bool {
	return s.Every > 0 && !made.IsZero() && now.Sub(made) > OldAfter*s.Every
}

// RehearseIn is how long it is until the next rehearsal; 0: it is due.
func RehearseIn(last Rehearsal, every time.Duration, now time.Time) time.Duration {
	if last.Name == "" {
		return 0
	}
	return min(max(0, every-now.Sub(last.At)), every)
}

// Standing is how it is with the making of backups, and with copies off site.
type Standing struct {
	NotMade string        // why the last backup was not made, for people; empty: it was
	Broken  time.Time     // since when none is made
	Made    time.Time     // the newest that is here; zero: there is none, or nobody can look
	Every   time.Duration // of backups by schedule; 0: none is made by itself
	Tried   Rehearsal     // the last one
	On      bool          // storage is configured and enabled
	Problem string        // why the last attempt failed, for people; empty: it did not
	Since   time.Time     // it fails
	Listed  time.Time     // when the storage last told what it has; zero: never
	Newest  time.Time     // when the newest backup was made of which there is a copy; zero: there is none
	Copies  int
	Size    int64 // bytes of all copies
	Waiting int   // backups here of which there is no copy yet
}
