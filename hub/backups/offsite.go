package backups

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"berth/core/backups"
	"berth/core/fault"
)

// away is what is known about copies off site.
type away struct {
	standing backups.Standing
	version  int // of the settings that it was found out with
	keep     backups.Keep
	asked    time.Time        // when the storage was last asked, whatever it said
	copies   map[string]int64 // size by name
}

// Bounds of looking at the storage.
const (
	stale    = 15 * time.Minute // what was listed longer ago is listed again before it is shown
	lookTime = 20 * time.Second // within which the storage must have told what it has, when somebody waits
)

// RunOffsite copies what is new off site and deletes there what is over, until ctx ends.
func (s *Shelf) RunOffsite(ctx context.Context) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-timer.C:
		case <-s.news:
		}
		s.offsiteRound(ctx)
		timer.Reset(again)
	}
}

// offsiteRound brings the storage up to date, and keeps what it finds for those who ask.
func (s *Shelf) offsiteRound(ctx context.Context) {
	place, err := s.refresh(ctx)
	if err == nil && place.Storage != nil {
		err = s.bring(ctx, place)
		s.settle(err)
	}
	if err != nil && ctx.Err() == nil {
		s.o.Log.Error("backups are not copied off site; it is tried again", "in", again, "error", err)
	}
}

// refresh asks the storage what it has.
func (s *Shelf) refresh(ctx context.Context) (place backups.Offsite, err error) {
	if s.o.Offsite != nil {
		place, err = s.o.Offsite(ctx)
	}
	if err == nil && place.Storage == nil {
		s.mu.Lock()
		s.copied = true // there is nothing to copy to, so nothing fails
		s.mu.Unlock()
		s.know(away{version: place.Version})
		return place, nil
	}
	var all []backups.Copy
	if err == nil {
		all, err = place.Storage.List(ctx)
	}
	if err != nil {
		s.mu.Lock()
		s.away.version, s.away.asked = place.Version, s.o.Now()
		s.mu.Unlock()
		s.settle(err)
		return place, err
	}
	now := s.o.Now()
	a := away{standing: backups.Standing{On: true, Listed: now}, version: place.Version, keep: place.Keep, asked: now, copies: map[string]int64{}}
	for _, c := range all {
		a.copies[c.Name] = c.Size
	}
	s.mu.Lock()
	if s.away.version == place.Version {
		a.standing.Problem, a.standing.Since = s.away.standing.Problem, s.away.standing.Since
	}
	s.mu.Unlock()
	s.know(a)
	return place, nil
}

// know keeps what is known, and measures it.
func (s *Shelf) know(a away) {
	s.mu.Lock()
	s.away = a
	s.mu.Unlock()
	s.o.Meter.KnowOffsite(s.standing())
}

// settle keeps how an attempt has ended.
func (s *Shelf) settle(err error) {
	s.mu.Lock()
	s.copied = true
	standing := &s.away.standing
	switch {
	case err == nil:
		standing.Problem, standing.Since = "", time.Time{}
	case standing.Problem == "":
		standing.Since = s.o.Now()
		fallthrough
	default:
		standing.On, standing.Problem = true, fault.PublicOf(err)
	}
	s.mu.Unlock()
	s.o.Meter.KnowOffsite(s.standing())
}

// standing sums up what is known.
func (s *Shelf) standing() backups.Standing {
	all, _ := s.merged() // a folder that cannot be read is told by whoever makes backups
	s.mu.Lock()
	sum, keep := s.away.standing, s.away.keep
	sum.NotMade, sum.Broken, sum.Tried, sum.Every = s.notMade, s.broken, s.tried, s.o.Every
	if i := slices.IndexFunc(all, func(b backups.Backup) bool { return b.Here }); i >= 0 { // newest first
		sum.Made = all[i].Head.MadeAt
	}
	for name, size := range s.away.copies {
		sum.Copies++
		sum.Size += size
		if made, _, err := backups.ParseName(name); err == nil && made.After(sum.Newest) {
			sum.Newest = made
		}
	}
	s.mu.Unlock()
	if sum.On {
		sum.Waiting = len(missing(all, keep, s.o.Now()))
	}
	return sum
}

// missing are the backups here of which there is to be a copy and is none, newest first.
func missing(all []backups.Backup, keep backups.Keep, now time.Time) (some []backups.Backup) {
	over := keep.Expired(all, now)
	for _, b := range all {
		if b.Here && b.Checked && b.Problem == "" && !b.Away && !slices.Contains(over, b) {
			some = append(some, b)
		}
	}
	return some
}

// bring copies what is missing in the storage, the newest first, and then deletes what is over.
func (s *Shelf) bring(ctx context.Context, place backups.Offsite) error {
	all, err := s.merged()
	if err != nil {
		return err
	}
	over := place.Keep.Expired(all, s.o.Now())
	for _, b := range missing(all, place.Keep, s.o.Now()) {
		err := s.copyAway(ctx, place.Storage, b)
		s.o.Meter.CopiedAway(err == nil)
		if err != nil {
			return err
		}
	}
	for _, b := range over {
		if !b.Away {
			continue
		}
		if err := s.dropAway(ctx, place.Storage, b.Name); err != nil {
			return err
		}
		s.o.Log.Info("an old copy off site was deleted", "name", b.Name)
	}
	return nil
}

