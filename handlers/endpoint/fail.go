package endpoint

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"

	"berth/core/fault"
)

// ErrorPage renders a problem as HTML, status and headers included, for a browser that
// asked for a page.
type ErrorPage func(w http.ResponseWriter, r *http.Request, p Problem)

// Reporter is where failures go besides the client.
type Reporter struct {
	Log  *slog.Logger
	Page ErrorPage // nil: browsers get problem+json like everyone else
}

// WithReporter returns a context whose failures are logged and shown by reporter.
func WithReporter(ctx context.Context, reporter *Reporter) context.Context {
	return context.WithValue(ctx, reporterKey, reporter)
}

func reporter(ctx context.Context) Reporter {
	if known, found := ctx.Value(reporterKey).(*Reporter); found {
		return *known
	}
	return Reporter{Log: slog.Default()}
}

// Fail answers with err and logs it: the one place where both are done. When the answer
// has already begun, it only logs.
func Fail(w http.ResponseWriter, r *http.Request, err error) {
	p := ProblemOf(r.Context(), err)
	log(r.Context(), p, err)
	if began, known := w.(interface{ Began() bool }); known && began.Began() {
		return
	}
	WriteProblem(w, r, p)
}

// Note logs err as Fail does, for a handler that answers with a page of its own.
func Note(r *http.Request, err error) { log(r.Context(), ProblemOf(r.Context(), err), err) }

func log(ctx context.Context, p Problem, err error) {
	reporter(ctx).Log.LogAttrs(ctx, severity(p.Status, err), "request failed", slog.String("request_id", p.RequestID),
		slog.Int("status", p.Status), slog.String("code", p.Code), slog.String("error", err.Error()))
}

// Refuse answers in place of a handler whose answer cannot be sent; what that had set in the
// header names the request.
func (to *Reporter) Refuse(w http.ResponseWriter, r *http.Request, err error) {
	ctx := WithReporter(WithRequestID(r.Context(), w.Header().Get("X-Request-Id")), to)
	Fail(w, r.WithContext(ctx), err)
}

// severity is high only for what an operator should look at. That the disk is full the store tells
// when it happens; a line for each request would take what is left of it.
func severity(status int, err error) slog.Level {
	switch {
	case becauseOf(err, "store.disk_full"):
		return slog.LevelDebug
	case errors.Is(err, context.Canceled): // the client left, as a browser does that goes on to another page
		return slog.LevelDebug
	case status == http.StatusInternalServerError:
		return slog.LevelError
	case status > http.StatusInternalServerError:
		return slog.LevelWarn
	}
	return slog.LevelDebug
}

// becauseOf reports whether a fault with this code is in err's chain.
func becauseOf(err error, code string) bool {
	for f := (*fault.Error)(nil); errors.As(err, &f); err = f.Cause {
		if f.Code == code {
			return true
		}
	}
	return false
}

// WriteProblem answers with p, as a page where a browser asked for one.
func WriteProblem(w http.ResponseWriter, r *http.Request, p Problem) {
	p.SayWhen(w)
	if p.Status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `X-Service-Api-Key realm="berth"`)
	}
	if page := reporter(r.Context()).Page; page != nil && WantsPage(r) {
		page(w, r, p)
		return
	}
	// A Problem always encodes; a client that has gone is no failure of ours.
	writeJSON(w, p.Status, "application/problem+json", p)
}

// WantsPage reports whether r is a browser asking for a page rather than a program or a
// script asking for data.
func WantsPage(r *http.Request) bool {
	return (!strings.HasPrefix(r.URL.Path, "/api/") || sentHere(r)) && strings.Contains(r.Header.Get("Accept"), "text/html")
}

// sentHere reports whether r is where the browser of a person is sent on the way to a Git host or back, with what
// went wrong there.
func sentHere(r *http.Request) bool {
	rest, found := strings.CutPrefix(r.URL.Path, "/api/custom/git-providers/")
	_, last, _ := strings.Cut(rest, "/")
	return found && (last == "connect" || last == "callback")
}
