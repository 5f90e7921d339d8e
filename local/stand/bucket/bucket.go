// Package bucket is a server that speaks as much S3 as Berth does, with one bucket in memory.
//
// It judges requests as strictly as a real one: the signature, the digest of what is sent, conditions and ranges. Start
// with Store, which is an http.Handler.
package bucket

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

// Store is a server of one bucket, whose name is in the path. Its first fields are set once.
type Store struct {
	Bucket, Region, AccessKey, SecretKey string
	PageSize                             int // names in one answer
	// Meddle, if set, may answer a request in the server's place; it returns whether it has.
	Meddle func(w http.ResponseWriter, r *http.Request) bool

	mu      sync.Mutex
	objects map[string][]byte         // guarded by mu, as what follows
	uploads map[string]map[int][]byte // by "key\nid"
	next    int
}

// New returns a server whose bucket is empty.
func New() *Store {
	return &Store{Bucket: "copies", Region: "us-east-1", AccessKey: "AKIATEST", SecretKey: "a-secret-key", PageSize: 3, objects: map[string][]byte{}, uploads: map[string]map[int][]byte{}}
}

// Keys are the names of all objects.
func (s *Store) Keys() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.objects))
}

// Object is the content of an object, nil when there is none.
func (s *Store) Object(key string) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.objects[key])
}

// Set stores an object.
func (s *Store) Set(key string, content []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.objects[key] = slices.Clone(content)
}

// Uploads is how many uploads in pieces were begun and neither ended nor given up.
func (s *Store) Uploads() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.uploads)
}

// Begin begins an upload as a client does that dies.
func (s *Store) Begin(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.uploads[key+"\nleft"] = map[int][]byte{}
}

