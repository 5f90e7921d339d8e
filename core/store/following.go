package store

import (
	"context"

	"berth/core"
	"berth/core/access"
	"berth/core/intake"
	"berth/core/repositories"
)

// maxFollowed bounds what is read of one repository that is followed.
const maxFollowed = 20_000

// FollowKnown implements intake.FollowStore.
func (s *Store) FollowKnown(ctx context.Context, id core.RepositoryID) (intake.Known, error) {
	return read(ctx, s, func(tx *Tx) (known intake.Known, err error) {
		if known.Things, err = thingsOf(tx, id); err != nil {
			return known, err
		}
		if known.Folders, err = foldersOf(tx, id, ""); err != nil {
			return known, err
		}
		known.Proposals, err = proposalsOf(tx, id, maxFollowed)
		return known, err
	})
}

// thingsOf returns the stacks and jobs of a repository. Their rows may be illegible otherwise.
func thingsOf(tx *Tx, id core.RepositoryID) ([]intake.Thing, error) {
	scan := func(row scanner) (t intake.Thing, err error) {
		return t, row.Scan(&t.Kind, &t.ID, &t.Name, &t.Path, &t.Going)
	}
	all, err := many(tx, scan, `SELECT 'stack', id, name, path, deleting FROM stacks WHERE repository_id = ? ORDER BY id LIMIT ?`, id, maxFollowed)
	if err != nil {
		return nil, err
	}
	jobs, err := many(tx, scan, `SELECT 'job', id, name, path, 0 FROM jobs WHERE repository_id = ? ORDER BY id LIMIT ?`, id, maxFollowed)
	return append(all, jobs...), err
}

// foldersOf returns what is known of a repository's folders: in one state, or in all.
func foldersOf(tx *Tx, id core.RepositoryID, state intake.FolderState) ([]intake.Folder, error) {
	return many(tx, func(row scanner) (f intake.Folder, err error) {
		var since int64
		err = row.Scan(&f.Kind, &f.Path, &f.State, &f.Problem, &since)
		f.Since = fromMicros(since)
		return f, err
	}, `SELECT kind, path, state, problem, since FROM followed_folders WHERE repository_id = ? AND (? = '' OR state = ?) ORDER BY kind, path LIMIT ?`, id, state, state, maxFollowed)
}

const proposalColumns = `p.kind, p.thing_id, COALESCE(s.name, j.name, ''), p.repository_id, p.path, p.moved_to, p.commit_hash, p.problem, p.since
	FROM folder_proposals p LEFT JOIN stacks s ON s.id = p.thing_id LEFT JOIN jobs j ON j.id = p.thing_id`

func scanProposal(row scanner) (p intake.Proposal, err error) {
	var since int64
	err = row.Scan(&p.Kind, &p.ID, &p.Name, &p.Repository, &p.Path, &p.MovedTo, &p.Commit, &p.Problem, &since)
	p.Since = fromMicros(since)
	return p, err
}

func proposalsOf(tx *Tx, id core.RepositoryID, limit int) ([]intake.Proposal, error) {
	return many(tx, scanProposal, `SELECT `+proposalColumns+` WHERE p.repository_id = ? ORDER BY p.since, p.thing_id LIMIT ?`, id, limit)
}

// FolderProposals returns what is proposed for stacks and jobs that lost their folder, oldest first: of one repository, or
// of all.
func (s *Store) FolderProposals(ctx context.Context, id core.RepositoryID, limit int) ([]intake.Proposal, error) {
	return read(ctx, s, func(tx *Tx) ([]intake.Proposal, error) {
		if id != "" {
			return proposalsOf(tx, id, limit)
		}
		return many(tx, scanProposal, `SELECT `+proposalColumns+` ORDER BY p.since, p.thing_id LIMIT ?`, limit)
	})
}

// FolderProposal returns what is proposed for one stack or job; ok is false when nothing is.
func (s *Store) FolderProposal(ctx context.Context, thing string) (p intake.Proposal, ok bool, err error) {
	all, err := read(ctx, s, func(tx *Tx) ([]intake.Proposal, error) {
		return many(tx, scanProposal, `SELECT `+proposalColumns+` WHERE p.thing_id = ? LIMIT 1`, thing)
	})
	if err != nil || len(all) == 0 {
		return p, false, err
	}
	return all[0], true, nil
}

