package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"berth/handlers/endpoint"
)

// The pace of a log stream, and how long one may last: a client that wants more comes again.
const (
	streamPause = 200 * time.Millisecond
	streamPage  = 200
	streamLimit = 30 * time.Minute
)

// comeBack is after what time a client asks for more of a log that cannot be streamed; those
// that read server-sent events do so by themselves.
const comeBack = 2 * time.Second

// answer sends a log as server-sent events: "log" with a LogPiece, its number as the event's id, and
// at the end one "end" with what the log is of. A client that comes back with Last-Event-ID goes on
// where it was. Where the host cannot stream, the answer ends with what there is, and says how soon
// to come back.
func (s logSource[S]) answer(w http.ResponseWriter, r *http.Request) error {
	after, err := lastSeen(r)
	if err != nil {
		return err
	}
	if _, err := s.state(r.Context()); err != nil {
		return err
	}
	if room, whole := endpoint.Room(r.Context()); whole {
		return s.whole(w, r, after, room)
	}
	ctx, cancel := context.WithTimeout(r.Context(), streamLimit)
	defer cancel()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	s.stream(ctx, w, after)
	return nil
}

// lastSeen reads where a stream goes on: ?after=, or what the browser says when it reconnects.
func lastSeen(r *http.Request) (uint64, error) {
	if text := r.Header.Get("Last-Event-ID"); text != "" {
		if n, err := strconv.ParseUint(text, 10, 53); err == nil {
			return n, nil
		}
	}
	return numberOf(r, "after")
}

// stream sends until the end, or until the client goes. An error ends the stream; the client comes
// back by itself.
func (s logSource[S]) stream(ctx context.Context, w http.ResponseWriter, after uint64) {
	flush := http.NewResponseController(w).Flush
	for ctx.Err() == nil {
		page, err := s.after(ctx, after, streamPage)
		if err != nil || sendPieces(w, page.items) != nil {
			return
		}
		after = page.last
		if page.state.Ended() && len(page.items) < streamPage {
			if shown, err := s.shown(ctx); err == nil {
				_ = sendEvent(w, "end", "", shown) // a client that has gone needs no end
			}
			return
		}
		if err := flush(); err != nil {
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(streamPause):
		}
	}
}

// whole answers with what there is of a log: the events that a stream would have sent so far, as many
// as there is room for. Without "end" among them, there is more.
func (s logSource[S]) whole(w http.ResponseWriter, r *http.Request, after uint64, room int) error {
	ended, events := false, &bytes.Buffer{}
	for full := false; !full && !ended; {
		page, err := s.after(r.Context(), after, streamPage)
		if err == nil {
			err = sendPieces(events, page.items)
		}
		if err != nil {
			return err
		}
		after = page.last
		full = len(page.items) == 0 || events.Len() > room/2
		ended = page.state.Ended() && len(page.items) == 0
	}
	if ended {
		shown, err := s.shown(r.Context())
		if err == nil {
			err = sendEvent(events, "end", "", shown)
		}
		if err != nil {
			return err
		}
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	if !ended {
		endpoint.SayUnstreamed(w)
		fmt.Fprintf(w, "retry: %d\n\n", comeBack.Milliseconds())
	}
	w.Write(events.Bytes()) // a client that has gone needs none
	return nil
}

func sendPieces(w io.Writer, pieces []LogPiece) error {
	for _, piece := range pieces {
		if err := sendEvent(w, "log", strconv.FormatUint(piece.Number, 10), piece); err != nil {
			return err
		}
	}
	return nil
}

// sendEvent writes one server-sent event with v as its JSON data.
func sendEvent(w io.Writer, name, id string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if id != "" {
		if _, err := fmt.Fprintf(w, "id: %s\n", id); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(w, "event: %s\ndata: %s\n\n", name, data)
	return err
}