// ServeHTTP implements http.Handler.
func (s *Store) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.Meddle != nil && s.Meddle(w, r) {
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	if status, code := s.judge(r, body); code != "" {
		refuse(w, status, code)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key, inside := strings.CutPrefix(r.URL.Path, "/"+s.Bucket+"/")
	switch q := r.URL.Query(); {
	case !inside:
		refuse(w, 404, "NoSuchBucket")
	case key == "" && q.Has("uploads"):
		s.listUploads(w, q.Get("prefix"))
	case key == "":
		s.list(w, q.Get("prefix"), q.Get("continuation-token"))
	case q.Has("uploadId"):
		s.upload(w, r, key+"\n"+q.Get("uploadId"), key, body)
	case q.Has("uploads"):
		s.next++
		s.uploads[key+"\n"+strconv.Itoa(s.next)] = map[int][]byte{}
		fmt.Fprintf(w, "<InitiateMultipartUploadResult><Key>%s</Key><UploadId>%d</UploadId></InitiateMultipartUploadResult>", key, s.next)
	default:
		s.object(w, r, key, body)
	}
}

// judge refuses what is not signed as it must be, by signing the same request again.
func (s *Store) judge(r *http.Request, body []byte) (status int, code string) {
	sum := sha256.Sum256(body)
	digest := hex.EncodeToString(sum[:])
	if r.Header.Get("X-Amz-Content-Sha256") != digest {
		return 400, "XAmzContentSHA256Mismatch"
	}
	at, err := time.Parse("20060102T150405Z", r.Header.Get("X-Amz-Date"))
	if err != nil || time.Since(at).Abs() > 15*time.Minute {
		return 403, "RequestTimeTooSkewed"
	}
	again, err := http.NewRequest(r.Method, "http://"+r.Host+r.URL.RequestURI(), nil)
	if err != nil {
		return 400, "InvalidURI"
	}
	again.ContentLength = int64(len(body))
	for _, name := range []string{"X-Amz-Content-Sha256", "Range", "If-Match"} {
		if value := r.Header.Get(name); value != "" {
			again.Header.Set(name, value)
		}
	}
	who := aws.Credentials{AccessKeyID: s.AccessKey, SecretAccessKey: s.SecretKey}
	err = v4.NewSigner(func(o *v4.SignerOptions) { o.DisableURIPathEscaping = true }).SignHTTP(r.Context(), who, again, digest, "s3", s.Region, at)
	if err != nil || again.Header.Get("Authorization") != r.Header.Get("Authorization") {
		return 403, "SignatureDoesNotMatch"
	}
	return 0, ""
}

func refuse(w http.ResponseWriter, status int, code string) {
	w.WriteHeader(status)
	fmt.Fprintf(w, "<Error><Code>%s</Code><Message>of the stand</Message></Error>", code)
}

func tagOf(content []byte) string {
	sum := sha256.Sum256(content)
	return `"` + hex.EncodeToString(sum[:16]) + `"`
}

func (s *Store) list(w io.Writer, prefix, after string) {
	fmt.Fprint(w, "<ListBucketResult>")
	n, last, more := 0, "", false
	for _, key := range slices.Sorted(maps.Keys(s.objects)) {
		if !strings.HasPrefix(key, prefix) || key <= after || strings.Contains(key[len(prefix):], "/") {
			continue
		}
		if more = n == s.PageSize; more {
			break
		}
		fmt.Fprintf(w, "<Contents><Key>%s</Key><Size>%d</Size></Contents>", key, len(s.objects[key]))
		n, last = n+1, key
	}
	fmt.Fprintf(w, "<IsTruncated>%t</IsTruncated>", more)
	if more {
		fmt.Fprintf(w, "<NextContinuationToken>%s</NextContinuationToken>", last)
	}
	fmt.Fprint(w, "</ListBucketResult>")
}

func (s *Store) listUploads(w io.Writer, prefix string) {
	fmt.Fprint(w, "<ListMultipartUploadsResult>")
	for _, name := range slices.Sorted(maps.Keys(s.uploads)) {
		if key, id, _ := strings.Cut(name, "\n"); strings.HasPrefix(key, prefix) {
			fmt.Fprintf(w, "<Upload><Key>%s</Key><UploadId>%s</UploadId></Upload>", key, id)
		}
	}
	fmt.Fprint(w, "</ListMultipartUploadsResult>")
}

// upload is what belongs to an upload in pieces.
func (s *Store) upload(w http.ResponseWriter, r *http.Request, name, key string, body []byte) {
	parts, found := s.uploads[name]
	switch {
	case !found:
		refuse(w, 404, "NoSuchUpload")
	case r.Method == http.MethodPut:
		number, _ := strconv.Atoi(r.URL.Query().Get("partNumber"))
		parts[number] = body
		w.Header().Set("ETag", tagOf(body))
	case r.Method == http.MethodDelete:
		delete(s.uploads, name)
		w.WriteHeader(http.StatusNoContent)
	default:
		var whole []byte
		for n := 1; n <= len(parts); n++ {
			if !strings.Contains(string(body), fmt.Sprintf("<PartNumber>%d</PartNumber><ETag>%s</ETag>", n, strings.ReplaceAll(tagOf(parts[n]), `"`, "&#34;"))) {
				refuse(w, 400, "InvalidPart")
				return
			}
			whole = append(whole, parts[n]...)
		}
		s.objects[key] = whole
		delete(s.uploads, name)
		fmt.Fprintf(w, "<CompleteMultipartUploadResult><Key>%s</Key></CompleteMultipartUploadResult>", key)
	}
}

func (s *Store) object(w http.ResponseWriter, r *http.Request, key string, body []byte) {
	content, found := s.objects[key]
	switch {
	case r.Method == http.MethodPut:
		s.objects[key] = body
		w.Header().Set("ETag", tagOf(body))
	case r.Method == http.MethodDelete:
		delete(s.objects, key)
		w.WriteHeader(http.StatusNoContent)
	case !found:
		refuse(w, 404, "NoSuchKey")
	case r.Header.Get("If-Match") != "" && r.Header.Get("If-Match") != tagOf(content):
		refuse(w, 412, "PreconditionFailed")
	default:
		w.Header().Set("ETag", tagOf(content))
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(string(content)))
	}
}
