package ui

import (
	"bytes"
	"context"
	"mime"
	"net/http"
	"strings"
	"time"

	"berth/core"
	"berth/core/jobs"
	"berth/core/stacks"
	"berth/handlers/endpoint"
)

// SaveDeploymentLog sends the log of a deployment as a file.
func SaveDeploymentLog(reader DeploymentReader) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		d, err := reader.Deployment(r.Context(), core.DeploymentID(r.PathValue("id")))
		if err != nil {
			return err
		}
		s, err := reader.Stack(r.Context(), d.Stack)
		if err != nil {
			return err
		}
		return saveLog(w, r, s.Name+"-"+string(d.ID), deploymentPiece, func(after uint64) (pieces []stacks.LogLine, err error) {
			return reader.DeploymentLog(r.Context(), d.ID, after, logPageSize)
		})
	})
}

// SaveRunLog sends the log of a run as a file.
func SaveRunLog(reader RunReader) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		run, err := reader.Run(r.Context(), core.RunID(r.PathValue("id")))
		if err != nil {
			return err
		}
		j, err := reader.Job(r.Context(), run.Job)
		if err != nil {
			return err
		}
		return saveLog(w, r, j.Name+"-"+string(run.ID), runPiece, func(after uint64) (pieces []jobs.LogPiece, err error) {
			return reader.RunLog(r.Context(), run.ID, after, logPageSize)
		})
	})
}

// saveLog sends a log from its start, at most maxSavedLog bytes or what the host takes, as it was said; with
// ?times=clock each line begins with its time in UTC.
func saveLog[P any](w http.ResponseWriter, r *http.Request, name string, read func(P) logPiece, page func(after uint64) ([]P, error)) error {
	look, err := lookIn(r)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	room := savedRoom(r.Context())
	for after := look.after; text.Len() < room; {
		pieces, err := page(after)
		if err != nil {
			return err
		}
		if len(pieces) == 0 {
			break
		}
		for _, p := range pieces {
			piece := read(p)
			after = piece.number
			writePiece(&text, piece, look.clock)
		}
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name + ".log"}))
	w.Write(text.Bytes()[:min(text.Len(), room)]) // a browser that has gone needs none
	return nil
}

func savedRoom(ctx context.Context) int {
	if room, whole := endpoint.Room(ctx); whole {
		return min(maxSavedLog, room/2)
	}
	return maxSavedLog
}

func writePiece(to *bytes.Buffer, p logPiece, clock bool) {
	if !clock {
		to.WriteString(p.text)
		return
	}
	for line := range strings.Lines(p.text) {
		to.WriteString(p.at.UTC().Format(time.RFC3339) + " " + line)
	}
}
