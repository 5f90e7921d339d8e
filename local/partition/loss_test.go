package partition

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"berth/core"
	"berth/core/stacks"
	"berth/handlers/api"
	"berth/local/e2e/rig"
	"berth/local/kill"
	"berth/local/stand/faultynet"
)

// What flows while packets are lost.
const (
	lossy       = 30 // packets out of a hundred, each way
	farWorkers  = 2
	farStacks   = 3 // of each worker
	lossyRounds = 6 // in which each stack is deployed once
)

// farWorker is a process of its own in an outpost. Its containers are lines in files.
type farWorker struct {
	host kill.Folder
	id   core.WorkerID
}

// runFar starts a worker in an outpost and waits until it is online.
func runFar(t *testing.T, s *rig.Server, o *faultynet.Outpost) farWorker {
	t.Helper()
	id, program := s.Remote(), kill.Program(t, "./local/kill/folderworker")
	w := farWorker{host: kill.Folder{T: t, Dir: t.TempDir()}}
	var log bytes.Buffer
	cmd := o.Command([]string{"PATH=" + os.Getenv("PATH"), "SERVER_URL=https://" + o.Address + ":" + s.Port, "WORKER_TOKEN=" + id.Token.Reveal(), "HOSTNAME=" + id.Hostname,
		"HEARTBEAT_INTERVAL=5", "WORKER_DATA_DIR=" + id.Dir, "WORKER_STACK_DIR=" + filepath.Join(id.Dir, "shown"), "ENGINE_DIR=" + w.host.Dir}, program)
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		o.End()
		cmd.Wait() // killed just now
		if t.Failed() {
			t.Logf("the log of worker %s:\n%s", id.Hostname, log.Bytes()[max(0, log.Len()-4000):])
		}
	})
	w.id = s.Linked(id.Hostname, true)
	return w
}

// N2: nearly every third packet is lost, both ways, while commands flow. No command is lost or done
// twice; all that falls is the rate.
func TestN2PacketsAreLost(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{Environment: map[string]string{"HEARTBEAT_INTERVAL": "5"}})
	o := faultynet.NewOutpost(t)
	repository := s.Repository(map[string]string{"app/compose.yaml": compose("1")})
	var hosts []kill.Folder
	var all []*rig.Stack
	for range farWorkers {
		w := runFar(t, s, o)
		hosts = append(hosts, w.host)
		for range farStacks {
			all = append(all, repository.Manual(w.id, "app"))
		}
	}
	asked := map[core.DeploymentID]bool{}
	before := deployEach(t, all, asked)
	o.Lose(lossy)
	var during time.Duration
	for range lossyRounds {
		during += deployEach(t, all, asked)
	}
	up, down := o.Lost(faultynet.Up), o.Lost(faultynet.Down)
	o.Lose(0)
	if up == 0 || down == 0 {
		t.Errorf("%d packets were lost on the way to the server and %d on the way back: nothing was tried", up, down)
	}
	deployEach(t, all, asked)
	t.Logf("%d deployments a round: %v without loss, %v on average while %d packets were lost up and %d down", len(all), before, during/lossyRounds, up, down)

	made := map[core.DeploymentID]int{}
	for _, host := range hosts {
		for id, n := range host.Made() {
			made[id] += n
		}
	}
	for id := range asked {
		if made[id] != 1 {
			t.Errorf("deployment %s was done %d times", id, made[id])
		}
	}
	if len(made) != len(asked) {
		t.Errorf("%d deployments were done, %d were asked for", len(made), len(asked))
	}
}

// deployEach asks for a deployment of every stack at once, and waits until all have ended, which
// they must with success. It returns how long that took.
func deployEach(t *testing.T, all []*rig.Stack, asked map[core.DeploymentID]bool) time.Duration {
	t.Helper()
	began := time.Now()
	round := map[core.DeploymentID]*rig.Stack{}
	for _, s := range all {
		d := rig.Post[api.DeploymentAnswer](s.Client, "/api/custom/stacks/"+string(s.ID)+"/redeploy", api.RedeployRequest{RecreateContainers: true}, http.StatusAccepted)
		round[d.ID], asked[d.ID] = s, true
	}
	if len(round) != len(all) {
		t.Fatalf("%d deployments for %d stacks", len(round), len(all))
	}
	for id, s := range round {
		if d := ended(t, s, id); d.State != stacks.DeploymentSucceeded {
			t.Errorf("deployment %s ended %s: %s", id, d.State, d.Error)
		}
	}
	return time.Since(began)
}
