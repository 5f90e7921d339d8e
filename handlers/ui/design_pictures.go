package ui

import (
	"fmt"
	"time"

	"berth/core"
	"berth/core/fleet"
)

// designPictures is each kind of picture, drawn as pages draw theirs.
type designPictures struct {
	Runs   runPicture
	Share  sharePicture
	Trends []trend
	Graph  serviceGraph
}

func drawnPictures(now time.Time) designPictures {
	segments := sharesOf([]segment{{Word: "active", Tone: "ok", Icon: "check", Count: 212}, {Word: "failed", Tone: "bad", Icon: "cross", Count: 3},
		{Word: "drifted", Tone: "warn", Icon: "alert", Count: 9}, {Word: "paused", Tone: "idle", Icon: "pause", Count: 16}})
	return designPictures{Runs: designRuns(), Share: share(segmentsInWords(segments), segments), Trends: trendsOf(designReadings(now), now), Graph: designGraph()}
}

// designRuns has bars of three tones.
func designRuns() runPicture {
	p := runPicture{Text: "Twelve runs, one of which failed and one was cancelled.", Width: 12 * barStep, Top: "38 s"}
	for i, h := range []int{40, 44, 38, 52, 41, 100, 43, 47, 12, 45, 50, 42} {
		tone := map[int]string{5: "bad", 8: "idle"}[i]
		if tone == "" {
			tone = "ok"
		}
		p.Bars = append(p.Bars, runBar{X: i * barStep, Y: barHeight - h, H: h, Tone: tone, Title: fmt.Sprintf("run %d", i+1)})
	}
	p.Tones = tonesOf(p.Bars)
	return p
}

// designReadings is of a host that was away for a while and whose disk fills.
func designReadings(now time.Time) (all []fleet.Reading) {
	for i := range fleet.Readings {
		if i > 100 && i < 120 {
			continue
		}
		all = append(all, fleet.Reading{At: now.Add(-time.Duration(fleet.Readings-1-i) * fleet.ReadingEvery), CPUs: 4, CPU: 80 + i*7%60 + 300*(i%72/60), Load: 300 + i*13%200,
			Memory: int64(6+i%3) << 30, MemoryTotal: 16 << 30, Disk: int64(60+i/8) << 30, DiskTotal: 100 << 30})
	}
	return all
}

// designGraph has a box of each tone and a line of each kind.
func designGraph() serviceGraph {
	wait := func(service string, on core.ComposeCondition) core.ComposeDependency {
		return core.ComposeDependency{Service: service, Condition: on}
	}
	project := []core.ComposeService{{Name: "db", Networks: []string{"back"}, Volumes: []string{"data"}}, {Name: "migrate", DependsOn: []core.ComposeDependency{wait("db", core.ComposeHealthy)}, Networks: []string{"back"}, Volumes: []string{"data"}},
		{Name: "web", DependsOn: []core.ComposeDependency{wait("migrate", core.ComposeCompleted), wait("cache", core.ComposeStarted)}}, {Name: "cache"}}
	states := map[string]badge{"db": {"ok", "check", "Healthy"}, "migrate": {"idle", "circle", "Ended, code 0"}, "web": {"bad", "cross", "Unhealthy"}, "cache": {"busy", "ring", "Starting"}}
	return drawServices(project, func(name string) (badge, string) { return states[name], "" })
}
