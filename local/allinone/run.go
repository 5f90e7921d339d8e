package allinone

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"berth/core/fleet"
	"berth/core/repositories"
	"berth/core/stacks"
	"berth/core/store"
	"berth/core/variables"
)

// Desks are the use cases that what runs beside the server may call.
type Desks struct {
	Repositories *repositories.Desk
	Stacks       *stacks.Desk
	Variables    *variables.Desk
	Fleet        *fleet.Desk
	Store        *store.Store
}

// How long requests and streams may go on once the process is told to end.
const (
	shutdownGrace = 6 * time.Second
	streamGrace   = time.Second
)

// Run runs the whole program until ctx ends, and returns when everything that it started
// has ended. An error that wraps ErrRefused means that nothing was started or changed.
func Run(ctx context.Context, cfg Config) error { return live(ctx, cfg, true) }

// RunHub runs hub and worker port without handlers: for handlers that run elsewhere on
// the same store.
func RunHub(ctx context.Context, cfg Config) error { return live(ctx, cfg, false) }

// live runs once, and again after each restore of a backup.
func live(ctx context.Context, cfg Config, withHandlers bool) error {
	cfg = cfg.withDefaults()
	for {
		if err := once(ctx, cfg, withHandlers); !errors.Is(err, errRestored) {
			return err
		}
	}
}

func once(ctx context.Context, cfg Config, withHandlers bool) error {
	p, err := open(ctx, cfg)
	if calledOff(ctx, err) {
		cfg.Log.Info("berth was told to end before it had begun")
		return nil
	}
	if err != nil {
		return err
	}
	err = errors.Join(p.run(ctx, withHandlers), p.vault.close())
	if err == nil {
		cfg.Log.Info("berth has ended")
	}
	return err
}

// calledOff reports whether an error is nothing but that ctx ended in the middle of a start.
func calledOff(ctx context.Context, err error) bool {
	return ctx.Err() != nil && errors.Is(err, context.Canceled) && ExitCode(err) == 1
}

// run opens the ports, then starts what ticks. The first part that fails ends the others.
func (p *parts) run(ctx context.Context, withHandlers bool) error {
	if err := p.hub.Prepare(ctx); err != nil {
		if calledOff(ctx, err) {
			return nil
		}
		return err
	}
	if err := p.store.SetMailSetup(ctx, p.mailSetup()); err != nil && !calledOff(ctx, err) {
		return err
	}
	workers, err := listen("TLS_WORKER_PORT", p.cfg.Server.TLSWorkerPort)
	if err != nil {
		return err
	}
	defer workers.Close()
	crew := newCrew(ctx)
	p.end = crew.end
	addresses := Addresses{Worker: workers.Addr().String()}
	if withHandlers {
		if err := p.startHandlers(crew, &addresses); err != nil {
			return errors.Join(err, crew.stop())
		}
	}
	if err := p.startInternalPort(crew); err != nil {
		return errors.Join(err, crew.stop())
	}
	if err := p.settleRestore(ctx); err != nil {
		return errors.Join(err, crew.stop())
	}
	crew.start("database", p.vault.run)
	if p.shelf != nil {
		crew.start("backups", p.shelf.Run)
		crew.start("copies of backups", p.shelf.RunOffsite)
		crew.start("rehearsals", p.shelf.RunRehearsals)
	}
	if p.dumps != nil {
		crew.start("backups of the database", p.dumps.Run)
	}
	crew.start("hub", p.hub.Run)
	crew.start("keys", p.watchKeys)
	crew.start("metrics", func(ctx context.Context) error { p.board.Workers.Keep(ctx); return nil })
	crew.start("worker port", func(ctx context.Context) error { return p.port.Run(ctx, workers) })
	if p.cfg.Server.LocalWorker {
		crew.start("worker inside", p.runWorker)
	}
	if p.cfg.Beside != nil {
		desks := Desks{p.repositories, p.stacks, p.variables, p.fleet, p.store}
		crew.start("companion", func(ctx context.Context) error { return p.cfg.Beside(ctx, desks) })
	}
	p.cfg.Log.Info("berth is running", "version", p.cfg.Version, "address", p.cfg.Server.AppURL, slog.Any("", addresses))
	if p.cfg.Ready != nil {
		p.cfg.Ready(addresses)
	}
	<-crew.ctx.Done()
	p.cfg.Log.Info("berth is ending: workers are told when to come back, what is under way is finished or left to the next start", "why", context.Cause(crew.ctx))
	return crew.wait()
}

