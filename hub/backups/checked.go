package backups

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"berth/core/backups"
	"berth/core/fault"
)

// wholeName is the file that keeps which archives were read whole, for the next start.
const wholeName = ".whole.json"

// stamp tells whether a file is as it was.
type stamp struct {
	Size    int64 `json:"size"`    // bytes
	Changed int64 `json:"changed"` // nanoseconds since 1970
}

func stampOf(f fs.FileInfo) stamp { return stamp{f.Size(), f.ModTime().UnixNano()} }

// vouched reads what vouch wrote; what cannot be read vouches for nothing, so that all is read again.
func (s *Shelf) vouched() (whole map[string]stamp, err error) {
	text, err := os.ReadFile(filepath.Join(s.o.Dir, wholeName))
	if errors.Is(err, fs.ErrNotExist) || err == nil && json.Unmarshal(text, &whole) != nil || err == nil && whole == nil {
		return map[string]stamp{}, nil
	}
	return whole, err
}

// vouch notes that the archive at path was read whole, and is or will be called name. It is durable before the archive has
// its name, so that none is listed as good by its name alone.
func (s *Shelf) vouch(path, name string) error {
	stat, err := os.Stat(path)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	next := map[string]stamp{name: stampOf(stat)}
	for other, was := range s.whole {
		if _, err := os.Lstat(filepath.Join(s.o.Dir, other)); err == nil && other != name {
			next[other] = was
		}
	}
	text, err := json.Marshal(next)
	if err == nil {
		err = writeDurably(filepath.Join(s.o.Dir, wholeName), text)
	}
	if err == nil {
		s.whole = next
	}
	return err
}

// check reads those archives whole that nobody has read as they are: somebody has put them into the folder, or changed them. It
// reports whether more is known than before.
func (s *Shelf) check(ctx context.Context, all []backups.Backup) (news bool) {
	for _, b := range all {
		if !b.Here || b.Checked || b.Problem != "" || ctx.Err() != nil {
			continue
		}
		switch err := s.checkOne(b.Name); {
		case err == nil:
			s.o.Log.Info("a backup was found in the folder, and read", "name", b.Name)
			news = true
		case fault.CodeOf(err) == "backup.damaged":
			s.o.Log.Error("a backup that was found in the folder is damaged", "name", b.Name, "error", err)
			s.spoilt(b.Name, err)
			news = true
		case !fault.Is(err, fault.NotFound):
			s.o.Log.Warn("a backup that was found in the folder cannot be read; it is tried again", "name", b.Name, "in", again, "error", err)
		}
	}
	return news
}

func (s *Shelf) checkOne(name string) error {
	file, err := s.open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	before, err := file.Stat()
	if err != nil {
		return err
	}
	if _, err := s.o.Archive.Read(file, discard); err != nil {
		return err
	}
	after, err := file.Stat()
	if err != nil || stampOf(after) != stampOf(before) { // it is still being written
		return errors.Join(err, fs.ErrInvalid)
	}
	return s.vouch(file.Name(), name)
}

// spoilt keeps what is wrong with an archive, for as long as its file is the same.
func (s *Shelf) spoilt(name string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.heads[name]
	k.backup.Problem = fault.PublicOf(err)
	s.heads[name] = k
}
