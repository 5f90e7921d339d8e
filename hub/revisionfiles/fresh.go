package revisionfiles

import (
	"errors"
	"io/fs"
	"os"
	"time"
)

// newRound begins a sweep. What was stored before the last one began is not fresh any more.
func (f *Files) newRound() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.round++
	for path, round := range f.fresh {
		if round < f.round-1 {
			delete(f.fresh, path)
		}
	}
}

// place runs store, which puts a file at path, such that no sweep takes that file away.
func (f *Files) place(path string, store func() error) error {
	f.mu.Lock()
	f.fresh[path] = f.round
	f.mu.Unlock()
	return store()
}

// createTemp makes a file in a folder, and the folder: no sweep removes that in between, while it is empty.
func (f *Files) createTemp(dir string) (*os.File, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return os.CreateTemp(dir, newPrefix+"*")
}

// removeEmpty removes a folder unless anything is in it.
func (f *Files) removeEmpty(dir string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	os.Remove(dir) // fails then
}

// removeOld removes a file that was last stored before a moment. Sweeps and what stores wait
// for each other for as long as that takes, and no longer.
func (f *Files) removeOld(path string, before time.Time) (gone bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, fresh := f.fresh[path]; fresh {
		return false, nil
	}
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.ModTime().After(before) {
		return false, nil
	}
	if err == nil {
		err = os.Remove(path)
	}
	return err == nil, err
}
