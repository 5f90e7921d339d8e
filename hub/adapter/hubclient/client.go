// Package hubclient fills the ports of handlers whose hub is another process: it makes the calls of
// core/hubcall over HTTPS. Hubs use it too, to reach each other.
//
// Which hubs there are, what their keys are and which of them is to be asked is read from the store;
// nothing else is trusted. A hub that does not answer costs one wait: for a moment after, callers
// are told at once that it is away. The package must not know what an answer means. Start with
// Client, then ports.go for what it fills.
package hubclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"time"

	"berth/core"
	"berth/core/fleet"
	"berth/core/hubcall"
	"berth/core/hubs"
	"berth/core/seal"
)

// Directory tells which hubs there are; *store.Store does. Each fault is "hub.away" when there is
// none of the kind.
type Directory interface {
	// Hubs returns the hubs whose lease runs, oldest first.
	Hubs(ctx context.Context) ([]hubs.Hub, error)
	// HolderOf returns the hub that holds a lease.
	HolderOf(ctx context.Context, name hubs.LeaseName) (hubs.Hub, error)
	// HubOfWorker returns the hub that holds a worker's link; Unavailable "worker.offline".
	HubOfWorker(ctx context.Context, id core.WorkerID) (hubs.Hub, error)
	// KnownHubs returns the hubs whose lease runs and those that died and are remembered; none is no fault.
	KnownHubs(ctx context.Context) ([]hubs.Known, error)
	// UsableWorkers returns every worker that is registered and not revoked.
	UsableWorkers(ctx context.Context) ([]fleet.Worker, error)
	// Worker returns one worker. NotFound "worker.not_found".
	Worker(ctx context.Context, id core.WorkerID) (fleet.Worker, error)
}

// Sealer closes what travels sealed; *seal.Ring does.
type Sealer interface {
	Seal(place seal.Place, plaintext []byte) (seal.Sealed, error)
}

// Options is what a Client is made of.
type Options struct {
	Key       *hubcall.Key
	Directory Directory
	Seals     Sealer
	Version   string // of the program, for hubs to name
	URL       string // HUB_URL: where the only hub is reached, whatever its row says; empty: as the row says
	Now       core.Clock
}

// Client calls hubs. It is safe for concurrent use.
type Client struct {
	opts  Options
	lines *lines
}

// New returns a Client. Close frees its connections.
func New(opts Options) *Client { return &Client{opts: opts, lines: newLines(opts.Now)} }

// Close frees the connections that are kept.
func (c *Client) Close() { c.lines.close() }

// ask makes a call and decodes its answer into a value.
func ask[Answer any](ctx context.Context, c *Client, to hubs.Hub, op hubcall.Op, question any) (answer Answer, err error) {
	ctx, cancel := context.WithTimeout(ctx, op.Limit())
	defer cancel()
	var text []byte
	err = c.call(ctx, to, op, question, func(body io.Reader) (err error) {
		text, err = io.ReadAll(io.LimitReader(body, hubcall.MaxAnswer))
		return err
	})
	if err != nil {
		return answer, err
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return answer, away(op, noAnswer, true, fmt.Errorf("the hub's answer cannot be read: %w", err))
	}
	return answer, nil
}

// tell makes a call whose answer says nothing.
func (c *Client) tell(ctx context.Context, to hubs.Hub, op hubcall.Op, question any) error {
	return c.stream(ctx, to, op, op.Limit(), question, io.Discard)
}

// stream makes a call and copies its answer.
func (c *Client) stream(ctx context.Context, to hubs.Hub, op hubcall.Op, limit time.Duration, question any, w io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return c.call(ctx, to, op, question, func(body io.Reader) error {
		out := &taken{to: w}
		_, err := io.Copy(out, body)
		if out.err != nil {
			return out.err // whoever asked does not listen any more
		}
		return err
	})
}

// call sends a question and hands the answer to read, which reads all of it or fails.
func (c *Client) call(ctx context.Context, to hubs.Hub, op hubcall.Op, question any, read func(io.Reader) error) error {
	body, err := json.Marshal(question)
	if err != nil {
		return fmt.Errorf("encode what is asked of the hub: %w", err)
	}
	if c.opts.URL != "" {
		to.URL = c.opts.URL
	}
	line, err := c.lines.to(to)
	if err != nil {
		return away(op, noAnswer, false, fmt.Errorf("%s: %w", to.URL, err))
	}
	defer line.over()
	var on sent
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: on.now})
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, to.URL+hubcall.Prefix+string(op), bytes.NewReader(body))
	if err != nil {
		return away(op, noAnswer, false, err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set(hubcall.SpeaksHeader, hubcall.Speaks(c.opts.Version))
	request.Header.Set(hubcall.Header, c.opts.Key.Prove(op, body))
	response, err := line.client.Do(request)
	if err != nil {
		return failed(ctx, op, line, on.Load(), err)
	}
	defer response.Body.Close()
	line.works()
	return answered(ctx, op, line, response, read)
}

// answered reads an answer: a fault, or what was asked for, whole.
func answered(ctx context.Context, op hubcall.Op, line *line, response *http.Response, read func(io.Reader) error) error {
	switch response.StatusCode {
	case http.StatusOK:
	case http.StatusUnprocessableEntity:
		return faultIn(op, io.LimitReader(response.Body, hubcall.MaxBody))
	default:
		return failed(ctx, op, line, false, fmt.Errorf("%s answered %s: it is no hub", response.Request.URL.Host, response.Status))
	}
	if err := read(response.Body); err != nil {
		return failed(ctx, op, line, true, err)
	}
	if _, err := io.Copy(io.Discard, io.LimitReader(response.Body, hubcall.MaxAnswer)); err != nil { // trailers come after the end
		return failed(ctx, op, line, true, err)
	}
	if told := response.Trailer.Get(hubcall.FaultTrailer); told != "" {
		return faultIn(op, bytes.NewReader([]byte(told)))
	}
	return nil
}

// failed says what a call that got no whole answer means to whoever asked. heard: the hub may have got it.
func failed(ctx context.Context, op hubcall.Op, line *line, heard bool, err error) error {
	var gone *goneError
	switch {
	case errors.As(err, &gone):
		return gone.err
	case errors.Is(ctx.Err(), context.Canceled):
		return ctx.Err()
	}
	line.broke()
	return away(op, noAnswer, heard, err)
}

// faultIn decodes a fault that the hub told.
func faultIn(op hubcall.Op, from io.Reader) error {
	var told hubcall.Fault
	if err := json.NewDecoder(from).Decode(&told); err != nil {
		return away(op, noAnswer, true, fmt.Errorf("the hub's refusal cannot be read: %w", err))
	}
	return told.Error()
}

// taken notes when what an answer is copied to takes no more: that is not the hub's doing.
type taken struct {
	to  io.Writer
	err error
}

// goneError is an error of whoever asked.
type goneError struct{ err error }

// Error returns the error's text.
func (g *goneError) Error() string { return g.err.Error() }

// Write passes content on.
func (t *taken) Write(p []byte) (int, error) {
	n, err := t.to.Write(p)
	if err != nil {
		t.err = &goneError{err}
	}
	return n, err
}
