package worker

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"

	"berth/hub/worker/applied"
	"berth/hub/worker/content"
	"berth/hub/worker/journal"
)

// disk is everything that the worker keeps in its data directory.
type disk struct {
	lock    *os.File
	journal *journal.Journal
	content *content.Store
	applied *applied.Store
}

// openDisk opens the data directory for this process alone.
func openDisk(dir string, log *slog.Logger) (*disk, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the worker's data directory: %w", err)
	}
	d := &disk{}
	if err := d.open(dir, log); err != nil {
		return nil, errors.Join(err, d.close())
	}
	return d, nil
}

func (d *disk) open(dir string, log *slog.Logger) (err error) {
	if d.lock, err = lockFile(filepath.Join(dir, "lock")); err != nil {
		return err
	}
	var recovery journal.Recovery
	if d.journal, recovery, err = journal.Open(filepath.Join(dir, "journal")); err != nil {
		return err
	}
	if recovery.Aside != "" {
		log.Error("the journal was damaged; the hub is asked again for what was lost", "bytes", recovery.Dropped, "copy", recovery.Aside)
	} else if recovery.Dropped > 0 {
		log.Warn("the last record of the journal was cut by a crash and is dropped", "bytes", recovery.Dropped)
	}
	if d.content, err = content.Open(dir); err != nil {
		return err
	}
	if d.applied, err = applied.Open(filepath.Join(dir, "stacks")); err != nil {
		return err
	}
	if bad := d.applied.Damaged(); len(bad) > 0 {
		log.Warn("records of stacks cannot be read; no content is deleted until these stacks are deployed again", "files", bad)
	}
	return nil
}

func (d *disk) close() error {
	var errs []error
	if d.applied != nil {
		errs = append(errs, d.applied.Close())
	}
	if d.content != nil {
		errs = append(errs, d.content.Close())
	}
	if d.journal != nil {
		errs = append(errs, d.journal.Close())
	}
	if d.lock != nil {
		// A child between its fork and its exec has the file open as well; closing alone would
		// leave the lock with it.
		errs = append(errs, syscall.Flock(int(d.lock.Fd()), syscall.LOCK_UN), d.lock.Close())
	}
	return errors.Join(errs...)
}

// lockFile keeps a second worker away from the same data directory. The lock ends with
// the process, however that ends.
func lockFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the worker's lock: %w", err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = fmt.Errorf("another worker uses %s; give each its own WORKER_DATA_DIR, or stop the other one", filepath.Dir(path))
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
