package engine

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/moby/moby/client"

	"berth/core/fault"
	"berth/core/secrets"
	"berth/hub/worker"
	"berth/hub/worker/runs"
	"berth/hub/worker/runs/contract"
)

// oneRun is a container of a run on the engine; it is removed when the test ends.
type oneRun struct {
	runs.Spec
	t      *testing.T
	engine *Engine
	lines  []string // of its preparation
}

func newRun(t *testing.T, command ...string) *oneRun {
	t.Helper()
	name := "berthtest-" + thisRun + "-" + notInNames.ReplaceAllString(strings.ToLower(t.Name()), "-")
	r := &oneRun{t: t, engine: open(t), Spec: runs.Spec{Name: name, Job: "nightly", Image: testImage, Command: command, Network: "none", CPU: 0.5, Memory: 64 << 20,
		Variables: map[string]string{}, Secrets: map[string]secrets.Value{},
		Labels: map[string]string{runs.LabelRun: "run_" + name, runs.LabelWorker: "worker-" + name}}}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		_, err := r.engine.docker.ContainerRemove(ctx, r.Name, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
		if _, found, _ := r.engine.FindRun(ctx, r.Name); found {
			t.Errorf("the container is left: %v", err)
		}
	})
	return r
}

func (r *oneRun) prepare() error {
	r.lines = nil
	return r.engine.PrepareRun(r.t.Context(), r.Spec, func(line string) { r.lines = append(r.lines, line) })
}

func (r *oneRun) start() {
	r.t.Helper()
	if err := errors.Join(r.prepare(), r.engine.StartRun(r.t.Context(), r.Name)); err != nil {
		r.t.Fatal(err)
	}
}

func (r *oneRun) find() runs.Container {
	r.t.Helper()
	c, found, err := r.engine.FindRun(r.t.Context(), r.Name)
	if err != nil || !found {
		r.t.Fatalf("found: %t, %v", found, err)
	}
	return c
}

// ended waits for the end of the container.
func (r *oneRun) ended() runs.Container {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), patience)
	defer cancel()
	if err := r.engine.AwaitRun(ctx, r.Name); err != nil {
		r.t.Fatal(err)
	}
	return r.find()
}

func TestContractOfRuns(t *testing.T) {
	t.Parallel()
	talker, sleeper := newRun(t, "sh", "-c", `for n in 1 2 3; do echo "line $n"; done; exit 3`), newRun(t, "sleep", "3600")
	sleeper.Name += "-sleeper"
	contract.Check(t, contract.Subject{Engine: talker.engine, Talker: talker.Spec, Sleeper: sleeper.Spec})
}

type logLine struct{ to, text string }

