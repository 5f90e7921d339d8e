package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"berth/core"
	"berth/core/stacks"
	"berth/hub/worker"
)

// folder is a container engine that starts nothing. Each project has one container; the file
// of a project has one line for each time that it was made, and the last one is what runs. So
// the file says after any crash what was done, and how often.
type folder struct{ dir string }

var _ worker.Engine = folder{}

// container is one line. It is added by one write, which a crash cannot cut.
type container struct {
	ID     string            `json:"id"`
	Digest string            `json:"digest"` // of the Compose file that it was made from
	Labels map[string]string `json:"labels"`
	At     time.Time         `json:"at"`
	Gone   bool              `json:"gone"` // taken down
}

// lag is what an engine takes, before and after it changes something.
const lag = 5 * time.Millisecond

func (f folder) last(project string) (container, error) {
	text, err := os.ReadFile(filepath.Join(f.dir, project))
	if errors.Is(err, fs.ErrNotExist) {
		return container{Gone: true}, nil
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	var c container
	return c, errors.Join(err, json.Unmarshal([]byte(lines[len(lines)-1]), &c))
}

func (f folder) add(project string, c container) error {
	line, err := json.Marshal(c)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(filepath.Join(f.dir, project), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(append(line, '\n'))
	return errors.Join(err, file.Close())
}

// Apply implements worker.Engine: as Compose does, it leaves alone what is in place.
func (f folder) Apply(ctx context.Context, p worker.Project, _ func(string)) error {
	sum := sha256.Sum256(p.YAML)
	digest := hex.EncodeToString(sum[:])
	last, err := f.last(p.Name)
	if err != nil || !last.Gone && last.Digest == digest && !p.Recreate {
		return err
	}
	if err := errors.Join(f.held(ctx), rest(ctx)); err != nil {
		return err
	}
	if err := f.add(p.Name, container{ID: core.NewID("ctr", time.Now()), Digest: digest, Labels: p.Labels, At: time.Now()}); err != nil {
		return err
	}
	return rest(ctx)
}

func rest(ctx context.Context) error {
	select {
	case <-time.After(lag):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Containers implements worker.Engine.
func (f folder) Containers(_ context.Context, project string) ([]worker.ProjectContainer, error) {
	projects := []string{project}
	if project == "" {
		files, err := os.ReadDir(f.dir)
		if err != nil {
			return nil, err
		}
		projects = nil
		for _, file := range files {
			if !file.IsDir() {
				projects = append(projects, file.Name())
			}
		}
	}
	slices.Sort(projects)
	var list []worker.ProjectContainer
	for _, name := range projects {
		c, err := f.last(name)
		if err != nil {
			return nil, err
		}
		if c.Gone {
			continue
		}
		revision, err := strconv.Atoi(c.Labels[worker.LabelRevision])
		if err != nil {
			return nil, err
		}
		list = append(list, worker.ProjectContainer{Project: name, Labels: c.Labels, ContainerState: stacks.ContainerState{
			Service: "app", Container: name + "-app-1", ContainerID: c.ID, Image: "none", State: "running", StartedAt: c.At, Revision: revision}})
	}
	return list, nil
}

// Down implements worker.Engine.
func (f folder) Down(_ context.Context, project string, _ core.StackID, _ bool, _ func(string)) error {
	return f.add(project, container{Gone: true})
}

// Info implements worker.Engine.
func (f folder) Info(context.Context) (worker.EngineInfo, error) {
	return worker.EngineInfo{ID: "folder", Version: "none", APIVersion: "none"}, nil
}

// What follows implements worker.Engine and has nothing to do.

func (f folder) Pull(context.Context, worker.Project, bool, func(string)) error { return nil }
func (f folder) Verify(ctx context.Context, _ worker.Project, _, _ time.Duration, _ func(string)) error {
	return rest(ctx)
}
func (f folder) Start(context.Context, string, string) error   { return nil }
func (f folder) Stop(context.Context, string, string) error    { return nil }
func (f folder) Restart(context.Context, string, string) error { return nil }
func (f folder) Logs(context.Context, string, string, worker.LogAsk, io.Writer) error {
	return nil
}

// Usage implements worker.Engine: files use no processor.
func (f folder) Usage(context.Context) ([]worker.ContainerUsage, error) { return nil, nil }

// Watch implements worker.Engine: nobody but the worker changes anything here.
func (f folder) Watch(ctx context.Context, _ func(worker.Happening)) error {
	<-ctx.Done()
	return ctx.Err()
}
