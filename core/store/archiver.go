package store

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"berth/core/backups"
)

// Archiver tells whether a PostgreSQL server archives its log (pg_stat_archiver), which every user may ask.
type Archiver struct{ *Store }

// Look implements backups.Looker, without dumps.
func (a Archiver) Look(ctx context.Context) (d backups.OfDatabase, err error) {
	state, err := read(ctx, a.Store, func(tx *Tx) (string, error) {
		return one(tx, errNoArchiver, scalar[string], `SELECT current_setting('server_version') || '|' || current_setting('archive_mode') || '|' ||
			coalesce(extract(epoch FROM last_archived_time), 0)::bigint || '|' || coalesce(extract(epoch FROM last_failed_time), 0)::bigint FROM pg_stat_archiver`)
	})
	if err != nil {
		return d, err
	}
	return d, readArchiver(state, &d)
}

var errNoArchiver = errors.New("pg_stat_archiver has no row")

// readArchiver reads version, archive_mode, and the seconds since 1970 of the last success and failure, 0 for never.
func readArchiver(text string, d *backups.OfDatabase) error {
	parts := strings.Split(text, "|")
	if len(parts) != 4 {
		return fmt.Errorf("the state of the archiver has an unknown form: %q", text)
	}
	d.Version, d.Archiving = parts[0], parts[1] == "on" || parts[1] == "always"
	for i, at := range []*time.Time{&d.Archived, &d.Failed} {
		seconds, err := strconv.ParseInt(parts[2+i], 10, 64)
		if err != nil {
			return fmt.Errorf("the state of the archiver: %w", err)
		}
		if seconds > 0 {
			*at = time.Unix(seconds, 0).UTC()
		}
	}
	return nil
}
