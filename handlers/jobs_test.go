package handlers_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"berth/core/access"
	"berth/core/jobs"
)

// withJobs is an operator, and players whose jobs were read and ran.
func withJobs(t *testing.T) (*players, string) {
	t.Helper()
	p, session, _ := operator(t)
	p.playJobs()
	p.playRuns()
	return p, session
}

func TestAJobIsNamedByItsFolder(t *testing.T) {
	p, _, _ := operator(t)
	for path, want := range map[string]string{"": "shop", "jobs/Back Up": "back-up"} {
		if job := p.play(201, "POST", jobsPath, fmt.Sprintf(`{"repository_id":"{repository}","path":%q}`, path)); job["name"] != want {
			t.Errorf("the job of %q is called %v, want %s", path, job["name"], want)
		}
	}
	refused := p.play(422, "POST", jobsPath, `{"repository_id":"rep_none"}`)
	if fields := fmt.Sprint(refused["fields"]); !strings.Contains(fields, "repository_id") || strings.Contains(fields, "path:name") {
		t.Errorf("without a repository it complains about %s", fields)
	}
}

func TestWhatWasGivenForOneRunIsNeverTold(t *testing.T) {
	p, session := withJobs(t)
	const canary = "hunter2-canary"
	run := p.play(202, "POST", jobsPath+"/{job}/run", `{"variables":{"TOKEN":"`+canary+`","A":"1"}}`)
	if got := fmt.Sprint(run["overrides"]); got != "[A TOKEN]" {
		t.Errorf("the run names %s", got)
	}
	id := run["id"].(string)
	for _, path := range []string{"/api/custom/job-runs/" + id, jobsPath + "/{job}/runs", jobsPath + "/{job}"} {
		if w := p.answer("GET", p.fill(path), ""); strings.Contains(w.Body.String(), canary) {
			t.Errorf("%s tells the value", path)
		}
	}
	says(t, p.s.browse(session, "/job-runs/"+id), 200, "Variables given for it", "TOKEN")
	w := p.s.submit(session, p.fill("/jobs/{job}/run"), url.Values{"text": {"A=" + canary + "\nTOKEN='" + canary}})
	says(t, w, 422, "Line 2")
	if strings.Contains(w.Body.String(), canary) || strings.Contains(p.s.browse(session, "/job-runs/"+id).Body.String(), canary) {
		t.Error("a page tells the value")
	}
	if n := p.s.count(`SELECT count(*) FROM job_runs WHERE overrides LIKE ?`, "%"+canary+"%"); n != 0 {
		t.Error("a row holds the value in clear")
	}
}

func TestWhatIsAJobAlreadyIsNotOfferedAgain(t *testing.T) {
	p, session := withJobs(t)
	p.s.exec(`UPDATE jobs SET path = '' WHERE id = ?`, p.named["job"])
	w := p.s.browse(session, p.fill("/jobs/new?repository={repository}"))
	says(t, w, 200, "added as", p.fill(`href="/jobs/{job}"`), "All of its folders are added already.")
	silent(t, w.Body.String(), p.fill(`href="/jobs/new?path=&amp;repository={repository}"`))
	says(t, p.s.browse(session, p.fill("/stacks/new?repository={repository}")), 200, "added as", p.fill(`href="/stacks/{stack}"`))
}

