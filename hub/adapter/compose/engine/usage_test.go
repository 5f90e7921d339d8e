package engine

import (
	"testing"
	"time"

	"github.com/moby/moby/api/types/container"

	"berth/hub/worker"
)

// TestUsageTellsWhoWorks: a container that counts without end, and one that sleeps.
func TestUsageTellsWhoWorks(t *testing.T) {
	t.Parallel()
	s := newStack(t, "services:\n  busy: {image: IMAGE, network_mode: none, cpus: 0.3, command: [sh, -c, 'while :; do :; done']}\n  idle: {image: IMAGE, network_mode: none, command: [sleep, '1000']}\n  over: {image: IMAGE, network_mode: none, command: ['true']}\n")
	s.apply()
	look := func() (map[string]worker.ContainerUsage, time.Time) {
		all, err := s.engine.Usage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]worker.ContainerUsage{}
		for _, u := range all {
			if u.Project == s.Name {
				found[u.Service] = u
			}
		}
		return found, time.Now()
	}
	before, then := look()
	for deadline := time.Now().Add(patience); ; {
		after, now := look()
		if _, runs := after["over"]; !runs && len(after) == 2 && after["busy"].CPU-before["busy"].CPU > 200*time.Millisecond && now.Sub(then) > time.Second {
			if share := float64(after["busy"].CPU-before["busy"].CPU) / float64(now.Sub(then)); share > 1.2 {
				t.Errorf("what is one thread used %.2f processors", share)
			}
			if idle := after["idle"]; idle.CPU-before["idle"].CPU > 50*time.Millisecond || idle.Memory <= 0 || idle.Memory > 64<<20 || idle.ContainerID == "" {
				t.Errorf("what sleeps is %+v, it was %+v", idle, before["idle"])
			}
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("they use %+v, it was %+v", after, before)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// TestMemoryIsWithoutTheFileCache, as each version of control groups tells it.
func TestMemoryIsWithoutTheFileCache(t *testing.T) {
	for name, c := range map[string]struct {
		stats container.MemoryStats
		want  int64
	}{
		"version 1": {container.MemoryStats{Usage: 100, Stats: map[string]uint64{"total_inactive_file": 30, "inactive_file": 20}}, 70},
		"version 2": {container.MemoryStats{Usage: 100, Stats: map[string]uint64{"inactive_file": 20, "file": 40}}, 80},
		"unknown":   {container.MemoryStats{Usage: 100}, 100},
		"nonsense":  {container.MemoryStats{Usage: 100, Stats: map[string]uint64{"inactive_file": 200}}, 100},
	} {
		if got := memoryOf(c.stats); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}
