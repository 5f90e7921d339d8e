package backups

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"berth/core/backups"
	"berth/core/fault"
)

// rehearsalName is the file that keeps how the last rehearsal ended, for the next start.
const rehearsalName = ".rehearsal.json"

// RunRehearsals restores the newest backup again and again into a folder that is thrown away, until ctx ends.
func (s *Shelf) RunRehearsals(ctx context.Context) error {
	s.mu.Lock()
	s.o.Meter.Rehearsed(s.tried)
	s.mu.Unlock()
	timer := time.NewTimer(2 * calm) // after the first backup
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-timer.C:
			s.rehearseDue(ctx)
			timer.Reset(again)
		}
	}
}

// rehearseDue holds a rehearsal when it is time for one.
func (s *Shelf) rehearseDue(ctx context.Context) {
	s.mu.Lock()
	last := s.tried
	s.mu.Unlock()
	if s.o.Rehearsal == 0 || backups.RehearseIn(last, s.o.Rehearsal, s.o.Now()) > 0 {
		return
	}
	if _, err := s.Rehearse(ctx); err != nil && ctx.Err() == nil && fault.CodeOf(err) != "backup.none" {
		s.o.Log.Error("no rehearsal of a restore was held; it is tried again", "in", again, "error", err)
	}
}

// Rehearse implements backups.Shelf. Backups are made and restored meanwhile as ever.
func (s *Shelf) Rehearse(ctx context.Context) (r backups.Rehearsal, err error) {
	select {
	case s.trying <- struct{}{}:
		defer func() { <-s.trying }()
	default:
		return r, fault.New(fault.Conflict, "backup.busy", "Another rehearsal is under way. See the list of backups for what comes of it.")
	}
	all, err := s.local()
	if err != nil {
		return r, err
	}
	if len(all) == 0 {
		return r, fault.New(fault.NotFound, "backup.none", "There is no backup here to rehearse with. Make one first.")
	}
	began := s.o.Now()
	r.Name = all[0].Name
	err = s.rehearse(ctx, r.Name)
	if ctx.Err() != nil {
		return r, fault.New(fault.Unavailable, "backup.not_restored", "The rehearsal was given up before its end.").Because(ctx.Err())
	}
	r.At = s.o.Now()
	r.Took = r.At.Sub(began)
	if err != nil {
		r.Problem = fault.PublicOf(s.unready(err))
		s.o.Log.Error("a rehearsal failed: the newest backup cannot be restored", "name", r.Name, "error", err)
	} else {
		s.o.Log.Info("a rehearsal went well: the newest backup can be restored", "name", r.Name, "took", r.Took)
	}
	if err := s.keepRehearsal(r); err != nil {
		s.o.Log.Warn("how the rehearsal ended is forgotten with the next start", "error", err)
	}
	return r, nil
}

// rehearse does with a backup all that a restore does before anything changes.
func (s *Shelf) rehearse(ctx context.Context, name string) error {
	file, err := s.open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	dir, remove, err := s.workplace()
	if err != nil {
		return err
	}
	defer remove()
	stage, err := s.o.Trial(dir)
	if err != nil {
		return err
	}
	head, err := s.o.Archive.Read(file, stage.Keep)
	if err == nil {
		err = head.Check(s.o.Schema)
	}
	if err != nil {
		return err
	}
	return stage.Build(ctx)
}

// keepRehearsal remembers how it ended, if the disk takes that beyond this run of the server.
func (s *Shelf) keepRehearsal(r backups.Rehearsal) error {
	s.mu.Lock()
	s.tried = r
	s.mu.Unlock()
	s.o.Meter.Rehearsed(r)
	text, err := json.Marshal(r)
	if err == nil {
		path := filepath.Join(s.o.Dir, rehearsalName)
		err = errors.Join(os.WriteFile(path+".new", text, 0o600), os.Rename(path+".new", path))
	}
	if err != nil {
		return s.storage(err)
	}
	return nil
}

// lastRehearsal reads what keepRehearsal wrote; what cannot be read was none.
func (s *Shelf) lastRehearsal() (r backups.Rehearsal, err error) {
	text, err := os.ReadFile(filepath.Join(s.o.Dir, rehearsalName))
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err == nil && json.Unmarshal(text, &r) != nil {
		r = backups.Rehearsal{}
	}
	return r, err
}
