package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// holdDir is a folder that stops the engine while it is there: what is asked of it begins once it is gone.
const holdDir = "hold"

// held waits while the engine is stopped.
func (f folder) held(ctx context.Context) error {
	for {
		if _, err := os.Stat(filepath.Join(f.dir, holdDir)); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err := rest(ctx); err != nil {
			return err
		}
	}
}
