package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"berth/core/fault"
	"berth/core/jobs"
	"berth/core/policy"
	"berth/core/wire"
	"berth/hub/worker/runs"
)

func TestARunFromItsCommandToItsAcknowledgement(t *testing.T) {
	bubble(t, func(t *testing.T, s *setup) {
		p := newProgram(s)
		h := s.start().greeted()
		if hello := s.worker.commands.entries(); len(hello) != 0 {
			t.Fatal("the journal is not empty")
		}
		cmd := runOf(h, func(r *wire.Run) {
			r.Definition.Command = []string{"-v", "/:/host"}
			r.Definition.Network = "shop_default"
			r.Definition.Volumes = []jobs.Volume{{Source: "data", Target: "/data", ReadOnly: true}}
			r.Variables, r.Secrets = map[string]string{"BUCKET": "eu"}, map[string]string{"TOKEN": "hunter2-hunter2"}
		})
		h.send(cmd)
		h.accepted(cmd.ID)
		began := time.Now()
		before := told(h, cmd, "Started")
		for _, line := range numbered(1, 3) {
			p.say <- line
			time.Sleep(time.Second)
		}
		p.say <- "it is hunter2-hunter2"
		p.exit <- 0
		events, result := collect(h, cmd)
		checkLines(t, logOf(append(before, events...)), append(numbered(1, 3), "it is [secret]"))
		if result.Status != wire.ResultSucceeded || result.ExitCode == nil || *result.ExitCode != 0 || result.RanMS != 3000 || result.Observed != nil || len(result.Phases) != 0 {
			t.Errorf("result %+v", result)
		}
		if n, to := heardOf(events); n != result.Events || runs.ParsePosition(to).Out.Sub(began) < 3*time.Second {
			t.Errorf("the last event is %d to %q, the result tells of %d", n, to, result.Events)
		}
		spec := s.engine.spec()
		if spec.Name != cmd.Run.Container || spec.Job != "nightly" || spec.Image != "demo:1" || fmt.Sprint(spec.Command) != "[-v /:/host]" || spec.Network != "shop_default" ||
			fmt.Sprint(spec.Mounts) != "[{data /data true}]" || spec.CPU != 0.5 || spec.Memory != 64<<20 || spec.Variables["BUCKET"] != "eu" || spec.Secrets["TOKEN"].Reveal() != "hunter2-hunter2" {
			t.Errorf("made of %+v", spec)
		}
		labels := spec.Labels
		if labels[runs.LabelRun] != string(cmd.Run.Run) || labels[runs.LabelJob] != string(cmd.Run.Job) || labels[LabelCommit] != string(cmd.Run.Commit) ||
			labels[runs.LabelCommand] != string(cmd.ID)+"/1" || labels[runs.LabelWorker] == "" || labels[LabelStack] != "" {
			t.Errorf("labels %v", labels)
		}
		for name, content := range s.files() {
			if strings.Contains(content, "hunter2") {
				t.Errorf("the secret is in %s", name)
			}
		}
		if strings.Contains(s.log.String(), "hunter2") {
			t.Error("the secret is in the worker's log")
		}
		synctest.Wait()
		if !s.engine.there(cmd) {
			t.Error("the container was removed before the result was acknowledged")
		}
		h.ack(cmd.ID, 1)
		synctest.Wait()
		if s.engine.there(cmd) {
			t.Error("the container is left")
		}
		s.stop()
		if left := s.journal(); len(left) != 0 {
			t.Errorf("the journal holds %+v", left)
		}
	})
}

