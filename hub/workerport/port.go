package workerport

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"berth/core"
	"berth/core/fleet"
	"berth/core/pace"
	"berth/core/wire"
	"berth/hub/adapter/websocket"
	"berth/hub/link"
)

// Desk judges workers; *fleet.Desk does.
type Desk interface {
	// Enrol registers a worker or finds it again.
	Enrol(ctx context.Context, proof fleet.Proof, ask wire.Enrol) (fleet.Worker, error)
	// Authenticate returns the worker that a proof belongs to.
	Authenticate(ctx context.Context, proof fleet.Proof) (fleet.Worker, error)
}

// Hub talks to workers; *hub.Hub does.
type Hub interface {
	// Serve runs a worker's link until it is over, and returns why it is.
	Serve(ctx context.Context, conn link.Conn, worker core.WorkerID, hostname string) error
}

// Meter counts who comes; *metrics.Own does.
type Meter interface {
	// AuthenticationFailed counts a refused credential: "worker".
	AuthenticationFailed(kind string)
	// Connection counts what became of a worker's wish for a link: one of the words in results.go.
	Connection(result string)
}

// Options is what a Port is made of; every field without a default in its comment is required.
type Options struct {
	Desk        Desk
	Hub         Hub
	Meter       Meter
	Certificate tls.Certificate // Identity.Certificate
	Heartbeat   time.Duration   // HEARTBEAT_INTERVAL, told to workers
	Limits      Limits          // zero: DefaultLimits
	Grace       time.Duration   // for the hub to say goodbye when the port closes; zero: 5 s
	Now         core.Clock
	Log         *slog.Logger
}

// Limits bound what is let in.
type Limits struct {
	Pending    int           // connections that have no link yet, beyond which new ones are closed
	PerAddress int           // of those, from one address
	Speaking   int           // of those that have begun to speak, beyond which new ones are closed unless as many links were made lately
	AtOnce     int           // requests being judged, beyond which others wait
	Patience   time.Duration // of those that wait, beyond which 503; less than a worker's, which is 10 s
	Rate       pace.Rule     // of all requests together, beyond which 503
	Failures   pace.Rule     // of refused credentials from one address, beyond which 429
	Links      int           // beyond which 503
}

// DefaultLimits let ten thousand workers come back within half a minute; each makes two
// requests.
var DefaultLimits = Limits{
	Pending: 4096, PerAddress: 512, Speaking: 512, AtOnce: 64, Patience: 5 * time.Second, Links: 20_000,
	Rate:     pace.Rule{Burst: 4000, Every: time.Millisecond / 2},
	Failures: pace.Rule{Burst: 20, Every: 6 * time.Second},
}

const (
	headerTime   = 10 * time.Second // for the TLS handshake, and for a request's header
	requestTime  = 20 * time.Second // for a whole request, and for its answer
	idleTime     = 30 * time.Second // between registration and link
	maxHeader    = 8 << 10          // bytes
	requestGrace = 2 * time.Second  // for requests, when the port closes
	defaultGrace = 5 * time.Second
)

// Port is the worker port. Make it with New; it does nothing until Run.
type Port struct {
	// Set once.
	opts      Options
	admission *admission
	handler   http.Handler

	links  context.Context // ends when links must
	cut    context.CancelFunc
	mu     sync.Mutex
	closed bool // guarded by mu: no link begins any more
	linked int  // guarded by mu
	served sync.WaitGroup
}

// New returns a Port.
func New(opts Options) *Port {
	if opts.Limits == (Limits{}) {
		opts.Limits = DefaultLimits
	}
	if opts.Grace == 0 {
		opts.Grace = defaultGrace
	}
	p := &Port{opts: opts, admission: newAdmission(opts.Limits, opts.Now)}
	p.links, p.cut = context.WithCancel(context.Background())
	p.handler = p.routes()
	return p
}

// Run serves listener, which it closes, until ctx ends or listening fails. It returns when
// nothing is served any more: the hub, which stops at the same time, has a few seconds to
// say goodbye to its workers, then their links are cut.
func (p *Port) Run(ctx context.Context, listener net.Listener) error {
	defer p.cut()
	var plain http.Protocols // HTTP/2 cannot be upgraded, and would be offered by itself
	plain.SetHTTP1(true)
	server := &http.Server{
		Handler: p.handler, Protocols: &plain, TLSConfig: websocket.ServerConfig(p.opts.Certificate), ConnContext: withGated,
		ReadHeaderTimeout: headerTime, ReadTimeout: requestTime, WriteTimeout: requestTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(p.opts.Log.Handler(), slog.LevelDebug), // handshakes that fail: strangers' business
	}
	gate := newGate(listener, p.opts.Limits, p.opts.Now, func() { p.opts.Meter.Connection(crowded) })
	failed := make(chan error, 1)
	var serving sync.WaitGroup
	serving.Go(func() { failed <- server.ServeTLS(gate, "", "") })
	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	p.close(context.WithoutCancel(ctx), server)
	serving.Wait()
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// close ends everything in order: no new request, the last requests, the links.
func (p *Port) close(ctx context.Context, server *http.Server) {
	brief, cancel := context.WithTimeout(ctx, requestGrace)
	defer cancel()
	if server.Shutdown(brief) != nil {
		server.Close() // what has not ended by now is cut; there is nobody to tell
	}
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	grace := time.AfterFunc(p.opts.Grace, p.cut)
	p.served.Wait()
	grace.Stop()
}

// begin counts a link in; false when the port closes or has as many as it may.
func (p *Port) begin() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.linked >= p.opts.Limits.Links {
		return false
	}
	p.linked++
	p.served.Add(1)
	return true
}

func (p *Port) end() {
	p.mu.Lock()
	p.linked--
	p.mu.Unlock()
	p.served.Done()
}
