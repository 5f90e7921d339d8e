package api

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"berth/core"
	"berth/core/stacks"
	"berth/handlers/endpoint"
)

// comeBack is after what time a client asks for more of a log that cannot be streamed; those
// that read server-sent events do so by themselves.
const comeBack = 2 * time.Second

// wholeLog answers with what there is of a log: the events that a stream would have sent so
// far, as many as there is room for. Without "end" among them, there is more.
func wholeLog(w http.ResponseWriter, r *http.Request, logger DeploymentLogger, id core.DeploymentID, after uint64, room int) error {
	ended, events := false, &bytes.Buffer{}
	for full := false; !full && !ended; {
		answer, err := logAfter(r.Context(), logger, id, after, streamPage)
		if err != nil {
			return err
		}
		for _, piece := range answer.Items {
			after = piece.Number
			if err := sendEvent(events, "log", strconv.FormatUint(after, 10), piece); err != nil {
				return err
			}
		}
		full = len(answer.Items) == 0 || events.Len() > room/2
		ended = answer.State.Ended() && len(answer.Items) == 0
	}
	if ended {
		d, err := logger.Deployment(r.Context(), id)
		if err == nil {
			err = sendEvent(events, "end", "", showDeployment(d))
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

// fitting returns the first lines of a log that an answer has room for, at least one. A client
// asks for the next ones, as it does behind every page.
func fitting(ctx context.Context, lines []stacks.LogLine) []stacks.LogLine {
	room, whole := endpoint.Room(ctx)
	if !whole {
		return lines
	}
	taken := 0
	for i, l := range lines {
		if taken += len(l.Text); taken > room/2 && i > 0 {
			return lines[:i]
		}
	}
	return lines
}
