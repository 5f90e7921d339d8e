package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/repositories"
)

var (
	errRepositoryMissing   = fault.New(fault.NotFound, "repository.not_found", "There is no such repository.")
	errRepositoryNameTaken = fault.New(fault.Conflict, "repository.name_taken", "Another repository has this name. Choose another.")
)

const repositoryColumns = `id, name, url, branch, credential_id, head, fetched_at, error_code, error, asked_at, asked_by, created_at, updated_at, sops_age_public_key, hooked_at, unannounced_at, tag, semver, ref, moved_to, follow, follow_begun, statuses, statuses_problem, statuses_problem_at`

func scanRepository(row scanner) (repositories.Repository, error) {
	var (
		r                                repositories.Repository
		credential                       sql.NullString
		fetched, asked, created, updated int64
		hooked, unannounced, trouble     int64
	)
	err := row.Scan(&r.ID, &r.Name, &r.URL, &r.Branch, &credential, &r.Head, &fetched, &r.ErrorCode, &r.Error, &asked, &r.AskedBy, &created, &updated, &r.AgePublicKey, &hooked, &unannounced, &r.Tag, &r.Semver, &r.Ref, &r.MovedTo, jsonInto{&r.Following}, &r.FollowBegun, &r.Statuses, &r.StatusTrouble.Text, &trouble)
	r.Credential = core.CredentialID(credential.String)
	r.FetchedAt, r.AskedAt = fromMicros(fetched), fromMicros(asked)
	r.CreatedAt, r.UpdatedAt = fromMicros(created), fromMicros(updated)
	r.StatusTrouble.At = fromMicros(trouble)
	r.HookedAt, r.UnannouncedAt = fromMicros(hooked), fromMicros(unannounced)
	return r, err
}

// Repository implements repositories.Store.
func (s *Store) Repository(ctx context.Context, id core.RepositoryID) (repositories.Repository, error) {
	return read(ctx, s, func(tx *Tx) (repositories.Repository, error) { return repositoryByID(tx, id) })
}

func repositoryByID(tx *Tx, id core.RepositoryID) (repositories.Repository, error) {
	return one(tx, errRepositoryMissing, scanRepository, `SELECT `+repositoryColumns+` FROM repositories WHERE id = ?`, id)
}

// RepositoryList implements repositories.Store.
func (s *Store) RepositoryList(ctx context.Context, ask core.Page) (core.List[repositories.Repository], error) {
	return read(ctx, s, func(tx *Tx) (core.List[repositories.Repository], error) {
		items, err := many(tx, scanRepository, `SELECT `+repositoryColumns+` FROM repositories WHERE name > ? ORDER BY name LIMIT ?`, ask.After, ask.Limit+1)
		return page(items, ask, func(r repositories.Repository) string { return r.Name }), err
	})
}

// AddRepository implements repositories.Store.
func (s *Store) AddRepository(ctx context.Context, r repositories.Repository, e access.AuditEvent) (repositories.Repository, error) {
	return writeNew(ctx, s, func(tx *Tx) (repositories.Repository, error) {
		if err := repositoryAllowed(tx); err != nil {
			return r, err
		}
		if err := credentialFits(tx, r); err != nil {
			return r, err
		}
		err := tx.insert(errRepositoryNameTaken, `INSERT INTO repositories (`+repositoryColumns+`, sops_age_key) VALUES (?, ?, ?, ?, ?, '', 0, '', '', ?, ?, ?, ?, ?, 0, 0, ?, ?, '', '', '{}', 0, '', '', 0, ?)`,
			r.ID, r.Name, r.URL, r.Branch, nullable(string(r.Credential)), micros(r.AskedAt), r.AskedBy, micros(r.CreatedAt), micros(r.UpdatedAt), r.AgePublicKey, r.Tag, r.Semver, ageKeyOf(r))
		if err != nil {
			return r, err
		}
		if err := s.audit(tx, e); err != nil {
			return r, err
		}
		return repositoryByID(tx, r.ID)
	})
}

func repositoryAllowed(tx *Tx) error {
	count, err := one(tx, nil, scalar[int], `SELECT count(*) FROM repositories`)
	if err == nil && count >= repositories.MaxRepositories {
		err = fault.New(fault.Conflict, "repository.limit", "There are %d repositories, which is as many as one installation looks at. Delete one that is not needed any more.", count)
	}
	return err
}

// credentialFits refuses a credential that does not exist or is bound to another host.
func credentialFits(tx *Tx, r repositories.Repository) error {
	if r.Credential == "" {
		return nil
	}
	missing := fault.BadFields("input.reference", []fault.Field{{Path: "credential_id", Problem: "names no repository key"}})
	c, err := credentialByID(tx, r.Credential, missing)
	if err != nil {
		return err
	}
	return c.Fits(r.URL)
}

