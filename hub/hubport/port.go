package hubport

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"berth/core/fault"
	"berth/core/hubcall"
)

// Limits of the port.
const (
	headerTime = 5 * time.Second
	bodyTime   = 10 * time.Second
	idleTime   = 2 * time.Minute
	maxHeader  = 8 << 10 // bytes
	maxCalls   = 256     // at once, beyond which callers are told to come again
	endGrace   = 3 * time.Second
)

// Port is the internal port. Make it with New; it does nothing until Run.
type Port struct {
	opts  Options
	calls map[hubcall.Op]call
	room  chan struct{} // holds one for each call under way
}

// New returns a Port.
func New(opts Options) *Port {
	return &Port{opts: opts, calls: calls(opts), room: make(chan struct{}, maxCalls)}
}

// Run serves listener, which it closes, until ctx ends; calls under way get a few seconds to end.
func (p *Port) Run(ctx context.Context, listener net.Listener) error {
	base, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	server := &http.Server{
		Handler: p, TLSConfig: &tls.Config{Certificates: []tls.Certificate{p.opts.Certificate}, MinVersion: tls.VersionTLS13},
		ReadHeaderTimeout: headerTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHeader,
		BaseContext: func(net.Listener) context.Context { return base },
		ErrorLog:    slog.NewLogLogger(p.opts.Log.Handler(), slog.LevelDebug),
	}
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), endGrace)
		defer cancel()
		streams := time.AfterFunc(endGrace/3, cut)
		defer streams.Stop()
		if server.Shutdown(grace) != nil {
			server.Close() // what has not ended by now is cut; callers see that it is not whole
		}
	})
	err := server.ServeTLS(listener, "", "")
	if !stop() {
		<-ended
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

var (
	errBody = fault.New(fault.Malformed, "hub_call.malformed", "What was asked of the hub cannot be read. Run the same version everywhere.")
	errFull = fault.New(fault.Unavailable, "hub.away", "The hub has too much to do. Try again in a moment.").After(time.Second)
)

// ServeHTTP answers one call.
func (p *Port) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	select {
	case p.room <- struct{}{}:
		defer func() { <-p.room }()
	default:
		refuse(w, errFull)
		return
	}
	out := &answer{to: w}
	err := p.serve(out, r)
	switch {
	case err == nil:
		out.begin()
	case out.began:
		w.Header().Set(hubcall.FaultTrailer, told(err))
	default:
		refuse(w, err)
	}
	if fault.KindOf(err) == fault.Internal && err != nil && r.Context().Err() == nil {
		p.opts.Log.Error("a call to the hub failed", "call", r.URL.Path, "error", err)
	}
}

// unknown refuses a call that this hub does not have.
func (p *Port) unknown(caller string) error {
	return fault.New(fault.Unavailable, "hub_call.unknown", "The hub is release %s and knows no such call; what called it is release %s. Run the same release everywhere.", p.opts.Version, caller)
}

func (p *Port) serve(w *answer, r *http.Request) error {
	caller, err := hubcall.Heard(r.Header.Get(hubcall.SpeaksHeader), p.opts.Version)
	if err != nil {
		p.opts.Log.Warn("a call to the hub was refused", "address", r.RemoteAddr, "error", err)
		return err
	}
	name, _ := strings.CutPrefix(r.URL.Path, hubcall.Prefix)
	op := hubcall.Op(name)
	if r.Method != http.MethodPost || op.Limit() == 0 {
		return p.unknown(caller)
	}
	_ = http.NewResponseController(w.to).SetReadDeadline(time.Now().Add(bodyTime)) // over TLS there is one
	body, err := io.ReadAll(io.LimitReader(r.Body, op.Body()+1))
	if err != nil || int64(len(body)) > op.Body() {
		return errBody
	}
	_ = http.NewResponseController(w.to).SetReadDeadline(time.Time{})
	if err := p.opts.Key.Check(op, body, r.Header.Get(hubcall.Header)); err != nil {
		p.opts.Log.Warn("a call to the hub was refused", "call", op, "address", r.RemoteAddr, "error", err)
		return err
	}
	do, known := p.calls[op]
	if !known {
		return p.unknown(caller)
	}
	limit := op.Limit()
	if op == hubcall.Logs {
		limit = hubcall.FollowLimit // the hub bounds those that do not follow
	}
	ctx, cancel := context.WithTimeout(r.Context(), limit)
	defer cancel()
	return do(ctx, body, w)
}

// answer is an answer that has no status until a call is known to be one.
type answer struct {
	to    http.ResponseWriter
	began bool
}

// heard tells the caller that its call has arrived, before what may take a while: one who hears nothing
// knows soon that this hub stands still.
func (a *answer) heard() error {
	a.begin()
	return http.NewResponseController(a.to).Flush()
}

func (a *answer) begin() {
	if !a.began {
		a.began = true
		a.to.Header().Set("Trailer", hubcall.FaultTrailer)
		a.to.WriteHeader(http.StatusOK)
	}
}

// Write sends content at once: whoever follows a log waits for each line.
func (a *answer) Write(p []byte) (int, error) {
	a.begin()
	n, err := a.to.Write(p)
	if err == nil {
		err = http.NewResponseController(a.to).Flush()
	}
	return n, err
}

func refuse(w http.ResponseWriter, err error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusUnprocessableEntity)
	_, _ = io.WriteString(w, told(err)) // a caller that has gone needs no answer
}

// told is what a caller may know of err, in one line.
func told(err error) string {
	text, encodeErr := json.Marshal(hubcall.FaultOf(err))
	if encodeErr != nil {
		panic("hubport: a fault does not encode: " + encodeErr.Error())
	}
	return string(text)
}
