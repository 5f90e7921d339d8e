package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"berth/hub/worker/journal"
	"berth/hub/worker/outbox"
)

// Worker runs commands of the hub on this host. It outlives its links.
type Worker struct {
	// Set once by New.
	options Options
	log     *slog.Logger
	tally   *tally
	box     *outbox.Box
	service *service
	started time.Time
	stirred chan struct{} // holds one: something may have changed here
	usage   *usage

	// Set once by Run, before anything else starts.
	disk     *disk
	composes *os.Root // nil: none are written
	commands *commands

	mu         sync.Mutex // guards what follows
	engineDown bool       // as it was last told in the log
	engineID   string     // empty: the engine has not said yet
}

// New makes a worker. Nothing happens before Run.
func New(options Options) *Worker {
	return &Worker{
		options: options, log: options.Log, tally: newTally(), box: outbox.New(), service: newService(),
		started: options.Now(), stirred: make(chan struct{}, 1), usage: newUsage(options.Engine, options.Now),
	}
}

// Run works until ctx ends. Then it takes no more commands, gives those that run a few
// seconds, says Bye, and returns when everything that it started has ended, within
// about eight seconds. What was interrupted goes on when the worker is back. No
// container is ever stopped by this.
//
// An error means that the worker could not begin: its directories cannot be used.
func (w *Worker) Run(ctx context.Context) error {
	if err := w.open(context.WithoutCancel(ctx)); err != nil {
		return errors.Join(err, w.close())
	}
	links, endLinks := context.WithCancelCause(context.WithoutCancel(ctx))
	var children sync.WaitGroup
	children.Go(func() { w.greetEngine(ctx) })
	children.Go(func() { w.follow(ctx) })
	children.Go(func() { w.connect(ctx, links) })
	children.Go(func() { w.commands.sweep(ctx) })
	children.Go(func() { w.usage.run(ctx) })
	<-ctx.Done()
	w.log.Info("the worker is stopping; containers keep running")
	w.commands.drain(drainGrace)
	w.sayBye(links)
	endLinks(errStopping)
	children.Wait()
	return w.close()
}

func (w *Worker) open(life context.Context) (err error) {
	if w.disk, err = openDisk(w.options.DataDir, w.log); err != nil {
		return err
	}
	if w.composes, err = openComposes(w.options.StackDir); err != nil {
		return err
	}
	key, err := digestKey(w.options.Key)
	if err != nil {
		return fmt.Errorf("derive the key of digests: %w", err)
	}
	s := &steps{
		engine: w.options.Engine, content: w.disk.content, applied: w.disk.applied, composes: w.composes,
		journal: w.disk.journal, fetch: w.fetch, limits: w.options.Limits, digestKey: key, self: selfOf(w.options.Key), now: w.options.Now, tally: w.tally, log: w.log,
	}
	w.commands = newCommands(life, w.disk, w.box, s, w.tally, w.log)
	w.commands.ended = func(key journal.Key) {
		w.stir()
		if s, _ := w.service.get(); s != nil {
			s.answers.owe(key)
		}
	}
	w.commands.resume()
	return nil
}

func (w *Worker) close() error {
	var errs []error
	if w.composes != nil {
		errs = append(errs, w.composes.Close())
	}
	if w.disk != nil {
		errs = append(errs, w.disk.close())
	}
	return errors.Join(errs...)
}

// sayBye ends the link in service in order.
func (w *Worker) sayBye(links context.Context) {
	s, _ := w.service.get()
	if s == nil {
		return
	}
	ctx, cancel := context.WithTimeout(links, drainFlush)
	defer cancel()
	s.leave(ctx)
}

// greetEngine says at once whether there is a container engine.
func (w *Worker) greetEngine(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	engine, err := w.options.Engine.Info(limited)
	w.engineSaid(ctx, err)
	if err == nil {
		w.engineIs(engine.ID)
		w.log.Info("the container engine answers", "version", engine.Version, "api", engine.APIVersion, "containers", engine.Containers)
	}
}

// engineSaid tells in the log when the engine goes and when it comes back.
func (w *Worker) engineSaid(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	w.mu.Lock()
	before := w.engineDown
	w.engineDown = err != nil
	w.mu.Unlock()
	switch {
	case err != nil && !before:
		w.log.Error("the container engine does not answer; commands fail until it does. Start it, or give the worker access to its socket (DOCKER_HOST)", "error", err)
	case err == nil && before:
		w.log.Info("the container engine answers again")
	}
}
