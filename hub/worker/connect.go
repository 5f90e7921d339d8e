package worker

import (
	"context"
	"errors"
	"strings"
	"time"

	"berth/core/fault"
)

// connect keeps a link to the hub, one after the other, until ctx ends. links is the
// context that links live in: it outlives ctx by the time that draining takes.
func (w *Worker) connect(ctx, links context.Context) {
	b := newBackoff()
	for ctx.Err() == nil {
		served, err := w.once(ctx, links)
		if ctx.Err() != nil {
			return
		}
		wait := b.after(served, err)
		w.explain(served, err, wait)
		if pause(ctx, nil, wait) != nil {
			return
		}
	}
}

// once dials and carries one link.
func (w *Worker) once(ctx, links context.Context) (served time.Duration, err error) {
	conn, enrolled, err := w.options.Dial(ctx)
	if err != nil {
		w.tally.failures.Add(1)
		return 0, err
	}
	if skew := w.options.Now().Sub(enrolled.Time).Abs(); skew > time.Minute {
		w.log.Warn("this host's clock differs from the server's; times in logs will not agree", "difference", skew.Round(time.Second))
	}
	served, err = newSession(w, conn, enrolled).run(links)
	if served == 0 {
		w.tally.failures.Add(1)
	}
	return served, err
}

// explain says why there is no link, and what to do where that is known.
func (w *Worker) explain(served time.Duration, err error, wait time.Duration) {
	log := w.log.With("error", err, "retry_in", wait.Round(time.Millisecond))
	var bye farewell
	if errors.As(err, &bye) {
		log.Info("the hub closed the link and will be asked again")
		return
	}
	if served > 0 {
		log.Warn("the link to the hub was lost; containers keep running, and commands go on")
		return
	}
	var refusal *fault.Error
	if !errors.As(err, &refusal) || !needsAPerson(refusal.Kind) {
		log.Warn("there is no link to the hub yet")
		return
	}
	log.Error("there will be no link to the hub until somebody acts", "what_to_do", remedy(refusal))
}

// remedy says what a person has to do after a refusal.
func remedy(refusal *fault.Error) string {
	switch {
	case strings.HasPrefix(refusal.Code, "server."):
		return "make sure that SERVER_URL is the worker port of the server that made WORKER_TOKEN"
	case refusal.Kind == fault.Unauthenticated:
		return "the token is unknown, expired or revoked: make a new one in the server's pages and set WORKER_TOKEN"
	case refusal.Kind == fault.Forbidden:
		return "this worker was revoked, or its token belongs to another WORKER_DATA_DIR: make a new token and set WORKER_TOKEN, or restore worker.key"
	}
	return "run worker and server in the same version, or one release apart, and check HOSTNAME and WORKER_TAGS"
}
