package api

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"berth/core"
	"berth/core/stacks"
	"berth/handlers/endpoint"
)

// DeploymentLogger reads the log of a deployment.
type DeploymentLogger interface {
	DeploymentFinder
	DeploymentLog(ctx context.Context, id core.DeploymentID, after uint64, limit int) ([]stacks.LogLine, error)
}

// LogAnswer is a page of a deployment's log, oldest first.
type LogAnswer struct {
	Items []LogPiece             `json:"items"`
	Next  string                 `json:"next"`  // for ?after=; always set: ask again with it while state is queued or running
	State stacks.DeploymentState `json:"state"` // of the deployment
}

// DeploymentLog answers with the pieces of a log after the numbered one.
func DeploymentLog(logger DeploymentLogger) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id, err := deploymentID(r)
		if err != nil {
			return err
		}
		page, err := endpoint.PageOf(r)
		if err != nil {
			return err
		}
		after, err := numberOf(r, "after")
		if err != nil {
			return err
		}
		answer, err := logAfter(r.Context(), logger, id, after, page.Limit)
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusOK, answer)
	})
}

// logAfter reads the state first: a log that is read after an end is whole.
func logAfter(ctx context.Context, logger DeploymentLogger, id core.DeploymentID, after uint64, limit int) (LogAnswer, error) {
	d, err := logger.Deployment(ctx, id)
	if err != nil {
		return LogAnswer{}, err
	}
	lines, err := logger.DeploymentLog(ctx, id, after, limit)
	if err != nil {
		return LogAnswer{}, err
	}
	answer := LogAnswer{Items: []LogPiece{}, State: d.State}
	for _, l := range fitting(ctx, lines) {
		answer.Items = append(answer.Items, showLog(l))
		after = l.Number
	}
	answer.Next = strconv.FormatUint(after, 10)
	return answer, nil
}

// The pace of a log stream, and how long one may last: a client that wants more comes again.
const (
	streamPause = 200 * time.Millisecond
	streamPage  = 200
	streamLimit = 30 * time.Minute
)

// StreamDeployment sends a deployment's log as server-sent events: "log" with a LogPiece,
// its number as the event's id, and at the end one "end" with the deployment. A client
// that comes back with Last-Event-ID goes on where it was. Where the host cannot stream, the
// answer ends with what there is, and says how soon to come back.
func StreamDeployment(logger DeploymentLogger) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		id, err := deploymentID(r)
		if err != nil {
			return err
		}
		after, err := lastSeen(r)
		if err != nil {
			return err
		}
		if _, err := logger.Deployment(r.Context(), id); err != nil {
			return err
		}
		if room, whole := endpoint.Room(r.Context()); whole {
			return wholeLog(w, r, logger, id, after, room)
		}
		ctx, cancel := context.WithTimeout(r.Context(), streamLimit)
		defer cancel()
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Cache-Control", "no-store")
		streamLog(ctx, w, logger, id, after)
		return nil
	})
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

// streamLog sends until the deployment has ended or the client goes. An error ends the
// stream; the client comes back by itself.
func streamLog(ctx context.Context, w http.ResponseWriter, logger DeploymentLogger, id core.DeploymentID, after uint64) {
	flush := http.NewResponseController(w).Flush
	for ctx.Err() == nil {
		answer, err := logAfter(ctx, logger, id, after, streamPage)
		if err != nil {
			return
		}
		for _, piece := range answer.Items {
			after = piece.Number
			if err := sendEvent(w, "log", strconv.FormatUint(after, 10), piece); err != nil {
				return
			}
		}
		if answer.State.Ended() && len(answer.Items) < streamPage {
			if d, err := logger.Deployment(ctx, id); err == nil {
				_ = sendEvent(w, "end", "", showDeployment(d)) // a client that has gone needs no end
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
