package outbound

import (
	"errors"
	"io"
	"net/http"
)

// errTooLarge ends an answer that is larger than Options.Most.
var errTooLarge = errors.New("the answer is too large")

// capped lets no more than most bytes of an answer through.
type capped struct {
	*http.Transport
	most int64
}

// RoundTrip implements http.RoundTripper.
func (c capped) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := c.Transport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	answer.Body = &body{answer.Body, c.most}
	return answer, nil
}

// body reads at most left bytes more.
type body struct {
	io.ReadCloser
	left int64
}

// Read implements io.Reader. What is over the limit is an error, never a shorter answer.
func (b *body) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, errTooLarge
	}
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.ReadCloser.Read(p)
	b.left -= int64(n)
	if b.left < 0 {
		return n - 1, errTooLarge
	}
	return n, err
}
