package link

import (
	"time"

	"berth/core/wire"
)

// Side says which end of the link this is, and so which messages may arrive.
type Side int

// The two ends.
const (
	Hub    Side = iota // receives what a worker may send
	Worker             // receives what the hub may send
)

func (s Side) maySend(msg any) bool {
	if s == Hub {
		return wire.FromHub(msg)
	}
	return wire.FromWorker(msg)
}

func (s Side) mayReceive(msg any) bool {
	if s == Hub {
		return wire.FromWorker(msg)
	}
	return wire.FromHub(msg)
}

// Options say how a link behaves. Zero values stand for the defaults.
type Options struct {
	Side Side
	// ReadTimeout is how long the peer may be silent: no complete frame for so long ends
	// the link. The hub uses three times its heartbeat interval, the worker the same
	// from Welcome on (SetReadTimeout).
	ReadTimeout time.Duration
	// WriteTimeout is how long the peer may take to take one frame.
	WriteTimeout time.Duration
	// ControlQueue and BulkQueue are the bytes that may wait for the writer before Send
	// blocks. One frame more than that may be held by each.
	ControlQueue, BulkQueue int
	// Rate is how many frames a second are read in the long run; twice as many at once.
	// A peer that sends more is slowed down, not cut off.
	Rate int
	// Unknown is told of a message that this end does not know, because the other is of a newer release; nil: nobody
	// is. It is told of the first ones of a link only.
	Unknown func(err error)
}

// The defaults of Options. At 16 kbit/s a log chunk takes 33 seconds: WriteTimeout and
// ReadTimeout leave room for that.
const (
	DefaultReadTimeout  = 90 * time.Second
	DefaultWriteTimeout = 60 * time.Second
	DefaultControlQueue = 256 << 10
	DefaultBulkQueue    = 256 << 10
	DefaultRate         = 1000
)

func (o Options) withDefaults() Options {
	return Options{
		Side:         o.Side,
		ReadTimeout:  orElse(o.ReadTimeout, DefaultReadTimeout),
		WriteTimeout: orElse(o.WriteTimeout, DefaultWriteTimeout),
		ControlQueue: orElse(o.ControlQueue, DefaultControlQueue),
		BulkQueue:    orElse(o.BulkQueue, DefaultBulkQueue),
		Rate:         orElse(o.Rate, DefaultRate),
		Unknown:      o.Unknown,
	}
}

func orElse[T int | time.Duration](value, standard T) T {
	if value > 0 {
		return value
	}
	return standard
}
