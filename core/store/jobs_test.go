package store_test

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/jobs"
	"berth/core/variables"
)

func TestAJobIsAddedAndItsRepositoryLookedAt(t *testing.T) {
	y := openYard(t)
	id := y.addJob("backup")
	want := jobs.Job{ID: id, Name: "backup", Repository: "rep_1", Path: "backup", Configs: []jobs.ConfigFile{}, CreatedAt: y.at, UpdatedAt: y.at}
	if j := y.job(id); !reflect.DeepEqual(j, want) {
		t.Errorf("it is\n%+v, want\n%+v", j, want)
	}
	if n := y.count(t, `SELECT count(*) FROM repositories WHERE asked_at = ? AND asked_by = ?`, y.at.UnixMicro(), someone.Name); n != 1 {
		t.Error("nobody asks for a look at the repository")
	}
	if y.audits("job.create") != 1 {
		t.Error("it was not audited")
	}
	_, err := y.Job(t.Context(), "job_none")
	y.refused("no job", err, "job.not_found")
}

func TestJobsThatAreRefused(t *testing.T) {
	y := openYard(t)
	y.addJob("backup")
	rows := y.rows()
	for sentence, c := range map[string]struct {
		job  jobs.Job
		code string
	}{
		"of no repository":              {jobs.Job{Name: "new", Repository: "rep_none", Path: "new"}, "input.reference"},
		"with another's name":           {jobs.Job{Name: "backup", Repository: "rep_1", Path: "new"}, "job.name_taken"},
		"of another's folder":           {jobs.Job{Name: "new", Repository: "rep_1", Path: "backup"}, "job.path_taken"},
		"of another's folder, named so": {jobs.Job{Name: "backup", Repository: "rep_1", Path: "backup"}, "job.path_taken"},
	} {
		c.job.ID = "job_new"
		_, err := y.CreateJob(t.Context(), c.job, someone)
		y.refused(sentence, err, c.code)
		if fault.CodeOf(err) == "input.reference" && !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", sentence, err)
		}
	}
	if y.rows() != rows {
		t.Error("something is left")
	}
}

// TestOfTwoWhoAddTheSameAtOnce one has it, and the other is told what is the matter.
func TestOfTwoWhoAddTheSameAtOnce(t *testing.T) {
	for field, code := range map[string]string{"name": "job.name_taken", "path": "job.path_taken"} {
		y := openYard(t)
		answers := make(chan error, 8)
		for i := range cap(answers) {
			j := jobs.Job{ID: core.JobID(fmt.Sprint("job_", i)), Name: fmt.Sprint("name-", i), Path: fmt.Sprint("path-", i), Repository: "rep_1"}
			if field == "name" {
				j.Name = "same"
			} else {
				j.Path = "same"
			}
			go func() {
				_, err := y.CreateJob(t.Context(), j, someone)
				answers <- err
			}()
		}
		added := 0
		for range cap(answers) {
			if err := <-answers; err == nil {
				added++
			} else if fault.CodeOf(err) != code {
				t.Errorf("the same %s: %v", field, err)
			}
		}
		if n := y.count(t, `SELECT count(*) FROM jobs`); added != 1 || n != 1 {
			t.Errorf("the same %s: %d were added, %d are there", field, added, n)
		}
	}
}

func TestHowAJobIsEdited(t *testing.T) {
	yes, no, name, path := true, false, "nightly", "jobs/nightly"
	for sentence, c := range map[string]struct {
		change jobs.Change
		want   func(y *yard, was jobs.Job) jobs.Job
		audit  string
		asked  bool
	}{
		"its name": {jobs.Change{Name: &name}, func(_ *yard, j jobs.Job) jobs.Job { j.Name = name; return j }, "job.update", false},
		"its folder, of which nothing is known yet": {jobs.Change{Path: &path}, func(_ *yard, j jobs.Job) jobs.Job {
			return jobs.Job{ID: j.ID, Name: j.Name, Repository: j.Repository, Path: path, Configs: []jobs.ConfigFile{}, CreatedAt: j.CreatedAt}
		}, "job.update", true},
		"its folder, to the same":      {jobs.Change{Path: new("backup")}, func(_ *yard, j jobs.Job) jobs.Job { return j }, "job.update", false},
		"a pause":                      {jobs.Change{Paused: &yes}, func(_ *yard, j jobs.Job) jobs.Job { j.Paused, j.NextAt = true, time.Time{}; return j }, "job.pause", false},
		"no pause, and there was none": {jobs.Change{Paused: &no}, func(_ *yard, j jobs.Job) jobs.Job { return j }, "job.update", false},
	} {
		y := openYard(t)
		id := y.dueJob("backup")
		was := y.job(id)
		y.exec(t, `UPDATE repositories SET asked_at = 0`)
		y.tick()
		j, err := y.UpdateJob(t.Context(), id, c.change, someone)
		y.must(err)
		want := c.want(y, was)
		if want.UpdatedAt = y.at; !reflect.DeepEqual(j, want) || !reflect.DeepEqual(y.job(id), want) {
			t.Errorf("%s: it is\n%+v, want\n%+v", sentence, j, want)
		}
		if y.audits(c.audit) != 1 || y.count(t, `SELECT count(*) FROM repositories WHERE asked_at > 0`) != map[bool]int{true: 1}[c.asked] {
			t.Errorf("%s: it was not audited, or the repository is not looked at", sentence)
		}
	}
}

