package backups

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"berth/core"
	"berth/core/backups"
	"berth/core/fault"
)

// Archive reads and writes archives; see archive.Archive.
type Archive interface {
	Write(to io.Writer, head backups.Head, fill func(add func(name string, size int64, content io.Reader) error) error) error
	Head(from io.Reader) (backups.Head, error)
	Read(from io.Reader, keep func(member backups.Member, content io.Reader) error) (backups.Head, error)
}

// Meter counts what becomes of backups.
type Meter interface {
	BackedUp(ok bool, took time.Duration)
	KnowBackups(all []backups.Backup, every time.Duration)
	CopiedAway(ok bool)
	KnowOffsite(s backups.Standing)
	Rehearsed(r backups.Rehearsal)
}

// Options is what a Shelf needs. All fields must be set but Keep, Every, Rehearsal, Trial and Offsite.
type Options struct {
	Dir     string
	Archive Archive
	// Snapshot writes a copy of the database, as it is at one moment, to a path where nothing is; it has been checked.
	Snapshot func(ctx context.Context, to string) error
	// Files tells every file of revisions by its name in rows.
	Files func(tell func(name string, content []byte) error) error
	// Stage begins to put together what is restored.
	Stage func() (Stage, error)
	// Trial begins to put together what is restored for a rehearsal, below a folder that is thrown away.
	Trial func(dir string) (Stage, error)
	// Rehearsal is how often the newest backup is restored so; 0: never.
	Rehearsal time.Duration
	// Offsite tells where copies go now; nil: nowhere.
	Offsite func(ctx context.Context) (backups.Offsite, error)
	Version string // of this program
	Schema  int    // of this program's database
	Keep    backups.Keep
	Every   time.Duration // of backups by schedule; 0: none
	Now     core.Clock
	Meter   Meter
	Log     *slog.Logger
}

// maxTakes is how many archives may come in at a time: each may take the room of the largest.
const maxTakes = 2

// Shelf is the folder. One backup is made, restored or deleted at a time, some are brought meanwhile, and any number read.
type Shelf struct {
	o     Options
	busy  chan struct{} // holds one token while nothing is made
	takes chan struct{} // holds a token for each archive that comes in

	trying chan struct{} // holds a token while a rehearsal is under way
	news   chan struct{} // holds a token when there may be something to copy off site

	mu    sync.Mutex
	heads map[string]known // by name; guarded by mu, as what follows
	whole map[string]stamp // which were read whole, by name
	away  away

	notMade string    // why the last backup was not made; empty: it was
	broken  time.Time // since when
	tried   backups.Rehearsal

	begun  bool // one was made, or was not, since the folder is open
	copied bool // an attempt to copy off site has ended since
}

// known is what was read of a file that has not changed since.
type known struct {
	stamp  stamp
	backup backups.Backup
}

// What is not finished has a name that begins so.
const (
	partPrefix = ".part-"
	workPrefix = ".work-"
)

// Open makes the folder, and frees it of what a crash left. Unavailable "backup.storage" names it.
func Open(o Options) (*Shelf, error) {
	s := &Shelf{o: o, busy: make(chan struct{}, 1), takes: make(chan struct{}, maxTakes), trying: make(chan struct{}, 1), news: make(chan struct{}, 1), heads: map[string]known{}}
	s.busy <- struct{}{}
	err := os.MkdirAll(o.Dir, 0o700)
	if err == nil {
		err = s.sweep()
	}
	if err == nil {
		s.tried, err = s.lastRehearsal()
	}
	if err == nil {
		s.whole, err = s.vouched()
	}
	if err != nil {
		return nil, s.storage(err)
	}
	return s, nil
}

func (s *Shelf) sweep() error {
	entries, err := os.ReadDir(s.o.Dir)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), partPrefix) || strings.HasPrefix(e.Name(), workPrefix) {
			err = errors.Join(err, os.RemoveAll(filepath.Join(s.o.Dir, e.Name())))
		}
	}
	return err
}

// storage is the fault for what goes wrong with the folder.
func (s *Shelf) storage(err error) error {
	if full(err) {
		return fault.New(fault.Unavailable, "backup.disk_full", "The disk of %s is full, so no backup can be stored there. Free some space, or delete old backups. Nothing half-made is kept.", s.o.Dir).Because(err)
	}
	return fault.New(fault.Unavailable, "backup.storage", "The folder for backups, %s, cannot be used. Check BACKUP_DIR and its permissions.", s.o.Dir).Because(err)
}

