package partition

import (
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"berth/core/stacks"
	"berth/core/wire"
	"berth/handlers/api"
	"berth/local/e2e/rig"
)

// stage is a server with two workers whose side of the protocol is spoken by hand.
type stage struct {
	*rig.Server
	repository *rig.Repository
	address    string
	good, evil identity
}

func openStage(t *testing.T) *stage {
	t.Helper()
	s := rig.Start(t, rig.Options{Environment: map[string]string{"HEARTBEAT_INTERVAL": "60"}})
	return &stage{Server: s, address: "127.0.0.1:" + s.Port, good: identity{s.Remote()}, evil: identity{s.Remote()},
		repository: s.Repository(map[string]string{"app/compose.yaml": compose("1")})}
}

// openAccepted is a stage whose good worker has accepted the command of its stack.
func openAccepted(t *testing.T) (x *stage, p *peer, s *rig.Stack, c wire.Command) {
	t.Helper()
	x = openStage(t)
	p = x.good.connect(t, x.address)
	s, c = p.stack(x.repository, x.Linked(x.good.Hostname, true))
	p.say(accepted(c))
	return x, p, s, c
}

// W1: what a worker says about another one's commands changes nothing, and ends its link.
func TestW1AnothersCommands(t *testing.T) {
	t.Parallel()
	x, good, s, c := openAccepted(t)
	lies := map[string]any{
		"accepted": accepted(c), "result": success(c), "failure": wire.Result{ID: c.ID, Attempt: c.Attempt, Status: wire.ResultFailed, Phases: []wire.PhaseEvent{}},
		"event":  wire.Event{ID: c.ID, Attempt: c.Attempt, Number: 1, Log: "planted line\n"},
		"sight":  wire.Observed{Complete: true, Stacks: []wire.StackObserved{{Stack: c.Deploy.Stack, Revision: 1, Containers: []stacks.ContainerState{}}}},
		"wanted": wire.BlobWant{ID: c.ID, Digest: strings.Repeat("a", 64)},
	}
	for name, lie := range lies {
		evil := x.evil.connect(t, x.address)
		for range 8 {
			evil.say(lie)
		}
		if name != "sight" && name != "wanted" { // a stack that is not its own is passed over; content is refused each time
			evil.closed()
		}
		if d := first(s); d.State != stacks.DeploymentRunning || strings.Contains(s.LogOf(d.ID), "planted") {
			t.Fatalf("after a foreign %s: %+v", name, d)
		}
	}
	good.say(success(c))
	if ack := hear[wire.ResultAck](good); ack.ID != c.ID {
		t.Errorf("acknowledged is %+v", ack)
	}
	if d := ended(t, s, s.First); d.State != stacks.DeploymentSucceeded {
		t.Errorf("it ended %s", d.State)
	}
}

// W3: messages that are too large, too many, or never read hurt nobody else. Frames above the limit are
// the business of the websocket adapter, whose tests send them.
func TestW3Floods(t *testing.T) {
	t.Parallel()
	x := openStage(t)
	before := heap()
	huge := x.evil.connect(t, x.address)
	huge.raw([]byte("snapshot {\"text\":\"" + strings.Repeat("x", 900<<10) + "\"}"))
	huge.closed()

	flood := x.evil.connect(t, x.address)
	beat, err := wire.Encode(wire.Heartbeat{Number: 1})
	if err != nil {
		t.Fatal(err)
	}
	flooding := make(chan struct{})
	go func() { // it never reads
		defer close(flooding)
		_ = flood.conn.SetWriteDeadline(time.Now().Add(20 * time.Second))
		for range 1_000_000 {
			if flood.conn.WriteFrame(beat) != nil {
				return
			}
		}
	}()
	good := x.good.connect(t, x.address)
	s, c := good.stack(x.repository, x.Linked(x.good.Hostname, true))
	good.say(accepted(c))
	good.say(success(c))
	hear[wire.ResultAck](good)
	if d := ended(t, s, s.First); d.State != stacks.DeploymentSucceeded {
		t.Errorf("it ended %s", d.State)
	}
	flood.conn.Close()
	<-flooding
	if grown := heap() - before; grown > 64<<20 {
		t.Errorf("the heap has grown by %d MiB", grown>>20)
	}
}

// heap is what the process's heap holds that is in use.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse)
}

