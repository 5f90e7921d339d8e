package outbox

import (
	"context"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/seal"
)

// Kind says who carries a letter.
type Kind string

// The kinds.
const (
	Mail   Kind = "mail"   // carried by SMTP
	Notice Kind = "notice" // carried to the notification target that To names
)

// State says what became of a letter.
type State string

// The states. The last two are ends.
const (
	Waiting State = "waiting" // it is carried, or is to be at NextAt
	Sent    State = "sent"    // it has arrived at the next server
	Failed  State = "failed"  // it was refused for good, or is too old
)

// Ended reports whether nothing more comes of a letter.
func (s State) Ended() bool { return s == Sent || s == Failed }

// Letter is something that waits to be told, and what became of it. It never shows its content.
type Letter struct {
	ID        core.LetterID
	Kind      Kind
	To        string // whom it is for: an address, or a target's name
	About     string // what it is, in a few words that are no secret
	Sealed    seal.Sealed
	State     State
	Attempts  int // that were begun
	CreatedAt time.Time
	NextAt    time.Time // of a waiting one: it is not carried before; while it is carried, until when that is believed
	GiveUpAt  time.Time // no attempt is begun after it
	EndedAt   time.Time // zero: it has not
	Code      string    // of the fault of the last attempt
	Answer    string    // what the other side said last, or why it could not be asked
}

// Place is where the content of a letter is sealed.
func Place(id core.LetterID) seal.Place {
	return seal.Place{Table: "outbox", Row: string(id), Column: "sealed"}
}

// MaxWaiting bounds the letters that wait; beyond it new ones are refused.
const MaxWaiting = 10_000

// ErrFull is the fault of a letter that finds no room.
var ErrFull = fault.New(fault.TooMany, "outbox.full", "%d messages wait to be sent already, so no more are taken. See Settings, E-mail, for why they wait.", MaxWaiting).After(time.Minute)

// Store keeps letters.
type Store interface {
	// AddLetter stores a letter. TooMany "outbox.full".
	AddLetter(ctx context.Context, l Letter) error
	// Letter returns one letter; NotFound "outbox.not_found".
	Letter(ctx context.Context, id core.LetterID) (Letter, error)
	// Letters lists letters of a kind, those that wait first and then those that have ended, newest first.
	Letters(ctx context.Context, kind Kind, limit int) ([]Letter, error)
	// ClaimLetters takes letters that are due, at most limit, until a time: nobody else takes them before. Their
	// attempts are counted with it.
	ClaimLetters(ctx context.Context, limit int, until time.Time) ([]Letter, error)
	// SettleLetter stores what an attempt came to, unless another attempt was begun meanwhile.
	SettleLetter(ctx context.Context, l Letter) error
	// OutboxFigures counts what waits, by kind.
	OutboxFigures(ctx context.Context) (map[Kind]Figure, error)
}

// Figure is what is known of the letters of a kind.
type Figure struct {
	Waiting int
	Oldest  time.Time // when the oldest that waits was stored; zero: none waits
}
