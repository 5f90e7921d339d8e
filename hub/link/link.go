package link

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"berth/core/wire"
)

// ErrOver is what Send and Flush return once the link has ended.
var ErrOver = errors.New("the link is over")

// Link is one live connection between hub and worker. Its methods may be called from
// any goroutine, Run once.
type Link struct {
	// Set once by New.
	conn    Conn
	patient Patient // conn; nil: it is none, or this is the worker's side, which has one link
	options Options
	over    chan struct{} // closed when the link has ended

	readTimeout atomic.Int64 // nanoseconds

	unknown int // messages that this end does not know; owned by whoever reads

	mu       sync.Mutex // guards what follows; never held during I/O
	begin    func()     // starts a writer; nil before Run
	writing  bool       // there is a writer; a link at rest has none
	ended    bool
	control  queue
	bulk     queue
	progress chan struct{} // closed after the next frame was written; nil while nobody waits
}

// New makes a link over conn. Nothing is read or written before Run, but messages can
// be queued.
func New(conn Conn, options Options) *Link {
	options = options.withDefaults()
	l := &Link{
		conn: conn, options: options,
		over:    make(chan struct{}),
		control: queue{limit: options.ControlQueue}, bulk: queue{limit: options.BulkQueue},
	}
	if options.Side == Hub {
		l.patient, _ = conn.(Patient)
	}
	l.SetReadTimeout(options.ReadTimeout)
	return l
}

// SetReadTimeout changes how long the peer may be silent. It counts from the next frame
// that is awaited.
func (l *Link) SetReadTimeout(d time.Duration) { l.readTimeout.Store(int64(d)) }

// Run carries the link until it ends, closes the connection, waits for everything that
// it started, and returns why the link ended, which is never nil:
//
//   - the cause of ctx, when that ended;
//   - what handle returned, as it is;
//   - io.EOF when the peer closed in order;
//   - an error that wraps os.ErrDeadlineExceeded, when the peer was silent or did not read;
//   - a fault for which wire.Violation is true, when the peer broke the protocol;
//   - any other error of the connection.
//
// handle gets each message, as a struct value such as wire.Hello: while it works nothing is read, and
// the peer is held back. On the worker's side it is called on the goroutine that called Run, on the hub's, which
// has many links, on one that ends with it and takes its stack along. Its context ends with the link. It may Send, but must not wait for an answer to come in.
//
// When the link ends what is still queued is dropped; Flush first to have it sent.
func (l *Link) Run(ctx context.Context, handle func(ctx context.Context, msg any) error) error {
	ctx, end := context.WithCancelCause(ctx)
	return l.Carry(ctx, end, handle)
}

// Carry is Run for whoever has made a context that end ends: another one for each of many links would be memory for nothing.
func (l *Link) Carry(ctx context.Context, end context.CancelCauseFunc, handle func(ctx context.Context, msg any) error) error {
	var children sync.WaitGroup
	children.Add(1)
	context.AfterFunc(ctx, func() {
		defer children.Done()
		l.finish()
		l.conn.Close()
	})
	l.writeWith(func() {
		children.Go(func() {
			if err := l.write(ctx); err != nil {
				end(err)
			}
		})
	})
	defer children.Wait()
	defer end(ErrOver) // for a handle that panics
	end(l.read(ctx, handle))
	return context.Cause(ctx)
}

// read has every message handled that comes. Where the connection is patient, whoever waits for a frame is not who
// reads it: see Patient.
func (l *Link) read(ctx context.Context, handle func(context.Context, any) error) error {
	pace := newPace(l.options.Rate)
	l.listen()
	for {
		err := l.apart(func() error { return l.take(ctx, pace, handle) })
		if err != ErrNothing {
			return err
		}
		if err := l.patient.Wait(); err != nil {
			return l.silent(err)
		}
	}
}

// take reads frames and has their messages handled, one after the other, until none has begun to arrive.
func (l *Link) take(ctx context.Context, pace *pace, handle func(context.Context, any) error) error {
	for {
		if err := l.receive(ctx, handle); err != nil {
			return err
		}
		if err := pace.wait(ctx); err != nil {
			return err
		}
		l.listen()
	}
}

// listen begins the time within which the peer must have sent one more frame.
func (l *Link) listen() {
	l.conn.SetReadDeadline(time.Now().Add(time.Duration(l.readTimeout.Load())))
}

func (l *Link) readFrame() ([]byte, error) {
	if l.patient != nil {
		return l.patient.ReadBegun()
	}
	return l.conn.ReadFrame()
}

// silent says what it means when err is that the peer's time is over.
func (l *Link) silent(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("nothing arrived for %v: %w", time.Duration(l.readTimeout.Load()), err)
	}
	return err
}

// apart runs work; on the hub's side on a goroutine that ends with it and takes its stack along.
func (l *Link) apart(work func() error) error {
	if l.options.Side == Worker {
		return work()
	}
	var defect any
	taken := make(chan error, 1)
	go func() {
		var err error
		defer func() { taken <- err }()
		defer func() { defect = recover() }()
		err = work()
	}()
	err := <-taken
	if defect != nil {
		panic(defect) // where Run was called, as if there were no other goroutine
	}
	return err
}

// toldUnknown is how many messages that this end does not know are told of a link.
const toldUnknown = 10

func (l *Link) receive(ctx context.Context, handle func(context.Context, any) error) error {
	frame, err := l.readFrame()
	if err != nil {
		return l.silent(err)
	}
	msg, err := wire.Decode(frame)
	if wire.Unknown(err) { // the peer is of a newer release, and what it says is not for us
		if l.unknown++; l.unknown <= toldUnknown && l.options.Unknown != nil {
			l.options.Unknown(err)
		}
		return nil
	}
	if err != nil {
		return err
	}
	if !l.options.Side.mayReceive(msg) {
		return wire.WrongDirection(msg)
	}
	return handle(ctx, msg)
}

// writeWith lets what is queued, now or later, be written by goroutines that begin starts.
func (l *Link) writeWith(begin func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.begin = begin
	if len(l.control.frames)+len(l.bulk.frames) > 0 {
		l.startWriter()
	}
}

// startWriter is called under the lock. Between Run and finish only are there new writers, so that Run
// can wait for all.
func (l *Link) startWriter() {
	if l.begin != nil && !l.writing && !l.ended {
		l.writing = true
		l.begin()
	}
}

// write writes until nothing is queued.
func (l *Link) write(ctx context.Context) error {
	for ctx.Err() == nil {
		from, frame := l.next()
		if from == nil {
			return nil
		}
		l.conn.SetWriteDeadline(time.Now().Add(l.options.WriteTimeout))
		err := l.conn.WriteFrame(frame)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return fmt.Errorf("%d bytes were not taken within %v: %w", len(frame), l.options.WriteTimeout, err)
		}
		if err != nil {
			return err
		}
		l.wrote(from)
	}
	return context.Cause(ctx)
}

// next takes the frame that is due, control before bulk; when there is none, the writer ends.
func (l *Link) next() (*queue, []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, q := range []*queue{&l.control, &l.bulk} {
		if frame, found := q.pop(); found {
			return q, frame
		}
	}
	l.writing = false
	return nil, nil
}

// finish releases whoever waits and what is queued.
func (l *Link) finish() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	l.control.frames, l.bulk.frames = nil, nil
	close(l.over)
}

func (l *Link) wrote(q *queue) {
	l.mu.Lock()
	defer l.mu.Unlock()
	q.sent++
	if l.progress != nil {
		close(l.progress)
		l.progress = nil
	}
}
