package revisionfiles_test

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/hubs"
	"berth/core/stacks"
	"berth/core/store"
	"berth/hub/adapter/postgres"
	"berth/hub/adapter/sqlite"
	"berth/hub/revisionfiles"
	"berth/local/stand/pgserver"
)

// shared opens the files in an empty database, once on SQLite and once on PostgreSQL, and gives the test
// a way to make what is stored older.
func shared(t *testing.T, test func(t *testing.T, files *revisionfiles.Shared, age func(time.Duration))) {
	for name, open := range map[string]func(t *testing.T) (*store.DB, error){
		"sqlite": func(t *testing.T) (*store.DB, error) { return sqlite.Open(t.Context(), t.TempDir(), nil) },
		"postgres": func(t *testing.T) (*store.DB, error) {
			return postgres.Open(t.Context(), pgserver.URL(t), postgres.Server())
		},
	} {
		t.Run(name, func(t *testing.T) {
			db, err := open(t)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { db.Close() })
			if err := db.Migrate(t.Context(), time.Now()); err != nil {
				t.Fatal(err)
			}
			test(t, revisionfiles.InDatabase(store.New(db, time.Now)), func(d time.Duration) {
				if err := db.Write(t.Context(), func(tx *store.Tx) error {
					_, err := store.Exec(tx, `UPDATE revision_files SET stored_at = stored_at - ?`, d.Microseconds())
					return err
				}); err != nil {
					t.Fatal(err)
				}
			})
		})
	}
}

// part is how much of a file a row holds, in bytes.
const part = 512 << 10

func digestOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

