package kill

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"berth/core/wire"
	"berth/handlers/api"
	"berth/handlers/endpoint"
)

// A worker that was updated to a release with another protocol is refused by a server that does not speak it. Its log names both
// releases and what to do, its page shows the release that it is, what it has deployed stays, and the release before goes on.
func TestAWorkerOfAnotherProtocolIsRefusedAndKeepsWhatItRuns(t *testing.T) {
	t.Parallel()
	s := New(t)
	host := Folder{T: t, Dir: filepath.Join(s.Dir, "engine")}
	l := NewLane(s, host, Names(1), 19)
	running := host.Runs(l.Stacks[0].Project)
	if err := s.Worker.Stop(); err != nil {
		t.Fatal(err)
	}
	program, env := host.Worker()
	s.StartWorker(program, Point{}, append(env, fmt.Sprint("SPEAKS=", wire.ProtocolVersion+1))...)
	todo := fmt.Sprintf("too new for the server: it is release 9.0.0 and speaks protocol %d, the server is release dev and speaks up to %d. Update the server first.",
		wire.ProtocolVersion+1, wire.ProtocolVersion)
	l.until("its log names both releases", func() (bool, string) {
		text, err := os.ReadFile(filepath.Join(s.Dir, "worker.log"))
		return err == nil && strings.Contains(string(text), todo), s.Worker.Tail()
	})
	l.until("its page shows which release it is", func() (bool, string) {
		all := get[endpoint.Items[api.WorkerAnswer]](s, "/api/custom/workers").Items
		return len(all) == 1 && !all[0].Online && all[0].Version == "9.0.0", fmt.Sprintf("%+v", all)
	})
	if !s.Worker.Alive() {
		t.Error("it has ended, and would not come back by itself")
	}
	if now := host.Runs(l.Stacks[0].Project); fmt.Sprint(now) != fmt.Sprint(running) {
		t.Errorf("there ran %v, and now %v", running, now)
	}
	if err := s.Worker.Stop(); err != nil {
		t.Fatal(err)
	}
	s.RunWorker(host)
	l.commit(l.Stacks[0].Project)
	l.ask(l.Stacks[0], "/sync", nil)
	l.Settle()
}
