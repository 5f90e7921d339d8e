package s3_test

import (
	"bytes"
	"crypto/rand"
	"io"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"berth/core/backups"
	"berth/core/fault"
	"berth/core/secrets"
	"berth/hub/adapter/outbound"
	"berth/hub/adapter/s3"
	"berth/local/stand/bucket"
)

// place is a server with a bucket, and what a person enters to use it.
type place struct{ s3.Settings }

func (p place) open(t *testing.T) *s3.Bucket {
	t.Helper()
	b, err := s3.New(p.Settings, outbound.Options{}, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// inMemory is the stand.
func inMemory(t *testing.T) (place, *bucket.Store) {
	t.Helper()
	store := bucket.New()
	server := httptest.NewServer(store)
	t.Cleanup(server.Close)
	return place{s3.Settings{Endpoint: server.URL, Region: store.Region, Bucket: store.Bucket, Prefix: "team/berth", AccessKey: store.AccessKey,
		SecretKey: secrets.NewValue(store.SecretKey), PathStyle: true}}, store
}

func TestTheStandKeepsCopies(t *testing.T) {
	p, store := inMemory(t)
	keepsCopies(t, p)
	if store.Uploads() > 0 {
		t.Error("something was begun and not ended")
	}
}

func name(n byte) string {
	return backups.Name(time.Date(2026, 11, 22, 12, 0, int(n), 0, time.UTC), backups.BySchedule, [3]byte{n})
}

// keepsCopies is what every server must do.
func keepsCopies(t *testing.T, p place) {
	b := p.open(t)
	if err := b.Test(t.Context()); err != nil {
		t.Fatalf("Test = %v", err)
	}
	if all, err := b.List(t.Context()); err != nil || len(all) > 0 {
		t.Fatalf("after a test there is %v, %v", all, err)
	}
	contents := map[string][]byte{}
	for n, size := range []int{0, 1, 16 << 20, 16<<20 + 1, 40 << 20} {
		content := make([]byte, size)
		rand.Read(content)
		contents[name(byte(n))] = content
		if err := b.Put(t.Context(), name(byte(n)), int64(size), bytes.NewReader(content)); err != nil {
			t.Fatalf("Put of %d bytes = %v", size, err)
		}
	}
	all, err := b.List(t.Context())
	if err != nil || len(all) != len(contents) {
		t.Errorf("there is %v, %v", all, err)
	}
	for _, c := range all {
		if int64(len(contents[c.Name])) != c.Size {
			t.Errorf("%s has %d bytes", c.Name, c.Size)
		}
	}
	for name, want := range contents {
		from, err := b.Get(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(from)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s came back as %d bytes, %v", name, len(got), err)
		}
		from.Close()
		if err := b.Delete(t.Context(), name); err != nil {
			t.Error(err)
		}
		if err := b.Delete(t.Context(), name); err != nil {
			t.Errorf("deleted again: %v", err)
		}
		if _, err := b.Get(t.Context(), name); !fault.Is(err, fault.NotFound) {
			t.Errorf("what is deleted: %v", err)
		}
	}
	refuses(t, p)
}

// refuses are the ways in which a person's settings can be wrong.
func refuses(t *testing.T, p place) {
	for what, c := range map[string]struct {
		spoil func(*s3.Settings)
		code  string
		says  string
	}{
		"another secret key":   {func(s *s3.Settings) { s.SecretKey = secrets.NewValue("canary-7793") }, "storage.denied", "secret key"},
		"an unknown key":       {func(s *s3.Settings) { s.AccessKey = "nobody" }, "storage.denied", "access key"},
		"a bucket that is not": {func(s *s3.Settings) { s.Bucket = "no-such-bucket" }, "storage.not_there", "no-such-bucket"},
	} {
		t.Run(what, func(t *testing.T) {
			other := p
			c.spoil(&other.Settings)
			err := other.open(t).Test(t.Context())
			if fault.CodeOf(err) != c.code || !strings.Contains(fault.PublicOf(err), c.says) {
				t.Errorf("Test = %v", err)
			}
			if err != nil && strings.Contains(err.Error(), "canary-7793") {
				t.Error("the fault shows the secret key")
			}
		})
	}
}
