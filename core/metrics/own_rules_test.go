package metrics_test

import (
	"berth/core/backups"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/jobs"
	"berth/core/keys"
	"berth/core/metrics"
	"berth/core/outbox"
	"berth/core/stacks"
)

// full writes every family of the server's own.
func full(b *metrics.Board) {
	busy(b)
	b.Own.Snapshot("whole")
	b.Own.Healthy(90 * time.Second)
	b.Own.RoundTrip(3 * time.Millisecond)
	b.Own.Connection("accepted")
	b.Own.Resolved("vault", true, 20*time.Millisecond)
	b.Own.Transaction("write", "committed", 300*time.Microsecond)
	b.Own.Connections(func() (int, int) { return 2, 3 })
	b.Own.Room(true)
	b.Own.Know(someStacks(3))
	b.Own.KnowJobs(someJobs(3))
	b.Own.JobFired(2 * time.Second)
	b.Own.RunEnded(jobs.RunFailed)
	b.Own.StoreSize(1 << 20)
	b.Own.BackedUp(true, 2*time.Second)
	b.Own.KnowKeys(2, keys.Pass{BeganAt: time.Unix(1_700_000_000, 0), EndedAt: time.Unix(1_700_000_001, 0), Values: 2, Renewed: 1})
	b.Own.Carried(outbox.Mail, "sent")
	b.Own.Carried(outbox.Notice, "sent")
	b.Own.KnowOutbox(map[outbox.Kind]outbox.Figure{outbox.Mail: {Waiting: 1, Oldest: time.Unix(1_700_000_000, 0)}, outbox.Notice: {Waiting: 1, Oldest: time.Unix(1_700_000_000, 0)}})
	b.Own.KnowBackups([]backups.Backup{{Name: "one", Size: 1 << 20, Head: backups.Head{MadeAt: time.Unix(1_700_000_000, 0), Reason: backups.BySchedule}}}, 24*time.Hour)
	b.Own.Rehearsed(backups.Rehearsal{Name: "one", At: time.Unix(1_700_000_000, 0), Took: time.Second})
	b.Own.KnowOffsite(backups.Standing{On: true, Newest: time.Unix(1_700_000_000, 0), Copies: 1, Size: 1 << 20})
}

// someStacks are n stacks, every third of which is as it should be.
func someStacks(n int) stacks.Figures {
	f := stacks.Figures{Counts: map[stacks.Status]int{}, Open: map[stacks.DeploymentState]int{stacks.DeploymentQueued: 1}, Unacknowledged: 2, DeliveredAt: time.Unix(1_700_000_000, 0),
		Repositories: map[string]int{"": 4, "git.host_key_changed": 1}}
	for i := range n {
		id := string(rune('a'+i%26)) + strings.Repeat("x", i/26)
		one := stacks.Figure{ID: core.StackID(id), Name: "app-" + id, Worker: "wrk_1", Repository: "apps", Status: stacks.StatusActive, Judged: true,
			Healthy: i%3 == 0, Drifted: i%3 == 1, DeployedAt: time.Unix(1_700_000_000, 0)}
		if i%3 == 2 {
			one.Status, one.OutOfSyncSince = stacks.StatusError, time.Unix(1_700_000_500, 0)
		}
		f.Counts[one.Status]++
		f.Stacks = append(f.Stacks, one)
	}
	return f
}

// someJobs are n jobs: one that is well, one that fails, is broken and paused, and one of which nothing is known, in turn.
func someJobs(n int) jobs.Figures {
	f := jobs.Figures{All: n, Open: map[jobs.RunState]int{jobs.RunRunning: 2}}
	for i := range n {
		id := string(rune('a'+i%26)) + strings.Repeat("x", i/26)
		one := jobs.Figure{Job: core.JobID(id), Name: "job-" + id, Repository: "apps"}
		switch i % 3 {
		case 0:
			one.NextAt, one.LastSuccessAt, one.ExpectedAt = time.Unix(1_700_003_600, 0), time.Unix(1_700_000_000, 0), time.Unix(1_700_010_000, 0)
			one.LastState, one.LastSeconds = jobs.RunSucceeded, 1.5
		case 1:
			one.Broken, one.Paused, one.Missed, one.LastState = true, true, 7, jobs.RunFailed
		}
		f.Jobs = append(f.Jobs, one)
	}
	return f
}

// labelsOf are the names of the labels of a family, in order of their first use.
func labelsOf(f metrics.Family) (names []string) {
	for _, found := range regexp.MustCompile(`[{,]([a-zA-Z_]\w*)="`).FindAllStringSubmatch(string(f.Text), -1) {
		if !slices.Contains(names, found[1]) {
			names = append(names, found[1])
		}
	}
	return names
}

// The rules of Prometheus and of OpenMetrics for names, and what of ours may be in a label.
func TestOwnFamiliesKeepTheRules(t *testing.T) {
	b, _ := board()
	full(b)
	families := b.Own.Families()
	written := map[string]bool{}
	for _, f := range families {
		written[f.Name] = true
		for _, problem := range problemsOf(f) {
			t.Errorf("%s: %s", f.Name, problem)
		}
	}
	for _, name := range b.Own.OwnNames() {
		if !written[name] {
			t.Errorf("%s is declared, but full does not write it", name)
		}
	}
	for _, problem := range clashesOf(families) {
		t.Error(problem)
	}
	promtool(t, scrape(t, b))
}

