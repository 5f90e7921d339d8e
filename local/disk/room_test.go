package disk

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"berth/core/coretest"
	"berth/core/stacks"
	"berth/handlers/api"
	"berth/hub/adapter/sqlite"
	"berth/local/e2e/rig"
)

// TestD1FullDiskDuringDeployments: whatever is used up, blocks or inodes, what is under way ends as
// it did, people can clean up, nothing new is begun, and all of it goes on by itself afterwards.
func TestD1FullDiskDuringDeployments(t *testing.T) {
	t.Parallel()
	outOfRoom(t, newYard(t), (*coretest.Disk).Fill)
}

// TestD12NoInodesDuringDeployments is the same for a disk that has room, and no file to put it in.
func TestD12NoInodesDuringDeployments(t *testing.T) {
	t.Parallel()
	outOfRoom(t, newYard(t, "-N", "1024"), (*coretest.Disk).UseInodes)
}

func outOfRoom(t *testing.T, y *yard, use func(*coretest.Disk) string) {
	one, two, three := y.repository.On(y.worker, "one"), y.repository.On(y.worker, "two"), y.repository.On(y.worker, "three")
	for _, s := range []*rig.Stack{one, two, three} {
		s.Deployed()
	}
	y.held.Store(true)
	finished, cancelled := y.underWay(one), y.underWay(two)
	used := use(y.disk)

	y.refused(three)
	y.SignIn()
	if answer := y.Ask(http.MethodPost, "/api/custom/deployments/"+string(cancelled)+"/cancel", nil); answer.Status/100 != 2 {
		t.Errorf("cancel: %d %s", answer.Status, answer.Body)
	}
	if d := two.Deployment(cancelled); d.State != stacks.DeploymentCancelled {
		t.Errorf("what was cancelled ended %s: %s", d.State, d.Error)
	}
	two.Delete("")
	before, last := three.Now(), three.Last()
	next := y.repository.Commit(map[string]string{"three/compose.yaml": compose(2)})
	y.held.Store(false)
	close(y.letGo)
	y.once(one, finished)
	y.refused(one)
	if now := three.Now(); now.Commit != before.Commit || now.Revision != before.Revision || three.Last().ID != last.ID {
		t.Errorf("something was begun without room: %+v\n%+v", now, three.Last())
	}

	if err := os.RemoveAll(used); err != nil {
		t.Fatal(err)
	}
	three.At(next)
	y.reserveIsBack()
	one.Synced()
}

// TestD1NotEvenAReserve: somebody has taken the reserve too. Whatever cannot be stored is
// said to be so; what the worker did is delivered when there is room.
func TestD1NotEvenAReserve(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	one, two := y.repository.On(y.worker, "one"), y.repository.On(y.worker, "two")
	one.Deployed()
	two.Deployed()
	y.chat = 40_000 // more than the files of the database hold by now
	y.held.Store(true)
	deployment := y.underWay(one)
	if err := os.Remove(filepath.Join(y.Dir, "db_data", sqlite.ReserveFile)); err != nil {
		t.Fatal(err)
	}
	used := y.disk.Fill()
	y.refused(two)
	y.held.Store(false)
	close(y.letGo)
	met := 0
	for n := range 200 { // writes until one has no room
		answer := y.Ask(http.MethodPatch, stackPath(two, ""), api.UpdateStackRequest{AutoSync: new(n%2 == 0)})
		if answer.Status == http.StatusServiceUnavailable {
			met++
		} else if answer.Status != http.StatusOK {
			t.Fatalf("edit %d: %d %s", n, answer.Status, answer.Body)
		}
		if d := one.Last(); d.State == stacks.DeploymentSucceeded && y.engine.Applied(deployment) != 1 {
			t.Fatal("it succeeded before it was put in place")
		}
	}
	t.Logf("%d of 200 edits had no room", met)
	if err := os.Remove(used); err != nil {
		t.Fatal(err)
	}
	y.once(one, deployment)
	y.reserveIsBack()
	two.Synced()
}
