package s3

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"berth/core/fault"
	"berth/hub/adapter/outbound"
)

// question is one request.
type question struct {
	method string
	key    string // of the object; "": the bucket itself
	query  url.Values
	body   *io.SectionReader // nil: none
	span   string            // of the object, as Range; "": all
	match  string            // the ETag that the object must have; "": any
	large  bool              // the body or the answer is a piece of an archive
}

const attempts = 4

// firstWait is how long it takes until the second attempt; each further one waits twice as long.
var firstWait = time.Second

// ask sends a question, again when the storage says that it may work later, and reads its answer into into, if that is
// not nil.
func (b *Bucket) ask(ctx context.Context, q question, into any) error {
	return b.again(ctx, func() error {
		answer, err := b.send(ctx, q)
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		if into == nil {
			_, err = io.Copy(io.Discard, answer.Body)
		} else {
			err = xml.NewDecoder(answer.Body).Decode(into)
			if err != nil && ctx.Err() == nil {
				return b.small.Malformed()
			}
		}
		return b.trouble(ctx, q, err)
	})
}

// again repeats what failed for a reason that may pass.
func (b *Bucket) again(ctx context.Context, do func() error) error {
	wait := firstWait
	for n := 1; ; n++ {
		err := do()
		if err == nil || n == attempts || !fault.Is(err, fault.Unavailable) {
			return err
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return err
		case <-timer.C:
		}
		wait *= 2
	}
}

func (b *Bucket) trouble(ctx context.Context, q question, err error) error {
	if err == nil {
		return nil
	}
	return b.service(q).Trouble(ctx, err)
}

func (b *Bucket) service(q question) *outbound.Service {
	if q.large {
		return b.large
	}
	return b.small
}

// emptyDigest is the SHA-256 of nothing.
const emptyDigest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// send sends a question once. The answer's status is a good one; its body must be closed.
func (b *Bucket) send(ctx context.Context, q question) (*http.Response, error) {
	request, digest, err := b.request(ctx, q)
	if err != nil {
		return nil, err
	}
	if err := b.signer.SignHTTP(ctx, b.who, request, digest, "s3", b.s.Region, b.now().UTC()); err != nil {
		return nil, b.small.Unexpected(0).Because(err)
	}
	answer, err := b.service(q).Client().Do(request)
	if err != nil {
		return nil, b.trouble(ctx, q, err)
	}
	if answer.StatusCode < 300 {
		return answer, nil
	}
	defer answer.Body.Close()
	return nil, b.refused(answer)
}

func (b *Bucket) request(ctx context.Context, q question) (*http.Request, string, error) {
	address := url.URL{Scheme: scheme(b.small.Address), Host: b.host, Path: b.path + q.key, RawQuery: strings.ReplaceAll(q.query.Encode(), "+", "%20")}
	digest, body, size := emptyDigest, io.Reader(nil), int64(0)
	if q.body != nil {
		sum := sha256.New()
		if _, err := io.Copy(sum, io.NewSectionReader(q.body, 0, q.body.Size())); err != nil {
			return nil, "", fault.New(fault.Unavailable, "backup.storage", "The archive that is to be copied could not be read.").Because(err)
		}
		digest, size = hex.EncodeToString(sum.Sum(nil)), q.body.Size()
		if size > 0 {
			body = io.NewSectionReader(q.body, 0, size)
		}
	}
	request, err := http.NewRequestWithContext(ctx, q.method, address.String(), body)
	if err != nil {
		return nil, "", b.small.Unexpected(0).Because(err)
	}
	request.ContentLength = size
	request.Header.Set("X-Amz-Content-Sha256", digest)
	for name, value := range map[string]string{"Range": q.span, "If-Match": q.match} {
		if value != "" {
			request.Header.Set(name, value)
		}
	}
	return request, digest, nil
}

func scheme(address string) string {
	before, _, _ := strings.Cut(address, "://")
	return before
}
