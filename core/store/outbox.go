package store

import (
	"context"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/mail"
	"berth/core/outbox"
)

var errLetterMissing = fault.New(fault.NotFound, "outbox.not_found", "There is no such message any more.")

const letterColumns = `id, kind, recipient, about, sealed, state, attempts, created_at, next_at, give_up_at, ended_at, code, answer`

func scanLetter(row scanner) (outbox.Letter, error) {
	var l outbox.Letter
	var created, next, giveUp, ended int64
	err := row.Scan(&l.ID, &l.Kind, &l.To, &l.About, &l.Sealed, &l.State, &l.Attempts, &created, &next, &giveUp, &ended, &l.Code, &l.Answer)
	l.CreatedAt, l.NextAt, l.GiveUpAt, l.EndedAt = fromMicros(created), fromMicros(next), fromMicros(giveUp), fromMicros(ended)
	return l, err
}

// AddLetter implements outbox.Store.
func (s *Store) AddLetter(ctx context.Context, l outbox.Letter) error {
	return s.db.WriteNew(ctx, func(tx *Tx) error { return addLetter(tx, l) })
}

// AddTestLetter implements mail.Store.
func (s *Store) AddTestLetter(ctx context.Context, l outbox.Letter, by access.Principal) error {
	return s.db.WriteNew(ctx, func(tx *Tx) error {
		if err := addLetter(tx, l); err != nil {
			return err
		}
		return s.audit(tx, by.Audit("email.test", string(l.ID), l.To))
	})
}

// addLetter stores a letter with the change that it tells of.
func addLetter(tx *Tx, l outbox.Letter) error {
	waiting, err := many(tx, scalar[int], `SELECT 1 FROM outbox WHERE kind = ? AND state = 'waiting' ORDER BY id LIMIT ?`, l.Kind, outbox.MaxWaiting)
	if err != nil {
		return err
	}
	if len(waiting) >= outbox.MaxWaiting {
		return outbox.ErrFull
	}
	_, err = tx.exec(`INSERT INTO outbox (`+letterColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, l.ID, l.Kind, l.To, l.About, l.Sealed, l.State, l.Attempts,
		micros(l.CreatedAt), micros(l.NextAt), micros(l.GiveUpAt), micros(l.EndedAt), l.Code, l.Answer)
	return err
}

// Letter implements outbox.Store.
func (s *Store) Letter(ctx context.Context, id core.LetterID) (outbox.Letter, error) {
	return read(ctx, s, func(tx *Tx) (outbox.Letter, error) {
		return one(tx, errLetterMissing, scanLetter, `SELECT `+letterColumns+` FROM outbox WHERE id = ?`, id)
	})
}

// Letters implements outbox.Store.
func (s *Store) Letters(ctx context.Context, kind outbox.Kind, limit int) ([]outbox.Letter, error) {
	return read(ctx, s, func(tx *Tx) ([]outbox.Letter, error) {
		waiting, err := many(tx, scanLetter, `SELECT `+letterColumns+` FROM outbox WHERE kind = ? AND state = 'waiting' ORDER BY id DESC LIMIT ?`, kind, limit)
		if err != nil {
			return nil, err
		}
		ended, err := many(tx, scanLetter, `SELECT `+letterColumns+` FROM outbox WHERE kind = ? AND id IN
			(SELECT id FROM outbox WHERE kind = ? ORDER BY id DESC LIMIT ?) AND state <> 'waiting' ORDER BY id DESC LIMIT ?`, kind, kind, 2*limit, limit)
		return append(waiting, ended...), err
	})
}

// ClaimLetters implements outbox.Store. What is due is looked for without a write: most of the time nothing is.
func (s *Store) ClaimLetters(ctx context.Context, limit int, until time.Time) ([]outbox.Letter, error) {
	const query = `SELECT ` + letterColumns + ` FROM outbox WHERE state = 'waiting' AND next_at <= ? ORDER BY next_at, id LIMIT ?`
	now := micros(s.now())
	due, err := read(ctx, s, func(tx *Tx) ([]outbox.Letter, error) { return many(tx, scanLetter, query, now, limit) })
	if err != nil || len(due) == 0 {
		return nil, err
	}
	return write(ctx, s, func(tx *Tx) ([]outbox.Letter, error) {
		due, err := many(tx, scanLetter, query+tx.dialect.Claim, now, limit)
		for i := range due {
			if err != nil {
				return nil, err
			}
			due[i].Attempts++
			due[i].NextAt = until
			err = tx.change(errLetterMissing, `UPDATE outbox SET attempts = ?, next_at = ? WHERE id = ?`, due[i].Attempts, micros(until), due[i].ID)
		}
		return due, err
	})
}

// SettleLetter implements outbox.Store. The content of what has ended goes.
func (s *Store) SettleLetter(ctx context.Context, l outbox.Letter) error {
	return s.db.Write(ctx, func(tx *Tx) error {
		_, err := tx.exec(`UPDATE outbox SET state = ?, next_at = ?, ended_at = ?, code = ?, answer = ?, sealed = CASE WHEN ? = 'waiting' THEN sealed END
			WHERE id = ? AND state = 'waiting' AND attempts = ?`, l.State, micros(l.NextAt), micros(l.EndedAt), l.Code, l.Answer, l.State, l.ID, l.Attempts)
		return err
	})
}

// OutboxFigures implements outbox.Store.
func (s *Store) OutboxFigures(ctx context.Context) (map[outbox.Kind]outbox.Figure, error) {
	type line struct {
		kind outbox.Kind
		outbox.Figure
	}
	lines, err := read(ctx, s, func(tx *Tx) ([]line, error) {
		return many(tx, func(row scanner) (l line, err error) {
			var oldest int64
			err = row.Scan(&l.kind, &l.Waiting, &oldest)
			l.Oldest = fromMicros(oldest)
			return l, err
		}, `SELECT kind, count(*), min(created_at) FROM outbox WHERE state = 'waiting' GROUP BY kind ORDER BY kind`)
	})
	all := make(map[outbox.Kind]outbox.Figure, len(lines))
	for _, l := range lines {
		all[l.kind] = l.Figure
	}
	return all, err
}

// settingMail is what the hub says of the delivery of e-mail.
const settingMail = "mail"

// MailSetup implements mail.Store.
func (s *Store) MailSetup(ctx context.Context) (mail.Setup, error) {
	return read(ctx, s, func(tx *Tx) (mail.Setup, error) {
		return one(tx, nil, func(row scanner) (setup mail.Setup, err error) {
			err = row.Scan(jsonInto{&setup})
			return setup, err
		}, `SELECT value FROM settings WHERE name = ?`, settingMail)
	})
}

// SetMailSetup stores what a hub was configured with.
func (s *Store) SetMailSetup(ctx context.Context, setup mail.Setup) error {
	return s.db.Write(ctx, func(tx *Tx) error {
		_, err := tx.exec(`INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value`, settingMail, toJSON(setup))
		return err
	})
}