// keysEvery is how often it is looked whether another process has added a data key.
const keysEvery = 30 * time.Second

// watchKeys keeps the key ring as it is stored.
func (p *parts) watchKeys(ctx context.Context) error {
	p.rings.Watch(ctx, p.ring, keysEvery, func(err error) {
		p.cfg.Log.Warn("the key ring cannot be read again; it stays as it is", "again_in", keysEvery, "error", err)
	})
	return nil
}

// startHandlers opens PORT and serves the route table on it.
func (p *parts) startHandlers(crew *crew, addresses *Addresses) error {
	mux, err := p.mux()
	if err != nil {
		return err
	}
	web, err := listen("PORT", p.cfg.Server.Port)
	if err != nil {
		return err
	}
	addresses.HTTP = web.Addr().String()
	crew.start("web server", func(ctx context.Context) error { return serveHTTP(ctx, web, mux) })
	return nil
}

// listen opens a port on every address of the host; errors name the variable.
func listen(variable string, port int) (net.Listener, error) {
	return listenAt(variable, ":"+strconv.Itoa(port))
}

// listenAt opens a port on the given addresses; errors name the variable.
func listenAt(variable, address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	_, port, _ := strings.Cut(address[max(0, strings.LastIndexByte(address, ':')):], ":")
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%w: %s: port %s is in use by another program; stop that one or choose another port", ErrRefused, variable, port)
	case errors.Is(err, os.ErrPermission):
		return nil, fmt.Errorf("%w: %s: this user may not open port %s; choose one above 1023", ErrRefused, variable, port)
	case err != nil:
		return nil, fmt.Errorf("%w: %s: address %s cannot be opened: %w", ErrRefused, variable, address, err)
	}
	return l, nil
}

// serveHTTP serves until ctx ends; requests under way get shutdownGrace to end, and
// streams are ended after streamGrace.
func serveHTTP(ctx context.Context, l net.Listener, handler http.Handler) error {
	base, endStreams := context.WithCancel(context.WithoutCancel(ctx))
	defer endStreams()
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		BaseContext: func(net.Listener) context.Context { return base }}
	done := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(done)
		ending := time.AfterFunc(streamGrace, endStreams)
		defer ending.Stop()
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownGrace)
		defer cancel()
		if server.Shutdown(grace) != nil {
			server.Close()
		}
	})
	err := server.Serve(l)
	if !stop() {
		<-done
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// crew runs the parts of the process. The first error ends the others.
type crew struct {
	ctx     context.Context
	end     context.CancelCauseFunc
	running sync.WaitGroup
}

func newCrew(ctx context.Context) *crew {
	ctx, end := context.WithCancelCause(ctx)
	return &crew{ctx: ctx, end: end}
}

// errEnded says that a part returned without being asked to.
var errEnded = errors.New("ended by itself")

func (c *crew) start(name string, run func(context.Context) error) {
	c.running.Go(func() {
		err := run(c.ctx)
		if err == nil && c.ctx.Err() == nil {
			err = errEnded
		}
		if err != nil && !errors.Is(err, context.Canceled) {
			c.end(fmt.Errorf("%s: %w", name, err))
		}
	})
}

// wait returns when every part has; the error is the first part's, nil when ctx ended.
func (c *crew) wait() error {
	<-c.ctx.Done()
	c.running.Wait()
	if err := context.Cause(c.ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// stop ends every part and waits.
func (c *crew) stop() error {
	c.end(context.Canceled)
	return c.wait()
}
