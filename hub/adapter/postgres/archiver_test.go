package postgres

import (
	"strings"
	"testing"
	"time"

	"berth/core/store"
	"berth/local/stand/pgserver"
)

// TestTheArchiverOfARealServer that archives nothing, and can be asked by any user.
func TestTheArchiverOfARealServer(t *testing.T) {
	s := pgserver.New(t, pgserver.Options{})
	db := migrated(t, s.URL(s.Database(t, "template0")))
	d, err := store.Archiver{Store: store.New(db, time.Now)}.Look(t.Context())
	if err != nil || d.Archiving || !d.Archived.IsZero() || !d.Failed.IsZero() || !strings.Contains(d.Version, ".") {
		t.Errorf("Look = %+v, %v", d, err)
	}
}