// copyAway copies one backup. One that is deleted meanwhile is none any more.
func (s *Shelf) copyAway(ctx context.Context, to backups.Storage, b backups.Backup) error {
	file, err := s.open(b.Name)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	if err := to.Put(ctx, b.Name, b.Size, file); err != nil {
		return err
	}
	s.mu.Lock()
	if s.away.copies != nil {
		s.away.copies[b.Name] = b.Size
	}
	s.mu.Unlock()
	s.o.Log.Info("a backup was copied off site", "name", b.Name, "bytes", b.Size)
	return nil
}

func (s *Shelf) dropAway(ctx context.Context, from backups.Storage, name string) error {
	if err := from.Delete(ctx, name); err != nil {
		return err
	}
	s.mu.Lock()
	delete(s.away.copies, name)
	s.mu.Unlock()
	return nil
}

// merged is what is here together with what is known to be off site, newest first. A copy that has another size than the
// backup was not finished, or is none of it.
func (s *Shelf) merged() ([]backups.Backup, error) {
	all, err := s.local()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	here := map[string]bool{}
	for i, b := range all {
		size, there := s.away.copies[b.Name]
		all[i].Away, here[b.Name] = there && size == b.Size, true
	}
	for name, size := range s.away.copies {
		if made, why, err := backups.ParseName(name); err == nil && !here[name] {
			all = append(all, backups.Backup{Name: name, Size: size, Away: true, Head: backups.Head{MadeAt: made, Reason: why}})
		}
	}
	return backups.Newest(all), nil
}

// All implements backups.Shelf. The storage is asked when the settings changed, or when it was long ago; that it does
// not answer is told by Standing.
func (s *Shelf) All(ctx context.Context) ([]backups.Backup, error) {
	s.fresh(ctx)
	return s.merged()
}

// Standing implements backups.Shelf.
func (s *Shelf) Standing(context.Context) (backups.Standing, error) {
	return s.standing(), nil
}

// fresh sees to it that what is known is of these settings, and not old. What is wrong is kept for Standing.
func (s *Shelf) fresh(ctx context.Context) {
	if s.o.Offsite == nil {
		return
	}
	place, err := s.o.Offsite(ctx)
	if err != nil {
		s.settle(err)
		return
	}
	s.mu.Lock()
	known := s.away.version == place.Version && (place.Storage == nil || s.o.Now().Sub(s.away.asked) < stale)
	s.mu.Unlock()
	if known {
		return
	}
	short, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	if _, err := s.refresh(short); err == nil {
		s.tell() // there may be something to copy
	}
}

func (s *Shelf) isAway(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, there := s.away.copies[name]
	return there
}

// removeAway deletes the copy of a backup.
func (s *Shelf) removeAway(ctx context.Context, name string) error {
	place, err := s.o.Offsite(ctx)
	if err != nil || place.Storage == nil {
		return err
	}
	return s.dropAway(ctx, place.Storage, name)
}

// Fetch implements backups.Shelf. It must be the backup that its name tells: the storage may hold another's, or an older
// one under a newer name.
func (s *Shelf) Fetch(ctx context.Context, name string) (b backups.Backup, err error) {
	made, _, err := backups.ParseName(name)
	if err != nil {
		return b, err
	}
	if b, err = s.look(name); !fault.Is(err, fault.NotFound) {
		return b, err
	}
	s.fresh(ctx)
	if !s.isAway(name) {
		return b, backups.NotFound()
	}
	place, err := s.o.Offsite(ctx)
	if err != nil || place.Storage == nil {
		return b, errors.Join(err, backups.NotFound())
	}
	leave, err := s.slot()
	if err != nil {
		return b, err
	}
	defer leave()
	from, err := place.Storage.Get(ctx, name)
	if err != nil {
		return b, err
	}
	defer from.Close()
	same := func(head backups.Head) (string, error) {
		if !head.MadeAt.UTC().Truncate(time.Second).Equal(made) {
			return "", backups.Damaged("it is of another time than its name says")
		}
		if _, err := os.Lstat(filepath.Join(s.o.Dir, name)); err == nil {
			return "", fault.New(fault.Conflict, "backup.busy", "The backup was fetched by somebody else meanwhile.")
		}
		return name, nil
	}
	b, err = s.place(same, func(part *os.File) (backups.Head, error) {
		if _, err := io.Copy(onDisk{s, part}, from); err != nil {
			return backups.Head{}, err
		}
		return s.judge(part)
	})
	if err == nil {
		s.o.Log.Info("a backup was fetched from off site and read", "name", name, "bytes", b.Size)
		s.tell()
		b.Away = true
	}
	return b, err
}

// onDisk tells what goes wrong here from what goes wrong there.
type onDisk struct {
	s    *Shelf
	file *os.File
}

// Write implements io.Writer.
func (d onDisk) Write(p []byte) (int, error) {
	n, err := d.file.Write(p)
	if err != nil {
		err = d.s.storage(err)
	}
	return n, err
}