func TestAStacksPageTellsItsJobs(t *testing.T) {
	p, session := withJobs(t)
	p.s.exec(`UPDATE stacks SET path = 'apps/shop' WHERE id = ?`, p.named["stack"])
	stack, job := p.fill("/stacks/{stack}"), p.fill("/jobs/{job}")
	for path, there := range map[string]bool{"apps/shop": true, "apps/shop/jobs/night": true, "apps/shopping": false, "apps": false} {
		p.s.exec(`UPDATE jobs SET path = ? WHERE id = ?`, path, p.named["job"])
		if got := strings.Contains(p.s.browse(session, stack).Body.String(), `href="`+job+`"`); got != there {
			t.Errorf("the stack's page has a job of %s: %t, want %t", path, got, there)
		}
		if got := strings.Contains(p.s.browse(session, "/jobs?folder=apps/shop").Body.String(), `href="`+job+`"`); got != there {
			t.Errorf("the list below apps/shop has a job of %s: %t, want %t", path, got, there)
		}
		items, _ := p.play(200, "GET", jobsPath+"?folder=apps/shop/&repository_id={repository}", "")["items"].([]any)
		if got := strings.Contains(fmt.Sprint(items), p.named["job"]); got != there {
			t.Errorf("the API's list below apps/shop has a job of %s: %t, want %t", path, got, there)
		}
	}
	p.s.exec(`UPDATE jobs SET path = 'apps/shop' WHERE id = ?`, p.named["job"])
	says(t, p.s.browse(session, stack), 200, "A deployment does not wait for those of them that run")
}

func TestWorkersOfOneHostnameAreToldApart(t *testing.T) {
	p, session := withJobs(t)
	id := p.named["worker"]
	mark := "(" + id[len(id)-6:] + ")"
	silent(t, p.s.browse(session, "/workers").Body.String(), mark)
	p.s.exec(`UPDATE workers SET hostname = 'edge'`)
	for _, path := range []string{"/workers", p.fill("/stacks/new?repository={repository}")} {
		says(t, p.s.browse(session, path), 200, "edge "+mark)
	}
}

func TestNullIsNoTextForARun(t *testing.T) {
	p, _ := withJobs(t)
	before := p.s.count(`SELECT count(*) FROM job_runs`)
	w := p.answer("POST", p.fill(jobsPath+"/{job}/run"), `{"variables":{"A":null,"B":"2"}}`)
	if w.Code != 400 || !strings.Contains(w.Body.String(), "request.wrong_type") || !strings.Contains(w.Body.String(), "variables.A: must be a string, not null") {
		t.Errorf("answered with %d %s", w.Code, w.Body)
	}
	if n := p.s.count(`SELECT count(*) FROM job_runs`); n != before {
		t.Errorf("%d runs were queued", n-before)
	}
}

func TestAPageOfAFilterThatIsNoneSaysWhichThereAre(t *testing.T) {
	p, session := withJobs(t)
	says(t, p.s.browse(session, "/jobs?standing=faling"), 422, "must be one of broken, failing, missed")
	says(t, p.s.browse(session, "/stacks?status=actve"), 422, "must be one of error, degraded")
	says(t, p.s.browse(session, "/jobs?standing="), 200)
}

