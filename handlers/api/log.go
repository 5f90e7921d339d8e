package api

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"berth/handlers/endpoint"
)

// LogPiece is one or more whole lines of a log.
type LogPiece struct {
	Number uint64    `json:"number"` // rises by one within the log; a gap never comes
	At     time.Time `json:"at"`
	Text   string    `json:"text"`
}

// ending is a state that may be final.
type ending interface{ Ended() bool }

// logSource is something that writes a log until it ends: a deployment, or a run of a job.
type logSource[S ending] struct {
	state  func(ctx context.Context) (S, error)
	pieces func(ctx context.Context, after uint64, limit int) ([]LogPiece, error)
	shown  func(ctx context.Context) (any, error) // itself, as the API shows it
}

// logPage is what a log holds after a number.
type logPage[S ending] struct {
	items []LogPiece
	last  uint64 // number of the last item; without any, the one that was asked for
	state S
}

// next is what ?after= of the next page is.
func (p logPage[S]) next() string { return strconv.FormatUint(p.last, 10) }

// after reads the state first: a log that is read after an end is whole.
func (s logSource[S]) after(ctx context.Context, after uint64, limit int) (p logPage[S], err error) {
	p.last, p.items = after, []LogPiece{}
	if p.state, err = s.state(ctx); err != nil {
		return p, err
	}
	pieces, err := s.pieces(ctx, after, limit)
	if err != nil {
		return p, err
	}
	for _, piece := range fitting(ctx, pieces) {
		p.items = append(p.items, piece)
		p.last = piece.Number
	}
	return p, nil
}

// asked reads the page that a request asks for with ?after= and ?limit=.
func (s logSource[S]) asked(r *http.Request) (logPage[S], error) {
	page, err := endpoint.PageOf(r)
	if err != nil {
		return logPage[S]{}, err
	}
	after, err := numberOf(r, "after")
	if err != nil {
		return logPage[S]{}, err
	}
	return s.after(r.Context(), after, page.Limit)
}

// fitting returns the first pieces of a log that an answer has room for, at least one. A client
// asks for the next ones, as it does behind every page.
func fitting(ctx context.Context, pieces []LogPiece) []LogPiece {
	room, whole := endpoint.Room(ctx)
	if !whole {
		return pieces
	}
	taken := 0
	for i, piece := range pieces {
		if taken += len(piece.Text); taken > room/2 && i > 0 {
			return pieces[:i]
		}
	}
	return pieces
}
