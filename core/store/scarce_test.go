package store_test

import (
	"fmt"
	"strings"
	"testing"

	"berth/core/stacks"
	"berth/core/store"
)

// scarceGround is a disk with no room but the reserve.
type scarceGround struct{}

func (scarceGround) Room() bool    { return false }
func (scarceGround) GiveWay() bool { return false }

// chatter is the log of a deployment that says much: 100 pieces of 1 KiB.
func chatter(d stacks.Deployment) (lines []stacks.LogLine) {
	for n := range 100 {
		text := fmt.Sprintf("line %d", n+1)
		lines = append(lines, stacks.LogLine{Deployment: d.ID, Number: uint64(n + 1), At: d.StartedAt, Text: text + strings.Repeat(".", 1<<10-len(text))})
	}
	return lines
}

// TestLogsLeaveTheLastRoomToResults: of a deployment that ends on a full disk its end is stored, with
// as much of its log as is little; what is only said on the way waits.
func TestLogsLeaveTheLastRoomToResults(t *testing.T) {
	for _, full := range []bool{false, true} {
		y := openYard(t)
		d := y.start(y.queue(wish(y.add("web"))))
		if full {
			y.db.StandOn(scarceGround{})
		}
		rows := y.rows()
		progress := []stacks.Progress{{Deployment: d.ID, Commit: "c1", Phases: []stacks.Phase{{Name: stacks.PhaseFetch, State: stacks.PhaseRunning}}}}
		err := y.SaveProgress(t.Context(), progress, chatter(d)[:1])
		seen := y.RecordSeen(t.Context(), []stacks.Seen{seen(d.Stack, "c2", stacks.Verdict{OutOfSync: true, Reason: "sync it by hand"})})
		if full {
			y.refused("progress", err, "store.disk_full")
			y.refused("what polling saw", seen, "store.disk_full")
			if y.rows() != rows || y.deployment(d.ID).Commit != "" || y.stack(d.Stack).OutOfSync {
				t.Errorf("something was stored: %s, was %s", y.rows(), rows)
			}
		} else {
			y.must(err)
			y.must(seen)
		}
		ending, err := y.EndDeployment(t.Context(), stacks.Outcome{Deployment: d.ID, State: stacks.DeploymentFailed, ErrorCode: "compose.invalid", Error: "it did not work", At: y.tick()}, chatter(d))
		if err != nil || !ending.Ended {
			t.Fatalf("full %v: the end is not stored: %+v, %v", full, ending, err)
		}
		log, err := y.DeploymentLog(t.Context(), d.ID, 0, 1000)
		y.must(err)
		want := 100
		if full {
			want = store.Scarce >> 10
		}
		if len(log) != want || log[len(log)-1].Number != 100 || log[0].Number != uint64(101-want) {
			t.Errorf("full %v: %d pieces are stored, %d to %d; want the last %d", full, len(log), log[0].Number, log[len(log)-1].Number, want)
		}
	}
}