func TestAJobWithoutScript(t *testing.T) {
	p, session := withJobs(t)
	p.s.exec(`DELETE FROM jobs`)
	says(t, p.s.browse(session, p.fill("/repositories/{repository}")), 200, "What can run as a job", p.fill("/jobs/new?path=&amp;repository={repository}"))
	leadsTo(t, p.s.browse(session, p.fill("/jobs/new?repository={repository}")), p.fill("/jobs/new?path=&repository={repository}"))
	says(t, p.s.browse(session, p.fill("/jobs/new?path=&repository={repository}")), 200, `value="shop"`, "job.yaml")
	made := p.s.submit(session, "/jobs", url.Values{"repository_id": {p.named["repository"]}, "path": {""}, "name": {"nightly"}})
	job, _, _ := strings.Cut(made.Header().Get("Location"), "?")
	says(t, p.s.browse(session, job), 200, "Its job.yaml was not read yet.", "It was not read yet.")
	id := strings.TrimPrefix(job, "/jobs/")

	p.s.readJob(id, jobs.Definition{}, "line 7: resources.timeout is required")
	says(t, p.s.browse(session, job), 200, "Its job.yaml cannot be used, so it has none.")

	p.s.readJob(id, nightly(), "")
	says(t, p.s.browse(session, job), 200, "It has not run yet.", "at 03:15", "Europe/Zurich", "data-clock", "busybox:1", "0.5 CPU, 64 MiB, 1 min", "tried again up to 2 times, first after 10 s", "Run now")
	says(t, p.s.browse(session, "/jobs?standing=new"), 200, "nightly", "at 03:15")
	says(t, p.s.browse(session, "/jobs?group=other"), 200, "No job fits.")
	run := p.s.submit(session, job+"/run", nil).Header().Get("Location")
	says(t, p.s.browse(session, run), 200, "Queued", "It waits for a worker that is online and has all the job&#39;s tags.", "By hand")

	begun := p.s.begin(strings.TrimPrefix(run, "/job-runs/"), p.named["worker"])
	says(t, p.s.browse(session, run), 200, "Running", "begun", "still going on", "Stop it")
	says(t, p.s.submit(session, job+"/delete", nil), 409, "is not over")
	p.s.end(begun, jobs.RunFailed, 3, "run.exit", "the container ended with exit code 3")
	says(t, p.s.browse(session, run), 200, "Failed", "The container ended with exit code 3.", "complete", "Run it again")
	says(t, p.s.browse(session, "/"), 200, "The last run failed.", run)
	says(t, p.s.browse(session, job), 200, "Failing", run, "exit code 3", `aria-label="The only run so far: failed.`)

	waiting := p.s.submit(session, job+"/run", nil).Header().Get("Location")
	leadsTo(t, p.s.submit(session, waiting+"/cancel", nil), waiting+"?said=run-cancelled")
	says(t, p.s.browse(session, waiting), 200, "Cancelled", "It was cancelled before it began. Nothing ran.")

	p.s.readJob(id, jobs.Definition{}, "line 7: resources.timeout is required")
	says(t, p.s.browse(session, job), 200, "Broken", "Line 7: resources.timeout is required.", "What follows is what the job was before.", "It does not run by itself now.")
	says(t, p.s.browse(session, "/"), 200, "Its newest commit cannot be used. Line 7")
	says(t, p.s.submit(session, job+"/run", nil), 409, "cannot run")

	leadsTo(t, p.s.submit(session, job+"/pause", nil), job+"?said=job-paused")
	says(t, p.s.browse(session, job), 200, "The job is paused", "Resume")
	leadsTo(t, p.s.submit(session, job+"/resume", nil), job+"?said=job-resumed")
	leadsTo(t, p.s.submit(session, job+"/delete", nil), "/jobs?said=job-gone")
	says(t, p.s.browse(session, job), 404)
}

func TestAJobsPagesOfferAViewerNothing(t *testing.T) {
	p, _ := withJobs(t)
	viewer := p.s.session(p.s.user(access.RoleViewer))
	for _, path := range []string{"/jobs", "/jobs/{job}", "/jobs/{job}/variables", "/job-runs", "/job-runs/{run}", "/job-runs/{open run}", "/repositories/{repository}"} {
		w := p.s.browse(viewer, p.fill(path))
		says(t, w, 200)
		silent(t, w.Body.String(), "Run now", "Run it again", "Stop it", "Pause", "Add a job", "Add job", "Add the variable", "Delete")
	}
	for _, path := range []string{"/jobs/{job}/run", "/jobs/{job}/settings", "/jobs/new"} {
		if w := p.s.browse(viewer, p.fill(path)); w.Code != 403 {
			t.Errorf("%s is answered %d to a viewer", path, w.Code)
		}
	}
}