func TestTheRulesAreChecked(t *testing.T) {
	for name, f := range map[string]metrics.Family{
		"a counter without _total":      {Name: "berth_things", Type: metrics.TypeCounter, Help: "Things.", Text: []byte("berth_things 1\n")},
		"a gauge with _total":           {Name: "berth_things_total", Type: metrics.TypeGauge, Help: "Things.", Text: []byte("berth_things_total 1\n")},
		"no help":                       {Name: "berth_things", Type: metrics.TypeGauge, Text: []byte("berth_things 1\n")},
		"milliseconds":                  {Name: "berth_wait_milliseconds", Type: metrics.TypeGauge, Help: "Wait.", Text: []byte("berth_wait_milliseconds 1\n")},
		"a histogram without unit":      {Name: "berth_wait", Type: metrics.TypeHistogram, Help: "Wait.", Text: []byte("berth_wait_sum 1\n")},
		"a commit in a label":           {Name: "berth_things", Type: metrics.TypeGauge, Help: "Things.", Text: []byte(`berth_things{commit="abc"} 1` + "\n")},
		"a label of whoever scrapes":    {Name: "berth_things", Type: metrics.TypeGauge, Help: "Things.", Text: []byte(`berth_things{job="abc"} 1` + "\n")},
		"a label that others set":       {Name: "berth_things", Type: metrics.TypeGauge, Help: "Things.", Text: []byte(`berth_things{worker="abc"} 1` + "\n")},
		"an info that is something":     {Name: "berth_things_info", Type: metrics.TypeGauge, Help: "Things.", Text: []byte("berth_things_info 2\n")},
		"a time that says another unit": {Name: "berth_seen_timestamp", Type: metrics.TypeGauge, Help: "Seen.", Text: []byte("berth_seen_timestamp 1\n")},
	} {
		if len(problemsOf(f)) == 0 {
			t.Errorf("%s passes", name)
		}
	}
	counter, gauge := metrics.Family{Name: "berth_things_total", Type: metrics.TypeCounter}, metrics.Family{Name: "berth_things", Type: metrics.TypeGauge}
	part := metrics.Family{Name: "berth_wait_seconds_count", Type: metrics.TypeGauge}
	around := metrics.Family{Name: "berth_wait_seconds", Type: metrics.TypeHistogram}
	if len(clashesOf([]metrics.Family{counter, gauge})) == 0 || len(clashesOf([]metrics.Family{part, around})) == 0 {
		t.Error("names that clash pass")
	}
}

var (
	badWords  = regexp.MustCompile(`milliseconds|microseconds|_ms$|minutes|hours|days|kilobytes|megabytes|percent`)
	badLabels = []string{"job", "instance", "worker", "hostname", "hub", "commit", "error", "message", "reason_text", "address", "url", "value", "secret", "actor", "user"}
)

// problemsOf are the rules that a family breaks by itself.
func problemsOf(f metrics.Family) (problems []string) {
	must := func(kept bool, rule string) {
		if !kept {
			problems = append(problems, rule)
		}
	}
	must(regexp.MustCompile(`^[a-z][a-z0-9_]*$`).MatchString(f.Name), "a name has lower-case letters, digits and _")
	must(strings.HasSuffix(f.Help, "."), "the help is a sentence")
	must(!strings.Contains(f.Help, "\n"), "the help is one line")
	must(strings.HasSuffix(f.Name, "_total") == (f.Type == metrics.TypeCounter), "counters, and nothing else, end in _total")
	must(!badWords.MatchString(f.Name), "units are base units")
	histogram := f.Type == metrics.TypeHistogram || f.Type == metrics.TypeSummary
	must(!histogram || strings.HasSuffix(f.Name, "_seconds") || strings.HasSuffix(f.Name, "_bytes"), "a distribution names its unit")
	must(!strings.Contains(f.Name, "timestamp") || strings.HasSuffix(f.Name, "_timestamp_seconds"), "times end in _timestamp_seconds")
	for line := range strings.Lines(string(f.Text)) {
		must(!strings.HasSuffix(f.Name, "_info") || strings.HasSuffix(line, " 1\n"), "an info is 1")
	}
	for _, label := range labelsOf(f) {
		mayTell := label == "url" && f.Name == "berth_hub_up" // which the operator set for it
		must(mayTell || !slices.Contains(badLabels, label), "the label "+label+" is others', or tells too much")
	}
	return problems
}

// clashesOf are the names that two families would have in OpenMetrics, where a counter x_total and an
// info x_info are families named x, and a family owns all names that its series may have.
func clashesOf(families []metrics.Family) (problems []string) {
	owners := map[string]string{}
	for _, f := range families {
		stem := strings.TrimSuffix(strings.TrimSuffix(f.Name, "_total"), "_info")
		names := []string{stem, f.Name}
		switch f.Type {
		case metrics.TypeHistogram, metrics.TypeSummary:
			names = append(names, stem+"_bucket", stem+"_sum", stem+"_count", stem+"_created")
		case metrics.TypeCounter:
			names = append(names, stem+"_created")
		}
		for _, name := range names {
			if owner, taken := owners[name]; taken && owner != f.Name {
				problems = append(problems, name+" belongs to "+owner+" and to "+f.Name)
			}
			owners[name] = f.Name
		}
	}
	return problems
}