func contentOf(t *testing.T, files *revisionfiles.Shared, digest string) []byte {
	t.Helper()
	r, err := files.OpenBlob(digest)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	content, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func TestBlobsOfEverySizeAreShared(t *testing.T) {
	shared(t, func(t *testing.T, files *revisionfiles.Shared, _ func(time.Duration)) {
		for _, size := range []int{0, 1, part - 1, part, part + 1, 2 * part, 6*part + 7} {
			content := make([]byte, size)
			rand.Read(content)
			digest := digestOf(content)
			for range 2 {
				if err := files.PutBlob(t.Context(), digest, content); err != nil {
					t.Fatal(err)
				}
			}
			if got := contentOf(t, files, digest); !bytes.Equal(got, content) {
				t.Errorf("%d bytes came back as %d", size, len(got))
			}
		}
		if err := files.PutBlob(t.Context(), digestOf([]byte("other")), []byte("hello")); err == nil {
			t.Error("content was stored under another's digest")
		}
		for digest, kind := range map[string]fault.Kind{digestOf([]byte("none")): fault.NotFound, "../etc/passwd": fault.Invalid, "": fault.Invalid} {
			if _, err := files.OpenBlob(digest); !fault.Is(err, kind) {
				t.Errorf("%q: %v", digest, err)
			}
		}
	})
}

// TestContentThatGoesWhileItIsReadIsNotWhole: the content ends where a part does, so nothing but the missing
// parts tells.
func TestContentThatGoesWhileItIsReadIsNotWhole(t *testing.T) {
	shared(t, func(t *testing.T, files *revisionfiles.Shared, age func(time.Duration)) {
		content := make([]byte, 3*part)
		rand.Read(content)
		digest := digestOf(content)
		for _, again := range []bool{false, true} {
			if err := files.PutBlob(t.Context(), digest, content); err != nil {
				t.Fatal(err)
			}
			r, err := files.OpenBlob(digest)
			if err != nil {
				t.Fatal(err)
			}
			got := make([]byte, 2*part)
			if _, err := io.ReadFull(r, got); err != nil {
				t.Fatal(err)
			}
			age(2 * time.Hour)
			if removed, err := files.Sweep(t.Context(), func(revisionfiles.Keep) error { return nil }); err != nil || removed != 1 {
				t.Fatalf("%d were removed: %v", removed, err)
			}
			if again {
				if err := files.PutBlob(t.Context(), digest, content); err != nil {
					t.Fatal(err)
				}
			}
			rest, err := io.ReadAll(r)
			switch {
			case !again && fault.CodeOf(err) != "revision.blob_missing":
				t.Errorf("%d bytes of what is gone, %v", len(rest), err)
			case again && (err != nil || !bytes.Equal(append(got, rest...), content)):
				t.Errorf("%d bytes of what was stored again, %v", len(rest), err)
			}
			r.Close()
		}
	})
}

// TestAComposeFileIsWholeWhileItIsReplaced: one attempt's or the other's, never some of both.
func TestAComposeFileIsWholeWhileItIsReplaced(t *testing.T) {
	shared(t, func(t *testing.T, files *revisionfiles.Shared, _ func(time.Duration)) {
		stack := core.StackID(core.NewID(core.PrefixStack, time.Now()))
		attempts := []string{strings.Repeat("a", 2*part), strings.Repeat("b", part), strings.Repeat("c", 2*part)}
		put := func(text string) {
			if err := files.PutCompose(t.Context(), stack, 1, []byte(text)); err != nil {
				t.Error(err)
			}
		}
		put(attempts[0])
		replaced := make(chan struct{})
		go func() {
			defer close(replaced)
			for i := range 20 {
				put(attempts[i%len(attempts)])
			}
		}()
		for ended := false; !ended; {
			select {
			case <-replaced:
				ended = true
			default:
			}
			if got, err := files.Compose(stack, 1); err != nil || !slices.Contains(attempts, string(got)) {
				t.Errorf("%d bytes, beginning with %.1q, that no attempt stored: %v", len(got), got, err)
			}
		}
	})
}

func TestComposeFilesAreShared(t *testing.T) {
	shared(t, func(t *testing.T, files *revisionfiles.Shared, _ func(time.Duration)) {
		stack, other := core.StackID(core.NewID(core.PrefixStack, time.Now())), core.StackID(core.NewID(core.PrefixStack, time.Now()))
		for _, text := range []string{strings.Repeat("first", 200_000), "again"} { // an attempt that did not end is replaced
			if err := files.PutCompose(t.Context(), stack, 1, []byte(text)); err != nil {
				t.Fatal(err)
			}
			if content, err := files.Compose(stack, 1); err != nil || string(content) != text {
				t.Errorf("read %d bytes, %v", len(content), err)
			}
		}
		if err := files.PutCompose(t.Context(), other, 1, []byte("other")); err != nil {
			t.Fatal(err)
		}
		if _, err := files.Compose(stack, 2); fault.CodeOf(err) != "revision.compose_missing" {
			t.Errorf("a revision that is not stored: %v", err)
		}
		if err := files.PutCompose(t.Context(), stack, 2, make([]byte, 1<<20+1)); !fault.Is(err, fault.TooLarge) {
			t.Errorf("a file over the limit: %v", err)
		}
		if err := files.RemoveStack(t.Context(), "../elsewhere"); err == nil {
			t.Error("a path was taken for a stack")
		}
		if err := files.RemoveStack(t.Context(), stack); err != nil {
			t.Fatal(err)
		}
		if _, err := files.Compose(stack, 1); !fault.Is(err, fault.NotFound) {
			t.Errorf("after removal: %v", err)
		}
		if content, err := files.Compose(other, 1); err != nil || string(content) != "other" {
			t.Errorf("another stack's: %q, %v", content, err)
		}
	})
}

// TestSweepOfWhatIsShared: what a revision needs stays, and so does what is young; the rest goes.
func TestSweepOfWhatIsShared(t *testing.T) {
	shared(t, func(t *testing.T, files *revisionfiles.Shared, age func(time.Duration)) {
		stack := core.StackID(core.NewID(core.PrefixStack, time.Now()))
		needed, spare, again, young := []byte("needed"), []byte("spare"), []byte("again"), []byte("young")
		for _, content := range [][]byte{needed, spare, again} {
			if err := files.PutBlob(t.Context(), digestOf(content), content); err != nil {
				t.Fatal(err)
			}
		}
		for number := range 3 {
			if err := files.PutCompose(t.Context(), stack, number+1, []byte("x")); err != nil {
				t.Fatal(err)
			}
		}
		age(2 * time.Hour)
		if removed, err := files.Sweep(t.Context(), func(keep revisionfiles.Keep) error {
			keep(stacks.KeptRevision{Stack: stack, Number: 1, Illegible: true})
			return nil
		}); err != nil || removed != 0 {
			t.Errorf("%d files were removed that a revision may need which cannot be read: %v", removed, err)
		}
		for _, content := range [][]byte{again, young} { // one of them is there already, and young from now on
			if err := files.PutBlob(t.Context(), digestOf(content), content); err != nil {
				t.Fatal(err)
			}
		}
		removed, err := files.Sweep(t.Context(), func(keep revisionfiles.Keep) error {
			keep(stacks.KeptRevision{Stack: stack, Number: 2, Content: []core.Content{{Files: []core.ContentFile{{Digest: digestOf(needed)}}}}})
			return nil
		})
		if err != nil || removed != 3 {
			t.Errorf("%d were removed, want 3: %v", removed, err)
		}
		for name, content := range map[string][]byte{"needed": needed, "stored again": again, "young": young} {
			if got := contentOf(t, files, digestOf(content)); !bytes.Equal(got, content) {
				t.Errorf("what is %s is gone", name)
			}
		}
		if _, err := files.OpenBlob(digestOf(spare)); !fault.Is(err, fault.NotFound) {
			t.Errorf("what nothing needs: %v", err)
		}
		for number, stays := range map[int]bool{1: false, 2: true, 3: false} {
			if _, err := files.Compose(stack, number); (err == nil) != stays {
				t.Errorf("revision %d: %v", number, err)
			}
		}
	})
}

// TestNothingIsStoredUnderALostLease: a hub that slept would put its own file in the place of that of a
// revision which another has dispatched since.
func TestNothingIsStoredUnderALostLease(t *testing.T) {
	shared(t, func(t *testing.T, files *revisionfiles.Shared, _ func(time.Duration)) {
		stack := core.StackID(core.NewID(core.PrefixStack, time.Now()))
		if err := files.PutCompose(t.Context(), stack, 1, []byte("of the new leader")); err != nil {
			t.Fatal(err)
		}
		lost := hubs.Under(t.Context(), hubs.Fence{Hub: "hub_gone"})
		for what, err := range map[string]error{
			"a file": files.PutCompose(lost, stack, 1, []byte("of the old one")), "content": files.PutBlob(lost, digestOf([]byte("x")), []byte("x")),
			"a removal": files.RemoveStack(lost, stack),
		} {
			if !errors.Is(err, hubs.ErrLost) {
				t.Errorf("%s: %v", what, err)
			}
		}
		if text, err := files.Compose(stack, 1); err != nil || string(text) != "of the new leader" {
			t.Errorf("kept is %q, %v", text, err)
		}
	})
}
