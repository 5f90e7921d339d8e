package store

import (
	"context"
	"time"

	"berth/core"
	"berth/core/repositories"
)

const repositoryEventColumns = `id, repository_id, at, kind, text, commit_hash, ref`

func scanRepositoryEvent(row scanner) (repositories.Event, error) {
	var e repositories.Event
	var at int64
	err := row.Scan(&e.ID, &e.Repository, &at, &e.Kind, &e.Text, &e.Commit, &e.Ref)
	e.At = fromMicros(at)
	return e, err
}

// RepositoryEvents implements repositories.Store.
func (s *Store) RepositoryEvents(ctx context.Context, id core.RepositoryID, p core.Page) (core.List[repositories.Event], error) {
	return read(ctx, s, func(tx *Tx) (core.List[repositories.Event], error) {
		if _, err := repositoryByID(tx, id); err != nil {
			return core.List[repositories.Event]{}, err
		}
		items, err := many(tx, scanRepositoryEvent, `SELECT `+repositoryEventColumns+` FROM repository_events
			WHERE repository_id = ? AND (? = '' OR id < ?) ORDER BY id DESC LIMIT ?`, id, p.After, p.After, p.Limit+1)
		return page(items, p, func(e repositories.Event) string { return string(e.ID) }), err
	})
}

// addRepositoryEvents keeps what happened to a repository, and of it no more than so much.
func addRepositoryEvents(tx *Tx, id core.RepositoryID, all []repositories.Event, at time.Time) error {
	for _, e := range all {
		e.ID = core.RepositoryEventID(core.NewID(core.PrefixRepositoryEvent, at))
		if _, err := tx.exec(`INSERT INTO repository_events (`+repositoryEventColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?)`,
			e.ID, id, micros(at), e.Kind, e.Text, e.Commit, e.Ref); err != nil {
			return err
		}
	}
	if len(all) == 0 {
		return nil
	}
	_, err := tx.exec(`DELETE FROM repository_events WHERE repository_id = ? AND id <= (SELECT id FROM repository_events WHERE repository_id = ? ORDER BY id DESC LIMIT 1 OFFSET ?)`,
		id, id, repositories.MaxEvents)
	return err
}
