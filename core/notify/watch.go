package notify

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"berth/core"
	"berth/core/integrations"
	"berth/core/mail"
	"berth/core/outbox"
	"berth/core/seal"
)

// Store reads problems, and keeps which are known.
type Store interface {
	// Problems returns all problems that there are, and those that are known.
	Problems(ctx context.Context) (current []Problem, known []Known, err error)
	// TellNotices reads the same and stores what decide makes of it, in one transaction: what is known, and the messages.
	TellNotices(ctx context.Context, decide func(current []Problem, known []Known) (Step, []outbox.Letter, error)) error
	// ForgetProblems forgets what is known: nobody is to be told anything.
	ForgetProblems(ctx context.Context) error
}

// Targets knows the notification targets; *integrations.Backends does.
type Targets interface {
	Targets(ctx context.Context) (map[string]integrations.Integration, error)
}

// Writer makes letters of e-mails; *mail.Desk does.
type Writer interface {
	Enabled(ctx context.Context) (bool, error)
	Letter(m mail.Message) (outbox.Letter, error)
}

// Seals closes what is in a letter; *seal.Ring does.
type Seals interface {
	Seal(place seal.Place, plaintext []byte) (seal.Sealed, error)
}

// Watch looks for problems and stores messages about them. Its fields are set once.
type Watch struct {
	store   Store
	targets Targets
	mail    Writer
	seals   Seals
	app     string // APP_URL
	now     core.Clock
	sources []Source // of what is not in the store
}

// NewWatch returns a Watch.
func NewWatch(store Store, targets Targets, writer Writer, seals Seals, app string, now core.Clock, sources ...Source) *Watch {
	return &Watch{store, targets, writer, seals, app, now, sources}
}

// giveUp is how long a notice is tried: an older one is of no use.
const giveUp = 6 * time.Hour

// Look looks once.
func (w *Watch) Look(ctx context.Context) error {
	targets, err := w.targets.Targets(ctx)
	if err != nil {
		return err
	}
	current, known, err := w.store.Problems(ctx)
	if err != nil {
		return err
	}
	if len(targets) == 0 {
		if len(known) == 0 {
			return nil
		}
		return w.store.ForgetProblems(ctx)
	}
	now, seen := w.now(), look(w.sources)
	if Judge(now, seen.with(current, known), known).Empty() {
		return nil
	}
	mailing, err := w.mail.Enabled(ctx)
	if err != nil {
		return err
	}
	return w.store.TellNotices(ctx, func(current []Problem, known []Known) (Step, []outbox.Letter, error) {
		step := Judge(now, seen.with(current, known), known)
		letters, err := w.letters(step, targets, mailing, now)
		return step, letters, err
	})
}

// letters makes the messages of a step, for each target that takes them.
func (w *Watch) letters(step Step, targets map[string]integrations.Integration, mailing bool, now time.Time) ([]outbox.Letter, error) {
	var all []outbox.Letter
	for _, n := range step.Notices {
		for slug, target := range targets {
			told, some := n.For(RouteOf(target.Settings), w.app, now)
			if !some || target.Kind == integrations.Email && !mailing {
				continue
			}
			letters, err := w.write(slug, target, told, now)
			if err != nil {
				return nil, err
			}
			all = append(all, letters...)
		}
	}
	return all, nil
}

func (w *Watch) write(slug string, target integrations.Integration, told Told, now time.Time) (all []outbox.Letter, err error) {
	about := "notice: " + strings.ReplaceAll(told.Event, "_", " ")
	if target.Kind == integrations.Email {
		for _, to := range integrations.Words(target.Settings["to"]) {
			l, err := w.mail.Letter(mail.Message{To: to, About: about, Subject: "[Berth] " + told.Title, Text: told.Text()})
			if err != nil {
				return nil, fmt.Errorf("write a notice: %w", err)
			}
			all = append(all, l)
		}
		return all, nil
	}
	l := outbox.Letter{ID: core.LetterID(core.NewID(core.PrefixLetter, now)), Kind: outbox.Notice, To: slug, About: about, State: outbox.Waiting,
		CreatedAt: now, NextAt: now, GiveUpAt: now.Add(giveUp)}
	told.ID = string(l.ID)
	text, err := json.Marshal(told)
	if err == nil {
		l.Sealed, err = w.seals.Seal(outbox.Place(l.ID), text)
	}
	return slices.Concat(all, []outbox.Letter{l}), err
}
