package api

import (
	"context"
	"io"
	"net/http"

	"berth/core/stacks"
	"berth/handlers/endpoint"
)

// ServiceLogger reads the log of a compose service from the stack's worker. Conflict "worker.no_times" when times are
// wanted that it does not tell.
type ServiceLogger interface {
	Logs(ctx context.Context, s stacks.Stack, service string, ask stacks.LogAsk, w io.Writer) error
}

// ServiceLogs answers with the last ?tail= lines of a compose service as plain text, with
// ?timestamps=true each behind the time at which it was written; with ?follow=true new lines come until the client
// goes; where the host cannot stream, the answer ends with what there is and says so.
func ServiceLogs(finder StackFinder, logger ServiceLogger) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		s, service, err := namedService(r, finder)
		if err != nil {
			return err
		}
		ask, err := logAskOf(r)
		if err != nil {
			return err
		}
		if _, whole := endpoint.Room(r.Context()); whole && ask.Follow {
			endpoint.SayUnstreamed(w)
			ask.Follow = false
		}
		out := &logWriter{w: w, flush: http.NewResponseController(w).Flush}
		err = logger.Logs(r.Context(), s, service, ask, out)
		if out.began {
			return nil // the answer is under way; its end is all that can be said
		}
		if err == nil {
			out.begin()
		}
		return err
	})
}

// logAskOf reads what of a log is wanted.
func logAskOf(r *http.Request) (ask stacks.LogAsk, err error) {
	if ask.Tail, err = tailOf(r); err != nil {
		return ask, err
	}
	if ask.Follow, err = flag(r, "follow"); err != nil {
		return ask, err
	}
	ask.Times, err = flag(r, "timestamps")
	return ask, err
}

// logWriter begins the answer with the first line, so that an error before it is still
// an error to the client, and passes every piece on at once.
type logWriter struct {
	w     http.ResponseWriter
	flush func() error
	began bool
}

func (l *logWriter) begin() {
	l.began = true
	l.w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	l.w.Header().Set("Cache-Control", "no-store")
}

// Write implements io.Writer.
func (l *logWriter) Write(p []byte) (int, error) {
	if !l.began {
		l.begin()
	}
	n, err := l.w.Write(p)
	if err == nil {
		// A host that cannot flush sends the answer whole; nothing is lost.
		_ = l.flush()
	}
	return n, err
}
