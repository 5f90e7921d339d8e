package applied

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"berth/core"
	"berth/hub/worker/durable"
)

// Store keeps the records of all stacks on this host. It may be used by many
// goroutines; a change blocks until it is on the disk.
type Store struct {
	root *os.Root

	mu      sync.Mutex // guards what follows, and the files
	records map[core.StackID]Record
	damaged []string // files that could not be read
}

// Open opens the records in dir, which it makes when it is missing. A file that cannot
// be read does not stop the others; Damaged names it. The caller closes the store.
func Open(dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	s := &Store{root: root, records: map[core.StackID]Record{}}
	if err := s.load(); err != nil {
		return nil, errors.Join(fmt.Errorf("read the records of stacks in %s: %w", dir, err), root.Close())
	}
	return s, nil
}

func (s *Store) load() error {
	if err := durable.RemoveTemps(s.root, "."); err != nil {
		return err
	}
	entries, err := fs.ReadDir(s.root.FS(), ".")
	if err != nil {
		return err
	}
	for _, entry := range entries {
		stack, isRecord := strings.CutSuffix(entry.Name(), ".json")
		if !isRecord {
			continue
		}
		record, err := s.read(entry.Name())
		if err != nil || string(record.Stack) != stack {
			s.damaged = append(s.damaged, entry.Name())
			continue
		}
		s.records[record.Stack] = record
	}
	return nil
}

func (s *Store) read(name string) (Record, error) {
	var record Record
	data, err := s.root.ReadFile(name)
	if err != nil {
		return record, err
	}
	return record, json.Unmarshal(data, &record)
}

// Close releases the folder.
func (s *Store) Close() error { return s.root.Close() }

// Damaged names the files that could not be read.
func (s *Store) Damaged() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.damaged)
}

// All returns every record, in order of stack.
func (s *Store) All() []Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.SortedFunc(maps.Values(s.records), func(a, b Record) int { return strings.Compare(string(a.Stack), string(b.Stack)) })
}

// Get returns the record of one stack.
func (s *Store) Get(stack core.StackID) (Record, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, found := s.records[stack]
	return r, found
}

// Try records that an attempt begins; from here on its content is in use.
func (s *Store) Try(a Attempt) error {
	return s.plan(a.Stack, func(r Record) Record { return r.tried(a) })
}

// Touch records that the engine is about to change a stack's containers.
func (s *Store) Touch(stack core.StackID) error {
	if r, _ := s.Get(stack); r.Portrait == nil || r.Touched {
		return nil // there is nothing that could become wrong
	}
	return s.plan(stack, func(r Record) Record { r.Touched, r.Stopped = true, nil; return r })
}

// Applied records that the engine put the attempt in place. See note about a failure.
func (s *Store) Applied(a Attempt, at time.Time) error {
	return s.note(a.Stack, func(r Record) Record { return r.applied(a, at) })
}

// Ended records what is known when a deployment has ended: the portrait of what was verified,
// nil when it was not, and running, the revisions that the stack's containers carry. The content
// of revisions that nothing needs any more is forgotten. See note about a failure.
func (s *Store) Ended(stack core.StackID, portrait Portrait, running []int) error {
	if _, found := s.Get(stack); !found {
		return nil
	}
	return s.note(stack, func(r Record) Record { return r.ended(portrait, running) })
}

// Stopped records that somebody stopped or killed a container. See note about a failure.
func (s *Store) Stopped(stack core.StackID, container string) error {
	return s.hands(stack, func(r Record) Record { return r.stopped(container) })
}

// Runs records that containers run again, or are no more: it does not matter any longer who had
// stopped them. See note about a failure.
func (s *Store) Runs(stack core.StackID, containers ...string) error {
	return s.hands(stack, func(r Record) Record { return r.runs(containers) })
}

// Halted records that somebody stops containers through the hub. See note about a failure.
func (s *Store) Halted(stack core.StackID, containers ...string) error {
	return s.hands(stack, func(r Record) Record { return r.halted(containers) })
}

// hands changes who was stopped, and writes only what changes something.
func (s *Store) hands(stack core.StackID, edit func(Record) Record) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, found := s.records[stack]
	after := edit(before)
	if !found || slices.Equal(before.Stopped, after.Stopped) && slices.Equal(before.Halted, after.Halted) {
		return nil
	}
	s.records[stack] = after
	return s.write(after)
}

// plan records what is about to happen. When that fails it must not happen, and is not known.
func (s *Store) plan(stack core.StackID, edit func(Record) Record) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	record := edit(s.records[stack])
	err := s.write(record)
	if err == nil {
		s.records[stack] = record
	}
	return err
}

// note records what has happened. It is known even when it cannot be written: then it is
// written with the next change, and a restart in between begins with what was known before, which
// never lets content be deleted that is in use.
func (s *Store) note(stack core.StackID, edit func(Record) Record) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records[stack] = edit(s.records[stack])
	return s.write(s.records[stack])
}

// write is called with mu held.
func (s *Store) write(record Record) error {
	data, err := json.Marshal(record)
	if err != nil {
		return err
	}
	name := fileName(record.Stack)
	if err := durable.Write(s.root, name, data, 0o600); err != nil {
		return fmt.Errorf("record what was applied: %w", err)
	}
	s.damaged = slices.DeleteFunc(s.damaged, func(bad string) bool { return bad == name })
	return nil
}

// Remove forgets a stack. Forgetting an unknown one is no failure.
func (s *Store) Remove(stack core.StackID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := fileName(stack)
	if err := s.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget what was applied: %w", err)
	}
	delete(s.records, stack)
	s.damaged = slices.DeleteFunc(s.damaged, func(bad string) bool { return bad == name })
	return durable.SyncDir(s.root, ".")
}

// InUse returns the digests of all content that some stack's containers may mount.
// known is false while a record cannot be read: then nothing may be deleted.
func (s *Store) InUse() (digests map[string]bool, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	digests = map[string]bool{}
	for _, record := range s.records {
		for _, list := range record.Content {
			for _, digest := range list {
				digests[digest] = true
			}
		}
	}
	return digests, len(s.damaged) == 0
}

func fileName(stack core.StackID) string { return path.Base(string(stack)) + ".json" }
