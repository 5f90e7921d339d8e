package worker

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"berth/core"
	"berth/core/fault"
	"berth/core/wire"
	"berth/hub/worker/content"
)

// Why a download ended without being at fault.
var (
	errLinkOver = errors.New("the link ended before the content was here")
	errNotAsked = errors.New("who was to ask for the content gave up before")
)

// downloads are the blobs that come in over one link. Commands that want the same blob
// share its download. A download goes on when whoever asked gives up: its chunks are on
// their way in any case.
type downloads struct {
	store    *content.Store
	send     func(ctx context.Context, msg any) error
	received *atomic.Uint64 // bytes, ever

	mu     sync.Mutex // guards what follows
	over   bool
	active map[string]*download // by digest
}

type download struct {
	blob *content.Blob // owned by the link's reader
	done chan struct{} // closed when err is final
	err  error
}

func newDownloads(store *content.Store, send func(context.Context, any) error, received *atomic.Uint64) *downloads {
	return &downloads{store: store, send: send, received: received, active: map[string]*download{}}
}

// get brings one blob here. errLinkOver when the link ended first; errNotAsked when this
// was left to another command, and that gave up.
func (d *downloads) get(ctx context.Context, id core.CommandID, want content.Want) error {
	dl, begun, err := d.join(want)
	if err != nil {
		return err
	}
	if begun {
		if err := d.send(ctx, wire.BlobWant{ID: id, Digest: want.Digest}); err != nil {
			d.finish(want.Digest, d.whyNotSent(ctx))
		}
	}
	select {
	case <-dl.done:
		return dl.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// join returns the download of a blob, and whether it has just been begun.
func (d *downloads) join(want content.Want) (*download, bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.over {
		return nil, false, errLinkOver
	}
	if dl := d.active[want.Digest]; dl != nil {
		return dl, false, nil
	}
	blob, err := d.store.NewBlob(want)
	if err != nil {
		return nil, false, err
	}
	dl := &download{blob: blob, done: make(chan struct{})}
	d.active[want.Digest] = dl
	return dl, true, nil
}

// chunk takes in what the hub sent. A chunk that nobody waits for is dropped.
func (d *downloads) chunk(c wire.BlobChunk) {
	d.mu.Lock()
	dl := d.active[c.Digest]
	d.mu.Unlock()
	if dl == nil {
		return
	}
	d.received.Add(uint64(len(c.Data)))
	if c.Error != "" {
		d.finish(c.Digest, fault.New(fault.Unavailable, "content.unavailable", "The hub cannot send a file of the repository: %s", c.Error))
		return
	}
	if err := dl.blob.Append(c.Offset, c.Data); err != nil {
		d.finish(c.Digest, err)
		return
	}
	if c.Last {
		d.finish(c.Digest, dl.blob.Commit())
	}
}

// finish ends a download, and tells whoever waits.
func (d *downloads) finish(digest string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if dl := d.active[digest]; dl != nil {
		delete(d.active, digest)
		dl.end(err)
	}
}

// end fails what is still on its way. It is called after the link's reader has ended.
func (d *downloads) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.over = true
	for _, dl := range d.active {
		dl.end(errLinkOver)
	}
	d.active = nil
}

func (dl *download) end(err error) {
	if err != nil {
		dl.blob.Discard()
	}
	dl.err = err
	close(dl.done)
}

func (d *downloads) whyNotSent(ctx context.Context) error {
	if ctx.Err() != nil {
		return errNotAsked
	}
	return errLinkOver
}