func TestGlobalVariablesReachJobsFromEitherSide(t *testing.T) {
	p, session := withJobs(t)
	p.playVariables()
	list := p.fill("/jobs/{job}/variables")
	names := func() []string {
		t.Helper()
		var all []string
		items, _ := p.play(200, "GET", jobsPath+"/{job}/global-variables", "")["items"].([]any)
		for _, item := range items {
			all = append(all, item.(map[string]any)["name"].(string))
		}
		return all
	}
	leadsTo(t, p.s.submit(session, p.fill("/jobs/{job}/global-variables"), url.Values{"variable-" + p.named["plain"]: {"on"}}), list+"?said=job-reach")
	if got := names(); !slices.Equal(got, []string{"REGION"}) {
		t.Errorf("bound on the job's page, %v reach it", got)
	}
	says(t, p.s.browse(session, list), 200, "REGION", "global", "Every run gets all of them")
	one := p.fill("/variables/{plain}")
	says(t, p.s.browse(session, one), 200, p.fill(`name="job-{job}" value="on" checked`))
	leadsTo(t, p.s.submit(session, one+"/reach", url.Values{"job-" + p.named["idle"]: {"on"}, "offered": {"job-" + p.named["idle"], "job-" + p.named["job"]}}), "/variables?said=variable-reach")
	if got := names(); len(got) != 0 {
		t.Errorf("taken away on the variable's page, %v still reach it", got)
	}
	says(t, p.s.submit(session, one+"/reach", url.Values{"job-job_none": {"on"}}), 422)
	leadsTo(t, p.s.submit(session, list, url.Values{"name": {"OWN"}, "value": {"1"}}), list+"?said=job-variable-saved")
	says(t, p.s.browse(session, list+"?said=job-variable-saved"), 200, "The next run gets the value.", "OWN")
	p.play(422, "POST", variablesPath, `{"scope":"job","scope_id":"job_none","name":"A","value":"1"}`)
}

func TestAVariablesPageOffersSomeOfManyJobs(t *testing.T) {
	p, session := withJobs(t)
	p.playVariables()
	p.s.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300) INSERT INTO jobs (id, name, repository_id, path, group_name, paused, commit_hash, definition, configs,
		seen_commit, seen_tree, error_code, error, next_at, fired_at, last_success_at, last_state, last_took, missed, missed_at, created_at, updated_at)
		SELECT printf('job_%026d', i), printf('many-%03d', i), ?, printf('many/%d', i), '', 0, '', '{}', '[]', '', '', '', '', 0, 0, 0, '', 0, 0, 0, 1, 1 FROM n`, p.named["repository"])
	one, last := p.fill("/variables/{plain}"), fmt.Sprintf("job-job_%026d", 300)
	w := p.s.browse(session, one)
	says(t, w, 200, "These are the first 100 by name.", `type="search"`)
	if n := strings.Count(w.Body.String(), `type="checkbox" id="f-job-`); n != 100 {
		t.Errorf("%d jobs are offered", n)
	}
	silent(t, w.Body.String(), last)
	says(t, p.s.browse(session, one+"?find=many-300"), 200, last)
	says(t, p.s.browse(session, one+"?find=no-such"), 200, "No stack and no job has such a name.")
	leadsTo(t, p.s.submit(session, one+"/reach", url.Values{last: {"on"}, "offered": {last}}), "/variables?said=variable-reach")
	first := fmt.Sprintf("job-job_%026d", 1)
	leadsTo(t, p.s.submit(session, one+"/reach", url.Values{first: {"on"}, "offered": {first}}), "/variables?said=variable-reach")
	says(t, p.s.browse(session, one), 200, "and 2 jobs")
	leadsTo(t, p.s.submit(session, one+"/reach", url.Values{"offered": {last}}), "/variables?said=variable-reach")
	says(t, p.s.browse(session, one), 200, "and 1 job.")
}

func TestTheClockOfARunDoesNotRunOnWithoutAHub(t *testing.T) {
	p, session := withJobs(t)
	p.s.begin(p.named["open run"], p.named["worker"])
	p.s.withoutHub()
	run := p.fill("/job-runs/{open run}")
	says(t, p.s.browse(session, run), 200, "<dd>not known</dd>", "has been away for")
	says(t, p.s.browse(session, p.fill("/jobs/{job}")), 200, `num">not known</td>`)
	silent(t, p.s.browse(session, run).Body.String(), "is offline")
}
