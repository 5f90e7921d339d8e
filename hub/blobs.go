package hub

import (
	"context"
	"errors"
	"io"

	"berth/core"
	"berth/core/fault"
	"berth/core/wire"
)

// wantBlob queues a worker's wish for content. A worker that wants more at once than any
// deployment has is not answered.
func (s *session) wantBlob(ctx context.Context, m wire.BlobWant) error {
	s.mu.Lock()
	queued := len(s.blobs) < maxBlobsWaiting
	if queued {
		s.blobs = append(s.blobs, m)
	}
	s.mu.Unlock()
	if !queued {
		return s.link.Send(ctx, wire.BlobChunk{Digest: m.Digest, Error: "too many wishes at once", Last: true})
	}
	s.content.wake()
	return nil
}

// nextBlob takes the wish that waits longest.
func (s *session) nextBlob() (wire.BlobWant, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.blobs) == 0 {
		s.blobs = nil // a link at rest holds no memory for it
		return wire.BlobWant{}, false
	}
	want := s.blobs[0]
	s.blobs = s.blobs[1:]
	return want, true
}

// serveBlobs answers the wishes that wait, one after the other, until the link is over.
func (s *session) serveBlobs(ctx context.Context) {
	for ctx.Err() == nil {
		want, found := s.nextBlob()
		if !found {
			return
		}
		if err := s.sendBlob(ctx, want); err != nil && ctx.Err() == nil {
			s.h.log.Warn("content was not sent", "worker", s.worker.ID, "digest", want.Digest, "error", err)
			// An error that cannot be sent means that the link is over.
			_ = s.link.Send(ctx, wire.BlobChunk{Digest: want.Digest, Error: fault.PublicOf(err), Last: true})
		}
	}
}

// sendBlob streams content that one of this worker's own commands needs.
func (s *session) sendBlob(ctx context.Context, want wire.BlobWant) error {
	if err := s.mayHave(ctx, want); err != nil {
		return err
	}
	blob, err := s.h.opts.Files.OpenBlob(want.Digest)
	if err != nil {
		return err
	}
	defer blob.Close()
	buffer := make([]byte, wire.MaxBlobChunk)
	for offset := int64(0); ; {
		n, err := io.ReadFull(blob, buffer)
		last := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !last {
			return err
		}
		chunk := wire.BlobChunk{Digest: want.Digest, Offset: offset, Data: buffer[:n], Last: last}
		if err := s.link.Send(ctx, chunk); err != nil || last {
			return err
		}
		offset += int64(n)
	}
}

// mayHave refuses content that the worker's command does not need: a worker sees only
// what it is to run.
func (s *session) mayHave(ctx context.Context, want wire.BlobWant) error {
	c, err := s.h.opts.Store.Command(ctx, s.worker.ID, want.ID)
	if err != nil {
		return err
	}
	content, err := s.order(c).content(ctx)
	if err != nil {
		return err
	}
	if !needs(content, want.Digest) {
		return fault.New(fault.Forbidden, "revision.not_needed", "The command does not need this content.")
	}
	return nil
}

func needs(all []core.Content, digest string) bool {
	for _, content := range all {
		for _, file := range content.Files {
			if file.Digest == digest {
				return true
			}
		}
	}
	return false
}
