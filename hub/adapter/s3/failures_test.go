package s3_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"berth/core/fault"
	"berth/core/secrets"
	"berth/hub/adapter/outbound"
	"berth/hub/adapter/s3"
)

// TestWhatBreaksOnTheWay: each request may fail once in a way that passes, and nothing is lost; in a way that does not
// pass, nothing is left.
func TestWhatBreaksOnTheWay(t *testing.T) {
	content := bytes.Repeat([]byte("0123456789abcdef"), 3<<20/2) // two pieces
	for name, c := range map[string]struct {
		meddle func(w http.ResponseWriter, r *http.Request) bool
		code   string // of the upload; "": it comes through
	}{
		"busy once":            {once(func(w http.ResponseWriter) { w.Header().Set("Retry-After", "1"); w.WriteHeader(503) }), ""},
		"the connection broke": {once(func(http.ResponseWriter) { panic(http.ErrAbortHandler) }), ""},
		"refused":              {func(w http.ResponseWriter, _ *http.Request) bool { w.WriteHeader(403); return true }, "storage.denied"},
		"redirected": {func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Location", "https://elsewhere.example/")
			w.WriteHeader(307)
			return true
		}, "storage.redirected"},
		"no storage": {func(w http.ResponseWriter, _ *http.Request) bool { io.WriteString(w, "<html>"); return true }, "storage.malformed"},
		"the last word is no": {func(w http.ResponseWriter, r *http.Request) bool {
			last := r.Method == http.MethodPost && r.URL.Query().Has("uploadId")
			if last {
				io.WriteString(w, "<Error><Code>InternalError</Code></Error>")
			}
			return last
		}, "storage.failed"},
	} {
		t.Run(name, func(t *testing.T) {
			p, store := inMemory(t)
			store.Meddle = c.meddle
			err := p.open(t).Put(t.Context(), name0, int64(len(content)), bytes.NewReader(content))
			if (err == nil) != (c.code == "") || err != nil && fault.CodeOf(err) != c.code && !strings.Contains(err.Error(), "storage") {
				t.Errorf("Put = %v", err)
			}
			if whole := bytes.Equal(store.Object("team/berth/"+name0), content); whole != (c.code == "") {
				t.Errorf("the copy is there: %t", whole)
			}
			store.Meddle = nil
			if err == nil && store.Uploads() > 0 {
				t.Error("something was begun and not ended")
			}
		})
	}
}

var name0 = name(0)

// once answers every kind of request wrong, the first time that it comes.
func once(wrong func(http.ResponseWriter)) func(http.ResponseWriter, *http.Request) bool {
	seen := map[string]bool{}
	return func(w http.ResponseWriter, r *http.Request) bool {
		kind := r.Method + r.URL.RawQuery
		if seen[kind] {
			return false
		}
		seen[kind] = true
		io.Copy(io.Discard, r.Body)
		wrong(w)
		return true
	}
}

// TestWhatADeadServerLeft: an upload in pieces that nobody ended takes no room for ever.
func TestWhatADeadServerLeft(t *testing.T) {
	p, store := inMemory(t)
	store.Begin("team/berth/" + name0)
	store.Begin("team/berth/" + name(1))
	if err := p.open(t).Put(t.Context(), name0, 17<<20, bytes.NewReader(make([]byte, 17<<20))); err != nil {
		t.Fatal(err)
	}
	if n := store.Uploads(); n != 1 { // that of another copy may still be under way
		t.Errorf("%d uploads are open", n)
	}
}

// TestACopyThatChangesWhileItIsRead is refused: its beginning and its end would be of two archives.
func TestACopyThatChangesWhileItIsRead(t *testing.T) {
	p, store := inMemory(t)
	store.Set("team/berth/"+name0, make([]byte, 20<<20))
	from, err := p.open(t).Get(t.Context(), name0)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	if _, err := io.CopyN(io.Discard, from, 16<<20); err != nil {
		t.Fatal(err)
	}
	store.Set("team/berth/"+name0, bytes.Repeat([]byte("x"), 20<<20))
	if _, err := io.ReadAll(from); fault.CodeOf(err) != "storage.failed" {
		t.Errorf("reading on: %v", err)
	}
}

// TestObjectsOfOthersAreLeftAlone: only what is called as a backup is one.
func TestObjectsOfOthersAreLeftAlone(t *testing.T) {
	p, store := inMemory(t)
	for _, key := range []string{"team/berth/" + name0, "team/berth/readme.txt", "team/berth/sub/" + name0, "team/" + name0, "team/berth-2/" + name0, name0} {
		store.Set(key, []byte("x"))
	}
	all, err := p.open(t).List(t.Context())
	if err != nil || len(all) != 1 || all[0].Name != name0 {
		t.Errorf("there is %v, %v", all, err)
	}
}

// TestABucketInTheHostsName speaks to bucket.host, with the path of the object alone.
func TestABucketInTheHostsName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := ""
		options := outbound.Options{Dial: func(_ context.Context, _, address string) (net.Conn, error) {
			asked = address
			return nil, fault.New(fault.Conflict, "t.asked", "asked")
		}}
		b, err := s3.New(s3.Settings{Endpoint: "https://s3.example.com", Region: "eu", Bucket: "copies", AccessKey: "a", SecretKey: secrets.NewValue("b")}, options, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.List(t.Context()); fault.CodeOf(err) != "t.asked" || asked != "copies.s3.example.com:443" {
			t.Errorf("dialled %s, %v", asked, err)
		}
	})
}

func TestAnAddressThatIsNone(t *testing.T) {
	for _, endpoint := range []string{"", "s3.example.com", "ftp://s3.example.com", "https://s3.example.com/path", "https://u:p@s3.example.com"} {
		if _, err := s3.New(s3.Settings{Endpoint: endpoint, Bucket: "copies", PathStyle: true}, outbound.Options{}, time.Now); fault.CodeOf(err) != "storage.address" {
			t.Errorf("%q: %v", endpoint, err)
		}
	}
}
