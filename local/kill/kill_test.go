package kill

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"berth/local/e2e/rig"
)

// points is how often something dies: a sample, or as many as make test-real asks for.
func points(t *testing.T, sample int, variable string) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return sample
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s is %q, give a number of points", variable, text)
	}
	return n
}

func report(t *testing.T, l *Lane) {
	t.Helper()
	t.Logf("seed %d: %d deaths at a point (%d of them in a recovery), %d elsewhere; %d deployments and %d runs accepted", l.seed, l.Reached, l.Recovery, l.Elsewhere, l.Accepted, l.Runs)
	if l.Reached == 0 {
		t.Error("no point was reached")
	}
}

// C1, C2, C5: server, worker or both die at counted system calls while deployments and runs of jobs flow, and jobs fire.
// The worker's containers are lines in files; all else is real.
func TestNothingIsLostOrDoneTwiceWhateverDies(t *testing.T) {
	n := points(t, 30, "KILL_POINTS")
	for _, seed := range []uint64{1, 2} {
		t.Run("seed "+strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			s := New(t)
			l := NewLane(s, Folder{T: t, Dir: filepath.Join(s.Dir, "engine")}, Names(4), seed)
			l.Points(n / 2)
			report(t, l)
		})
	}
}

// C3: the same with the real worker on this machine's container engine.
func TestContainersAreWhatIsShownWhateverDies(t *testing.T) {
	t.Parallel()
	n := points(t, 10, "KILL_DOCKER_POINTS")
	projects := Names(3)
	for _, project := range projects {
		rig.RemoveProjectAfter(t, project)
	}
	s := New(t)
	l := NewLane(s, WatchDocker(t, projects), projects, 3)
	l.Points(n)
	report(t, l)
}
