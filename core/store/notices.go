package store

import (
	"cmp"
	"context"
	"strings"
	"time"

	"berth/core/jobs"
	"berth/core/notify"
	"berth/core/outbox"
	"berth/core/stacks"
)

// maxProblems bounds the problems of a noun that are looked at.
const maxProblems = 5000

// missedFor is how long a time that a job missed counts as a problem.
const missedFor = time.Hour

// Problems implements notify.Store.
func (s *Store) Problems(ctx context.Context) (current []notify.Problem, known []notify.Known, err error) {
	err = s.db.Read(ctx, func(tx *Tx) error {
		current, known, err = s.problems(tx)
		return err
	})
	return current, known, err
}

// TellNotices implements notify.Store.
func (s *Store) TellNotices(ctx context.Context, decide func([]notify.Problem, []notify.Known) (notify.Step, []outbox.Letter, error)) error {
	return s.db.Write(ctx, func(tx *Tx) error {
		current, known, err := s.problems(tx)
		if err != nil {
			return err
		}
		step, letters, err := decide(current, known)
		if err != nil {
			return err
		}
		for _, key := range step.Drop {
			if _, err := tx.exec(`DELETE FROM notice_problems WHERE kind = ? AND subject = ?`, key.Kind, key.Subject); err != nil {
				return err
			}
		}
		for _, k := range step.Keep {
			if _, err := tx.exec(`INSERT INTO notice_problems (kind, subject, version, problem, since, told_at, gone_at) VALUES (?, ?, ?, ?, ?, ?, ?)
				ON CONFLICT (kind, subject) DO UPDATE SET version = excluded.version, problem = excluded.problem, since = excluded.since, told_at = excluded.told_at, gone_at = excluded.gone_at`,
				k.Kind, k.Subject, k.Version, toJSON(k.Problem), micros(k.Since), micros(k.ToldAt), micros(k.GoneAt)); err != nil {
				return err
			}
		}
		for _, l := range letters {
			if err := addLetter(tx, l); err != nil {
				return err
			}
		}
		return nil
	})
}

// ForgetProblems implements notify.Store.
func (s *Store) ForgetProblems(ctx context.Context) error {
	return s.db.Write(ctx, func(tx *Tx) error {
		_, err := tx.exec(`DELETE FROM notice_problems`)
		return err
	})
}

// problems reads all that is wrong, and what is known of it.
func (s *Store) problems(tx *Tx) (current []notify.Problem, known []notify.Known, err error) {
	for _, read := range []func(*Tx) ([]notify.Problem, error){stackProblems, s.jobProblems, awayProblems, repositoryProblems} {
		some, err := read(tx)
		if err != nil {
			return nil, nil, err
		}
		current = append(current, some...)
	}
	known, err = many(tx, func(row scanner) (k notify.Known, err error) {
		var since, told, gone int64
		err = row.Scan(jsonInto{&k.Problem}, &since, &told, &gone)
		k.Since, k.ToldAt, k.GoneAt = fromMicros(since), fromMicros(told), fromMicros(gone)
		return k, err
	}, `SELECT problem, since, told_at, gone_at FROM notice_problems ORDER BY kind, subject LIMIT ?`, 10*maxProblems)
	return current, known, err
}

// stackProblems reads what the last deployment of each stack that ended came to, and which stacks drifted.
func stackProblems(tx *Tx) (all []notify.Problem, err error) {
	_, err = many(tx, func(row scanner) (struct{}, error) {
		var (
			p                              = notify.Problem{}
			drifted                        bool
			state                          stacks.DeploymentState
			deployment, code, text, commit string
			manifest                       string
		)
		if err := row.Scan(&p.Subject, &p.Name, &drifted, jsonInto{&p.Tags}, &manifest, &deployment, &state, &code, &text, &commit); err != nil {
			return struct{}{}, err
		}
		p.Group = groupIn(manifest)
		if drifted {
			d := p
			d.Kind, d.Path = notify.Drifted, "/stacks/"+p.Subject
			all = append(all, d)
		}
		switch state {
		case stacks.DeploymentRolledBack:
			p.Kind = notify.DeploymentRestored
		case stacks.DeploymentFailed, stacks.DeploymentLost:
			p.Kind = notify.DeploymentFailed
			if code == "secret.unresolved" {
				p.Kind = notify.SecretBackend
			}
		default:
			return struct{}{}, nil
		}
		p.Version, p.Detail, p.Path = commit+" "+code, text, "/deployments/"+deployment
		all = append(all, p)
		return struct{}{}, nil
	}, `SELECT s.id, s.name, s.drifted, s.worker_tags, coalesce((SELECT manifest FROM revisions r WHERE r.stack_id = s.id AND r.number = s.revision), ''),
		coalesce(d.id, ''), coalesce(d.state, ''), coalesce(d.error_code, ''), coalesce(d.error, ''), coalesce(d.commit_hash, '')
		FROM stacks s LEFT JOIN deployments d ON d.id = (SELECT e.id FROM deployments e WHERE e.stack_id = s.id AND e.state IN ('succeeded', 'failed', 'rolled_back', 'lost') ORDER BY e.id DESC LIMIT 1)
		WHERE s.deleting = 0 AND (s.drifted = 1 OR d.state IN ('failed', 'rolled_back', 'lost')) ORDER BY s.id LIMIT ?`, maxProblems)
	return all, err
}