func TestEditsThatAreRefused(t *testing.T) {
	y := openYard(t)
	id, other := y.addJob("backup"), y.addJob("other")
	y.exec(t, `UPDATE jobs SET definition = '{}' WHERE id = ?`, other)
	rows := y.standsAt()
	for sentence, c := range map[string]struct {
		id     core.JobID
		change jobs.Change
		code   string
	}{
		"no job":           {"job_none", jobs.Change{}, "job.not_found"},
		"another's name":   {id, jobs.Change{Name: new("other")}, "job.name_taken"},
		"another's folder": {id, jobs.Change{Path: new("other")}, "job.path_taken"},
	} {
		_, err := y.UpdateJob(t.Context(), c.id, c.change, someone)
		y.refused(sentence, err, c.code)
	}
	if y.standsAt() != rows || y.job(id).Name != "backup" || y.job(id).Path != "backup" {
		t.Error("something was changed")
	}
}

// TestWhatWasDueInAPauseIsNotMadeUpFor when it ends.
func TestWhatWasDueInAPauseIsNotMadeUpFor(t *testing.T) {
	y := openYard(t)
	id := y.dueJob("backup")
	for _, paused := range []bool{true, false} {
		y.at = y.at.Add(90 * time.Minute)
		j, err := y.UpdateJob(t.Context(), id, jobs.Change{Paused: &paused}, someone)
		y.must(err)
		due, _, err := y.DueJobs(t.Context(), y.at, 10)
		if err != nil || len(due) != 0 {
			t.Errorf("there are due %+v, %v", due, err)
		}
		if !paused && !j.NextAt.Equal(y.at.Truncate(time.Hour).Add(time.Hour)) {
			t.Errorf("at %v it is due next at %v", y.at, j.NextAt)
		}
	}
	if y.audits("job.resume") != 1 {
		t.Error("it was not audited")
	}
}

func TestWhatGoesWithAJob(t *testing.T) {
	y := openYard(t)
	id, other := y.dueJob("backup"), y.dueJob("other")
	for _, id := range []core.JobID{id, other} {
		r := y.fired(id)
		y.must(y.SaveRunLog(t.Context(), nil, []jobs.LogPiece{{Run: r.ID, Number: 1, Text: "x"}}))
		y.endRun(r, jobs.RunSucceeded)
		y.variable(variables.Owner{Scope: variables.ScopeJob, ID: string(id)}, "A")
	}
	g := y.variable(variables.Global, "TZ").ID
	for _, id := range []core.JobID{id, other} {
		y.must(y.BindVariables(t.Context(), variables.Owner{Scope: variables.ScopeJob, ID: string(id)}, []core.VariableID{g}, someone))
	}
	y.exec(t, `UPDATE jobs SET definition = '[' WHERE id = ?`, id)
	y.must(y.DeleteJob(t.Context(), id, someone))
	if n := y.count(t, `SELECT count(*) FROM job_run_log`); n != 2 {
		t.Errorf("%d pieces of logs are left at once", n)
	}
	y.prune()
	for _, table := range []string{"jobs", "job_fires", "job_runs", "job_run_log", "variable_bindings", "variables WHERE scope = 'job'"} {
		if n := y.count(t, `SELECT count(*) FROM `+table); n != 1 {
			t.Errorf("%d rows are in %s", n, table)
		}
	}
	if n := y.count(t, `SELECT count(*) FROM job_logs_left`); n != 0 || y.audits("job.delete") != 1 {
		t.Errorf("%d logs are left, or it was not audited", n)
	}
	y.refused("again", y.DeleteJob(t.Context(), id, someone), "job.not_found")
}

