package wire

import (
	"errors"
	"math"
	"strings"
	"testing"

	"berth/core"
	"berth/core/fault"
	"berth/core/stacks"
)

// bad changes a sample so that one field is not allowed any more.
type bad struct {
	sample string
	change func(msg any) any
	path   string // of the complaint
	code   string // CodeInvalid when empty
}

func change[T any](f func(*T)) func(any) any {
	return func(msg any) any {
		m := msg.(T)
		f(&m)
		return m
	}
}

func deploy(f func(*Deploy)) func(any) any {
	return change(func(m *Command) {
		d := *m.Deploy
		f(&d)
		m.Deploy = &d
	})
}

func oneFile(path string, size int64) []core.Content {
	return []core.Content{{Digest: digest, Files: []core.ContentFile{{Path: path, Digest: digest, Size: size}}}}
}

var badMessages = map[string]bad{
	"a tag with a space":       {"hello", change(func(m *Hello) { m.Tags = []string{"ok", "a b"} }), "tags[1]", ""},
	"65 allowances":            {"hello", change(func(m *Hello) { m.Allow = make([]string, 65) }), "allow", CodeFrameTooLarge},
	"an empty allowance":       {"hello", change(func(m *Hello) { m.Allow = []string{""} }), "allow[0]", ""},
	"an empty tag":             {"hello", change(func(m *Hello) { m.Tags = []string{""} }), "tags[0]", ""},
	"33 tags":                  {"hello", change(func(m *Hello) { m.Tags = make([]string, 33) }), "tags", CodeFrameTooLarge},
	"no host name":             {"hello", change(func(m *Hello) { m.Hostname = "" }), "hostname", ""},
	"a host name of two lines": {"hello", change(func(m *Hello) { m.Hostname = "a\nb" }), "hostname", ""},
	"a long host name":         {"hello", change(func(m *Hello) { m.Hostname = strings.Repeat("h", 254) }), "hostname", CodeFrameTooLarge},
	"no version":               {"hello", change(func(m *Hello) { m.Version = "" }), "version", ""},
	"no operating system":      {"hello", change(func(m *Hello) { m.OS = "" }), "os", ""},
	"no architecture":          {"hello", change(func(m *Hello) { m.Arch = "" }), "arch", ""},
	"a long journal":           {"hello", change(func(m *Hello) { m.Journal = make([]JournalEntry, MaxJournal+1) }), "journal", CodeFrameTooLarge},
	"an unknown journal state": {"hello", change(func(m *Hello) { m.Journal = []JournalEntry{{sampleID, 1, "done"}} }), "journal[0].state", ""},
	"epoch zero":               {"welcome", change(func(m *Welcome) { m.Epoch = 0 }), "epoch", ""},
	"no heartbeat interval":    {"welcome", change(func(m *Welcome) { m.HeartbeatSeconds = 0 }), "heartbeat_seconds", ""},
	"a heartbeat once a day":   {"welcome", change(func(m *Welcome) { m.HeartbeatSeconds = 86400 }), "heartbeat_seconds", ""},
	"a log that is told too far": {"welcome", change(func(m *Welcome) {
		m.Settle = []Instruction{{ID: sampleID, Attempt: 1, Do: SettleRun, LogTo: strings.Repeat("9", MaxLogTo+1)}}
	}), "settle[0].log_to", CodeFrameTooLarge},
	"an unknown settlement":         {"welcome", change(func(m *Welcome) { m.Settle = []Instruction{{ID: sampleID, Attempt: 1, Do: "wait"}} }), "settle[0].do", ""},
	"heartbeat zero":                {"heartbeat", change(func(m *Heartbeat) { m.Number = 0 }), "number", ""},
	"a negative round trip":         {"heartbeat", change(func(m *Heartbeat) { m.RoundTripUS = -1 }), "round_trip_us", ""},
	"acknowledging heartbeat zero":  {"heartbeat_ack", change(func(m *HeartbeatAck) { m.Number = 0 }), "number", ""},
	"a huge snapshot":               {"snapshot", change(func(m *Snapshot) { m.Text = strings.Repeat("x", MaxSnapshot+1) }), "text", CodeFrameTooLarge},
	"a snapshot that is not UTF-8":  {"snapshot", change(func(m *Snapshot) { m.Text = "\xff" }), "text", ""},
	"2001 families that ended":      {"snapshot", change(func(m *Snapshot) { m.Ended = make([]string, MaxEnded+1) }), "ended", CodeFrameTooLarge},
	"a family without a name ended": {"snapshot", change(func(m *Snapshot) { m.Ended = []string{""} }), "ended[0]", ""},
	"2001 stacks":                   {"observed", change(func(m *Observed) { m.Stacks = make([]StackObserved, MaxStacks+1) }), "stacks", CodeFrameTooLarge},
	"51 parts":                      {"observed", change(func(m *Observed) { m.Part, m.Parts = 1, MaxParts+1 }), "parts", ""},
	"a part of none":                {"observed", change(func(m *Observed) { m.Part, m.Parts = 1, 0 }), "part", ""},
	"part zero":                     {"observed", change(func(m *Observed) { m.Part, m.Parts = 0, 2 }), "part", ""},
	"a part after the last":         {"observed", change(func(m *Observed) { m.Part, m.Parts = 3, 2 }), "part", ""},
	"a stack without id":            {"observed", change(func(m *Observed) { m.Stacks = []StackObserved{{}} }), "stacks[0].stack", ""},
	"a negative revision":           {"observed", change(func(m *Observed) { m.Stacks = []StackObserved{{Stack: sampleStack, Revision: -1}} }), "stacks[0].revision", ""},
	"an image of two lines":         {"observed", container(func(s *stacks.ContainerState) { s.Image = "a\nb" }), "stacks[0].containers[0].image", ""},
	"a long state":                  {"observed", container(func(s *stacks.ContainerState) { s.State = strings.Repeat("x", 33) }), "stacks[0].containers[0].state", CodeFrameTooLarge},
	"too many ports":                {"observed", container(func(s *stacks.ContainerState) { s.Ports = make([]string, MaxPorts+1) }), "stacks[0].containers[0].ports", CodeFrameTooLarge},
	"a command without deadline":    {"command", change(func(m *Command) { m.Seconds = 0 }), "seconds", ""},
	"a command of epoch zero":       {"command", change(func(m *Command) { m.Epoch = 0 }), "epoch", ""},
	"an unknown command":            {"command", change(func(m *Command) { m.Kind = "exec" }), "kind", ""},
	"a teardown with a deploy body": {"command", change(func(m *Command) { m.Kind = CommandTeardown }), "kind", ""},
	"a command with two bodies":     {"command", change(func(m *Command) { m.Teardown = &Teardown{sampleStack, "web", false} }), "kind", ""},
	"a command without body":        {"command", change(func(m *Command) { m.Deploy = nil }), "kind", ""},
	"a teardown of ..": {"command", change(func(m *Command) {
		m.Kind, m.Deploy, m.Teardown = CommandTeardown, nil, &Teardown{sampleStack, "..", false}
	}), "teardown.project", ""},
	"a project that is an option": {"command", deploy(func(d *Deploy) { d.Project = "-f" }), "deploy.project", ""},
	"a branch for a commit":       {"command", deploy(func(d *Deploy) { d.Commit = "main" }), "deploy.commit", ""},
	"revision zero":               {"command", deploy(func(d *Deploy) { d.Revision = 0 }), "deploy.revision", ""},
	"no deployment":               {"command", deploy(func(d *Deploy) { d.Deployment = "" }), "deploy.deployment", ""},
	"no compose":                  {"command", deploy(func(d *Deploy) { d.Compose = nil }), "deploy.compose", ""},
	"a huge compose":              {"command", deploy(func(d *Deploy) { d.Compose = make([]byte, MaxCompose+1) }), "deploy.compose", CodeCommandTooLarge},
	"content outside":             {"command", deploy(func(d *Deploy) { d.Content = oneFile("../x", 1) }), "deploy.content[0].files[0].path", ""},
	"content at an absolute path": {"command", deploy(func(d *Deploy) { d.Content = oneFile("/etc/passwd", 1) }), "deploy.content[0].files[0].path", ""},
	"content with a backslash":    {"command", deploy(func(d *Deploy) { d.Content = oneFile(`a\..\b`, 1) }), "deploy.content[0].files[0].path", ""},
	"content that is the folder":  {"command", deploy(func(d *Deploy) { d.Content = oneFile(".", 1) }), "deploy.content[0].files[0].path", ""},
	"a digest in capitals":        {"command", deploy(func(d *Deploy) { d.Content = []core.Content{{Digest: strings.ToUpper(digest)}} }), "deploy.content[0].digest", ""},
	"a digest that is a path":     {"command", deploy(func(d *Deploy) { d.Content = []core.Content{{Digest: "../../x"}} }), "deploy.content[0].digest", ""},
	"a file of negative size":     {"command", deploy(func(d *Deploy) { d.Content = oneFile("x", -1) }), "deploy.content[0].files[0].size", ""},
	"a file of 65 MiB":            {"command", deploy(func(d *Deploy) { d.Content = oneFile("x", 65<<20) }), "deploy.content[0].files[0].size", ""},
	"two files of 40 MiB":         {"command", deploy(func(d *Deploy) { d.Content = append(oneFile("x", 40<<20), oneFile("y", 40<<20)...) }), "deploy.content", CodeCommandTooLarge},
	"too many files": {"command", deploy(func(d *Deploy) {
		files := make([]core.ContentFile, MaxFiles/2+1)
		for i := range files {
			files[i] = core.ContentFile{Path: "x", Digest: digest}
		}
		d.Content = []core.Content{{Digest: digest, Files: files}, {Digest: digest, Files: files}}
	}), "deploy.content", CodeCommandTooLarge},
	"a secret that is not UTF-8":  {"command", deploy(func(d *Deploy) { d.Secrets = map[string]string{"A": "hunter2\xff"} }), "deploy.secrets.value", ""},
	"a secret with NUL":           {"command", deploy(func(d *Deploy) { d.Secrets = map[string]string{"A": "hunter2\x00"} }), "deploy.secrets.value", ""},
	"a secret with = in its name": {"command", deploy(func(d *Deploy) { d.Secrets = map[string]string{"A=B": "hunter2"} }), "deploy.secrets.name", ""},
	"a secret without name":       {"command", deploy(func(d *Deploy) { d.Secrets = map[string]string{"": "hunter2"} }), "deploy.secrets.name", ""},
	"a huge secret": {"command", deploy(func(d *Deploy) { d.Secrets = map[string]string{"A": strings.Repeat("hunter2", MaxSecret)} }),
		"deploy.secrets.value", CodeCommandTooLarge},
	"too many secrets": {"command", deploy(func(d *Deploy) {
		d.Secrets = map[string]string{}
		for i := range MaxSecrets + 1 {
			d.Secrets["N"+strings.Repeat("x", i%200)+string(rune('a'+i/200))] = "hunter2"
		}
	}), "deploy.secrets", CodeCommandTooLarge},
	"an endless health check":       {"command", deploy(func(d *Deploy) { d.HealthSeconds = math.Inf(1) }), "deploy.health_seconds", ""},
	"a stable time that is no one":  {"command", deploy(func(d *Deploy) { d.StableSeconds = math.NaN() }), "deploy.stable_seconds", ""},
	"accepting attempt zero":        {"accepted", change(func(m *Accepted) { m.Attempt = 0 }), "attempt", ""},
	"event zero":                    {"event", change(func(m *Event) { m.Number = 0 }), "number", ""},
	"a log chunk over the limit":    {"event", change(func(m *Event) { m.Log = strings.Repeat("x", MaxLogChunk+1) }), "log", CodeFrameTooLarge},
	"a log told to two lines":       {"event", change(func(m *Event) { m.LogTo = "1\n2" }), "log_to", ""},
	"a start that is to come":       {"event", change(func(m *Event) { m.RanMS = -1 }), "ran_ms", ""},
	"an unknown phase":              {"event", change(func(m *Event) { m.Phase = &PhaseEvent{Name: "x", State: stacks.PhaseFailed} }), "phase.name", ""},
	"an unknown phase state":        {"event", change(func(m *Event) { m.Phase = &PhaseEvent{Name: stacks.PhasePull, State: "x"} }), "phase.state", ""},
	"an engine of two lines":        {"hello", change(func(m *Hello) { m.Engine = "a\nb" }), "engine", ""},
	"a long engine":                 {"hello", change(func(m *Hello) { m.Engine = strings.Repeat("e", 129) }), "engine", CodeFrameTooLarge},
	"a trait without name":          {"observed", container(func(s *stacks.ContainerState) { s.Changed = []string{""} }), "stacks[0].containers[0].changed[0]", ""},
	"a trait of two lines":          {"observed", container(func(s *stacks.ContainerState) { s.Changed = []string{"a\nb"} }), "stacks[0].containers[0].changed[0]", ""},
	"a long trait":                  {"observed", container(func(s *stacks.ContainerState) { s.Changed = []string{strings.Repeat("x", 65)} }), "stacks[0].containers[0].changed[0]", CodeFrameTooLarge},
	"33 traits":                     {"observed", container(func(s *stacks.ContainerState) { s.Changed = make([]string, MaxChanged+1) }), "stacks[0].containers[0].changed", CodeFrameTooLarge},
	"a failed service in two lines": {"result", change(func(m *Result) { m.Service = "a\nb" }), "service", ""},
	"too many last lines":           {"result", change(func(m *Result) { m.Lines = strings.Repeat("x", MaxLines+1) }), "lines", CodeFrameTooLarge},
	"too many events":               {"result", change(func(m *Result) { m.Events = maxNumber + 1 }), "events", ""},
	"an exit code beyond all":       {"result", change(func(m *Result) { m.ExitCode = new(1 << 33) }), "exit_code", ""},
	"a run of negative length":      {"result", change(func(m *Result) { m.RanMS = -1 }), "ran_ms", ""},
	"an unknown status":             {"result", change(func(m *Result) { m.Status = "" }), "status", ""},
	"a code that is markup":         {"result", change(func(m *Result) { m.Code = "<b>" }), "code", ""},
	"too many phases":               {"result", change(func(m *Result) { m.Phases = make([]PhaseEvent, MaxPhases+1) }), "phases", CodeFrameTooLarge},
	"a phase of negative length":    {"result", change(func(m *Result) { m.Phases = []PhaseEvent{{stacks.PhasePull, stacks.PhaseFailed, -1, ""}} }), "phases[0].duration_ms", ""},
	"an observation without stack":  {"result", change(func(m *Result) { m.Observed = &StackObserved{} }), "observed.stack", ""},
	"acknowledging no id":           {"result_ack", change(func(m *ResultAck) { m.ID = "" }), "id", ""},
	"cancelling no id":              {"cancel", change(func(m *Cancel) { m.ID = "" }), "id", ""},
	"wanting a path":                {"blob_want", change(func(m *BlobWant) { m.Digest = "../x" }), "digest", ""},
	"wanting for no command":        {"blob_want", change(func(m *BlobWant) { m.ID = "" }), "id", ""},
	"a blob at a negative offset":   {"blob_chunk", change(func(m *BlobChunk) { m.Offset = -1 }), "offset", ""},
	"a blob chunk over the limit":   {"blob_chunk", change(func(m *BlobChunk) { m.Data = make([]byte, MaxBlobChunk+1) }), "data", CodeFrameTooLarge},
	"an unknown request":            {"request", change(func(m *Request) { m.Kind = "exec" }), "kind", ""},
	"request zero":                  {"request", change(func(m *Request) { m.ID = 0 }), "id", ""},
	"a request without patience":    {"request", change(func(m *Request) { m.Seconds = 0 }), "seconds", ""},
	"a service that is a command":   {"request", change(func(m *Request) { m.Service = "web; rm" }), "service", ""},
	"a negative tail":               {"request", change(func(m *Request) { m.Tail = -1 }), "tail", ""},
	"a reply over the limit":        {"reply", change(func(m *Reply) { m.Data = strings.Repeat("x", MaxLogChunk+1) }), "data", CodeFrameTooLarge},
	"a reply of an odd kind":        {"reply", change(func(m *Reply) { m.Kind = "Not Found" }), "kind", ""},
	"a reply to request zero":       {"reply", change(func(m *Reply) { m.ID = 0 }), "id", ""},
	"ending request zero":           {"request_cancel", change(func(m *RequestCancel) { m.ID = 0 }), "id", ""},
	"come back in two hours":        {"bye", change(func(m *Bye) { m.RetrySeconds = 7200 }), "retry_seconds", ""},
}