// log reads all that was written after a position, until the container has ended.
func (r *oneRun) log(after string, secret ...string) (all []logLine) {
	r.t.Helper()
	err := r.engine.FollowRun(r.t.Context(), r.Name, runs.LogAsk{After: runs.ParsePosition(after), Secret: secret}, func(to runs.Position, text string) error {
		all = append(all, logLine{to.String(), text})
		return nil
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return all
}

func texts(lines []logLine) (all []string) {
	for _, l := range lines {
		all = append(all, l.text)
	}
	return all
}

// TestARunGetsItsValuesAndWords: the environment byte for byte, and R14: what looks like an option of a
// command line is a word for the program.
func TestARunGetsItsValuesAndWords(t *testing.T) {
	t.Parallel()
	values := map[string]string{"LINES": "-----BEGIN KEY-----\nabc\n\n", "DOLLARS": "$A ${B} $$ `id`", "QUOTES": `"a" 'b' \n`, "EQUALS": "a=b==", "EMPTY": "", "WORDS": " a  b "}
	script := "for word; do echo \"word $word\"; done\n"
	for name := range values {
		script += "echo " + name + ` $(printf %s "$` + name + `" | base64 -w0)` + "\n"
	}
	r := newRun(t, "sh", "-c", script, "-v", "/:/host", "--privileged", "a b", "$HOME", "*", "")
	for name, value := range values {
		r.Variables[name] = value
		if name > "L" {
			delete(r.Variables, name)
			r.Secrets[name] = secrets.NewValue(value)
		}
	}
	r.start()
	if c := r.ended(); c.ExitCode != 0 || c.State != runs.Exited || c.Labels[runs.LabelRun] != "run_"+r.Name {
		t.Errorf("ended as %+v", c)
	}
	want := []string{"word /:/host", "word --privileged", "word a b", "word $HOME", "word *", "word "}
	for name, value := range values {
		want = append(want, strings.TrimSuffix(name+" "+base64.StdEncoding.EncodeToString([]byte(value)), " "))
	}
	got := texts(r.log(""))
	for i := range got {
		if strings.HasPrefix(got[i], "EMPTY") {
			got[i] = strings.TrimSpace(got[i])
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the program saw\n%q, want\n%q", got, want)
	}
}

// TestTheContainerOfARun is as its job says and as bounded as it must be.
func TestTheContainerOfARun(t *testing.T) {
	t.Parallel()
	r := newRun(t, "true")
	r.CPU = 64 // more than there are
	file := filepath.Join(t.TempDir(), "conf")
	if err := os.WriteFile(file, []byte("x"), 0o444); err != nil {
		t.Fatal(err)
	}
	r.Mounts = []runs.Mount{{Source: file, Target: "/etc/conf", ReadOnly: true}, {Source: r.Name, Target: "/data"}}
	t.Cleanup(func() {
		_, _ = r.engine.docker.VolumeRemove(context.Background(), r.Name, client.VolumeRemoveOptions{})
	})
	if err := r.prepare(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // before the volume
		_, _ = r.engine.docker.ContainerRemove(context.Background(), r.Name, client.ContainerRemoveOptions{Force: true})
	})
	if c := r.find(); c.State != runs.Created || !c.StartedAt.IsZero() || c.CreatedAt.IsZero() || !maps.Equal(c.Labels, r.Labels) {
		t.Errorf("made as %+v", c)
	}
	inspected, err := r.engine.docker.ContainerInspect(t.Context(), r.Name, client.ContainerInspectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	info, err := r.engine.docker.Info(t.Context(), client.InfoOptions{})
	if err != nil {
		t.Fatal(err)
	}
	host := inspected.Container.HostConfig
	for what, is := range map[string]bool{
		"no more processors than there are": host.NanoCPUs == int64(info.Info.NCPU)*1e9,
		"memory":                            host.Memory == 64<<20 && (host.MemorySwap == 64<<20 || host.MemorySwap == -1),
		"processes":                         host.PidsLimit != nil && *host.PidsLimit == runPids,
		"an init":                           host.Init != nil && *host.Init,
		"no new privileges":                 slices.Contains(host.SecurityOpt, "no-new-privileges") && !host.Privileged,
		"no restart":                        host.RestartPolicy.Name == "no" && !host.AutoRemove,
		"a log that is bounded":             host.LogConfig.Type == "json-file" && host.LogConfig.Config["max-size"] == runLogSize && host.LogConfig.Config["max-file"] == runLogFiles,
		"no network":                        host.NetworkMode == "none",
		"mounts":                            len(inspected.Container.Mounts) == 2,
	} {
		if !is {
			t.Errorf("it lacks %s: %+v", what, host)
		}
	}
	list, err := r.engine.Containers(t.Context(), "")
	if err != nil || slices.ContainsFunc(list, func(c worker.ProjectContainer) bool { return c.Container == r.Name }) {
		t.Errorf("it is shown as one of a stack: %v", err)
	}
	runs, err := r.engine.RunContainers(t.Context(), r.Labels[runs.LabelWorker])
	if err != nil || len(runs) != 1 || runs[0].Name != r.Name {
		t.Errorf("listed are %+v, %v", runs, err)
	}
	if other, err := r.engine.RunContainers(t.Context(), "another"); err != nil || len(other) != 0 {
		t.Errorf("another worker's are %+v, %v", other, err)
	}
}

// TestARunIsNotTakenForAStack, whatever labels its image has.
func TestARunIsNotTakenForAStack(t *testing.T) {
	t.Parallel()
	r := newRun(t, "true")
	made, err := r.engine.docker.ContainerCreate(t.Context(), client.ContainerCreateOptions{Name: r.Name, Config: runConfig(r.Spec, nil)})
	if err != nil {
		t.Fatal(err)
	}
	r.Image = "berth-test/labelled:" + thisRun
	_, err = r.engine.docker.ContainerCommit(t.Context(), made.ID, client.ContainerCommitOptions{Reference: r.Image, Changes: []string{
		"LABEL " + worker.LabelStack + "=stk_other", "LABEL com.docker.compose.project=other", "LABEL com.docker.compose.service=web", "LABEL theirs=stays"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, _ = r.engine.docker.ImageRemove(context.Background(), r.Image, client.ImageRemoveOptions{Force: true})
	})
	if err := errors.Join(r.engine.RemoveRun(t.Context(), r.Name), r.prepare()); err != nil {
		t.Fatal(err)
	}
	inspected, err := r.engine.docker.ContainerInspect(t.Context(), r.Name, client.ContainerInspectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	labels := inspected.Container.Config.Labels
	if labels[worker.LabelStack] != "" || labels["com.docker.compose.project"] != "" || labels["theirs"] != "stays" || labels[runs.LabelRun] == "" {
		t.Errorf("labels %v", labels)
	}
	if list, err := r.engine.Containers(t.Context(), "other"); err != nil || len(list) != 0 {
		t.Errorf("the other stack has %+v, %v", list, err)
	}
}

// TestWhyARunCannotBegin: each of it has its code and says what is wrong, and nothing runs.
func TestWhyARunCannotBegin(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		change func(r *oneRun)
		code   string
		text   string
	}{
		"R14: an image that is an option": {func(r *oneRun) { r.Image = "--privileged" }, "engine.image", "the name is not one of an image. Correct the image in job.yaml"},
		"R14: an image with words":        {func(r *oneRun) { r.Image = "-v /:/host alpine" }, "engine.image", "the name is not one of an image"},
		"an image that nobody has":        {func(r *oneRun) { r.Image = "127.0.0.1:1/none:1" }, "engine.image", "nightly: the image 127.0.0.1:1/none:1 cannot be used"},
		"a network that is not there":     {func(r *oneRun) { r.Network = "none-" + thisRun }, "run.network_missing", "The network none-" + thisRun + " does not exist"},
		"the host's network by its id":    {func(r *oneRun) { r.Network = hostNetwork(r) }, "run.refused", "is the host's own"},
		"a folder that is not there":      {func(r *oneRun) { r.Mounts = []runs.Mount{{Source: "/nowhere-" + thisRun, Target: "/x"}} }, "run.start", "/nowhere-" + thisRun},
		"a target that is no path":        {func(r *oneRun) { r.Mounts = []runs.Mount{{Source: "v", Target: "relative"}} }, "run.start", "relative"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRun(t, "true")
			c.change(r)
			err := r.prepare()
			if err == nil {
				err = r.engine.StartRun(t.Context(), r.Name)
				if seen := r.find(); seen.State != runs.Created {
					t.Errorf("it is %+v", seen)
				}
			}
			if fault.CodeOf(err) != c.code || !strings.Contains(fault.PublicOf(err), c.text) {
				t.Errorf("%v (%s); want %s with %q", err, fault.CodeOf(err), c.code, c.text)
			}
		})
	}
}

// hostNetwork returns the id of the host's own network.
func hostNetwork(r *oneRun) string {
	r.t.Helper()
	found, err := r.engine.docker.NetworkInspect(r.t.Context(), "host", client.NetworkInspectOptions{})
	if err != nil {
		r.t.Fatal(err)
	}
	return found.Network.ID
}

func TestANameIsGivenOnce(t *testing.T) {
	t.Parallel()
	r := newRun(t, "sleep", "3600")
	r.Secrets["PASSWORD"] = secrets.NewValue("hunter2-hunter2")
	r.start()
	before := r.find()
	if err := r.prepare(); fault.CodeOf(err) != "run.container_taken" || !fault.Is(err, fault.Conflict) {
		t.Errorf("a second container: %v", err)
	}
	if err := r.engine.StartRun(t.Context(), r.Name); err != nil {
		t.Errorf("starting what runs: %v", err)
	}
	if after := r.find(); !after.StartedAt.Equal(before.StartedAt) || after.State != runs.Running || after.Ran(after.StartedAt.Add(time.Minute)) != time.Minute {
		t.Errorf("it was %+v and is %+v", before, after)
	}
	if err := r.engine.RemoveRun(t.Context(), r.Name); err == nil {
		t.Error("a container that runs was removed")
	}
}

func TestStopARun(t *testing.T) {
	t.Parallel()
	listens := "trap 'echo stopping; exit 3' TERM; echo up; while :; do sleep 0.1; done"
	cases := map[string]struct {
		script string
		before func(r *oneRun) error
		code   int
	}{
		"one that listens":   {listens, nil, 3},
		"one that does not":  {"trap '' TERM; echo up; while :; do sleep 1; done", nil, 137},
		"one that has ended": {"echo up; exit 5", func(r *oneRun) error { r.ended(); return nil }, 5},
		"one that was paused": {listens, func(r *oneRun) error {
			_, err := r.engine.docker.ContainerPause(r.t.Context(), r.Name, client.ContainerPauseOptions{})
			return err
		}, 3},
		"one without anything": {"exec sleep 3600", nil, 143},
		"one without program":  {"exec nothing-of-this-name", func(r *oneRun) error { r.ended(); return nil }, 127},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRun(t, "sh", "-c", c.script)
			r.start()
			up := errors.New("it is up")
			if strings.Contains(c.script, "echo up") {
				err := r.engine.FollowRun(t.Context(), r.Name, runs.LogAsk{}, func(runs.Position, string) error { return up })
				if !strings.Contains(fmt.Sprint(err), up.Error()) {
					t.Fatal(err)
				}
			}
			if c.before != nil {
				if err := c.before(r); err != nil {
					t.Fatal(err)
				}
			}
			if err := r.engine.StopRun(t.Context(), r.Name); err != nil {
				t.Fatal(err)
			}
			if ended := r.ended(); ended.ExitCode != c.code || ended.State != runs.Exited || ended.OutOfMemory {
				t.Errorf("it ended as %+v, want %d", ended, c.code)
			}
			if err := errors.Join(r.engine.RemoveRun(t.Context(), r.Name), r.engine.RemoveRun(t.Context(), r.Name), r.engine.StopRun(t.Context(), r.Name), r.engine.AwaitRun(t.Context(), r.Name)); err != nil {
				t.Errorf("what is gone: %v", err)
			}
			if _, found, err := r.engine.FindRun(t.Context(), r.Name); found || err != nil {
				t.Errorf("found: %t, %v", found, err)
			}
		})
	}
}

func TestARunThatTakesTooMuchMemory(t *testing.T) {
	t.Parallel()
	r := newRun(t, "/bin/busybox", "sh", "-c", "sleep 1; tail /dev/zero; code=$?; sleep 1; exit $code") // the engine hears of it before and as long as the container lives
	r.Memory = 8 << 20
	r.start()
	if c := r.ended(); !c.OutOfMemory || c.ExitCode != 137 {
		t.Errorf("it ended as %+v", c)
	}
}

func TestRunsOfAnEngineThatIsAway(t *testing.T) {
	t.Parallel()
	e, err := Open(Options{Host: "unix:///nowhere-" + thisRun + ".sock", RegistryConfig: filepath.Join(t.TempDir(), "none")})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	_, _, lookErr := e.FindRun(t.Context(), "x")
	_, listErr := e.RunContainers(t.Context(), "x")
	for what, err := range map[string]error{
		"prepare": e.PrepareRun(t.Context(), runs.Spec{Name: "x", Image: "x"}, func(string) {}), "look": lookErr, "list": listErr,
		"start": e.StartRun(t.Context(), "x"), "await": e.AwaitRun(t.Context(), "x"), "stop": e.StopRun(t.Context(), "x"), "remove": e.RemoveRun(t.Context(), "x"),
		"follow": e.FollowRun(t.Context(), "x", runs.LogAsk{}, func(runs.Position, string) error { return nil }),
	} {
		if fault.CodeOf(err) != "engine.unreachable" {
			t.Errorf("%s: %v", what, err)
		}
	}
}
