package revisionfiles

import (
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/fault"
)

// TestEachFileIsToldByTheNameOfItsRow, and nothing that a crash left behind.
func TestEachFileIsToldByTheNameOfItsRow(t *testing.T) {
	files, dir := openFiles(t)
	stack := core.StackID(core.NewID(core.PrefixStack, time.Now()))
	for _, err := range []error{files.PutBlob(t.Context(), digestOf("hello"), []byte("hello")), files.PutBlob(t.Context(), digestOf(""), nil), files.PutCompose(t.Context(), stack, 2, []byte("services: {}")),
		os.WriteFile(dir+"/blobs/"+digestOf("hello")[:2]+"/"+newPrefix+"1", nil, 0o600), os.WriteFile(dir+"/other", nil, 0o600)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	got := map[string]string{}
	each := func() error {
		return files.Each(func(name string, content []byte) error { got[name] = string(content); return nil })
	}
	if err := each(); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{blobFolder + digestOf("hello"): "hello", blobFolder + digestOf(""): "", composeOf(stack, 2): "services: {}"}
	if !maps.Equal(got, want) {
		t.Errorf("told are %q", slices.Collect(maps.Keys(got)))
	}
	if err := os.WriteFile(files.blobPath(digestOf("hello")), []byte("other"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := each(); fault.CodeOf(err) != "revision.damaged" || !strings.Contains(fault.PublicOf(err), files.blobPath(digestOf("hello"))) {
		t.Errorf("content that is not its digest's: %v", err)
	}
	if err := errors.Join(files.PutBlob(t.Context(), digestOf("hello"), []byte("hello")), each()); err != nil || got[blobFolder+digestOf("hello")] != "hello" {
		t.Errorf("what is stored again does not mend it: %v", err)
	}
}
