package hub

import (
	"time"

	"berth/core"
	"berth/core/stacks"
)

// recording is the log of one deployment or run, and what else is known of it, on its way to the store. P is
// what is stored beside the log. It is guarded by the mutex of its recorder.
type recording[P any] struct {
	progress P
	worker   core.WorkerID // that has the word; empty: none yet
	heard    stacks.Heard  // how far its worker's events have come
	number   uint64        // of the last piece of log that is stored
	dirty    bool
	pieces   []piece // not yet stored, without numbers
	bytes    int     // of pieces
	dropped  bool    // pieces were dropped since the last one
	total    int     // bytes of the log, as far as this hub knows
	absent   int     // looks in a row that did not find it open
}

// piece is one or more whole lines of a log.
type piece struct {
	number uint64 // rises by one within a log, from 1; 0: it has none yet
	at     time.Time
	text   string
}

// Limits of a log and of what waits for a commit.
const (
	maxPending  = 1 << 20  // bytes of one log that wait
	maxLog      = 16 << 20 // bytes of one log in all
	maxLogPiece = 64 << 10
	fullMarker  = "[the log ends here: it has reached its limit of 16 MiB]\n"
	gapMarker   = "[some lines are missing: they came faster than they could be stored]\n"
)

// say adds whole lines to the log, within its limits.
func (r *recording[P]) say(text string, at time.Time) {
	if text == "" || r.total > maxLog {
		return
	}
	r.total += len(text)
	if r.total > maxLog {
		text = fullMarker
	}
	if r.bytes+len(text) > maxPending {
		r.dropped = true
		return
	}
	if r.dropped {
		r.add(gapMarker, at)
		r.dropped = false
	}
	for len(text) > maxLogPiece {
		r.add(text[:maxLogPiece], at)
		text = text[maxLogPiece:]
	}
	r.add(text, at)
}

func (r *recording[P]) add(text string, at time.Time) {
	r.bytes += len(text)
	r.pieces = append(r.pieces, piece{at: at, text: text})
}