func TestHowRunsEnd(t *testing.T) {
	image := fault.New(fault.Invalid, "engine.image", "No such image.")
	fails := func(call string, err error) func(*setup, *program, *hubEnd, wire.Command) {
		return func(s *setup, _ *program, _ *hubEnd, _ wire.Command) {
			s.engine.on(call, func(context.Context, Project, func(string)) error { return err })
		}
	}
	exits := func(code int) func(*setup, *program, *hubEnd, wire.Command) {
		return func(_ *setup, p *program, _ *hubEnd, _ wire.Command) { go func() { p.exit <- code }() }
	}
	started := func(do func(s *setup, p *program, h *hubEnd, cmd wire.Command)) func(*setup, *program, *hubEnd, wire.Command) {
		return func(s *setup, p *program, h *hubEnd, cmd wire.Command) {
			go func() { p.say <- "up"; synctest.Wait(); do(s, p, h, cmd) }()
		}
	}
	cases := map[string]struct {
		given  func(s *setup, p *program, h *hubEnd, cmd wire.Command)
		change func(*wire.Run)
		status wire.ResultStatus
		code   string
		text   string
		exit   int // -1: there is none
	}{
		"with a code":     {exits(3), nil, wire.ResultFailed, "run.exit", "exit code 3.", 3},
		"without program": {exits(127), nil, wire.ResultFailed, "run.exit", "was not found in the image", 127},
		"not executable":  {exits(126), nil, wire.ResultFailed, "run.exit", "may not be executed", 126},
		"by a signal":     {exits(143), nil, wire.ResultFailed, "run.exit", "signal 15", 143},
		"killed":          {exits(137), nil, wire.ResultFailed, "run.exit", "killed (signal 9): by somebody on its host, or because it, or the host, had no memory left.", 137},
		"of its memory": {func(s *setup, p *program, _ *hubEnd, _ wire.Command) {
			s.engine.outOfMemory = true
			go func() { p.exit <- 137 }()
		}, nil, wire.ResultFailed, "run.out_of_memory", "more memory", 137},
		"well all the same": {func(s *setup, p *program, _ *hubEnd, _ wire.Command) {
			s.engine.outOfMemory = true
			go func() { p.exit <- 0 }()
		}, nil,
			wire.ResultSucceeded, "", "", 0},
		"of its timeout": {func(*setup, *program, *hubEnd, wire.Command) {}, func(r *wire.Run) { r.Definition.Resources.Timeout = 10 * time.Minute }, wire.ResultFailed, "run.timeout", "timeout of 10m and", 143},
		"cancelled":      {started(func(_ *setup, _ *program, h *hubEnd, cmd wire.Command) { h.send(wire.Cancel{ID: cmd.ID, Attempt: 1}) }), nil, wire.ResultCancelled, "command.cancelled", "while it ran", 143},
		"lost":           {started(func(s *setup, _ *program, _ *hubEnd, cmd wire.Command) { s.engine.Lose(cmd.Run.Container) }), nil, wire.ResultUnknown, "run.lost", "is gone", -1},
		"without image":  {fails("prepare", image), nil, wire.ResultFailed, "engine.image", "No such image.", -1},
		"without engine": {fails("find", errAway), nil, wire.ResultFailed, "engine.unreachable", "away", -1},
		"refused":        {fails("launch", fault.New(fault.Invalid, "run.start", "No such folder.")), nil, wire.ResultFailed, "run.start", "No such folder.", -1},
		"not started": {func(s *setup, _ *program, _ *hubEnd, cmd wire.Command) {
			s.engine.on("prepare", func(context.Context, Project, func(string)) error {
				<-time.After(16 * time.Minute)
				return context.DeadlineExceeded
			})
		}, nil, wire.ResultFailed, "command.timeout", "during the preparation of its image", -1},
		"a defect": {func(s *setup, _ *program, _ *hubEnd, _ wire.Command) {
			s.engine.on("prepare", func(context.Context, Project, func(string)) error { panic("oops") })
		}, nil, wire.ResultFailed, "internal.error", "did not foresee", -1},
		"cancelled before": {func(s *setup, _ *program, h *hubEnd, cmd wire.Command) {
			s.engine.on("prepare", func(ctx context.Context, _ Project, _ func(string)) error {
				h.send(wire.Cancel{ID: cmd.ID, Attempt: 1})
				<-ctx.Done()
				return ctx.Err()
			})
		}, nil, wire.ResultCancelled, "command.cancelled", "during the preparation", -1},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, s *setup) {
				p := newProgram(s)
				h := s.start().greeted()
				cmd := runOf(h)
				if c.change != nil {
					c.change(cmd.Run)
				}
				c.given(s, p, h, cmd)
				h.send(cmd)
				result := h.result(cmd.ID)
				if result.Status != c.status || result.Code != c.code || !strings.Contains(result.Error, c.text) {
					t.Errorf("result %+v", result)
				}
				if has := result.ExitCode != nil; has != (c.exit >= 0) || has && (*result.ExitCode != c.exit || result.RanMS < 1) {
					t.Errorf("exit code %v after %d ms, want %d", result.ExitCode, result.RanMS, c.exit)
				}
				h.ack(cmd.ID, 1)
				synctest.Wait()
				s.engine.on("find", nil)
				if s.engine.there(cmd) || s.engine.Started(cmd.Run.Container) > 1 {
					t.Error("a container is left, or was started twice")
				}
				s.stop()
				if left := s.journal(); len(left) != 0 {
					t.Errorf("the journal holds %+v", left)
				}
			})
		})
	}
}