// EditRepository implements repositories.Store.
func (s *Store) EditRepository(ctx context.Context, id core.RepositoryID, c repositories.Change, by access.Principal) (repositories.Repository, error) {
	return write(ctx, s, func(tx *Tx) (repositories.Repository, error) {
		before, err := repositoryByID(tx, id)
		if err != nil {
			return before, err
		}
		r, err := c.Apply(before, by.Name, s.now())
		if err != nil {
			return before, err
		}
		if err := credentialFits(tx, r); err != nil {
			return before, err
		}
		if err := workerFits(tx, r.Following); err != nil {
			return before, err
		}
		err = tx.insert(errRepositoryNameTaken, `UPDATE repositories SET name = ?, url = ?, branch = ?, tag = ?, semver = ?, credential_id = ?, head = ?, ref = ?, moved_to = ?, fetched_at = ?,
			error_code = ?, error = ?, asked_at = ?, asked_by = ?, updated_at = ?, follow = ?, follow_begun = ?, statuses = ?, statuses_problem = ?, statuses_problem_at = ? WHERE id = ?`,
			r.Name, r.URL, r.Branch, r.Tag, r.Semver, nullable(string(r.Credential)), r.Head, r.Ref, r.MovedTo, micros(r.FetchedAt),
			r.ErrorCode, r.Error, micros(r.AskedAt), r.AskedBy, micros(r.UpdatedAt), toJSON(r.Following), r.FollowBegun, r.Statuses, r.StatusTrouble.Text, micros(r.StatusTrouble.At), id)
		if err != nil {
			return before, err
		}
		if c.Following != nil && !r.FollowBegun {
			if err := followAnew(tx, r); err != nil {
				return before, err
			}
		}
		if err := s.audit(tx, by.Audit("repository.update", string(id), r.Name+" at "+r.URL)); err != nil {
			return before, err
		}
		return repositoryByID(tx, id)
	})
}

// DeleteRepository implements repositories.Store.
func (s *Store) DeleteRepository(ctx context.Context, id core.RepositoryID, by access.Principal) error {
	return s.db.Write(ctx, func(tx *Tx) error {
		r, err := repositoryByID(tx, id)
		if err != nil {
			return err
		}
		users, err := many(tx, scalar[string], `SELECT name FROM stacks WHERE repository_id = ? ORDER BY name LIMIT ?`, id, shownUsers+1)
		if err != nil {
			return err
		}
		followed, err := many(tx, scalar[string], `SELECT name FROM jobs WHERE repository_id = ? ORDER BY name LIMIT ?`, id, shownUsers+1)
		if err != nil {
			return err
		}
		if err := refuseUsed(r, users, followed); err != nil {
			return err
		}
		if err := tx.change(errRepositoryMissing, `DELETE FROM repositories WHERE id = ?`, id); err != nil {
			return err
		}
		return s.audit(tx, by.Audit("repository.delete", string(id), r.Name))
	})
}

// refuseUsed is a Conflict that names the stacks and jobs of a repository, if there are any.
func refuseUsed(r repositories.Repository, stacks, jobs []string) error {
	var users []string
	if len(stacks) > 0 {
		users = append(users, "stacks: "+someNames(stacks))
	}
	if len(jobs) > 0 {
		users = append(users, "jobs: "+someNames(jobs))
	}
	if len(users) == 0 {
		return nil
	}
	return fault.New(fault.Conflict, "repository.in_use", "The repository %q is used by %s. Delete those first.", r.Name, strings.Join(users, "; and by "))
}

// AskSync implements repositories.Store.
func (s *Store) AskSync(ctx context.Context, id core.RepositoryID, at time.Time, by access.Principal) (repositories.Repository, error) {
	return write(ctx, s, func(tx *Tx) (repositories.Repository, error) {
		if err := tx.change(errRepositoryMissing, `UPDATE repositories SET asked_at = ?, asked_by = ? WHERE id = ?`, micros(at), by.Name, id); err != nil {
			return repositories.Repository{}, err
		}
		r, err := repositoryByID(tx, id)
		if err != nil {
			return r, err
		}
		return r, s.audit(tx, by.Audit("repository.sync", string(id), r.Name))
	})
}

// shownUsers is how many users of something a refusal names.
const shownUsers = 10

// someNames shows the first names, and that there are more.
func someNames(names []string) string {
	if len(names) <= shownUsers {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and others", strings.Join(names[:shownUsers], ", "))
}
