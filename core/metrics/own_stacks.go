package metrics

import (
	"slices"
	"sync"
	"time"

	"berth/core/stacks"
)

// ownStacks are the families about what the hub that leads knows of all stacks. Those that have a
// series for each stack are rendered when something has changed, not when somebody asks.
type ownStacks struct {
	counts, open, commands                                     *vector
	about, status, healthy, drifted, behind, deployed, leftOut *vector

	mu   sync.Mutex
	told []stacks.Figure // guarded by mu; what the text was made of
}

func (s *ownStacks) declare(o *Own) {
	s.counts = o.declare(TypeGauge, "berth_stacks", "Stacks, by status.", []string{"status"})
	s.open = o.declare(TypeGauge, "berth_deployments_in_progress", "Deployments that have not ended, by state.", []string{"state"})
	s.commands = o.declare(TypeGauge, "berth_commands_unacknowledged", "Commands that are stored for workers and that those have not confirmed to have on disk.", nil)
	each := func(name, help string, more ...string) *vector {
		return o.declare(TypeGauge, name, help, append([]string{"stack", "name"}, more...))
	}
	s.about = each("berth_stack_info", "Where a stack comes from and where it is; always 1.", "worker_id", "repository")
	s.status = each("berth_stack_status", "1 for the status that a stack has.", "status")
	s.healthy = each("berth_stack_healthy", "1 when what is in place of a stack runs as it should, as it was last seen, else 0; absent before its first deployment.")
	s.drifted = each("berth_stack_drifted", "1 when what runs differs from what was verified, else 0.")
	s.behind = each("berth_stack_out_of_sync_since_timestamp_seconds", "Time since when a stack is not what its repository says; absent while it is.")
	s.deployed = each("berth_stack_last_success_timestamp_seconds", "Time when a deployment of a stack last succeeded.")
	s.leftOut = o.declare(TypeGauge, "berth_stacks_without_series", "Stacks that have no series of their own, because there are too many.", nil)
}

// Stacks sets how many stacks have each status.
func (o *Own) Stacks(counts map[stacks.Status]int) { o.stacks.counts.replace(worded(counts)) }

func worded[W ~string](counts map[W]int) map[string]float64 {
	values := make(map[string]float64, len(counts))
	for word, n := range counts {
		values[string(word)] = float64(n)
	}
	return values
}

// Know sets what is known of all stacks. Only the hub that leads says so.
func (o *Own) Know(f stacks.Figures) {
	s := &o.stacks
	s.mu.Lock()
	defer s.mu.Unlock()
	o.Stacks(f.Counts)
	s.open.replace(map[string]float64{string(stacks.DeploymentQueued): float64(f.Open[stacks.DeploymentQueued]),
		string(stacks.DeploymentRunning): float64(f.Open[stacks.DeploymentRunning])})
	s.commands.set(float64(f.Unacknowledged))
	o.webhooks.know(f.DeliveredAt)
	o.looks.know(f.Repositories)
	all := 0
	for _, n := range f.Counts {
		all += n
	}
	s.leftOut.set(float64(max(0, all-len(f.Stacks))))
	if slices.Equal(s.told, f.Stacks) {
		return
	}
	s.told = f.Stacks
	s.render()
}

// Unknow ends what Know and KnowJobs said: another hub leads.
func (o *Own) Unknow() {
	o.jobs.unknow()
	s := &o.stacks
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told = nil
	for _, v := range []*vector{s.counts, s.open, s.commands, s.about, s.status, s.healthy, s.drifted, s.behind, s.deployed, s.leftOut, o.store.size, o.webhooks.last, o.looks.counts} {
		v.end()
	}
}

// render makes the text of all that has a series for each stack. The caller holds mu.
func (s *ownStacks) render() {
	one := func(stacks.Figure) (float64, bool) { return 1, true }
	s.each(s.about, one, func(f stacks.Figure) []Label {
		return []Label{{"worker_id", string(f.Worker)}, {"repository", f.Repository}}
	})
	s.each(s.status, one, func(f stacks.Figure) []Label { return []Label{{"status", string(f.Status)}} })
	s.each(s.healthy, func(f stacks.Figure) (float64, bool) { return truth(f.Healthy), f.Judged }, nil)
	s.each(s.drifted, func(f stacks.Figure) (float64, bool) { return truth(f.Drifted), true }, nil)
	s.each(s.behind, func(f stacks.Figure) (float64, bool) { return moment(f.OutOfSyncSince) }, nil)
	s.each(s.deployed, func(f stacks.Figure) (float64, bool) { return moment(f.DeployedAt) }, nil)
}

// each renders one family: its value for each stack that has one, and the labels beside the stack's own.
func (s *ownStacks) each(v *vector, value func(stacks.Figure) (float64, bool), more func(stacks.Figure) []Label) {
	render(v, s.told, value, func(f stacks.Figure) []Label {
		labels := []Label{{"stack", string(f.ID)}, {"name", f.Name}}
		if more != nil {
			labels = append(labels, more(f)...)
		}
		return labels
	})
}

// render makes the text of a family that has at most one series for each of all.
func render[F any](v *vector, all []F, value func(F) (float64, bool), labels func(F) []Label) {
	var text []byte
	lines := 0
	for _, f := range all {
		if n, has := value(f); has {
			text = appendSeries(text, v.name, labels(f), n)
			lines++
		}
	}
	v.put(text, lines)
}

func truth(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// moment is a time as metrics show it; none has no series.
func moment(t time.Time) (float64, bool) { return float64(t.UnixMilli()) / 1000, !t.IsZero() }