func TestAJobWithAnOpenRunIsNotDeleted(t *testing.T) {
	for sentence, open := range map[string]func(*yard) jobs.Run{
		"it waits":        func(y *yard) jobs.Run { return y.waiting(y.dueJob("backup")) },
		"it was not sent": func(y *yard) jobs.Run { return y.fired(y.dueJob("backup")) },
		"it runs":         (*yard).runningRun,
	} {
		y := openYard(t)
		r := open(y)
		rows := y.rows()
		y.refused(sentence, y.DeleteJob(t.Context(), r.Job, someone), "job.running")
		if y.rows() != rows {
			t.Errorf("%s: something was deleted", sentence)
		}
		y.endRun(r, jobs.RunCancelled)
		y.must(y.DeleteJob(t.Context(), r.Job, someone))
	}
}

func TestVariablesOfAJob(t *testing.T) {
	y := openYard(t)
	id := y.addJob("backup")
	o, none := variables.Owner{Scope: variables.ScopeJob, ID: string(id)}, variables.Owner{Scope: variables.ScopeJob, ID: "job_none"}
	g := y.variable(variables.Global, "TZ").ID
	unused := y.variable(variables.Global, "UNUSED").ID
	y.must(y.BindVariables(t.Context(), o, []core.VariableID{g}, someone))
	y.must(y.BindVariables(t.Context(), variables.OfStack(y.add("web")), []core.VariableID{g}, someone))
	y.variable(o, "OWN")
	all, err := y.EffectiveVariables(t.Context(), o)
	y.must(err)
	var names []string
	for _, v := range all {
		names = append(names, v.Name)
	}
	if !slices.Equal(names, []string{"OWN", "TZ"}) {
		t.Errorf("it sees %v", names)
	}
	reach, err := y.VariableReach(t.Context())
	if want := map[core.VariableID]variables.Reach{g: {Stacks: 1, Jobs: 1}}; err != nil || !maps.Equal(reach, want) {
		t.Errorf("the reach is %v, %v; %s reaches nothing", reach, err, unused)
	}
	_, err = y.AddVariable(t.Context(), variables.Stored{Variable: variables.Variable{ID: "var_1", Owner: none, Name: "A"}}, access.AuditEvent{})
	y.refused("of no job", err, "input.reference")
	_, err = y.OwnVariables(t.Context(), none)
	y.refused("of no job, read", err, "input.reference")
	y.refused("of no job, imported", y.ImportVariables(t.Context(), none, func(map[string]variables.Stored) ([]variables.Stored, error) { return nil, nil }, someone), "input.reference")
	y.refused("of no job, bound", y.BindVariables(t.Context(), none, nil, someone), "input.reference")
}

