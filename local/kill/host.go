package kill

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"berth/core"
	"berth/hub/worker"
	"berth/hub/worker/runs"
	"berth/local/e2e/rig"
)

// Host is where a worker works, seen by somebody who does not ask the worker.
type Host interface {
	// Worker is the program of the worker, and what it needs in its environment.
	Worker() (program string, env []string)
	// Image is what containers are made of.
	Image() string
	// Made tells how often containers were started for each deployment.
	Made() map[core.DeploymentID]int
	// Runs returns the running containers of a project: ID and revision.
	Runs(project string) map[string]string
	// RunCommand is the command of a job.yaml whose runs take so long, write so many lines, "line 1" and so on, and end
	// with a code.
	RunCommand(took time.Duration, lines, code int) string
	// RunStarts tells how often the container of each run of these jobs was started.
	RunStarts(of map[core.JobID]bool) map[core.RunID]int
	// RunsLeft names the containers of runs of these jobs that are there.
	RunsLeft(of map[core.JobID]bool) []string
}

// Folder is the host of a folderworker.
type Folder struct {
	T   testing.TB
	Dir string
}

// Worker implements Host.
func (f Folder) Worker() (string, []string) {
	return "./local/kill/folderworker", []string{"ENGINE_DIR=" + f.Dir}
}

// Image implements Host.
func (f Folder) Image() string { return "none" }

// Hold stops the engine until it is released: what is asked of it for a stack begins then.
func (f Folder) Hold() (release func()) {
	f.T.Helper()
	dir := filepath.Join(f.Dir, "hold")
	if err := os.Mkdir(dir, 0o700); err != nil {
		f.T.Fatal(err)
	}
	return func() {
		f.T.Helper()
		if err := os.Remove(dir); err != nil {
			f.T.Fatal(err)
		}
	}
}

// RunCommand implements Host; see folderworker.
func (f Folder) RunCommand(took time.Duration, lines, code int) string {
	return fmt.Sprintf("['%d', '%d', '%d']", took.Milliseconds(), lines, code)
}

// RunStarts implements Host.
func (f Folder) RunStarts(map[core.JobID]bool) map[core.RunID]int {
	f.T.Helper()
	started := map[core.RunID]int{}
	for name, acts := range f.acts() {
		id := core.RunID(strings.TrimPrefix(name, "berth-"))
		for _, act := range acts {
			if act == "started" {
				started[id]++
			}
		}
	}
	return started
}

// RunsLeft implements Host.
func (f Folder) RunsLeft(map[core.JobID]bool) (names []string) {
	f.T.Helper()
	for name, acts := range f.acts() {
		if acts[len(acts)-1] != "removed" {
			names = append(names, name)
		}
	}
	return names
}

// acts returns what was done to the container of each run.
func (f Folder) acts() map[string][]string {
	f.T.Helper()
	all := map[string][]string{}
	files, err := os.ReadDir(filepath.Join(f.Dir, "runs"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		f.T.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(f.Dir, "runs", file.Name()))
		if err != nil {
			f.T.Fatal(err)
		}
		for raw := range strings.Lines(string(text)) {
			var act struct{ What string }
			if err := json.Unmarshal([]byte(raw), &act); err != nil {
				f.T.Fatalf("what was done to %s cannot be read: %v", file.Name(), err)
			}
			all[file.Name()] = append(all[file.Name()], act.What)
		}
	}
	return all
}

type line struct {
	ID     string
	Labels map[string]string
	Gone   bool
}

func (f Folder) lines(project string) (lines []line) {
	f.T.Helper()
	text, err := os.ReadFile(filepath.Join(f.Dir, project))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		f.T.Fatal(err)
	}
	for raw := range strings.Lines(string(text)) {
		var l line
		if err := json.Unmarshal([]byte(raw), &l); err != nil {
			f.T.Fatalf("what was done for %s cannot be read: %v", project, err)
		}
		lines = append(lines, l)
	}
	return lines
}

// Made implements Host.
func (f Folder) Made() map[core.DeploymentID]int {
	f.T.Helper()
	made := map[core.DeploymentID]int{}
	files, err := os.ReadDir(f.Dir)
	if err != nil {
		f.T.Fatal(err)
	}
	for _, file := range files {
		if file.IsDir() {
			continue
		}
		for _, l := range f.lines(file.Name()) {
			made[core.DeploymentID(l.Labels[worker.LabelDeployment])]++
		}
	}
	return made
}