func container(f func(*stacks.ContainerState)) func(any) any {
	return change(func(m *Observed) {
		s := sampleObserved()
		f(&s.Containers[0])
		m.Stacks = []StackObserved{s}
	})
}

func TestNoMessageWithABadValuePasses(t *testing.T) {
	all, seen := samples(), map[string]bool{}
	for name, c := range badMessages {
		seen[c.sample] = true
		t.Run(name, func(t *testing.T) {
			err := Validate(c.change(all[c.sample]))
			want := c.code
			if want == "" {
				want = CodeInvalid
			}
			if fault.CodeOf(err) != want {
				t.Fatalf("Validate = %v; want %s", err, want)
			}
			if !strings.Contains(err.Error(), c.path+":") {
				t.Errorf("%v does not name %s", err, c.path)
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%v shows a secret", err)
			}
		})
	}
	for name := range all {
		if !seen[name] {
			t.Errorf("no bad %s is tried", name)
		}
	}
}

func TestComplaintsAreBounded(t *testing.T) {
	err := Validate(Observed{Stacks: make([]StackObserved, MaxStacks)})
	var f *fault.Error
	if !errors.As(err, &f) || len(f.Fields) == 0 || len(f.Fields) > maxComplaints {
		t.Fatalf("%v", err)
	}
}

func TestCommandThatFitsNoFrame(t *testing.T) {
	c := samples()["command"].(Command)
	c.Deploy.Compose = make([]byte, MaxCompose)
	if err := FitsFrame(c); err != nil {
		t.Fatalf("a Compose file at its limit does not fit: %v", err)
	}
	c.Deploy.Secrets = map[string]string{"A": strings.Repeat("x", MaxSecret), "B": strings.Repeat("x", MaxSecret)}
	err := FitsFrame(c)
	if fault.CodeOf(err) != CodeCommandTooLarge || fault.KindOf(err) != fault.TooLarge {
		t.Fatalf("FitsFrame = %v", err)
	}
	c.Deploy.Secrets = nil
	c.Deploy.Compose = []byte("x")
	c.Deploy.Content = []core.Content{{Digest: digest, Files: make([]core.ContentFile, MaxFiles)}}
	for i := range c.Deploy.Content[0].Files {
		c.Deploy.Content[0].Files[i] = core.ContentFile{Path: "a", Digest: digest}
	}
	if err := FitsFrame(c); fault.CodeOf(err) != CodeCommandTooLarge {
		t.Fatalf("FitsFrame with %d files = %v", MaxFiles, err)
	}
}