// TestAnEngineThatIsAwayDoesNotEndARun: what has begun is known about as soon as the engine is back.
func TestAnEngineThatIsAwayDoesNotEndARun(t *testing.T) {
	for name, ends := range map[string]struct {
		by     func(s *setup, p *program, h *hubEnd, cmd wire.Command)
		status wire.ResultStatus
	}{
		"by itself":      {func(_ *setup, p *program, _ *hubEnd, _ wire.Command) { p.exit <- 0 }, wire.ResultSucceeded},
		"when cancelled": {func(_ *setup, _ *program, h *hubEnd, cmd wire.Command) { h.send(wire.Cancel{ID: cmd.ID, Attempt: 1}) }, wire.ResultCancelled},
		"by its timeout": {func(*setup, *program, *hubEnd, wire.Command) { time.Sleep(2 * time.Hour) }, wire.ResultFailed},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, s *setup) {
				p := newProgram(s)
				h := s.start().greeted()
				cmd := runOf(h)
				h.send(cmd)
				events := told(h, cmd, "Started")
				p.say <- "line 1"
				events = append(events, told(h, cmd, "line 1")...)
				s.engine.goAway(errAway)
				s.engine.on("await", func(context.Context, Project, func(string)) error { return errAway })
				ends.by(s, p, h, cmd)
				silentFor(h, 10*time.Second, any1[wire.Result])
				s.engine.on("await", nil)
				s.engine.goAway(nil)
				more, result := collect(h, cmd)
				if result.Status != ends.status {
					t.Errorf("result %+v", result)
				}
				got := logOf(append(events, more...))
				if got[0] != "line 1" || strings.Count(strings.Join(got, "\n"), "line 1") != 1 {
					t.Errorf("log %q", got)
				}
			})
		})
	}
}

func TestTheStartThatTheEngineDidNotConfirm(t *testing.T) {
	for name, ran := range map[string]bool{"it runs": true, "it never ran": false} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, s *setup) {
				p := newProgram(s)
				h := s.start().greeted()
				cmd := runOf(h)
				s.engine.on("launch", func(ctx context.Context, c Project, _ func(string)) error {
					if ran {
						return errors.Join(s.engine.Engine.StartRun(ctx, c.Name), errAway)
					}
					return errAway
				})
				h.send(cmd)
				if ran {
					told(h, cmd, "Started")
					p.exit <- 0
				}
				if r := h.result(cmd.ID); ran != (r.Status == wire.ResultSucceeded) || !ran && r.Code != "engine.unreachable" {
					t.Errorf("result %+v", r)
				}
			})
		})
	}
}

