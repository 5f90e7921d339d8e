package store_test

import (
	"strings"
	"testing"

	"berth/core/fleet"
	"berth/core/stacks"
)

// TestARevocationDuringARestoreSaysWhatIsNotKnown: the deployment keeps why it failed in the first
// place, and says beside it what became of the way back.
func TestARevocationDuringARestoreSaysWhatIsNotKnown(t *testing.T) {
	for name, sent := range map[string]bool{"it was not sent": false, "it was sent": true} {
		t.Run(name, func(t *testing.T) {
			y := openYard(t)
			id := y.deployed("web", "c1")
			d, cmd := y.failsAfterApply(id, "c2")
			if sent {
				epoch, err := y.WorkerConnected(t.Context(), y.w.ID, fleet.Facts{Hostname: "web-1"})
				y.must(err)
				_, err = y.MarkSent(t.Context(), y.w.ID, cmd.ID, epoch)
				y.must(err)
			}
			_, err := y.RevokeWorker(t.Context(), y.w.ID, someone.Audit("worker.revoke", string(y.w.ID), ""))
			y.must(err)
			d = y.deployment(d.ID)
			if d.State != stacks.DeploymentLost || d.ErrorCode != "engine.unhealthy" || d.Error != "web is not healthy" || d.FailedService != "web" {
				t.Errorf("the deployment is %+v", d)
			}
			const want = "worker web-1 was revoked before revision 1 was put back; what runs on its host is not known"
			if d.Restore != (stacks.Restore{Revision: 1, State: stacks.RestoreFailed, Error: want}) {
				t.Errorf("the restore is %+v", d.Restore)
			}
			st := y.stack(id)
			if st.Status != stacks.StatusError || !strings.Contains(st.Error, "what runs on its host is not known") || st.Revision != 1 {
				t.Errorf("the stack is %s at revision %d: %s", st.Status, st.Revision, st.Error)
			}
		})
	}
}