// W4: an older link of the same worker does not write any more; frames out of order end a link.
func TestW4OldLinksAndOrder(t *testing.T) {
	t.Parallel()
	x, old, s, c := openAccepted(t)
	now := x.good.connect(t, x.address, wire.JournalEntry{ID: c.ID, Attempt: c.Attempt, State: wire.JournalReceived})
	if now.epoch <= old.epoch {
		t.Fatalf("epoch %d after %d", now.epoch, old.epoch)
	}
	old.say(success(c))
	old.closed()
	again := hear[wire.Command](now)
	if again.ID != c.ID || again.Attempt != c.Attempt || again.Epoch != now.epoch {
		t.Errorf("sent again is %+v", again)
	}
	if d := first(s); d.State != stacks.DeploymentRunning {
		t.Fatalf("the old link ended it: %s", d.State)
	}
	for _, frames := range [][]any{
		{wire.Hello{Version: "test", Hostname: x.evil.Hostname, Tags: []string{}, OS: "linux", Arch: "amd64", Journal: []wire.JournalEntry{}}},
		{wire.Welcome{Epoch: 9, HeartbeatSeconds: 1, Version: "test", Settle: []wire.Instruction{}}},
	} {
		evil := x.evil.connect(t, x.address)
		for _, f := range frames {
			evil.say(f)
		}
		evil.closed()
	}
	far := wire.Event{ID: c.ID, Attempt: c.Attempt, Number: 1 << 52, Log: "far ahead\n"}
	now.say(far)
	now.say(success(c))
	hear[wire.ResultAck](now)
	if d := ended(t, s, s.First); d.State != stacks.DeploymentSucceeded {
		t.Errorf("it ended %s", d.State)
	}
}

// W5: what a worker says is bounded, and harmless where it is shown.
func TestW5TextsOfAWorker(t *testing.T) {
	t.Parallel()
	x, p, s, c := openAccepted(t)
	p.raw([]byte(`result {"id":"` + string(c.ID) + `","attempt":1,"status":"failed","error":"` + strings.Repeat("x", 512<<10) + `","phases":[]}`))
	p.closed()
	p = x.good.connect(t, x.address, wire.JournalEntry{ID: c.ID, Attempt: c.Attempt, State: wire.JournalReceived})
	hear[wire.Command](p)
	p.raw([]byte("event {\"id\":\"" + string(c.ID) + "\",\"attempt\":1,\"number\":1,\"log\":\"bad \xff\xfe bytes\\n\"}"))
	p.closed()
	p = x.good.connect(t, x.address, wire.JournalEntry{ID: c.ID, Attempt: c.Attempt, State: wire.JournalReceived})
	hear[wire.Command](p)
	const nasty = "<script>alert(1)</script>\x1b[2Jend"
	p.say(wire.Event{ID: c.ID, Attempt: c.Attempt, Number: 2, Log: nasty + "\n"})
	p.say(wire.Result{ID: c.ID, Attempt: c.Attempt, Status: wire.ResultFailed, Code: "engine.apply", Error: nasty, Service: "app", Lines: nasty, Phases: []wire.PhaseEvent{}})
	hear[wire.ResultAck](p)
	if d := ended(t, s, s.First); d.State != stacks.DeploymentFailed || len(d.Error) > wire.MaxText {
		t.Errorf("it ended %s with %d bytes", d.State, len(d.Error))
	}
	for _, page := range []string{"/deployments/" + string(s.First), "/stacks/" + string(s.ID)} {
		answer := x.Person.Ask(http.MethodGet, page, nil)
		text := string(answer.Body)
		if answer.Status != http.StatusOK {
			t.Fatalf("%s: %d", page, answer.Status)
		}
		if strings.Contains(text, "<script>alert") || strings.Contains(text, "\x1b[2J") {
			t.Errorf("%s shows it as it is", page)
		}
	}
}

// W6: a worker says that it succeeded, but its host runs another revision, or it does not say.
func TestW6SuccessWithoutProof(t *testing.T) {
	t.Parallel()
	_, p, s, c := openAccepted(t)
	lie := success(c)
	lie.Observed.Revision = 7
	p.say(lie)
	hear[wire.ResultAck](p)
	if d := ended(t, s, s.First); d.State != stacks.DeploymentFailed {
		t.Errorf("it ended %s", d.State)
	}
	if now := s.Now(); now.Status != stacks.StatusError || now.Revision != 0 {
		t.Errorf("the stack is %+v", now)
	}
}

// W7: a worker is revoked in the middle of a command.
func TestW7Revoked(t *testing.T) {
	t.Parallel()
	x, p, s, c := openAccepted(t)
	rig.Until(t, patience, "the command is accepted", func() (bool, string) {
		d := first(s)
		for _, phase := range d.Phases {
			if phase.Name == stacks.PhaseDispatch && phase.State == stacks.PhaseSucceeded {
				return true, ""
			}
		}
		return false, "not yet"
	})
	rig.Post[api.WorkerAnswer](x.Client, "/api/custom/workers/"+string(s.Now().WorkerID)+"/revoke", nil, http.StatusOK)
	p.closed()
	p.say(success(c))
	if d := ended(t, s, s.First); d.State != stacks.DeploymentLost {
		t.Errorf("it ended %s", d.State)
	}
	if _, _, err := x.good.Dial(t, x.address)(t.Context()); err == nil {
		t.Error("the token still opens a link")
	}
}