func TestARepositoryThatJobsFollowIsNotDeleted(t *testing.T) {
	y := openYard(t)
	job := y.addJob("backup")
	refused := func(want string) {
		t.Helper()
		err := y.DeleteRepository(t.Context(), "rep_1", someone)
		if fault.CodeOf(err) != "repository.in_use" || !strings.Contains(fault.PublicOf(err), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	refused("is used by jobs: backup. Delete")
	stack := y.add("web")
	refused("is used by stacks: web; and by jobs: backup. Delete")
	y.must(y.DeleteJob(t.Context(), job, someone))
	refused("is used by stacks: web. Delete")
	_, err := y.DeleteStack(t.Context(), stack, false, false, someone)
	y.must(err)
	y.must(y.DeleteRepository(t.Context(), "rep_1", someone))
}

func TestWhatPollingFoundOfAJob(t *testing.T) {
	y := openYard(t)
	id := y.addJob("backup")
	soon := y.at.Add(time.Hour)
	see := func(s jobs.Sight) jobs.Job {
		t.Helper()
		s.Job = id
		y.tick()
		y.must(y.RecordSights(t.Context(), []jobs.Sight{{Job: "job_none"}, s}, func(j jobs.Job) time.Time {
			if !j.Ready() {
				return time.Time{}
			}
			return soon
		}))
		return y.job(id)
	}
	d := plain()
	d.Group = "nightly"
	j := see(jobs.Sight{Commit: "c1", Tree: "t1", Definition: d})
	if !j.Ready() || j.Commit != "c1" || j.SeenCommit != "c1" || j.SeenTree != "t1" || !reflect.DeepEqual(j.Definition, d) || !j.NextAt.Equal(soon) {
		t.Errorf("it is %+v", j)
	}
	broken := see(jobs.Sight{Commit: "c2", Tree: "t2", ErrorCode: "job.invalid", Error: "line 3"})
	if broken.Ready() || broken.Commit != "c1" || broken.SeenCommit != "c2" || broken.SeenTree != "t2" || broken.Error != "line 3" || !reflect.DeepEqual(broken.Definition, d) || !broken.NextAt.IsZero() {
		t.Errorf("what is broken is %+v", broken)
	}
	if again := see(jobs.Sight{Commit: "c2", Tree: "t2", ErrorCode: "job.invalid", Error: "line 3"}); !again.UpdatedAt.Equal(broken.UpdatedAt) {
		t.Error("what is no news was written")
	}
	d.Group, d.Image = "", "newer"
	j = see(jobs.Sight{Commit: "c3", Tree: "t3", Definition: d})
	if !j.Ready() || j.Commit != "c3" || j.Definition.Image != "newer" || j.Error != "" || j.ErrorCode != "" {
		t.Errorf("what is mended is %+v", j)
	}
	if groups, err := y.JobGroups(t.Context()); err != nil || len(groups) != 0 {
		t.Errorf("there are groups %v, %v", groups, err)
	}
	y.exec(t, `UPDATE jobs SET definition = '['`)
	y.must(y.RecordSights(t.Context(), []jobs.Sight{{Job: id, Commit: "c4", ErrorCode: "job.invalid"}}, func(jobs.Job) time.Time { return soon }))
	_, err := y.Job(t.Context(), id)
	y.refused("one that cannot be read", err, "store.unreadable")
	if j = see(jobs.Sight{Commit: "c3", Tree: "t3", Definition: d}); !j.Ready() {
		t.Errorf("a readable commit did not mend the row: %+v", j)
	}
}

func TestWhichJobsAreDue(t *testing.T) {
	y := openYard(t)
	due := func(limit int) (names []string, next time.Time, err error) {
		all, next, err := y.DueJobs(t.Context(), y.at, limit)
		for _, j := range all {
			names = append(names, j.Name)
		}
		return names, next, err
	}
	if names, next, err := due(10); len(names) != 0 || !next.IsZero() || err != nil {
		t.Errorf("nothing is due: %v, %v, %v", names, next, err)
	}
	at := map[string]time.Duration{"first": -3 * time.Hour, "bad": -3*time.Hour + 1000, "second": -2 * time.Hour, "now": 0, "soon": 1000, "later": time.Hour, "never": 0, "paused": -time.Hour}
	ids := map[string]core.JobID{}
	for _, name := range slices.Sorted(maps.Keys(at)) {
		ids[name] = y.addJob(name)
	}
	for name, id := range ids {
		y.exec(t, `UPDATE jobs SET next_at = ?, paused = ? WHERE id = ?`, y.at.Add(at[name]).UnixMicro(), map[bool]int{true: 1}[name == "paused"], id)
	}
	y.exec(t, `UPDATE jobs SET next_at = 0 WHERE name = 'never'`)
	for limit, want := range map[int]struct {
		names []string
		next  time.Duration
	}{10: {[]string{"first", "bad", "second", "now"}, 1000}, 2: {[]string{"first", "bad"}, -2 * time.Hour}} {
		names, next, err := due(limit)
		if err != nil || !slices.Equal(names, want.names) || !next.Equal(y.at.Add(want.next)) {
			t.Errorf("of %d there are due %v, the next %v, %v; it is %v", limit, names, next, err, y.at)
		}
	}
	y.exec(t, `UPDATE jobs SET definition = '[' WHERE name = 'bad'`)
	names, next, err := due(2)
	if !slices.Equal(names, []string{"first", "second"}) || !next.Equal(y.at) || fault.CodeOf(err) != "store.unreadable" || !strings.Contains(err.Error(), string(ids["bad"])) {
		t.Errorf("beside one that cannot be read there are due %v, the next %v, %v", names, next, err)
	}
}

// TestJobsStandInRowsAsInTheirType for every mix of what it depends on.
func TestJobsStandInRowsAsInTheirType(t *testing.T) {
	y := openYard(t)
	id := y.addJob("backup")
	want := map[jobs.Standing]int{}
	for n := range 2 * 2 * 2 * 3 * 8 {
		state := []jobs.RunState{"", jobs.RunSucceeded, jobs.RunFailed, jobs.RunLost, jobs.RunSkipped, jobs.RunCancelled, jobs.RunQueued, jobs.RunRunning}[n%8]
		code, commit, paused, missed := []string{"", "job.invalid"}[n/8%2], []string{"", "c"}[n/16%2], n/32%2, n/64%3*5
		y.exec(t, `UPDATE jobs SET last_state = ?, error_code = ?, commit_hash = ?, paused = ?, missed_at = ?, last_success_at = 5 WHERE id = ?`, string(state), code, commit, paused, missed, id)
		j := y.job(id)
		list, err := y.Jobs(t.Context(), jobs.Filter{Standing: j.Standing()}, core.Page{Limit: 1})
		if err != nil || len(list.Items) != 1 {
			t.Errorf("it is not found as %s: %+v, %v", j.Standing(), j, err)
		}
		counts, err := y.JobCounts(t.Context())
		if err != nil || !maps.Equal(counts, map[jobs.Standing]int{j.Standing(): 1}) {
			t.Errorf("counted are %v, %v: %+v", counts, err, j)
		}
		want[j.Standing()]++
	}
	if len(want) != len(jobs.Standings) {
		t.Errorf("only these were tried: %v", want)
	}
}

func TestJobsAreFound(t *testing.T) {
	y := openYard(t)
	y.exec(t, `INSERT INTO repositories (id, name, url, branch, head, fetched_at, error_code, error, asked_at, asked_by, created_at, updated_at) VALUES ('rep_2', 'other', '', '', '', 0, '', '', 0, '', 0, 0)`)
	for _, name := range []string{"web-b", "api-a", "web-a"} {
		y.dueJob(name)
	}
	y.exec(t, `UPDATE jobs SET repository_id = 'rep_2', group_name = 'nightly' WHERE name = 'api-a'`)
	y.exec(t, `UPDATE jobs SET group_name = 'ähm' WHERE name = 'web-a'`)
	for sentence, c := range map[string]struct {
		f    jobs.Filter
		want []string
	}{
		"all by name":      {jobs.Filter{}, []string{"api-a", "web-a", "web-b"}},
		"of a repository":  {jobs.Filter{Repository: "rep_1"}, []string{"web-a", "web-b"}},
		"in a group":       {jobs.Filter{Group: "nightly"}, []string{"api-a"}},
		"by a part":        {jobs.Filter{Search: "b-"}, []string{"web-a", "web-b"}},
		"by more than one": {jobs.Filter{Search: "-a", Repository: "rep_2", Standing: jobs.StandingNew}, []string{"api-a"}},
		"none":             {jobs.Filter{Search: "%"}, nil},
	} {
		list, err := y.Jobs(t.Context(), c.f, core.Page{Limit: 10})
		y.must(err)
		var names []string
		for _, j := range list.Items {
			names = append(names, j.Name)
		}
		if !slices.Equal(names, c.want) {
			t.Errorf("%s: %v, want %v", sentence, names, c.want)
		}
	}
	if groups, err := y.JobGroups(t.Context()); err != nil || !slices.Equal(groups, []string{"nightly", "ähm"}) {
		t.Errorf("there are groups %v, %v", groups, err)
	}
	y.exec(t, `UPDATE jobs SET configs = '{' WHERE name = 'web-a'`)
	list, err := y.Jobs(t.Context(), jobs.Filter{}, core.Page{Limit: 10})
	if err != nil || len(list.Items) != 2 || !slices.Equal(list.LeftOut, []string{"web-a"}) {
		t.Errorf("beside one that cannot be read: %+v, %v", list, err)
	}
	all, err := y.JobsOfRepository(t.Context(), "rep_1")
	if len(all) != 1 || all[0].Name != "web-b" || fault.CodeOf(err) != "store.unreadable" {
		t.Errorf("of the repository: %+v, %v", all, err)
	}
}

func TestTheFilesThatJobsAndOpenRunsName(t *testing.T) {
	y := openYard(t)
	kept := func() (all []string, err error) {
		err = y.JobContent(t.Context(), func(f jobs.ConfigFile) { all = append(all, f.Content.Digest) })
		slices.Sort(all)
		return all, err
	}
	if all, err := kept(); err != nil || len(all) != 0 {
		t.Errorf("there are none: %v, %v", all, err)
	}
	id := y.dueJob("backup") // names d1
	r := y.waiting(id)
	newer := func(digest string) {
		y.tick()
		y.must(y.RecordSights(t.Context(), []jobs.Sight{{Job: id, Commit: core.Commit(digest), Tree: digest, Definition: plain(), Configs: []jobs.ConfigFile{{Content: core.Content{Digest: digest}}}}}, jobNever))
	}
	newer("d2")
	over := y.waiting(id)
	newer("d3")
	y.endRun(over, jobs.RunSucceeded)
	if all, err := kept(); err != nil || !slices.Equal(all, []string{"d1", "d3"}) {
		t.Errorf("they name %v, %v", all, err)
	}
	y.exec(t, `UPDATE job_runs SET configs = '{' WHERE id = ?`, r.ID)
	if all, err := kept(); fault.CodeOf(err) != "store.unreadable" || !strings.Contains(err.Error(), string(r.ID)) || !slices.Equal(all, []string{"d3"}) {
		t.Errorf("beside a run that cannot be read they name %v, %v", all, err)
	}
	y.exec(t, `UPDATE jobs SET configs = '{'`)
	if _, err := kept(); !strings.Contains(errors.Join(err).Error(), "job "+string(id)) {
		t.Errorf("beside a job that cannot be read: %v", err)
	}
}

func jobNever(jobs.Job) time.Time { return time.Time{} }

func TestTheFilesOfManyJobs(t *testing.T) {
	y := openYard(t)
	y.exec(t, manyJobRows, 2500)
	n := 0
	y.must(y.JobContent(t.Context(), func(jobs.ConfigFile) { n++ }))
	if n != 2500 {
		t.Errorf("%d files are named", n)
	}
	f, err := y.JobFigures(t.Context())
	if err != nil || len(f.Jobs) != 2500 || f.Jobs[0].Name != "job-000001" || f.Jobs[0].Repository != "demo" || len(f.Open) != 0 {
		t.Errorf("there are %d figures, %v", len(f.Jobs), err)
	}
}

// manyJobRows makes jobs that are due at the second of their number.
const manyJobRows = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
	INSERT INTO jobs (id, name, repository_id, path, group_name, paused, commit_hash, definition, configs, seen_commit, seen_tree, error_code, error, next_at, fired_at, last_success_at, last_state, last_took,
	missed, missed_at, created_at, updated_at) SELECT printf('job_%06d', i), printf('job-%06d', i), 'rep_1', printf('path-%06d', i), '', 0, 'c1', '{}', '[{"target":"/a"}]', 'c1', 't1', '', '',
	i, 0, 0, '', 0, 0, 0, 0, 0 FROM n`

func TestFiguresOfJobs(t *testing.T) {
	y := openYard(t)
	r := y.runningRun()
	y.waiting(r.Job)
	y.exec(t, `UPDATE jobs SET paused = 1, error_code = 'job.invalid', missed = 4, last_success_at = 7000000, last_state = 'lost', last_took = 1500000`)
	f, err := y.JobFigures(t.Context())
	y.must(err)
	want := jobs.Figures{Jobs: []jobs.Figure{{Job: r.Job, Name: "backup", Repository: "demo", Paused: true, Broken: true, NextAt: y.job(r.Job).NextAt, LastSuccessAt: time.Unix(7, 0).UTC(),
		LastState: jobs.RunLost, LastSeconds: 1.5, Missed: 4}}, All: 1, Open: map[jobs.RunState]int{jobs.RunQueued: 1, jobs.RunRunning: 1}, Withdrawn: []jobs.Withdrawal{}}
	if !reflect.DeepEqual(f, want) {
		t.Errorf("they are\n%+v, want\n%+v", f, want)
	}
	for sentence, c := range map[string]struct {
		change string
		want   time.Time
	}{
		"an hourly job that was changed after it ended well": {`UPDATE jobs SET paused = 0, last_success_at = 1, updated_at = 1767225660000000`, time.Date(2026, 1, 1, 3, 1, 0, 0, time.UTC)},
		"one that ended well after it was changed":           {`UPDATE jobs SET last_success_at = 1767229200000000`, time.Date(2026, 1, 1, 4, 1, 0, 0, time.UTC)},
		"one that cannot be read":                            {`UPDATE jobs SET definition = '['`, time.Time{}},
		"one on demand":                                      {`UPDATE jobs SET definition = '{}'`, time.Time{}},
	} {
		y := openYard(t)
		y.runningRun()
		y.exec(t, `UPDATE jobs SET paused = 0, last_success_at = 1, updated_at = 1767225660000000`)
		y.exec(t, c.change)
		if f, err := y.JobFigures(t.Context()); err != nil || len(f.Jobs) != 1 || !f.Jobs[0].ExpectedAt.Equal(c.want) {
			t.Errorf("%s is expected to end well by %+v, %v; want %s", sentence, f.Jobs, err, c.want)
		}
	}
}
