package store

import (
	"context"
	"time"

	"berth/core"
	"berth/core/repositories"
)

// Repositories returns every repository, oldest first: what polling looks at.
func (s *Store) Repositories(ctx context.Context) ([]repositories.Repository, error) {
	return read(ctx, s, func(tx *Tx) ([]repositories.Repository, error) {
		return many(tx, scanRepository, `SELECT `+repositoryColumns+` FROM repositories ORDER BY id LIMIT ?`, repositories.MaxRepositories)
	})
}

// SetFetched records the head that was fetched, what happened since the one before, and that reading works. It writes only
// when that is news, so that polling costs no row. When reading works again, what is to be
// tried again of this repository is due now; with a new head so is what a file outside a stack's folder
// may have mended. NotFound "repository.not_found".
func (s *Store) SetFetched(ctx context.Context, id core.RepositoryID, head core.GitHead, lineage core.Lineage, at time.Time) error {
	r, err := s.Repository(ctx, id)
	if err != nil || r.IsAt(head) && r.ErrorCode == "" {
		return err
	}
	return s.db.Write(ctx, func(tx *Tx) error {
		if err := tx.change(errRepositoryMissing, `UPDATE repositories SET head = ?, ref = ?, moved_to = ?, fetched_at = ?, error_code = '', error = '', updated_at = ? WHERE id = ?`,
			head.Commit, head.Ref, head.Moved, micros(at), micros(at), id); err != nil {
			return err
		}
		if err := addRepositoryEvents(tx, id, r.Turns(head, lineage), at); err != nil {
			return err
		}
		if r.Head != head.Commit {
			if err := s.mendByHead(tx, id, head.Commit); err != nil {
				return err
			}
		}
		if r.ErrorCode == "" {
			return nil
		}
		_, err := tx.exec(`UPDATE stacks SET retry_at = ? WHERE repository_id = ? AND retry_at > ?`, micros(at), id, micros(at))
		return err
	})
}

// SetFetchError records why a repository cannot be read; its head stays. It writes only
// when code or text are news. NotFound "repository.not_found".
func (s *Store) SetFetchError(ctx context.Context, id core.RepositoryID, code, text string, at time.Time) error {
	r, err := s.Repository(ctx, id)
	if err != nil || r.ErrorCode == code && r.Error == text {
		return err
	}
	return s.db.Write(ctx, func(tx *Tx) error {
		return tx.change(errRepositoryMissing, `UPDATE repositories SET error_code = ?, error = ?, updated_at = ? WHERE id = ?`, code, text, micros(at), id)
	})
}

// ClearAsked takes back the wish to look at a repository, unless a newer one came
// meanwhile or the repository is gone.
func (s *Store) ClearAsked(ctx context.Context, id core.RepositoryID, askedAt time.Time) error {
	return s.db.Write(ctx, func(tx *Tx) error {
		_, err := tx.exec(`UPDATE repositories SET asked_at = 0, asked_by = '' WHERE id = ? AND asked_at = ?`, id, micros(askedAt))
		return err
	})
}
