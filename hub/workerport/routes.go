package workerport

import (
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"math"
	"net/http"
	"runtime/debug"
	"strconv"

	"berth/core"
	"berth/core/fault"
	"berth/core/fleet"
	"berth/core/patience"
	"berth/core/wire"
	"berth/hub/adapter/websocket"
	"berth/hub/link"
)

// routes is the whole surface; every other path and method is 404.
func (p *Port) routes() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.Method + " " + r.URL.Path {
		case http.MethodPost + " " + wire.EnrolPath:
			p.judged(w, r, p.enrol)
		case http.MethodGet + " " + wire.LinkPath:
			p.judged(w, r, p.link)
		default:
			http.Error(w, "There is nothing here for you: this port serves workers only.", http.StatusNotFound)
		}
	})
}

// judged runs a handler within the bounds of admission. The handler calls leave as soon
// as the request is judged, if it goes on for longer.
func (p *Port) judged(w http.ResponseWriter, r *http.Request, handle func(w http.ResponseWriter, r *http.Request, leave func()) error) {
	leave, err := p.admission.enter(addressOf(r))
	if err == nil {
		defer leave()
		r = r.WithContext(patience.With(r.Context(), patience.Short))
		err = handle(w, r, leave)
	}
	if err != nil {
		p.refuse(w, r, err)
	}
}

// enrol registers a worker.
func (p *Port) enrol(w http.ResponseWriter, r *http.Request, _ func()) error {
	proof, err := p.proof(r)
	if err != nil {
		return err
	}
	ask, err := readEnrol(w, r)
	if err != nil {
		return err
	}
	worker, err := p.opts.Desk.Enrol(r.Context(), proof, ask)
	if err != nil {
		return err
	}
	answer(w, http.StatusOK, "application/json", wire.Enrolled{
		WorkerID: worker.ID, HeartbeatSeconds: int(p.opts.Heartbeat.Seconds()), Time: p.opts.Now().UTC()})
	return nil
}

func readEnrol(w http.ResponseWriter, r *http.Request) (wire.Enrol, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, wire.MaxEnrol))
	var over *http.MaxBytesError
	switch {
	case errors.As(err, &over):
		return wire.Enrol{}, fault.New(fault.TooLarge, "worker_port.too_large", "A registration has at most %d bytes.", wire.MaxEnrol)
	case err != nil:
		return wire.Enrol{}, fault.New(fault.Malformed, "worker_port.unreadable", "The registration did not arrive whole.").Because(err)
	}
	return wire.DecodeEnrol(body)
}

// link upgrades a worker's connection and hands it to the hub. The request is over then: what the
// HTTP server holds for one is more than a link needs.
func (p *Port) link(w http.ResponseWriter, r *http.Request, leave func()) error {
	proof, err := p.proof(r)
	if err != nil {
		return err
	}
	worker, err := p.opts.Desk.Authenticate(r.Context(), proof)
	if err != nil {
		return err
	}
	if !p.begin() {
		return errFull
	}
	conn := websocket.Upgrade(w, r)
	if conn == nil {
		p.end()
		return nil
	}
	leave()
	settled(r.Context())
	p.opts.Meter.Connection(accepted)
	go p.serve(conn, worker.ID, worker.Hostname)
	return nil
}

// serve has the hub serve a link until it is over. A defect ends that link alone.
func (p *Port) serve(conn link.Conn, worker core.WorkerID, hostname string) {
	defer p.end()
	defer conn.Close()
	defer func() {
		if problem := recover(); problem != nil {
			p.opts.Log.Error("a defect ended a worker's link; the others go on", "worker", worker, "panic", problem, "stack", string(debug.Stack()))
		}
	}()
	err := p.opts.Hub.Serve(p.links, conn, worker, hostname)
	p.opts.Log.Debug("a worker's link is over", "worker", worker, "reason", err)
}

// proof reads what a worker shows.
func (p *Port) proof(r *http.Request) (fleet.Proof, error) {
	key, shown := websocket.PeerKey(r)
	if !shown {
		return fleet.Proof{}, fault.New(fault.Unauthenticated, "worker_port.no_key", "A worker shows a certificate with its own key.")
	}
	token := r.Header.Get(wire.TokenHeader)
	if token == "" {
		return fleet.Proof{}, fault.New(fault.Unauthenticated, "worker_port.no_token", "A worker sends its token in the header %s.", wire.TokenHeader)
	}
	return fleet.Proof{Token: token, Key: key, Address: addressOf(r)}, nil
}

// statuses says which kind of fault becomes which status, as on the other port.
var statuses = map[fault.Kind]int{
	fault.Malformed: http.StatusBadRequest, fault.Unsupported: http.StatusUnsupportedMediaType, fault.Invalid: http.StatusUnprocessableEntity,
	fault.Unauthenticated: http.StatusUnauthorized, fault.Forbidden: http.StatusForbidden, fault.NotFound: http.StatusNotFound,
	fault.Conflict: http.StatusConflict, fault.TooLarge: http.StatusRequestEntityTooLarge, fault.TooMany: http.StatusTooManyRequests,
	fault.Unavailable: http.StatusServiceUnavailable, fault.Internal: http.StatusInternalServerError,
}

// refuse answers with a fault, counts it when it was about who asks, and logs it.
func (p *Port) refuse(w http.ResponseWriter, r *http.Request, err error) {
	kind, level := fault.KindOf(err), slog.LevelDebug
	switch kind {
	case fault.Unauthenticated, fault.Forbidden:
		p.admission.failed(addressOf(r))
		p.opts.Meter.AuthenticationFailed("worker")
		level = slog.LevelWarn
	case fault.Internal:
		level = slog.LevelError
	}
	p.opts.Meter.Connection(resultOf(err))
	p.opts.Log.Log(r.Context(), level, "a worker was refused", "address", addressOf(r), "path", r.URL.Path, "error", err)
	var known *fault.Error
	if errors.As(err, &known) && known.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(known.RetryAfter.Seconds()))))
	}
	status := statuses[kind]
	answer(w, status, "application/problem+json", map[string]any{"type": "about:blank", "title": http.StatusText(status),
		"status": status, "detail": fault.PublicOf(err), "code": fault.CodeOf(err)})
}

// answer writes JSON that always encodes; a worker that has gone needs no answer.
func answer(w http.ResponseWriter, status int, mediaType string, v any) {
	w.Header().Set("Content-Type", mediaType)
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}