// WaitingFolders returns the new folders of a repository that were not added, and why.
func (s *Store) WaitingFolders(ctx context.Context, id core.RepositoryID) ([]intake.Folder, error) {
	return read(ctx, s, func(tx *Tx) ([]intake.Folder, error) {
		refused, err := foldersOf(tx, id, intake.FolderRefused)
		if err != nil {
			return nil, err
		}
		held, err := foldersOf(tx, id, intake.FolderHeld)
		return append(refused, held...), err
	})
}

// SetFollowed implements intake.FollowStore.
func (s *Store) SetFollowed(ctx context.Context, r repositories.Repository, f intake.Followed) error {
	return s.db.Write(ctx, func(tx *Tx) error {
		same, err := many(tx, scalar[int], `SELECT 1 FROM repositories WHERE id = ? AND follow = ?`, r.ID, toJSON(r.Following))
		if err != nil || len(same) == 0 {
			return err
		}
		if _, err := tx.exec(`UPDATE repositories SET follow_begun = 1 WHERE id = ? AND follow_begun = 0`, r.ID); err != nil {
			return err
		}
		if err := s.setFolders(tx, r.ID, f); err != nil {
			return err
		}
		if err := s.setProposals(tx, r.ID, f); err != nil {
			return err
		}
		return addRepositoryEvents(tx, r.ID, f.Events, s.now())
	})
}

func (s *Store) setFolders(tx *Tx, id core.RepositoryID, f intake.Followed) error {
	for _, gone := range f.Forget {
		if _, err := tx.exec(`DELETE FROM followed_folders WHERE repository_id = ? AND kind = ? AND path = ?`, id, gone.Kind, gone.Path); err != nil {
			return err
		}
	}
	for _, at := range f.Note {
		_, err := tx.exec(`INSERT INTO followed_folders (repository_id, kind, path, state, problem, since) VALUES (?, ?, ?, ?, ?, ?)
			ON CONFLICT (repository_id, kind, path) DO UPDATE SET state = excluded.state, problem = excluded.problem`,
			id, at.Kind, at.Path, at.State, at.Problem, micros(s.now()))
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) setProposals(tx *Tx, id core.RepositoryID, f intake.Followed) error {
	for _, thing := range f.Void {
		if err := s.dropProposal(tx, thing); err != nil {
			return err
		}
	}
	for _, p := range f.Proposals {
		there, err := many(tx, scalar[string], `SELECT id FROM stacks WHERE id = ? AND path = ? UNION ALL SELECT id FROM jobs WHERE id = ? AND path = ? LIMIT 1`, p.ID, p.Path, p.ID, p.Path)
		if err == nil && len(there) > 0 { // what was removed or moved meanwhile needs none
			_, err = tx.exec(`INSERT INTO folder_proposals (thing_id, repository_id, kind, path, moved_to, commit_hash, problem, since) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
				ON CONFLICT (thing_id) DO UPDATE SET problem = excluded.problem`,
				p.ID, id, p.Kind, p.Path, p.MovedTo, p.Commit, p.Problem, micros(s.now()))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// dropProposal ends what is proposed for a stack or a job, and has its repository looked at: a folder may wait for that.
func (s *Store) dropProposal(tx *Tx, thing string) error {
	of, err := many(tx, scalar[core.RepositoryID], `SELECT repository_id FROM folder_proposals WHERE thing_id = ?`, thing)
	if err != nil || len(of) == 0 {
		return err
	}
	if _, err := tx.exec(`DELETE FROM folder_proposals WHERE thing_id = ?`, thing); err != nil {
		return err
	}
	_, err = tx.exec(`UPDATE repositories SET asked_at = ?, asked_by = ? WHERE id = ? AND asked_at = 0`, micros(s.now()), access.System.Name, of[0])
	return err
}

// followAnew forgets what a change of following makes void: all of it when nothing is followed any more.
func followAnew(tx *Tx, r repositories.Repository) error {
	if _, err := tx.exec(`DELETE FROM folder_proposals WHERE repository_id = ?`, r.ID); err != nil {
		return err
	}
	_, err := tx.exec(`DELETE FROM followed_folders WHERE repository_id = ? AND (state IN ('refused', 'held') OR ? = 0)`, r.ID, number(r.Following.On()))
	return err
}

// workerFits refuses a worker for new stacks that cannot be used.
func workerFits(tx *Tx, f repositories.Following) error {
	if f.Worker == "" {
		return nil
	}
	return mustExist(tx, `SELECT 1 FROM workers WHERE id = ? AND revoked = 0`, string(f.Worker), "follow.worker_id", "names no worker, or one that was revoked; GET /workers lists them")
}
