package content

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"sync"

	"berth/core"
	"berth/hub/worker/durable"
)

const (
	blobsDir   = "blobs"
	contentDir = "content"
	stateDir   = "state"
)

// Store is the content on one worker's disk. It may be used by many goroutines.
type Store struct {
	base string // absolute path of the folder; set once
	root *os.Root

	mending sync.Mutex // one command at a time decides what is damaged

	mu      sync.Mutex      // guards what follows, and keeps Collect apart from Hold
	held    map[string]int  // blobs that somebody is about to use, with how many
	damaged map[string]bool // contents that are to be replaced
}

// Open opens the store in dir, which it makes when it is missing, and removes what a
// crash left half written. The caller closes it.
func Open(dir string) (*Store, error) {
	base, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(base, 0o700); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(base)
	if err != nil {
		return nil, err
	}
	s := &Store{base: base, root: root, held: map[string]int{}, damaged: map[string]bool{}}
	if err := s.prepare(); err != nil {
		return nil, errors.Join(fmt.Errorf("prepare the content folders in %s: %w", base, err), root.Close())
	}
	return s, nil
}

func (s *Store) prepare() error {
	for _, dir := range []string{blobsDir, contentDir, stateDir} {
		if err := s.root.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		if err := durable.RemoveTemps(s.root, dir); err != nil {
			return err
		}
	}
	return nil
}

// Close releases the folder.
func (s *Store) Close() error { return s.root.Close() }

// Base returns the worker's data directory, without links.
func (s *Store) Base() string {
	if real, err := filepath.EvalSymlinks(s.base); err == nil {
		return real
	}
	return s.base
}

// ContentDir returns the folder that stands in for core.ContentRoot, with a slash at its end.
func (s *Store) ContentDir() string { return filepath.Join(s.base, contentDir) + "/" }

// StateDir returns a stack's own folder, with a slash at its end, and makes it when it
// is missing.
func (s *Store) StateDir(stack core.StackID) (string, error) {
	if err := s.mkdir(path.Join(stateDir, string(stack))); err != nil {
		return "", fmt.Errorf("make the state folder: %w", err)
	}
	return filepath.Join(s.base, stateDir, string(stack)) + "/", nil
}

// RemoveState deletes a stack's own folder with all that its containers wrote there.
func (s *Store) RemoveState(stack core.StackID) error {
	if err := s.root.RemoveAll(path.Join(stateDir, string(stack))); err != nil {
		return fmt.Errorf("remove the state folder: %w", err)
	}
	return nil
}

// mkdir makes a folder that containers can enter, whatever the umask is.
func (s *Store) mkdir(name string) error {
	err := s.root.Mkdir(name, 0o755)
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return s.root.Chmod(name, 0o755)
}
