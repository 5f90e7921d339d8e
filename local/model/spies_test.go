package model

import (
	"bytes"
	"context"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"berth/core"
	"berth/core/fault"
	"berth/core/fleet"
	"berth/core/repositories"
	"berth/core/secrets"
	"berth/core/stacks"
	"berth/core/store"
	corevariables "berth/core/variables"
	"berth/core/wire"
	wirelink "berth/hub/link"
)

// frames is a worker's end of a link. What it says is checked against its journal.
type frames struct {
	*wirelink.End
	whole *whole
	host  int
	life  *running
}

// WriteFrame implements wirelink.Conn.
func (f *frames) WriteFrame(frame []byte) error {
	msg, err := wire.Decode(frame)
	if err != nil {
		return err
	}
	switch m := msg.(type) {
	case wire.Accepted:
		f.journaled("accepted", m.ID)
		f.whole.passing(f.host, f.life, "before it says Accepted")
	case wire.Result:
		f.journaled("ended", m.ID)
		f.whole.passing(f.host, f.life, "before it says Result")
	}
	if f.life.dead.Err() != nil {
		return errDead
	}
	return f.End.WriteFrame(frame)
}

// journaled is I3: what a worker says about a command stands in its journal.
func (f *frames) journaled(what string, id core.CommandID) {
	if f.life.dead.Err() != nil {
		return
	}
	content, err := os.ReadFile(filepath.Join(f.life.dir, "journal"))
	if err != nil || !bytes.Contains(content, []byte(id)) {
		f.whole.complain("I3: worker %d says that %s is %s, and its journal does not (%v)", f.host, id, what, err)
	}
}

// spied is the hub's end of a link. What it acknowledges is checked against the store.
type spied struct {
	*wirelink.End
	whole *whole
}

// WriteFrame implements wirelink.Conn.
func (s *spied) WriteFrame(frame []byte) error {
	msg, err := wire.Decode(frame)
	if err != nil {
		return err
	}
	if s.whole.hubDead.Load() {
		return errDead
	}
	if m, is := msg.(wire.ResultAck); is {
		var open int // a teardown that failed is open again under its next attempt: that is how its result is stored
		err := s.whole.data.pool.QueryRow(`SELECT count(*) FROM commands WHERE id = ? AND attempt = ? AND ended_at = 0`, m.ID, m.Attempt).Scan(&open)
		if err != nil || open > 0 {
			s.whole.complain("I3: the result of %s is acknowledged and not stored (%v)", m.ID, err)
		}
	}
	return s.End.WriteFrame(frame)
}

// facts implements hub.Fleet.
type facts struct{ *store.Store }

// Connected implements hub.Fleet.
func (f facts) Connected(ctx context.Context, id core.WorkerID, hello wire.Hello) (uint64, error) {
	return f.WorkerConnected(ctx, id, fleet.Facts{Hostname: hello.Hostname, Tags: hello.Tags, Engine: hello.Engine, Runs: hello.Runs})
}

// sources implements hub.Sources.
type sources struct{}

// Source implements hub.Sources.
func (sources) Source(_ context.Context, r repositories.Repository) (core.GitSource, error) {
	return core.GitSource{Repository: r.ID, URL: r.URL, Branch: r.Branch}, nil
}

// variables implements hub.Variables: there are none.
type variables struct{}

// ForRendering implements hub.Variables.
func (variables) ForRendering(context.Context, core.StackID) ([]core.ComposeVariable, error) {
	return nil, nil
}

// Secrets implements hub.Variables.
func (variables) Secrets(context.Context, core.StackID, []string) (map[string]secrets.Value, error) {
	return map[string]secrets.Value{}, nil
}

// Fingerprint implements hub.Variables.
func (variables) Known(context.Context, core.StackID, []string) (map[string]secrets.Value, error) {
	return nil, nil
}

func (variables) Prints(context.Context, map[core.StackID][]string) (map[core.StackID]map[string]string, error) {
	return nil, nil
}

// ForRun implements hub.Variables.
func (variables) ForRun(context.Context, core.JobID, map[string]string) (corevariables.Seen, error) {
	return corevariables.Seen{}, nil
}

func (variables) Fingerprint(name string, _ secrets.Value) string { return name }

// files implements hub.RevisionFiles in memory.
type files struct {
	mu      sync.Mutex
	compose map[string][]byte // guarded by mu
}

func (f *files) name(stack core.StackID, number int) string {
	return string(stack) + "/" + string(rune('a'+number))
}

// PutBlob implements hub.RevisionFiles.
func (f *files) PutBlob(context.Context, string, []byte) error { return nil }

// OpenBlob implements hub.RevisionFiles.
func (f *files) OpenBlob(string) (io.ReadCloser, error) { return nil, os.ErrNotExist }

// PutCompose implements hub.RevisionFiles.
func (f *files) PutCompose(_ context.Context, stack core.StackID, number int, compose []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.compose[f.name(stack, number)] = compose
	return nil
}

// Compose implements hub.RevisionFiles.
func (f *files) Compose(stack core.StackID, number int) ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.compose[f.name(stack, number)], nil
}

// RemoveStack implements hub.RevisionFiles.
func (f *files) RemoveStack(context.Context, core.StackID) error { return nil }

// Sweep implements hub.RevisionFiles.
func (f *files) Sweep(context.Context, func(func(stacks.KeptRevision)) error) (int, error) {
	return 0, nil
}

// lines reads a "Compose file" that is its own rendering: one compose service.
type lines struct{}

// Read implements core.ComposeReader.
func (lines) Read(ctx context.Context, src core.ComposeSource, _ func(string, []byte) error) (core.ComposeProject, error) {
	text, err := src.Tree.Read(ctx, path.Join(src.Dir, "compose.yaml"), 1<<20)
	if err != nil || strings.Contains(string(text), "broken") {
		return core.ComposeProject{}, fault.New(fault.Invalid, "compose.invalid", "The Compose file cannot be read.")
	}
	return core.ComposeProject{YAML: text, Services: []core.ComposeService{{Name: "web", Stays: true}}}, nil
}