func full(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

// enter waits for nobody: Conflict "backup.busy" while another backup is made, restored or deleted.
func (s *Shelf) enter() (leave func(), err error) {
	select {
	case <-s.busy:
		return func() { s.busy <- struct{}{} }, nil
	default:
		return nil, fault.New(fault.Conflict, "backup.busy", "Another backup is being made, restored or deleted. Try again when it is done.")
	}
}

// local returns every backup that is here, newest first. One that cannot be restored here says why.
func (s *Shelf) local() ([]backups.Backup, error) {
	entries, err := os.ReadDir(s.o.Dir)
	if err != nil {
		return nil, s.storage(err)
	}
	all := []backups.Backup{}
	for _, e := range entries {
		b, err := s.look(e.Name())
		switch {
		case fault.Is(err, fault.NotFound):
		case err != nil:
			return nil, err
		default:
			all = append(all, b)
		}
	}
	return backups.Newest(all), nil
}

// look reads what a backup is, once for as long as its file is the same.
func (s *Shelf) look(name string) (backups.Backup, error) {
	file, err := s.open(name)
	if err != nil {
		return backups.Backup{}, err
	}
	defer file.Close()
	stat, err := file.Stat()
	if err != nil {
		return backups.Backup{}, s.storage(err)
	}
	s.mu.Lock()
	k, found := s.heads[name]
	s.mu.Unlock()
	now := stampOf(stat)
	if !found || k.stamp != now {
		k = known{now, s.read(name, stat.Size(), file)}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heads[name] = k
	k.backup.Checked = s.whole[name] == now
	return k.backup, nil
}

// read tells what a file is, which may take as long as the disk does.
func (s *Shelf) read(name string, size int64, file io.Reader) backups.Backup {
	at, why, _ := backups.ParseName(name)
	b := backups.Backup{Name: name, Size: size, Here: true, Head: backups.Head{MadeAt: at, Reason: why}}
	head, err := s.o.Archive.Head(file)
	if err == nil {
		err = head.Check(s.o.Schema)
		b.Head.Format, b.Head.Version, b.Head.Schema = head.Format, head.Version, head.Schema
	}
	if err != nil {
		b.Problem = fault.PublicOf(err)
	}
	return b
}

func (s *Shelf) open(name string) (*os.File, error) {
	if _, _, err := backups.ParseName(name); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(filepath.Join(s.o.Dir, name), os.O_RDONLY|syscall.O_NOFOLLOW, 0)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ELOOP) {
		return nil, backups.NotFound()
	}
	if err != nil {
		return nil, s.storage(err)
	}
	return file, nil
}

// Get opens a backup to be downloaded. NotFound "backup.not_found"; Conflict "backup.away" when it is off site alone.
func (s *Shelf) Get(_ context.Context, name string) (io.ReadSeekCloser, backups.Backup, error) {
	b, err := s.look(name)
	if fault.Is(err, fault.NotFound) && s.isAway(name) {
		err = fault.New(fault.Conflict, "backup.away", "The backup is off site alone. Fetch it first, or download it there.")
	}
	if err != nil {
		return nil, b, err
	}
	file, err := s.open(name)
	return file, b, err
}

// Delete removes a backup here and, unless hereOnly says otherwise, off site; there first, so that what fails can be tried
// again. NotFound "backup.not_found"; Conflict "backup.busy" while one is made or restored; faults of the storage.
func (s *Shelf) Delete(ctx context.Context, name string, hereOnly bool) error {
	if _, _, err := backups.ParseName(name); err != nil {
		return err
	}
	leave, err := s.enter()
	if err != nil {
		return err
	}
	defer leave()
	gone := false
	if !hereOnly && s.isAway(name) {
		if err := s.removeAway(ctx, name); err != nil {
			return err
		}
		gone = true
	}
	if err := s.remove(name); err != nil && !(gone && fault.Is(err, fault.NotFound)) {
		return err
	}
	return nil
}

func (s *Shelf) remove(name string) error {
	err := os.Remove(filepath.Join(s.o.Dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return backups.NotFound()
	}
	if err == nil {
		err = syncDir(s.o.Dir)
	}
	if err != nil {
		return s.storage(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.heads, name)
	return nil
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// workplace makes a folder for what is under way; remove takes it away again.
func (s *Shelf) workplace() (dir string, remove func(), err error) {
	dir, err = os.MkdirTemp(s.o.Dir, workPrefix)
	if err != nil {
		return "", nil, s.storage(err)
	}
	return dir, func() {
		if err := os.RemoveAll(dir); err != nil {
			s.o.Log.Warn("what was left of a backup cannot be removed", "folder", dir, "error", err)
		}
	}, nil
}
