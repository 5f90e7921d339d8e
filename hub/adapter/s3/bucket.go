package s3

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"berth/core"
	"berth/core/backups"
	"berth/core/fault"
	"berth/core/secrets"
	"berth/hub/adapter/outbound"
)

// Settings say where a bucket is, as a person configured it.
type Settings struct {
	Endpoint  string // scheme://host[:port]
	Region    string
	Bucket    string
	Prefix    string // of the names of objects; "" or a path without a slash at its ends
	AccessKey string
	SecretKey secrets.Value
	PathStyle bool // the bucket is in the path, not in the host's name
}

// Bounds of what is sent at once.
const (
	piece     = 16 << 20         // bytes of one request, unless the archive would need more than maxPieces
	maxPieces = 10_000           // that S3 takes of one object
	pieceTime = 10 * time.Minute // of one piece
	askTime   = 30 * time.Second // of any other request
	pageSize  = 500              // names in one answer
	maxPages  = 200
)

// Bucket is the place of copies. It implements backups.Storage and is safe for concurrent use.
type Bucket struct {
	s      Settings
	small  *outbound.Service // for questions
	large  *outbound.Service // for pieces
	host   string
	path   string // of the bucket, with its slash at the end
	signer *v4.Signer
	who    aws.Credentials
	now    core.Clock
}

// New returns the bucket; it asks nobody. Conflict "storage.address".
func New(s Settings, o outbound.Options, now core.Clock) (*Bucket, error) {
	b := &Bucket{s: s, now: now, signer: v4.NewSigner(func(o *v4.SignerOptions) { o.DisableURIPathEscaping = true }),
		who: aws.Credentials{AccessKeyID: s.AccessKey, SecretAccessKey: s.SecretKey.Reveal()}}
	endpoint, err := url.Parse(s.Endpoint)
	if err != nil || endpoint.Host == "" || endpoint.User != nil || strings.Trim(endpoint.Path, "/") != "" {
		return nil, fault.New(fault.Conflict, codes.Address, "the endpoint of the storage is not of the form https://host:port; correct it under Settings, Integrations")
	}
	b.host, b.path = endpoint.Host, "/"+s.Bucket+"/"
	if !s.PathStyle {
		b.host, b.path = s.Bucket+"."+endpoint.Host, "/"
	}
	o.Limit = askTime
	if b.small, err = outbound.New("the storage", endpoint.Scheme+"://"+b.host, codes, o); err != nil {
		return nil, err
	}
	o.Limit, o.Most = pieceTime, piece+1<<20
	b.large, err = outbound.New("the storage", endpoint.Scheme+"://"+b.host, codes, o)
	return b, err
}

// key is the name of an object.
func (b *Bucket) key(name string) string {
	if b.s.Prefix == "" {
		return name
	}
	return strings.Trim(b.s.Prefix, "/") + "/" + name
}

type listing struct {
	XMLName  xml.Name `xml:"ListBucketResult"`
	Contents []struct {
		Key  string
		Size int64
	}
	IsTruncated           bool
	NextContinuationToken string
}

// List implements backups.Storage. Objects that have no name of a backup are left out.
func (b *Bucket) List(ctx context.Context) (copies []backups.Copy, err error) {
	query := url.Values{"list-type": {"2"}, "max-keys": {"500"}, "delimiter": {"/"}, "prefix": {b.key("")}}
	for range maxPages {
		var page listing
		if err := b.ask(ctx, question{method: http.MethodGet, query: query}, &page); err != nil {
			return nil, err
		}
		for _, o := range page.Contents {
			name := strings.TrimPrefix(o.Key, b.key(""))
			if _, _, err := backups.ParseName(name); err == nil && b.key(name) == o.Key && o.Size >= 0 {
				copies = append(copies, backups.Copy{Name: name, Size: o.Size})
			}
		}
		if !page.IsTruncated || page.NextContinuationToken == "" {
			return copies, nil
		}
		query.Set("continuation-token", page.NextContinuationToken)
	}
	return nil, fault.New(fault.Conflict, codes.TooLarge, "the bucket holds more than %d objects below its prefix. Give Berth a prefix of its own under Settings, Integrations", pageSize*maxPages)
}

// Delete implements backups.Storage. One that is not there is gone.
func (b *Bucket) Delete(ctx context.Context, name string) error {
	return b.ask(ctx, question{method: http.MethodDelete, key: b.key(name)}, nil)
}

// Test implements backups.Storage: something small is written, listed, read and deleted.
func (b *Bucket) Test(ctx context.Context) error {
	if _, err := b.List(ctx); err != nil {
		return err
	}
	content, name := []byte("Berth tries whether it may write here."), "berth-test-"+rand.Text()
	if err := b.Put(ctx, name, int64(len(content)), bytes.NewReader(content)); err != nil {
		return err
	}
	err := b.readBack(ctx, name, content)
	return errors.Join(err, b.Delete(ctx, name))
}

func (b *Bucket) readBack(ctx context.Context, name string, want []byte) error {
	from, err := b.Get(ctx, name)
	if err != nil {
		return err
	}
	defer from.Close()
	got, err := io.ReadAll(from)
	if err == nil && !bytes.Equal(got, want) {
		err = b.small.Malformed()
	}
	return err
}
