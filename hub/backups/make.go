package backups

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"berth/core/backups"
	"berth/core/fault"
)

// Make makes a backup of the server as it is now, reads it again and returns it. The server goes on meanwhile.
// Faults: Conflict "backup.busy"; Unavailable "backup.disk_full", "backup.storage", "backup.failed".
func (s *Shelf) Make(ctx context.Context, why backups.Reason) (b backups.Backup, err error) {
	leave, err := s.enter()
	if err != nil {
		return b, err
	}
	defer leave()
	return s.make(ctx, why)
}

// make is Make for whoever has the shelf.
func (s *Shelf) make(ctx context.Context, why backups.Reason) (b backups.Backup, err error) {
	began := s.o.Now()
	defer func() { s.o.Meter.BackedUp(err == nil, s.o.Now().Sub(began)) }()
	head := backups.Head{Format: backups.Format, Version: s.o.Version, Schema: s.o.Schema, MadeAt: began.UTC(), Reason: why}
	b, err = s.write(ctx, head)
	if err != nil {
		err = s.failed(err)
		s.made(err)
		return b, err
	}
	s.made(nil)
	s.o.Log.Info("a backup was made and read again", "name", b.Name, "reason", why, "bytes", b.Size)
	s.tell()
	return b, nil
}

// made keeps how making a backup has ended.
func (s *Shelf) made(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begun = true
	if err == nil {
		s.notMade, s.broken = "", time.Time{}
		return
	}
	if s.notMade == "" {
		s.broken = s.o.Now()
	}
	s.notMade = fault.PublicOf(err)
}

// failed is the fault for a backup that was not made.
func (s *Shelf) failed(err error) error {
	if code := fault.CodeOf(err); code == "backup.disk_full" || code == "backup.storage" {
		return err
	}
	if full := s.storage(err); fault.CodeOf(full) == "backup.disk_full" {
		return full
	}
	if fault.CodeOf(err) == "revision.damaged" {
		return fault.New(fault.Unavailable, "backup.failed", "No backup was made. %s", fault.PublicOf(err)).Because(err)
	}
	return fault.New(fault.Unavailable, "backup.failed", "No backup was made: the database or a file of a revision could not be read, or what was written could not be read again. The server's log says which. Nothing half-made is kept.").Because(err)
}

// tell measures what there is, and has it copied off site.
func (s *Shelf) tell() {
	if all, err := s.local(); err == nil {
		s.o.Meter.KnowBackups(all, s.o.Every)
	}
	select {
	case s.news <- struct{}{}:
	default:
	}
}

func (s *Shelf) write(ctx context.Context, head backups.Head) (b backups.Backup, err error) {
	work, remove, err := s.workplace()
	if err != nil {
		return b, err
	}
	defer remove()
	copied := filepath.Join(work, backups.Database)
	if err := s.o.Snapshot(ctx, copied); err != nil {
		return b, err
	}
	return s.place(named(head.Reason), func(part *os.File) (backups.Head, error) {
		err := s.o.Archive.Write(part, head, func(add func(string, int64, io.Reader) error) error {
			if err := addFile(add, copied); err != nil {
				return err
			}
			return s.o.Files(func(name string, content []byte) error {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				return add(backups.FileMember(name), int64(len(content)), bytes.NewReader(content))
			})
		})
		return head, err
	})
}

func addFile(add func(string, int64, io.Reader) error, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	stat, err := file.Stat()
	if err != nil {
		return err
	}
	return add(backups.Database, stat.Size(), file)
}

// place has an archive written, reads it whole, and gives it its name. What fails leaves nothing.
func (s *Shelf) place(name func(backups.Head) (string, error), write func(part *os.File) (backups.Head, error)) (b backups.Backup, err error) {
	part, err := os.CreateTemp(s.o.Dir, partPrefix)
	if err != nil {
		return b, s.storage(err)
	}
	defer func() {
		if err != nil {
			os.Remove(part.Name())
		}
	}()
	defer part.Close()
	if _, err = write(part); err != nil {
		return b, err
	}
	if _, err = part.Seek(0, io.SeekStart); err != nil {
		return b, err
	}
	head, err := s.o.Archive.Read(part, discard)
	if err != nil {
		return b, fmt.Errorf("read again: %w", err)
	}
	if err = errors.Join(part.Sync(), part.Close()); err != nil {
		return b, s.storage(err)
	}
	called, err := name(head)
	if err != nil {
		return b, err
	}
	if err = s.vouch(part.Name(), called); err != nil {
		return b, s.storage(err)
	}
	if err = os.Rename(part.Name(), filepath.Join(s.o.Dir, called)); err == nil {
		err = syncDir(s.o.Dir)
	}
	if err != nil {
		return b, s.storage(err)
	}
	return s.look(called)
}

// named gives an archive a new name.
func named(why backups.Reason) func(backups.Head) (string, error) {
	return func(head backups.Head) (string, error) {
		var salt [3]byte
		rand.Read(salt[:])
		return backups.Name(head.MadeAt, why, salt), nil
	}
}

func discard(_ backups.Member, content io.Reader) error {
	_, err := io.Copy(io.Discard, content)
	return err
}