// TestWhatTheWorkerRefusesOfAJob though the hub did not: it sees where paths lead, and which files are its own.
func TestWhatTheWorkerRefusesOfAJob(t *testing.T) {
	volume := func(source string) func(s *setup, d *jobs.Definition) {
		return func(_ *setup, d *jobs.Definition) { d.Volumes = []jobs.Volume{{Source: source, Target: "/x"}} }
	}
	cases := map[string]struct {
		change func(s *setup, d *jobs.Definition)
		text   string // empty: it may run
	}{
		"R14: an image that is an option": {func(_ *setup, d *jobs.Definition) { d.Image = "--privileged" }, "image: "},
		"a folder of the system":          {volume("/etc"), "volumes[0]: "},
		"the host's network":              {func(_ *setup, d *jobs.Definition) { d.Network = "host" }, "network: "},
		"a link to a folder of the system": {func(s *setup, d *jobs.Definition) {
			link := filepath.Join(s.dir, "link")
			if err := os.Symlink("/etc", link); err != nil {
				s.t.Error(err)
			}
			volume(link)(s, d)
		}, "volumes[0]: it leads elsewhere on this host: "},
		"the worker's own files":       {func(s *setup, d *jobs.Definition) { volume(filepath.Join(s.dir, "data"))(s, d) }, "own files"},
		"what is in them":              {func(s *setup, d *jobs.Definition) { volume(filepath.Join(s.dir, "data", "journal"))(s, d) }, "own files"},
		"what has them in it":          {func(s *setup, d *jobs.Definition) { volume(s.dir)(s, d) }, "own files"},
		"a folder beside them":         {func(s *setup, d *jobs.Definition) { volume(filepath.Join(s.dir, "database"))(s, d) }, ""},
		"a folder that is not there":   {volume("/srv/nothing-of-this-name"), ""},
		"a volume, by name":            {volume("data"), ""},
		"nothing of the host's at all": {func(*setup, *jobs.Definition) {}, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, s *setup) {
				h := s.start().greeted()
				cmd := runOf(h)
				c.change(s, &cmd.Run.Definition)
				h.send(cmd)
				r := h.result(cmd.ID)
				if c.text == "" && r.Status != wire.ResultSucceeded {
					t.Errorf("result %+v", r)
				}
				if c.text != "" && (r.Code != "run.refused" || !strings.Contains(r.Error, c.text) || s.engine.there(cmd)) {
					t.Errorf("result %+v; want %q", r, c.text)
				}
			})
		})
	}
}

// TestRulesHoldForJobsOnTheWorker, whoever set them and whatever the hub thought of the job.
func TestRulesHoldForJobsOnTheWorker(t *testing.T) {
	image := func(name string) *policy.Rules { return &policy.Rules{Allow: policy.Lists{Images: []string{name}}} }
	latest := &policy.Rules{Block: policy.Blocks{LatestTags: true}}
	for name, c := range map[string]struct {
		host, worker, global *policy.Rules
		folder               string   // that the job mounts; empty: none
		says                 []string // empty: it may run
	}{
		"the host's file":                  {host: image("other"), says: []string{"image", "the policy file of the host refuses (allow.images)"}},
		"the server widens the host's":     {host: image("other"), worker: image("demo"), global: image("**"), says: []string{"the policy file of the host refuses (allow.images)"}},
		"the worker's":                     {worker: image("other"), says: []string{"the policy of this worker refuses (allow.images)"}},
		"those of all workers":             {global: image("other"), says: []string{"the policy for all workers refuses (allow.images)"}},
		"all at once":                      {host: image("other"), worker: image("another"), global: image("third"), says: []string{"the policy file of the host", "the policy of this worker", "the policy for all workers"}},
		"a block that is not about it":     {host: latest, worker: latest, global: latest},
		"what lets the image pass":         {host: image("demo"), worker: image("demo:*"), global: image("**")},
		"rules that narrow nothing":        {host: &policy.Rules{}, worker: &policy.Rules{}, global: &policy.Rules{}},
		"a folder that is not in the list": {host: &policy.Rules{Allow: policy.Lists{BindMounts: []string{"/srv/data"}}}, folder: "/srv/other", says: []string{"volumes[0]", "(allow.bind_mounts)"}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, s *setup) {
				s.limits = c.host
				h := s.start().greeted()
				cmd := runOf(h, func(r *wire.Run) {
					if c.worker != nil {
						r.Policy = append(r.Policy, policy.Layer{From: policy.FromWorker, Rules: *c.worker})
					}
					if c.global != nil {
						r.Policy = append(r.Policy, policy.Layer{From: policy.FromGlobal, Rules: *c.global})
					}
					if c.folder != "" {
						r.Definition.Volumes = []jobs.Volume{{Source: c.folder, Target: "/x"}}
					}
				})
				h.send(cmd)
				r := h.result(cmd.ID)
				if refused := r.Code == "run.refused"; refused != (len(c.says) > 0) || refused && s.engine.there(cmd) || !refused && r.Status != wire.ResultSucceeded {
					t.Errorf("result %+v", r)
				}
				for _, part := range c.says {
					if !strings.Contains(r.Error, part) {
						t.Errorf("the error lacks %q: %s", part, r.Error)
					}
				}
			})
		})
	}
}
