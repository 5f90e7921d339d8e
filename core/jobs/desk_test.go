package jobs_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/jobs"
	"berth/core/repositories"
	"berth/core/seal"
	"berth/core/store"
	"berth/hub/adapter/sqlite"
)

var (
	ada   = access.Principal{Kind: access.KindUser, ID: "usr_1", Name: "ada@example.org", Role: access.RoleOperator}
	robot = access.Principal{Kind: access.KindServiceAccount, ID: "sva_1", Name: "ci", Role: access.RoleOperator}
)

// desk is the use cases on a real store, with what they touch beside it.
type desk struct {
	*jobs.Desk
	dir    string
	store  *store.Store
	ring   *seal.Ring
	at     time.Time
	nudges int
}

func (d *desk) Nudge() { d.nudges++ }

// now moves on with every look, so that identifiers sort by age.
func (d *desk) now() time.Time {
	d.at = d.at.Add(time.Millisecond)
	return d.at
}

// open makes an empty store with one repository.
func open(t testing.TB) *desk {
	t.Helper()
	d := &desk{dir: t.TempDir(), at: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	db, err := sqlite.Open(t.Context(), d.dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if err := db.Migrate(t.Context(), d.at); err != nil {
		t.Fatal(err)
	}
	if d.ring, err = seal.NewRing(rand.Reader); err != nil {
		t.Fatal(err)
	}
	d.store = store.New(db, d.now)
	d.Desk = jobs.NewDesk(d.store, d.ring, d, d.now)
	if _, err := d.store.AddRepository(t.Context(), repositories.Repository{ID: "rep_1", Name: "demo", URL: "http://h/a"}, ada.Audit("repository.create", "rep_1", "")); err != nil {
		t.Fatal(err)
	}
	return d
}

// add adds a job that follows the folder of its name.
func (d *desk) add(t testing.TB, name string) jobs.Job {
	t.Helper()
	j, err := d.Create(t.Context(), jobs.Draft{Name: name, Repository: "rep_1", Path: name}, ada)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// read has a definition be what the newest commit says.
func (d *desk) read(t testing.TB, id core.JobID, definition jobs.Definition) jobs.Job {
	t.Helper()
	now := d.now()
	err := d.store.RecordSights(t.Context(), []jobs.Sight{{Job: id, Commit: "c1", Tree: "t1", Definition: definition}}, func(j jobs.Job) time.Time { return j.Due(now) })
	if err != nil {
		t.Fatal(err)
	}
	j, err := d.store.Job(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// nightly is what a job.yaml says that is due each night.
func nightly() jobs.Definition {
	return jobs.Definition{Name: "backup", Cron: "15 3 * * *", Timezone: "UTC", Mode: jobs.ModeOnce, Overlap: jobs.OverlapSkip, Image: "alpine:3.20", StartDeadline: time.Hour,
		Resources: jobs.Resources{CPU: 1, Memory: 64 << 20, Timeout: time.Minute}}
}

func TestAJobIsAddedEditedAndDeleted(t *testing.T) {
	d := open(t)
	j, err := d.Create(t.Context(), jobs.Draft{Name: "backup", Repository: "rep_1", Path: "./jobs/backup/"}, ada)
	if err != nil || !core.ValidID(core.PrefixJob, string(j.ID)) || j.Name != "backup" || j.Path != "jobs/backup" || j.Repository != "rep_1" || d.nudges != 1 {
		t.Fatalf("%+v, %v, %d nudges", j, err, d.nudges)
	}
	name, paused, path := "dump", true, "/jobs/dump/"
	if j, err = d.Update(t.Context(), j.ID, jobs.Change{Name: &name, Paused: &paused, Path: &path}, ada); err != nil || j.Name != "dump" || !j.Paused || j.Path != "jobs/dump" || d.nudges != 2 {
		t.Errorf("%+v, %v, %d nudges", j, err, d.nudges)
	}
	if path != "/jobs/dump/" {
		t.Error("the caller's own text was changed")
	}
	if _, err = d.Beside(lacking{}).Update(t.Context(), j.ID, jobs.Change{Path: &path}, ada); err != nil || d.nudges != 3 {
		t.Errorf("it may not stay where it is: %v, %d nudges", err, d.nudges)
	}
	if err := d.Delete(t.Context(), j.ID, ada); err != nil || d.nudges != 4 {
		t.Errorf("%v, %d nudges", err, d.nudges)
	}
	if _, err := d.store.Job(t.Context(), j.ID); fault.CodeOf(err) != "job.not_found" {
		t.Errorf("it is still there: %v", err)
	}
}

func TestBadInputOfJobsTouchesNothing(t *testing.T) {
	bad, path, long := "Not A Name", "../..", strings.Repeat("x", 64<<10+1)
	many := map[string]string{}
	for i := range 101 {
		many["A"+strings.Repeat("B", i)] = ""
	}
	for sentence, c := range map[string]struct {
		run         func(*desk) error
		code, paths string
	}{
		"a draft of nothing": {func(d *desk) error { _, err := d.Create(t.Context(), jobs.Draft{}, ada); return err }, "job.invalid", "name repository_id"},
		"a draft that is all wrong": {func(d *desk) error {
			_, err := d.Create(t.Context(), jobs.Draft{Name: bad, Path: path}, ada)
			return err
		}, "job.invalid", "path name repository_id"},
		"a folder that is not there": {func(d *desk) error {
			_, err := d.Beside(lacking{}).Create(t.Context(), jobs.Draft{Name: "backup", Repository: "rep_1", Path: "backup"}, ada)
			return err
		}, "job.invalid", "path"},
		"an edit that is all wrong": {func(d *desk) error {
			_, err := d.Update(t.Context(), "job_1", jobs.Change{Name: &bad, Path: &path}, ada)
			return err
		}, "job.invalid", "name path"},
		"a move to a folder that is not there": {func(d *desk) error {
			j, to := d.add(t, "backup"), "dump"
			d.nudges = 0
			_, err := d.Beside(lacking{}).Update(t.Context(), j.ID, jobs.Change{Path: &to}, ada)
			return err
		}, "job.invalid", "path"},
		"a move of a job that is not": {func(d *desk) error {
			to := "dump"
			_, err := d.Beside(lacking{}).Update(t.Context(), "job_1", jobs.Change{Path: &to}, ada)
			return err
		}, "job.not_found", ""},
		"variables that cannot be": {func(d *desk) error {
			_, err := d.RunNow(t.Context(), "job_1", map[string]string{"1A": "hunter2", "B": "hunter2\x00", "C": "hunter2" + long, "D": "fine", "E": "\xff"}, ada)
			return err
		}, "run.invalid", `variables."1A" variables.B variables.C variables.E`},
		"too many variables": {func(d *desk) error { _, err := d.RunNow(t.Context(), "job_1", many, ada); return err }, "run.invalid", "variables"},
		"a repository that is not": {func(d *desk) error {
			_, err := d.Create(t.Context(), jobs.Draft{Name: "a", Repository: "rep_2"}, ada)
			return err
		}, "input.reference", "repository_id"},
		"a job that is not": {func(d *desk) error { _, err := d.RunNow(t.Context(), "job_1", nil, ada); return err }, "job.not_found", ""},
		"a run that is not": {func(d *desk) error { _, err := d.Cancel(t.Context(), "run_1", ada); return err }, "run.not_found", ""},
		"nothing to delete": {func(d *desk) error { return d.Delete(t.Context(), "job_1", ada) }, "job.not_found", ""},
		"a job that was not read": {func(d *desk) error {
			j := d.add(t, "backup")
			d.nudges = 0
			_, err := d.RunNow(t.Context(), j.ID, nil, ada)
			return err
		}, "job.not_ready", ""},
	} {
		t.Run(sentence, func(t *testing.T) {
			d := open(t)
			err := c.run(d)
			var f *fault.Error
			if !errors.As(err, &f) || f.Code != c.code || d.nudges != 0 || strings.Contains(err.Error(), "hunter2") {
				t.Fatalf("got %v and %d nudges", err, d.nudges)
			}
			var paths []string
			for _, field := range f.Fields {
				paths = append(paths, field.Path)
			}
			if got := strings.Join(paths, " "); got != c.paths {
				t.Errorf("complaints are about %s, want %s", got, c.paths)
			}
			runs, err := d.store.Runs(t.Context(), jobs.RunFilter{}, core.Page{Limit: 10})
			if err != nil || len(runs.Items) != 0 {
				t.Errorf("runs are stored: %+v, %v", runs.Items, err)
			}
		})
	}
}

// lacking says of every folder that the head lacks it.
type lacking struct{}

func (lacking) Lacks(context.Context, core.RepositoryID, string) core.Commit {
	return "c0ffee1234567890c0ffee1234567890c0ffee12"
}

func TestRunNow(t *testing.T) {
	d := open(t)
	j := d.read(t, d.add(t, "backup").ID, nightly())
	d.nudges = 0
	given := map[string]string{"TARGET": "hunter2", "EMPTY": ""}
	r, err := d.RunNow(t.Context(), j.ID, given, robot)
	if err != nil || d.nudges != 1 {
		t.Fatalf("%v, %d nudges", err, d.nudges)
	}
	if r.State != jobs.RunQueued || r.Trigger != jobs.TriggerAPI || r.Actor != "ci" || r.Fire != r.ID || r.Attempt != 1 || r.Commit != "c1" || !reflect.DeepEqual(r.Definition, nightly()) ||
		!reflect.DeepEqual(r.Overrides, []string{"EMPTY", "TARGET"}) || r.ScheduledAt.IsZero() {
		t.Errorf("the run is %+v", r)
	}
	sealed, err := d.store.RunOverrides(t.Context(), r.ID)
	if err != nil || bytes.Contains(sealed, []byte("hunter2")) {
		t.Fatalf("stored in the clear: %q, %v", sealed, err)
	}
	opened, err := d.ring.Open(jobs.OverridesPlace(r.Fire), sealed)
	var values map[string]string
	if err != nil || json.Unmarshal(opened, &values) != nil || !reflect.DeepEqual(values, given) {
		t.Errorf("what was given is %s, %v", opened, err)
	}
	if _, err := d.ring.Open(jobs.OverridesPlace("run_2"), sealed); err == nil {
		t.Error("it opens for another run")
	}
	plain, err := d.RunNow(t.Context(), j.ID, nil, ada)
	if err != nil || plain.Trigger != jobs.TriggerManual || plain.Actor != ada.Name || len(plain.Overrides) != 0 {
		t.Errorf("without variables: %+v, %v", plain, err)
	}
	if sealed, err := d.store.RunOverrides(t.Context(), plain.ID); err != nil || len(sealed) != 0 {
		t.Errorf("something is sealed for it: %v, %v", sealed, err)
	}
	if text := strings.Join(audited(t, d), "\n"); strings.Contains(text, "hunter2") || !strings.Contains(text, "job.run "+string(j.ID)) {
		t.Errorf("audit says\n%s", text)
	}
}

// audited returns what audit says of jobs and runs.
func audited(t *testing.T, d *desk) (lines []string) {
	t.Helper()
	raw, err := sql.Open("sqlite", filepath.Join(d.dir, sqlite.File))
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	rows, err := raw.QueryContext(t.Context(), `SELECT action || ' ' || resource || ' ' || detail FROM audit_events`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	return lines
}

func TestCancel(t *testing.T) {
	d := open(t)
	j := d.read(t, d.add(t, "backup").ID, nightly())
	r, err := d.RunNow(t.Context(), j.ID, nil, ada)
	if err != nil {
		t.Fatal(err)
	}
	d.nudges = 0
	if r, err = d.Cancel(t.Context(), r.ID, robot); err != nil || r.State != jobs.RunCancelled || r.CancelledBy != "ci" || d.nudges != 1 {
		t.Errorf("%+v, %v, %d nudges", r, err, d.nudges)
	}
	if _, err := d.Cancel(t.Context(), r.ID, robot); fault.CodeOf(err) != "run.ended" || d.nudges != 1 {
		t.Errorf("cancelled again: %v, %d nudges", err, d.nudges)
	}
}
