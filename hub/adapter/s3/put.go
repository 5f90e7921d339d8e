package s3

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"berth/core/fault"
)

// Put implements backups.Storage: the object is there as a whole or not at all.
func (b *Bucket) Put(ctx context.Context, name string, size int64, content io.ReaderAt) error {
	key := b.key(name)
	var err error
	if size <= piece {
		err = b.ask(ctx, question{method: http.MethodPut, key: key, body: io.NewSectionReader(content, 0, size), large: true}, nil)
	} else {
		err = b.putPieces(ctx, key, size, content)
	}
	if err != nil {
		return err
	}
	there, _, err := b.head(ctx, key)
	if err == nil && there != size {
		err = fault.New(fault.Conflict, codes.Malformed, "the storage took %d bytes of a copy and has %d of them", size, there)
	}
	return err
}

type upload struct {
	XMLName  xml.Name
	UploadID string `xml:"UploadId"`
	Key      string
}

// done is one piece that the storage has.
type done struct {
	PartNumber int
	ETag       string
}

type completion struct {
	XMLName xml.Name `xml:"CompleteMultipartUpload"`
	Part    []done
}

// putPieces uploads an object that is too large for one request. What is given up takes no room in the bucket.
func (b *Bucket) putPieces(ctx context.Context, key string, size int64, content io.ReaderAt) (err error) {
	if err := b.forget(ctx, key); err != nil {
		return err
	}
	var begun upload
	if err := b.ask(ctx, question{method: http.MethodPost, key: key, query: url.Values{"uploads": {""}}}, &begun); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			short, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
			defer cancel()
			err = errors.Join(err, b.abort(short, key, begun.UploadID))
		}
	}()
	each := max(int64(piece), (size+maxPieces-1)/maxPieces)
	var all completion
	for from := int64(0); from < size; from += each {
		number := len(all.Part) + 1
		tag, err := b.putPiece(ctx, key, begun.UploadID, number, io.NewSectionReader(content, from, min(each, size-from)))
		if err != nil {
			return err
		}
		all.Part = append(all.Part, done{number, tag})
	}
	return b.complete(ctx, key, begun.UploadID, all)
}

func (b *Bucket) putPiece(ctx context.Context, key, id string, number int, content *io.SectionReader) (tag string, err error) {
	q := question{method: http.MethodPut, key: key, query: url.Values{"partNumber": {strconv.Itoa(number)}, "uploadId": {id}}, body: content, large: true}
	err = b.again(ctx, func() error {
		answer, err := b.send(ctx, q)
		if err != nil {
			return err
		}
		tag = answer.Header.Get("ETag")
		_, err = io.Copy(io.Discard, answer.Body)
		return b.trouble(ctx, q, errors.Join(err, answer.Body.Close()))
	})
	if err == nil && tag == "" {
		err = b.small.Malformed()
	}
	return tag, err
}

// complete makes one object of the pieces. The storage may say only at the end of a good answer that it did not.
func (b *Bucket) complete(ctx context.Context, key, id string, all completion) error {
	text, err := xml.Marshal(all)
	if err != nil {
		return err
	}
	var made upload
	q := question{method: http.MethodPost, key: key, query: url.Values{"uploadId": {id}}, body: io.NewSectionReader(bytes.NewReader(text), 0, int64(len(text))), large: true}
	if err := b.ask(ctx, q, &made); err != nil {
		return err
	}
	if made.XMLName.Local != "CompleteMultipartUploadResult" {
		return fault.New(fault.Unavailable, codes.Failed, "the storage did not put the pieces of a copy together")
	}
	return nil
}

func (b *Bucket) abort(ctx context.Context, key, id string) error {
	return b.ask(ctx, question{method: http.MethodDelete, key: key, query: url.Values{"uploadId": {id}}}, nil)
}

// forget ends uploads of an object that a crash has left.
func (b *Bucket) forget(ctx context.Context, key string) error {
	var left struct {
		XMLName xml.Name `xml:"ListMultipartUploadsResult"`
		Upload  []upload
	}
	if err := b.ask(ctx, question{method: http.MethodGet, query: url.Values{"uploads": {""}, "prefix": {key}}}, &left); err != nil {
		return err
	}
	for _, u := range left.Upload {
		if u.Key != key {
			continue
		}
		if err := b.abort(ctx, key, u.UploadID); err != nil && fault.CodeOf(err) != codeNotThere {
			return err
		}
	}
	return nil
}
