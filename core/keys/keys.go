package keys

import (
	"context"
	"time"

	"berth/core/access"
	"berth/core/fault"
	"berth/core/seal"
)

// DataKey is one key of the ring.
type DataKey struct {
	Number    uint32 // from 1
	Active    bool   // what is sealed now is sealed with it
	CreatedAt time.Time
}

// Pass is one look at every sealed value that is stored.
type Pass struct {
	Key     uint32    // the active key when it began
	BeganAt time.Time // zero: there was none yet
	EndedAt time.Time // zero: it goes on, or was interrupted and begins anew
	Values  int       // looked at
	Renewed int       // of them sealed anew with Key
	Moved   int       // of them changed by somebody else at that moment: the next pass looks at them
	Damaged []string  // where values are that no key opens, as table.column of a row; at most MaxDamaged of them
	Lost    int       // how many such values there are
}

// MaxDamaged is how many damaged values a Pass names.
const MaxDamaged = 20

// Complete reports whether everything that can be opened is sealed with this key.
func (p Pass) Complete(active uint32) bool {
	return p.Key == active && !p.EndedAt.IsZero() && p.Moved == 0
}

// Envelope is a sealed value as it is stored.
type Envelope struct {
	Column int    // the Store's number of table and column
	Row    string // primary key
	Place  seal.Place
	Sealed seal.Sealed
}

// Cursor is how far the sealed values were looked at; the zero value is the beginning.
type Cursor struct {
	Column int
	Row    string
}

// Store keeps the ring and what is sealed.
type Store interface {
	KeyRing(ctx context.Context) ([]seal.WrappedKey, error)
	DataKeys(ctx context.Context) ([]DataKey, error)
	// SaveKeyRing replaces was by rows, with a check value, and audits it. Conflict "key.ring_changed" when others are stored than was.
	SaveKeyRing(ctx context.Context, was, rows []seal.WrappedKey, check []byte, e access.AuditEvent) error
	// Envelopes returns the next values in the order of cursors, at most so many; end says that there is nothing behind them.
	Envelopes(ctx context.Context, after Cursor, limit int) (all []Envelope, next Cursor, end bool, err error)
	// Reseal replaces the value of a row, unless that is not what it was any more.
	Reseal(ctx context.Context, was Envelope, now seal.Sealed) (done bool, err error)
	LastPass(ctx context.Context) (Pass, error)
	SavePass(ctx context.Context, p Pass) error
}

var (
	errRing = fault.New(fault.Conflict, "key.changing",
		"The key ring is wrapped under another SECRET_KEY than this process has: SECRET_KEY is being changed. Start the hub with the new one, and try again.")
	errRunning = fault.New(fault.Conflict, "key.rotating",
		"The data key was changed a moment ago, and values are still being sealed anew. Wait until that has ended.")
)
