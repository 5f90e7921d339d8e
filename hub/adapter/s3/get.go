package s3

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
)

// head asks how large an object is, and which version of it there is.
func (b *Bucket) head(ctx context.Context, key string) (size int64, tag string, err error) {
	err = b.again(ctx, func() error {
		answer, err := b.send(ctx, question{method: http.MethodHead, key: key})
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		tag = answer.Header.Get("ETag")
		size, err = strconv.ParseInt(answer.Header.Get("Content-Length"), 10, 64)
		if err != nil || size < 0 || tag == "" {
			return b.small.Malformed()
		}
		return nil
	})
	return size, tag, err
}

// Get implements backups.Storage. What is read is one version of the object, whatever happens to it meanwhile.
func (b *Bucket) Get(ctx context.Context, name string) (io.ReadCloser, error) {
	key := b.key(name)
	size, tag, err := b.head(ctx, key)
	if err != nil {
		return nil, err
	}
	return &object{ctx: ctx, b: b, key: key, tag: tag, size: size}, nil
}

// object reads an object piece by piece; one that breaks off is asked for again from there.
type object struct {
	ctx      context.Context
	b        *Bucket
	key, tag string
	at, size int64
	end      int64         // of the piece
	piece    io.ReadCloser // nil: none is open
	failures int           // since something came
}

// Read implements io.Reader.
func (o *object) Read(p []byte) (n int, err error) {
	if o.at == o.size {
		return 0, io.EOF
	}
	if o.piece == nil {
		if err := o.open(); err != nil {
			return 0, err
		}
	}
	n, err = o.piece.Read(p)
	o.at += int64(n)
	if n > 0 {
		o.failures = 0
	}
	if o.at == o.end {
		return n, o.Close()
	}
	if err == nil {
		return n, nil
	}
	o.Close()
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if o.failures++; o.failures == attempts || o.ctx.Err() != nil {
		return n, o.b.large.Trouble(o.ctx, err)
	}
	return n, nil
}

func (o *object) open() error {
	o.end = min(o.at+piece, o.size)
	q := question{method: http.MethodGet, key: o.key, span: fmt.Sprintf("bytes=%d-%d", o.at, o.end-1), match: o.tag, large: true}
	return o.b.again(o.ctx, func() error {
		answer, err := o.b.send(o.ctx, q)
		if err != nil {
			return err
		}
		if answer.ContentLength != o.end-o.at {
			answer.Body.Close()
			return o.b.large.Malformed()
		}
		o.piece = answer.Body
		return nil
	})
}

// Close implements io.Closer.
func (o *object) Close() error {
	if o.piece == nil {
		return nil
	}
	err := o.piece.Close()
	o.piece = nil
	return err
}