// groupIn is the group in a manifest as it is stored; one that cannot be read has none.
func groupIn(manifest string) string {
	var m struct {
		Group string `json:"group"`
	}
	if manifest == "" || (jsonInto{&m}).Scan(manifest) != nil {
		return ""
	}
	return m.Group
}

// jobProblems reads the jobs whose newest run failed, and those that missed a time lately.
func (s *Store) jobProblems(tx *Tx) (all []notify.Problem, err error) {
	recent := s.now().Add(-missedFor)
	_, err = many(tx, func(row scanner) (struct{}, error) {
		var (
			p          notify.Problem
			definition string
			state      jobs.RunState
			missed     int64
		)
		if err := row.Scan(&p.Subject, &p.Name, &p.Group, &definition, &state, &missed, &p.Version, &p.Detail); err != nil {
			return struct{}{}, err
		}
		var d struct {
			Tags []string `json:"tags"`
		}
		if (jsonInto{&d}).Scan(definition) == nil {
			p.Tags = d.Tags
		}
		p.Path = "/jobs/" + p.Subject
		if state == jobs.RunFailed || state == jobs.RunLost {
			f := p
			f.Kind, f.Version = notify.JobFailed, ""
			f.Detail = cmp.Or(f.Detail, "Its newest run did not succeed.")
			all = append(all, f)
		}
		if fromMicros(missed).After(recent) {
			p.Kind, p.Detail = notify.JobMissed, "A time passed at which it could not begin."
			all = append(all, p)
		}
		return struct{}{}, nil
	}, `SELECT j.id, j.name, j.group_name, j.definition, j.last_state, j.missed_at, CAST(j.missed_at AS TEXT),
		coalesce((SELECT r.error FROM job_runs r WHERE r.job_id = j.id AND r.state NOT IN ('queued', 'running') ORDER BY r.id DESC LIMIT 1), '')
		FROM jobs j WHERE j.last_state IN ('failed', 'lost') OR j.missed_at > ? ORDER BY j.id LIMIT ?`, micros(recent), maxProblems)
	return all, err
}

// awayProblems reads the workers that are known to have left.
func awayProblems(tx *Tx) ([]notify.Problem, error) {
	return many(tx, func(row scanner) (p notify.Problem, err error) {
		var stacks int
		err = row.Scan(&p.Subject, &p.Name, jsonInto{&p.Tags}, &stacks)
		p.Kind, p.Path, p.Detail = notify.WorkerAway, "/workers", strings.TrimSpace("It has no link to the server."+stacksOn(stacks))
		return p, err
	}, tx.timed(`SELECT id, hostname, tags, (SELECT count(*) FROM stacks WHERE stacks.worker_id = workers.id) FROM workers WHERE `+isAway+` ORDER BY id LIMIT ?`), maxProblems)
}

// repositoryProblems reads the repositories that could not be read when they were last fetched.
func repositoryProblems(tx *Tx) ([]notify.Problem, error) {
	return many(tx, func(row scanner) (p notify.Problem, err error) {
		err = row.Scan(&p.Subject, &p.Name, &p.Detail)
		p.Kind, p.Path = notify.RepositoryUnread, "/repositories/"+p.Subject
		return p, err
	}, `SELECT id, name, error FROM repositories WHERE error_code <> '' ORDER BY id LIMIT ?`, maxProblems)
}

func stacksOn(n int) string {
	if n == 0 {
		return ""
	}
	return " What it runs goes on; deployments to it wait."
}
