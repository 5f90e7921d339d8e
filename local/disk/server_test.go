package disk

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"berth/core"
	"berth/core/coretest"
	"berth/core/stacks"
	"berth/handlers/api"
	"berth/hub/adapter/sqlite"
	"berth/hub/worker"
	"berth/local/e2e/rig"
	"berth/local/stand/dryengine"
)

// yard is the whole server with DATA_DIR on a disk of its own, and a worker on another disk.
type yard struct {
	*rig.Server
	disk       *coretest.Disk
	engine     *dryengine.Engine
	worker     core.WorkerID
	repository *rig.Repository

	held  atomic.Bool   // what is applied waits for letGo
	begun chan string   // the project of each that waits
	letGo chan struct{} // closed
	chat  int           // lines that each says then
}

// newYard starts both; options are those of mkfs.ext4.
func newYard(t *testing.T, options ...string) *yard {
	t.Helper()
	y := &yard{disk: coretest.NewDisk(t, diskSize, options...), begun: make(chan string, 64), letGo: make(chan struct{})}
	y.Server = rig.Start(t, rig.Options{Dir: filepath.Join(y.disk.Dir, "data")})
	y.engine = &dryengine.Engine{OnApply: y.apply}
	remote := y.Remote()
	remote.Run(t, "127.0.0.1:"+y.Port, y.engine)
	y.worker = y.Linked(remote.Hostname, true)
	y.repository = y.Repository(map[string]string{"one/compose.yaml": compose(1), "two/compose.yaml": compose(1), "three/compose.yaml": compose(1)})
	return y
}

func compose(number int) string {
	return fmt.Sprintf("services:\n  app:\n    image: none\n    environment:\n      NUMBER: \"%d\"\n", number)
}

func (y *yard) apply(ctx context.Context, p worker.Project, report func(string)) error {
	if !y.held.Load() {
		return nil
	}
	y.begun <- p.Name
	select {
	case <-y.letGo:
	case <-ctx.Done():
		return ctx.Err()
	}
	for n := range y.chat {
		report(fmt.Sprint(n, strings.Repeat(" noise", 40)))
	}
	return nil
}

// underWay syncs a stack whose deployment then is at work on the host.
func (y *yard) underWay(s *rig.Stack) core.DeploymentID {
	y.T.Helper()
	d := rig.Post[api.DeploymentAnswer](s.Client, stackPath(s, "/redeploy"), api.RedeployRequest{}, http.StatusAccepted)
	for limit := time.After(patience); ; {
		select {
		case project := <-y.begun:
			if project == s.Name {
				return d.ID
			}
		case <-limit:
			y.T.Fatalf("it is not applied: %+v", s.Last())
		}
	}
}

func stackPath(s *rig.Stack, rest string) string { return "/api/custom/stacks/" + string(s.ID) + rest }

// refused checks that nothing new is begun, and that the text says why.
func (y *yard) refused(s *rig.Stack) {
	y.T.Helper()
	p := y.Problem(http.StatusServiceUnavailable, http.MethodPost, stackPath(s, "/redeploy"), api.RedeployRequest{})
	if p.Code != "store.disk_full" || !strings.Contains(p.Detail, "disk is full") || !strings.Contains(p.Detail, "DATA_DIR") {
		y.T.Errorf("refused with %+v", p)
	}
}

// reserveIsBack waits until the server has made its reserve again.
func (y *yard) reserveIsBack() {
	y.T.Helper()
	rig.Until(y.T, patience, "the reserve", func() (bool, string) {
		_, err := os.Stat(filepath.Join(y.Dir, "db_data", sqlite.ReserveFile))
		return err == nil, fmt.Sprint(err)
	})
}

// once checks that a deployment succeeded and was put in place once.
func (y *yard) once(s *rig.Stack, id core.DeploymentID) {
	y.T.Helper()
	d := s.Deployment(id)
	if d.State != stacks.DeploymentSucceeded || y.engine.Applied(id) != 1 {
		y.T.Errorf("it ended %s (%s), and was put in place %d times", d.State, d.Error, y.engine.Applied(id))
	}
}
