package content

import (
	"slices"
	"testing"

	"berth/core"
	"berth/core/coretest"
)

// The power goes right after a content was laid out: it is there, whole, and whatever was on
// its way is gone.
func TestPowerCutOnARealDisk(t *testing.T) {
	d := coretest.NewDisk(t, 8<<20)
	s, err := Open(d.Dir)
	must(t, err)
	defer s.Close()
	contents := []core.Content{contentOf("conf", "a", "one", "sub/deep/run*", "two", "sub/b", "one")}
	put(t, s, "one")
	put(t, s, "two")
	must(t, s.Build(t.Context(), contents))
	if _, err := s.NewBlob(Want{digestOf("x"), 1}); err != nil {
		t.Fatal(err)
	}
	after, err := Open(d.Cut(t).Dir)
	must(t, err)
	defer after.Close()
	if !after.built(contents[0].Digest) {
		t.Fatal("the content is not there")
	}
	if damaged, err := after.Mend(t.Context(), contents); err != nil || len(damaged) != 0 {
		t.Errorf("damaged %v, %v", damaged, err)
	}
	want := []string{contents[0].Digest + "/a", contents[0].Digest + "/sub/b", contents[0].Digest + "/sub/deep/run"}
	if got := tree(t, after, contentDir); !slices.Equal(got, want) {
		t.Errorf("laid out %v, want %v", got, want)
	}
}
