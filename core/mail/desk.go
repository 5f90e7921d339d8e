package mail

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/outbox"
	"berth/core/seal"
)

// Store keeps letters, and what the hub says of the delivery.
type Store interface {
	outbox.Store
	// MailSetup returns what the hub was configured with; the zero Setup when none has said.
	MailSetup(ctx context.Context) (Setup, error)
	// AddTestLetter stores a letter that a person asked for to try the delivery, with its audit event.
	AddTestLetter(ctx context.Context, l outbox.Letter, by access.Principal) error
}

// Seals closes what is in a letter; *seal.Ring does.
type Seals interface {
	Seal(place seal.Place, plaintext []byte) (seal.Sealed, error)
}

// Desk is how e-mails are sent. Its fields are set once.
type Desk struct {
	store Store
	seals Seals
	hub   core.Nudger
	now   core.Clock
}

// NewDesk returns a Desk on a store.
func NewDesk(store Store, seals Seals, hub core.Nudger, now core.Clock) *Desk {
	return &Desk{store: store, seals: seals, hub: hub, now: now}
}

// How long a message is tried. A test is tried once: somebody waits for what comes of it.
const (
	giveUp     = 24 * time.Hour
	giveUpTest = 0
)

// errOff is the fault of a message where no server was configured.
var errOff = fault.New(fault.Conflict, "mail.off", "E-mail is not set up here, so nothing was sent. Set SMTP_HOST and SMTP_SENDER for the server, and start it again.")

// Enabled reports whether e-mail is set up.
func (d *Desk) Enabled(ctx context.Context) (bool, error) {
	setup, err := d.store.MailSetup(ctx)
	return setup.Enabled(), err
}

// Setup returns how e-mail is set up.
func (d *Desk) Setup(ctx context.Context) (Setup, error) { return d.store.MailSetup(ctx) }

// Queue stores a message to be sent. Invalid "mail.invalid"; Conflict "mail.off"; TooMany "outbox.full".
func (d *Desk) Queue(ctx context.Context, m Message) error {
	enabled, err := d.Enabled(ctx)
	if err != nil {
		return err
	}
	if !enabled {
		return errOff
	}
	letter, err := d.Letter(m)
	if err != nil {
		return err
	}
	if err := d.store.AddLetter(ctx, letter); err != nil {
		return err
	}
	d.hub.Nudge()
	return nil
}

// Letter makes of a message what is stored, for those who store it with the change that it tells of: see
// core/store, addLetter. They ask Enabled before, and nudge the hub afterwards. Invalid "mail.invalid".
func (d *Desk) Letter(m Message) (outbox.Letter, error) { return d.letter(m, giveUp) }

func (d *Desk) letter(m Message, within time.Duration) (outbox.Letter, error) {
	m, err := m.clean()
	if err != nil {
		return outbox.Letter{}, err
	}
	now := d.now()
	l := outbox.Letter{ID: core.LetterID(core.NewID(core.PrefixLetter, now)), Kind: outbox.Mail, To: m.To, About: m.About, State: outbox.Waiting,
		CreatedAt: now, NextAt: now, GiveUpAt: now.Add(within)}
	text, err := json.Marshal(m)
	if err != nil {
		return l, fmt.Errorf("write down a message: %w", err)
	}
	l.Sealed, err = d.seals.Seal(outbox.Place(l.ID), text)
	return l, err
}

// Test sends a message to whoever asks, and returns its letter; what becomes of that is what was asked for. It is tried once.
func (d *Desk) Test(ctx context.Context, to string, by access.Principal) (outbox.Letter, error) {
	enabled, err := d.Enabled(ctx)
	if err == nil && !enabled {
		err = errOff
	}
	if err != nil {
		return outbox.Letter{}, err
	}
	l, err := d.letter(Message{To: to, About: "test message", Subject: "Test message from Berth",
		Text: "This is a test message from Berth.\n\n" + by.Name + " asked for it under Settings, E-mail. It says that e-mails from this server arrive here.\n"}, giveUpTest)
	if err == nil {
		err = d.store.AddTestLetter(ctx, l, by)
	}
	if err == nil {
		d.hub.Nudge()
	}
	return l, err
}

// shownLetters is how many letters are shown.
const shownLetters = 50

// Letters returns the e-mails and notices that wait, and then those that ended last.
func (d *Desk) Letters(ctx context.Context) ([]outbox.Letter, error) {
	mails, err := d.store.Letters(ctx, outbox.Mail, shownLetters)
	if err != nil {
		return nil, err
	}
	notices, err := d.store.Letters(ctx, outbox.Notice, shownLetters)
	all := append(mails, notices...)
	slices.SortStableFunc(all, func(a, b outbox.Letter) int {
		if a.State.Ended() != b.State.Ended() {
			return map[bool]int{true: 1, false: -1}[a.State.Ended()]
		}
		return strings.Compare(string(b.ID), string(a.ID))
	})
	return all, err
}

// Sent returns what became of an e-mail. NotFound "outbox.not_found".
func (d *Desk) Sent(ctx context.Context, id core.LetterID) (outbox.Letter, error) {
	return d.store.Letter(ctx, id)
}
