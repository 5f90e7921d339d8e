package metrics

import (
	"slices"
	"sync"
	"time"

	"berth/core/jobs"
)

// ownJobs are the families about jobs. Those that have a series for each job are told by the hub that leads and rendered
// when something has changed; a job is called job_id in labels, as job is a label of whoever scrapes.
type ownJobs struct {
	fires, lateness, ended                                              *vector
	open, leftOut                                                       *vector
	about, next, success, expected, state, took, missed, broken, paused *vector

	mu   sync.Mutex
	told []jobs.Figure // guarded by mu; what the text was made of
}

func (j *ownJobs) declare(o *Own) {
	j.fires = o.declare(TypeCounter, "berth_job_fires_total", "Times of jobs' schedules that fired.", nil)
	j.lateness = o.declare(TypeHistogram, "berth_job_fire_lateness_seconds", "How long after its time a job fired; times that were missed and made up for are late by as much.", nil,
		0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3600)
	j.ended = o.declare(TypeCounter, "berth_job_runs_total", "Runs of jobs that ended, by how; those that were cancelled before they began are counted within a minute.", []string{"result"})
	j.open = o.declare(TypeGauge, "berth_job_runs_in_progress", "Runs of jobs that have not ended, by state.", []string{"state"})
	j.leftOut = o.declare(TypeGauge, "berth_jobs_without_series", "Jobs that have no series of their own, because there are too many.", nil)
	each := func(kind Type, name, help string, more ...string) *vector {
		return o.declare(kind, name, help, append([]string{"job_id", "name"}, more...))
	}
	j.about = each(TypeGauge, "berth_job_info", "Where a job comes from; always 1.", "repository")
	j.next = each(TypeGauge, "berth_job_next_due_timestamp_seconds", "Time when a job is due next; absent when it is not due by itself.")
	j.success = each(TypeGauge, "berth_job_last_success_timestamp_seconds", "Time when a run of a job last ended well.")
	j.expected = each(TypeGauge, "berth_job_success_expected_timestamp_seconds",
		"Time by which a run of a job should have ended well again: the second one since the last success or change, at its latest; absent for jobs on demand and paused ones.")
	j.state = each(TypeGauge, "berth_job_last_run_state", "1 for the state of the run of a job that ended last; cancelled ones, and those that were skipped because another was open, are passed over.", "state")
	j.took = each(TypeGauge, "berth_job_last_run_duration_seconds", "How long the run of a job took that ended last.")
	j.missed = each(TypeCounter, "berth_job_missed_total", "Times of a job's schedule that were given up, because they were too long ago.")
	j.broken = each(TypeGauge, "berth_job_broken", "1 while the newest commit of a job cannot be used, so that it does not run; else absent.")
	j.paused = each(TypeGauge, "berth_job_paused", "1 while a job is paused; else absent.")
}

// JobFired counts a time that fired, so long after it had come.
func (o *Own) JobFired(late time.Duration) {
	o.jobs.fires.add(1)
	o.jobs.lateness.observe(max(0, late).Seconds())
}

// RunEnded counts a run of a job that ended.
func (o *Own) RunEnded(state jobs.RunState) { o.jobs.ended.add(1, string(state)) }

// KnowJobs sets what is known of all jobs. Only the hub that leads says so.
func (o *Own) KnowJobs(f jobs.Figures) {
	j := &o.jobs
	j.mu.Lock()
	defer j.mu.Unlock()
	j.open.replace(map[string]float64{string(jobs.RunQueued): float64(f.Open[jobs.RunQueued]), string(jobs.RunRunning): float64(f.Open[jobs.RunRunning])})
	j.leftOut.set(float64(max(0, f.All-len(f.Jobs))))
	if slices.Equal(j.told, f.Jobs) {
		return
	}
	j.told = f.Jobs
	j.render()
}

// unknow ends what KnowJobs said.
func (j *ownJobs) unknow() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.told = nil
	for _, v := range []*vector{j.open, j.leftOut, j.about, j.next, j.success, j.expected, j.state, j.took, j.missed, j.broken, j.paused} {
		v.end()
	}
}

// render makes the text of all that has a series for each job. The caller holds mu.
func (j *ownJobs) render() {
	j.each(j.about, func(jobs.Figure) (float64, bool) { return 1, true }, func(f jobs.Figure) Label { return Label{"repository", f.Repository} })
	j.each(j.next, func(f jobs.Figure) (float64, bool) { return moment(f.NextAt) }, nil)
	j.each(j.success, func(f jobs.Figure) (float64, bool) { return moment(f.LastSuccessAt) }, nil)
	j.each(j.expected, func(f jobs.Figure) (float64, bool) { return moment(f.ExpectedAt) }, nil)
	j.each(j.state, func(f jobs.Figure) (float64, bool) { return 1, f.LastState != "" }, func(f jobs.Figure) Label { return Label{"state", string(f.LastState)} })
	j.each(j.took, func(f jobs.Figure) (float64, bool) { return f.LastSeconds, f.LastState != "" }, nil)
	j.each(j.missed, func(f jobs.Figure) (float64, bool) { return float64(f.Missed), true }, nil)
	j.each(j.broken, func(f jobs.Figure) (float64, bool) { return 1, f.Broken }, nil)
	j.each(j.paused, func(f jobs.Figure) (float64, bool) { return 1, f.Paused }, nil)
}

// each renders one family: its value for each job that has one, and a label beside the job's own.
func (j *ownJobs) each(v *vector, value func(jobs.Figure) (float64, bool), more func(jobs.Figure) Label) {
	render(v, j.told, value, func(f jobs.Figure) []Label {
		labels := []Label{{"job_id", string(f.Job)}, {"name", f.Name}}
		if more != nil {
			labels = append(labels, more(f))
		}
		return labels
	})
}
