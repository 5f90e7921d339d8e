package journal

import (
	"errors"
	"fmt"
	"os"
	"sync"

	"berth/core/wire"
)

// MaxEntries is how many commands the journal holds at once. It bounds the file, and
// the list that a worker sends when it connects.
const MaxEntries = wire.MaxJournal

// compactAt is the size in bytes from which on the journal may be written anew.
const compactAt = 256 << 10

// ErrFull says that the journal holds MaxEntries commands: no other may be accepted.
var ErrFull = errors.New("the journal holds as many commands as it may")

// Journal is the open journal of one worker. It may be used by many goroutines; an
// append blocks until the record is on the disk, and blocks the others meanwhile.
type Journal struct {
	path string // set once
	disk disk

	mu     sync.Mutex // guards what follows, and the file
	ledger *ledger
	file   file // nil: the file is in doubt, the next append writes it anew
	size   int64
	base   int64 // size after it was last written anew
}

// Recovery tells what Open found.
type Recovery struct {
	Dropped int64  // bytes after the last whole record
	Aside   string // copy of the file, when those were more than one record being written
}

// Open reads the journal at path, or begins one. A record at its end that was cut by a
// crash is dropped. The caller closes it.
func Open(path string) (*Journal, Recovery, error) {
	return open(path, osDisk{})
}

func open(path string, d disk) (*Journal, Recovery, error) {
	j := &Journal{path: path, disk: d, ledger: newLedger()}
	recovery, err := j.load()
	if err != nil {
		return nil, recovery, fmt.Errorf("open the worker's journal: %w", err)
	}
	if err := j.begin(); err != nil {
		return nil, recovery, fmt.Errorf("write the worker's journal: %w", err)
	}
	return j, recovery, nil
}

// load reads what is there, and keeps a copy of a file that was damaged other than by a
// crash in the middle of an append.
func (j *Journal) load() (Recovery, error) {
	data, err := j.disk.read(j.path)
	if errors.Is(err, os.ErrNotExist) {
		return Recovery{}, nil
	}
	if err != nil {
		return Recovery{}, err
	}
	good, torn := scan(data, j.ledger.apply)
	j.size = good
	recovery := Recovery{Dropped: int64(len(data)) - good}
	if !torn {
		recovery.Aside, err = setAside(j.path, data)
	}
	return recovery, err
}

// begin writes the journal anew, so that it does not rest on pages that an earlier,
// failed fsync left in memory only. A full disk is no reason not to start: then the old
// file goes on.
func (j *Journal) begin() error {
	err := j.rewrite()
	if err == nil || !diskFull(err) || j.size == 0 {
		return err
	}
	j.file, err = j.disk.appendTo(j.path, j.size)
	return err
}

// Received records that a command was taken on. Once it returns nil, the command
// survives a crash and may be accepted. ErrFull when there are too many.
func (j *Journal) Received(e Entry) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.ledger.order) >= MaxEntries && j.ledger.entries[e.Key] == nil {
		return ErrFull
	}
	if err := keepReserve(j.reservePath()); err != nil {
		return err
	}
	return j.append(receivedRecord(e), false)
}

// Started records that the execution of a command begins, and returns how often it
// has begun by now, this time included.
func (j *Journal) Started(key Key) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	e := j.ledger.entries[key]
	if e == nil {
		return 0, fmt.Errorf("command %s attempt %d is not in the journal", key.ID, key.Attempt)
	}
	starts := e.Starts + 1
	return starts, j.append(record{Kind: kindStarted, ID: key.ID, Attempt: key.Attempt, Starts: starts}, false)
}

// Launched records that the container of a run is about to be started: from here on it is never begun anew.
func (j *Journal) Launched(key Key) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch e := j.ledger.entries[key]; {
	case e == nil:
		return fmt.Errorf("command %s attempt %d is not in the journal", key.ID, key.Attempt)
	case e.Launched:
		return nil
	}
	return j.append(record{Kind: kindLaunched, ID: key.ID, Attempt: key.Attempt}, false)
}

// Ending records that the container of a run is about to be stopped, and why. What was recorded first stays.
func (j *Journal) Ending(key Key, why Ending) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch e := j.ledger.entries[key]; {
	case e == nil:
		return fmt.Errorf("command %s attempt %d is not in the journal", key.ID, key.Attempt)
	case e.Ending != "":
		return nil
	}
	return j.append(record{Kind: kindEnding, ID: key.ID, Attempt: key.Attempt, Ending: why}, true)
}

// Ended records a result. Once it returns nil the result may be sent. The command need
// not have been received: the cancellation of an unknown one is remembered this way.
func (j *Journal) Ended(result wire.Result) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	r := record{Kind: kindResult, ID: result.ID, Attempt: result.Attempt, Result: &result}
	if j.ledger.entries[Key{r.ID, r.Attempt}] == nil && len(j.ledger.order) >= MaxEntries {
		return ErrFull
	}
	err := j.append(r, true)
	if errors.Is(err, errTooLarge) && result.Observed != nil {
		result.Observed = nil // the complete reports carry it too
		err = j.append(r, true)
	}
	return err
}

// Pruned forgets a command. It is not forced to the disk: a lost one only means that
// the result is sent, and acknowledged, once more.
func (j *Journal) Pruned(key Key) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.ledger.entries[key] == nil {
		return nil
	}
	r := record{Kind: kindPruned, ID: key.ID, Attempt: key.Attempt}
	data, err := r.encode()
	if err != nil {
		return err
	}
	j.ledger.apply(r)
	if j.file == nil {
		return nil // writing anew leaves it out
	}
	return j.write(data, false)
}

// Get returns the entry with this key.
func (j *Journal) Get(key Key) (Entry, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if e := j.ledger.entries[key]; e != nil {
		return *e, true
	}
	return Entry{}, false
}

// Entries returns what the journal holds, in order of receipt.
func (j *Journal) Entries() []Entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	out := make([]Entry, 0, len(j.ledger.order))
	for _, key := range j.ledger.order {
		out = append(out, *j.ledger.entries[key])
	}
	return out
}

// Close closes the file. Nothing is lost by not calling it.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == nil {
		return nil
	}
	err := j.file.Close()
	j.file = nil
	return err
}
