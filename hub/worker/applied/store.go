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
	return s.change(a.Stack, func(r Record) Record { return r.tried(a) })
}

// Applied records that the engine put the attempt in place.
func (s *Store) Applied(a Attempt, at time.Time) error {
	return s.change(a.Stack, func(r Record) Record { return r.applied(a, at) })
}

// Trim forgets the content of revisions that nothing needs any more. running are the
// revisions that the stack's containers carry.
func (s *Store) Trim(stack core.StackID, running []int) error {
	if _, found := s.Get(stack); !found {
		return nil
	}
	return s.change(stack, func(r Record) Record { return r.trimmed(running) })
}

func (s *Store) change(stack core.StackID, edit func(Record) Record) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	record := edit(s.records[stack])
	data, err := json.Marshal(record)
	if err != nil {
		return err
	}
	name := fileName(stack)
	if err := durable.Write(s.root, name, data, 0o600); err != nil {
		return fmt.Errorf("record what was applied: %w", err)
	}
	s.records[stack] = record
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
