package ui

import (
	"io/fs"
	"testing"
)

// TestEveryPageParses, which the program itself finds out only when a page is shown.
func TestEveryPageParses(t *testing.T) {
	files, err := fs.Glob(templateFiles, "templates/pages/*.html")
	if err != nil || len(files) != len(views) {
		t.Errorf("%d views are made of %d files (%v)", len(views), len(files), err)
	}
	for _, parse := range views {
		if page := parse(); page.Lookup("framed") == nil || page.Lookup("bare") == nil {
			t.Errorf("%s lacks a layout", page.Name())
		}
	}
}
