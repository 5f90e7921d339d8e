package flock

import (
	"context"
	"errors"
	"os"
	"path/filepath"
)

// File is the name of the file in a folder that Folder locks.
const File = "berth.lock"

// Folder makes dir when it is missing and keeps it for this process, until release is called or the process ends,
// however it ends. It returns held when another process has it, and what failed makes of anything else but the
// end of ctx.
func Folder(ctx context.Context, dir string, held error, failed func(dir string, err error) error) (release func() error, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, failed(dir, err)
	}
	release, err = Hold(ctx, filepath.Join(dir, File))
	switch {
	case err == nil:
		return release, nil
	case errors.Is(err, ErrHeld):
		return nil, held
	case ctx.Err() != nil:
		return nil, err
	}
	return nil, failed(dir, err)
}
