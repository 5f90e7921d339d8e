package e2e_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"berth/core"
	"berth/core/jobs"
	"berth/handlers/api"
	"berth/local/e2e/rig"
	"berth/local/kill"
)

// floodLines are more than a link and the memory of a worker hold.
const floodLines = 400_000

// flood writes many numbered lines as fast as it can, half of them when it is told to.
var flood = fmt.Sprintf(`seq 1 %d
touch "/host/half-$NUMBER"
while [ ! -e "/host/go-$NUMBER" ]; do sleep 0.05; done
seq %d %d
touch "/host/all-$NUMBER"`, floodLines/2, floodLines/2+1, floodLines)

// A container writes faster than its lines can be sent and stored, and in the middle of that the server, the worker or both
// are killed with kill -9, or stand still before. Every line arrives once, and in order.
func TestALogIsWholeWhoeverIsKilledWhileItFlows(t *testing.T) {
	for name, c := range map[string]struct {
		victim kill.Victim
		frozen bool // the victim stands still while the container writes
		beyond bool // the container ends while it is away
		again  bool // and dies once more on its way back
	}{
		"the server, again and again":                         {victim: kill.Server, beyond: true, again: true},
		"the server, which stood still, and all was written":  {victim: kill.Server, frozen: true, beyond: true},
		"the worker, and the container ends meanwhile":        {victim: kill.Worker, beyond: true},
		"server and worker, and the container ends meanwhile": {victim: kill.Both, beyond: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			y := startRunYard(t, flood)
			y.online(time.Time{})
			y.number++
			var run api.RunAnswer
			y.site.Must(http.MethodPost, "/api/custom/jobs/"+string(y.job)+"/run", api.RunJobRequest{Variables: map[string]string{"NUMBER": fmt.Sprint(y.number)}}, &run)
			y.file("half")
			if c.frozen {
				y.site.Server.Signal(syscall.SIGSTOP)
				y.letEnd()
				y.file("all")
			}
			y.kill(c.victim)
			if c.beyond {
				y.letEnd()
				y.file("all")
			}
			y.restart(c.victim)
			if c.again {
				for range 3 {
					y.online(time.Time{})
					y.kill(c.victim)
					y.restart(c.victim)
				}
			}
			y.letEnd()
			y.wantWhole(run.ID, floodLines)
		})
	}
}

// file waits until a run has made a file.
func (y *runYard) file(name string) {
	y.t.Helper()
	rig.Until(y.t, limit, "the container has come to "+name, func() (bool, string) {
		_, err := os.Stat(filepath.Join(y.folder, fmt.Sprint(name, "-", y.number)))
		return err == nil, ""
	})
}

// wantWhole checks that a run has succeeded, and that its log has the numbers up to last, each once and in order.
func (y *runYard) wantWhole(id core.RunID, last int) {
	y.t.Helper()
	var run api.RunAnswer
	rig.Until(y.t, limit, "the run has ended", func() (bool, string) {
		y.site.Must(http.MethodGet, "/api/custom/job-runs/"+string(id), nil, &run)
		return run.State.Ended(), quote(run)
	})
	if run.State != jobs.RunSucceeded || run.ExitCode == nil || *run.ExitCode != 0 {
		y.t.Errorf("the run is %+v", run)
	}
	checkNumbers(y.t, y.wholeLog(id), last)
}

// wholeLog returns all of a run's log.
func (y *runYard) wholeLog(id core.RunID) string {
	y.t.Helper()
	var text strings.Builder
	for after := uint64(0); ; {
		var page api.RunLogAnswer
		y.site.Must(http.MethodGet, fmt.Sprintf("/api/custom/job-runs/%s/log?limit=100&after=%d", id, after), nil, &page)
		for _, piece := range page.Items {
			text.WriteString(piece.Text)
			after = piece.Number
		}
		if len(page.Items) == 0 {
			return text.String()
		}
	}
}

// checkNumbers checks that the lines of a log that are numbers are those up to last, in order, and that nothing in it is uncertain.
func checkNumbers(t *testing.T, log string, last int) {
	t.Helper()
	next, problems := 1, 0
	for line := range strings.Lines(log) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "…") || strings.HasPrefix(line, "[") {
			t.Errorf("before %d the log says %q", next, line)
			continue
		}
		var n int
		if _, err := fmt.Sscan(line, &n); err != nil || n == next {
			if err == nil {
				next++
			}
			continue
		}
		if problems++; problems <= 5 {
			t.Errorf("after %d comes %d", next-1, n)
		}
		next = n + 1
	}
	if next != last+1 {
		t.Errorf("the log ends with %d, it is to end with %d", next-1, last)
	}
}
