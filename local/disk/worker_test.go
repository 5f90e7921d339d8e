package disk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"berth/core"
	"berth/hub/worker/applied"
	"berth/hub/worker/content"
)

// attempt is the nth deployment of the one stack.
func attempt(n int) applied.Attempt {
	return applied.Attempt{Stack: fileStack, Project: "web", Revision: n, Deployment: core.DeploymentID(fmt.Sprintf("dep_%026d", n)), Content: []core.Content{contentNo(n)}}
}

// contentNo is a folder with two files, one of which the content before has too.
func contentNo(n int) core.Content {
	file := func(path string, n int) core.ContentFile {
		return core.ContentFile{Path: path, Digest: digestOf(n), Size: int64(len(contentOf(n)))}
	}
	return core.Content{Digest: digestOf(-n), Source: "conf", Files: []core.ContentFile{file("a", n), file("sub/b", n/2)}}
}

func writeApplied(_ context.Context, dir string, acknowledge func(int) error) error {
	records, err := applied.Open(filepath.Join(dir, "applied"))
	for n := 1; err == nil; n++ {
		if err = records.Try(attempt(n)); err == nil {
			err = records.Applied(attempt(n), epoch)
		}
		if err == nil {
			err = records.Ended(fileStack, applied.Portrait{fmt.Sprint(n): {"image": "none"}}, []int{n})
		}
		if err == nil {
			err = acknowledge(n)
		}
	}
	return err
}

func TestC12PowerCutBelowTheRecordsOfStacks(t *testing.T) {
	t.Parallel()
	cutOften(t, "applied", func(t *testing.T, dir string, acked int) {
		records, err := applied.Open(filepath.Join(dir, "applied"))
		if err != nil {
			t.Fatal(err)
		}
		defer records.Close()
		r, found := records.Get(fileStack)
		if !found || len(records.Damaged()) > 0 || r.Revision < acked {
			t.Fatalf("after %d it is %+v, damaged %v", acked, r, records.Damaged())
		}
		portrait := r.Portrait[fmt.Sprint(r.Revision)]
		if r.Revision == acked && portrait == nil || !r.At.Equal(epoch) {
			t.Errorf("after %d it is %+v", acked, r)
		}
		if used, known := records.InUse(); !known || !used[digestOf(-r.Revision)] {
			t.Errorf("the content of %d is not in use: %v, %t", r.Revision, used, known)
		}
	})
}

// writeContent brings content after content as a download does.
func writeContent(ctx context.Context, dir string, acknowledge func(int) error) error {
	s, err := content.Open(filepath.Join(dir, "content"))
	for n := 1; err == nil; n++ {
		wanted := []core.Content{contentNo(n)}
		for _, want := range s.Missing(wanted) {
			for _, number := range []int{n, n / 2} {
				if digestOf(number) == want.Digest {
					err = errors.Join(err, bring(s, want, contentOf(number)))
				}
			}
		}
		if err == nil {
			err = s.Build(ctx, wanted)
		}
		if err == nil {
			err = acknowledge(n)
		}
	}
	return err
}

func bring(s *content.Store, want content.Want, bytes []byte) error {
	blob, err := s.NewBlob(want)
	if err == nil {
		err = blob.Append(0, bytes)
	}
	if err == nil {
		err = blob.Commit()
	}
	return err
}

func TestC12PowerCutBelowTheContentOfAWorker(t *testing.T) {
	t.Parallel()
	cutOften(t, "content", func(t *testing.T, dir string, acked int) {
		s, err := content.Open(filepath.Join(dir, "content"))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for n := 1; n <= acked; n++ {
			for _, f := range contentNo(n).Files {
				got, err := os.ReadFile(filepath.Join(s.ContentDir(), digestOf(-n), f.Path))
				number := n
				if f.Path != "a" {
					number = n / 2
				}
				if err != nil || string(got) != string(contentOf(number)) {
					t.Fatalf("content %d of %d: %s is %q, %v", n, acked, f.Path, got, err)
				}
			}
		}
	})
}
