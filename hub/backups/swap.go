package backups

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// Swap puts what was restored in the place of what there was, and back again when nothing good comes of it. It works on
// names below one or more folders, each on one disk, by renaming alone; a file beside the database says how far it is,
// so that whatever dies in the middle is gone on with at the next start. Nobody may have the database open meanwhile.
type Swap struct {
	state string // path of the file
	plan  plan
}

// phase says how far a swap is.
type phase string

const (
	phaseReady  phase = "ready"  // everything new is there
	phaseGoing  phase = "going"  // names are changed over
	phaseTrying phase = "trying" // the new is in place, and was not seen to work yet
	phaseBack   phase = "back"   // names are changed back
)

// plan is what the file holds.
type plan struct {
	Backup string   `json:"backup"` // its name
	Before string   `json:"before"` // the backup of what there was
	Asker  string   `json:"asker"`  // who wanted it
	Phase  phase    `json:"phase"`
	Tries  int      `json:"tries"` // starts that have begun with the new in place
	Why    string   `json:"why"`   // it goes back
	Roots  []Root   `json:"roots"`
	Items  []change `json:"items"`
}

// Root is a folder in which names change over.
type Root struct {
	Dir   string   `json:"dir"`
	New   string   `json:"new"`   // folder below it with what is to come
	Old   string   `json:"old"`   // folder below it for what there was
	Keep  []string `json:"keep"`  // names that stay as they are
	Names []string `json:"names"` // the only ones that are looked at; none: all
}

// change is one name of a root.
type change struct {
	Root    int    `json:"root"`
	Name    string `json:"name"`
	HasNew  bool   `json:"new"`
	HadLive bool   `json:"live"`
}

// stateName is the file of a swap in the folder of the database.
const stateName = "restore.json"

// maxTries is how many starts may begin with what was restored before the old comes back.
const maxTries = 3

// Ready sets a swap out for the next start.
func Ready(dir, backup, before, asker string, roots []Root) error {
	s := &Swap{state: filepath.Join(dir, stateName), plan: plan{Backup: backup, Before: before, Asker: asker, Phase: phaseReady, Roots: roots}}
	return s.save()
}

// Pending returns the swap that was set out in the folder of the database, or that is under way; nil: there is none.
func Pending(dir string) (*Swap, error) {
	s := &Swap{state: filepath.Join(dir, stateName)}
	text, err := os.ReadFile(s.state)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &s.plan)
	}
	if err != nil {
		return nil, fmt.Errorf("what a restore left cannot be read: %w", err)
	}
	return s, nil
}

// Backup is the name of the backup that is restored, of the one that was made of what there was, and who asked for it.
func (s *Swap) Backup() (name, before, asker string) {
	return s.plan.Backup, s.plan.Before, s.plan.Asker
}

// Why is why what there was came back; empty: it did not.
func (s *Swap) Why() string { return s.plan.Why }

func (s *Swap) save() error {
	text, err := json.Marshal(s.plan)
	if err != nil {
		return err
	}
	return writeDurably(s.state, text)
}

// writeDurably puts text at path, so that after a crash there is all of it or what was there before.
func writeDurably(path string, text []byte) error {
	temp := path + ".new"
	file, err := os.OpenFile(temp, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	if err := os.Rename(temp, path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// Go puts the new in place, or goes on with that. back: what there was is in place again, because the new did not
// come up in several starts; Why says so.
func (s *Swap) Go() (back bool, err error) {
	if s.plan.Phase == phaseReady {
		if s.plan.Items, err = s.items(); err != nil {
			return false, err
		}
		s.plan.Phase = phaseGoing
		if err := s.save(); err != nil {
			return false, err
		}
	}
	switch s.plan.Phase {
	case phaseBack:
		return true, s.Back(s.plan.Why)
	case phaseGoing:
		if err := s.each(s.forth); err != nil {
			return false, err
		}
		s.plan.Phase = phaseTrying
	}
	if s.plan.Tries >= maxTries {
		return true, s.Back(fmt.Sprintf("the server ended %d times before it was up with it", s.plan.Tries))
	}
	s.plan.Tries++
	return false, s.save()
}

// Back puts what there was in place again.
func (s *Swap) Back(why string) error {
	s.plan.Phase, s.plan.Why = phaseBack, why
	if err := s.save(); err != nil {
		return err
	}
	if err := s.each(s.back); err != nil {
		return err
	}
	return s.forget()
}

// Done keeps the new for good.
func (s *Swap) Done() error { return s.forget() }

// forget ends a swap. The file goes first: without it the folders mean nothing.
func (s *Swap) forget() error {
	err := os.Remove(s.state)
	if err == nil {
		err = syncDir(filepath.Dir(s.state))
	}
	for _, r := range s.plan.Roots {
		err = errors.Join(err, os.RemoveAll(filepath.Join(r.Dir, r.New)), os.RemoveAll(filepath.Join(r.Dir, r.Old)))
	}
	return err
}

// items lists the names that change over.
func (s *Swap) items() ([]change, error) {
	var all []change
	for i, r := range s.plan.Roots {
		if err := os.MkdirAll(filepath.Join(r.Dir, r.Old), 0o700); err != nil {
			return nil, err
		}
		live, err := r.list("")
		if err != nil {
			return nil, err
		}
		coming, err := r.list(r.New)
		if err != nil {
			return nil, err
		}
		names := append(slices.Concat(live, coming), r.Names...) // what is named may be made by the new, such as a log
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			all = append(all, change{i, name, slices.Contains(coming, name), slices.Contains(live, name)})
		}
	}
	return all, nil
}

func (r Root) list(below string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(r.Dir, below))
	var names []string
	for _, e := range entries {
		if len(r.Names) == 0 && !slices.Contains(r.Keep, e.Name()) || slices.Contains(r.Names, e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names, err
}

func (s *Swap) each(move func(live, coming, old string, c change) error) error {
	for _, c := range s.plan.Items {
		r := s.plan.Roots[c.Root]
		if err := move(filepath.Join(r.Dir, c.Name), filepath.Join(r.Dir, r.New, c.Name), filepath.Join(r.Dir, r.Old, c.Name), c); err != nil {
			return err
		}
	}
	var err error
	for _, r := range s.plan.Roots {
		for _, dir := range []string{r.Dir, filepath.Join(r.Dir, r.New), filepath.Join(r.Dir, r.Old)} {
			err = errors.Join(err, syncDir(dir))
		}
	}
	return err
}

// forth changes one name over, as far as that was not done before.
func (s *Swap) forth(live, coming, old string, c change) error {
	if c.HadLive && there(live) && !there(old) {
		if err := os.Rename(live, old); err != nil {
			return err
		}
	}
	if c.HasNew && there(coming) {
		return os.Rename(coming, live)
	}
	return nil
}

// back changes one name back, as far as it was changed over. What the new has made in the place of something that it
// did not bring, such as the log of its database, goes.
func (s *Swap) back(live, coming, old string, c change) error {
	mine := there(live) && (!c.HadLive || there(old))
	switch {
	case mine && c.HasNew && !there(coming):
		if err := os.Rename(live, coming); err != nil {
			return err
		}
	case mine && !c.HasNew:
		if err := os.RemoveAll(live); err != nil {
			return err
		}
	}
	if c.HadLive && there(old) {
		return os.Rename(old, live)
	}
	return nil
}

func there(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR)
}