// Runs implements Host.
func (f Folder) Runs(project string) map[string]string {
	f.T.Helper()
	lines := f.lines(project)
	if len(lines) == 0 || lines[len(lines)-1].Gone {
		return map[string]string{}
	}
	last := lines[len(lines)-1]
	return map[string]string{last.ID: last.Labels[worker.LabelRevision]}
}

// Docker is the host of hub/cmd/worker on this machine's container engine. It counts what is
// made by the engine's own events.
type Docker struct {
	T testing.TB

	mu   sync.Mutex
	made map[core.DeploymentID]int         // guarded by mu
	runs map[core.JobID]map[core.RunID]int // likewise
}

// WatchDocker follows the engine's events about these projects, and about runs of jobs of whatever server, until the
// test ends.
func WatchDocker(t testing.TB, projects []string) *Docker {
	t.Helper()
	d := &Docker{T: t, made: map[core.DeploymentID]int{}, runs: map[core.JobID]map[core.RunID]int{}}
	args := []string{"events", "--since", "0s", "--format", "{{json .Actor.Attributes}}", "--filter", "type=container", "--filter", "event=start"}
	cmd := exec.Command("docker", args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			var labels map[string]string
			if json.Unmarshal(lines.Bytes(), &labels) == nil && slices.Contains(projects, labels["com.docker.compose.project"]) {
				d.mu.Lock()
				d.made[core.DeploymentID(labels[worker.LabelDeployment])]++
				d.mu.Unlock()
			}
			if id := core.RunID(labels[runs.LabelRun]); id != "" {
				d.startedRun(core.JobID(labels[runs.LabelJob]), id)
			}
		}
	}()
	t.Cleanup(func() {
		cmd.Process.Kill()
		<-read
		cmd.Wait() // killed just now
	})
	return d
}

const projectLabel = "label=com.docker.compose.project="

// Worker implements Host.
func (d *Docker) Worker() (string, []string) { return "./hub/cmd/worker", nil }

// Image implements Host.
func (d *Docker) Image() string { return rig.Image(d.T) }

// Made implements Host.
func (d *Docker) Made() map[core.DeploymentID]int {
	d.mu.Lock()
	defer d.mu.Unlock()
	made := map[core.DeploymentID]int{}
	for id, n := range d.made {
		made[id] = n
	}
	return made
}

// Runs implements Host.
func (d *Docker) Runs(project string) map[string]string {
	d.T.Helper()
	runs := map[string]string{}
	out := rig.Docker(d.T, "ps", "--no-trunc", "--format", fmt.Sprintf("{{.ID}} {{.Label %q}}", worker.LabelRevision), "--filter", projectLabel+project)
	for found := range strings.Lines(out) {
		id, revision, _ := strings.Cut(strings.TrimSpace(found), " ")
		runs[id] = revision
	}
	return runs
}

// RunCommand implements Host.
func (d *Docker) RunCommand(took time.Duration, lines, code int) string {
	each := took / time.Duration(lines)
	return fmt.Sprintf("[sh, -c, 'n=1; while [ $n -le %d ]; do sleep %.3f; echo \"line $n\"; n=$((n+1)); done; exit %d']", lines, each.Seconds(), code)
}

// RunStarts implements Host.
func (d *Docker) RunStarts(of map[core.JobID]bool) map[core.RunID]int {
	d.mu.Lock()
	defer d.mu.Unlock()
	started := map[core.RunID]int{}
	for job := range of {
		maps.Copy(started, d.runs[job])
	}
	return started
}

func (d *Docker) startedRun(job core.JobID, run core.RunID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.runs[job] == nil {
		d.runs[job] = map[core.RunID]int{}
	}
	d.runs[job][run]++
}

// RunsLeft implements Host.
func (d *Docker) RunsLeft(of map[core.JobID]bool) (names []string) {
	d.T.Helper()
	for job := range of {
		names = append(names, strings.Fields(rig.Docker(d.T, "ps", "--all", "--format", "{{.Names}}", "--filter", "label="+runs.LabelJob+"="+string(job)))...)
	}
	return names
}
