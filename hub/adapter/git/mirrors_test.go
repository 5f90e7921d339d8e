package git

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"berth/core"
)

func TestMirrorsAreListed(t *testing.T) {
	dir := t.TempDir()
	r, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	var want []core.RepositoryID
	for i := range 3 {
		id := core.NewID(core.PrefixRepository, time.Now().Add(time.Duration(i)*time.Second))
		want = append(want, core.RepositoryID(id))
		if err := os.Mkdir(filepath.Join(dir, id+".git"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, other := range []string{"something.git", ".old-x", string(want[0])} {
		if err := os.Mkdir(filepath.Join(dir, other), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	got, err := r.Mirrors()
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
	if err := r.Forget(t.Context(), want[1]); err != nil {
		t.Fatal(err)
	}
	if got, err := r.Mirrors(); err != nil || !slices.Equal(got, []core.RepositoryID{want[0], want[2]}) {
		t.Errorf("after one was forgotten: %v, %v", got, err)
	}
}
