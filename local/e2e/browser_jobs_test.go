package e2e_test

import (
	"strings"
	"testing"

	"berth/local/e2e/rig"
)

// countJob is a job that counts, and lasts long enough to be watched.
func countJob(image, timeout string) string {
	return `name: count
description: counts to three
cron: 15 3 * * mon-fri
timezone: Europe/Zurich
image: ` + image + `
command: [sh, -c, 'for n in 1 2 3; do echo "counting $n up to $LIMIT"; sleep 1; done']
network: none
resources: {cpu: 0.5, memory: 32m` + timeout + `}
`
}

// TestJobsInABrowser goes from a job.yaml in a repository to a run that is watched until its end, then to a file that is
// broken and mended, in a real browser.
func TestJobsInABrowser(t *testing.T) {
	r := openRoom(t)
	image := rig.Image(t)
	r.commit("A job", map[string]string{"jobs/count/job.yaml": countJob(image, ", timeout: 1m")})
	p := r.openTab()
	p.setUp()
	p.addRepository()
	job := p.addJob()
	run := p.watchRun(job)
	p.breakAndMendJob(job, image)
	p.auditAll(map[string]string{"jobs": "/jobs", "job": job, "job-settings": job + "/settings", "job-variables": job + "/variables", "job-delete": job + "/delete", "job-run": job + "/run",
		"job-new": "/jobs/new", "run": run, "runs": "/job-runs", "runs-of-job": "/job-runs?job=" + strings.TrimPrefix(job, "/jobs/"), "overview-jobs": "/"})
	p.open(job + "/delete")
	p.press("Delete the job")
	p.shows("There is no job yet.")
	p.clean()
}

// addJob returns the address of the job that the repository's page offers.
func (p *tab) addJob() string {
	p.t.Helper()
	p.click("a[href*='path=jobs']")
	p.until("the form with the folder", `document.querySelector("[name=path]")?.value === "jobs/count"`)
	p.press("Add the job")
	p.shows("It has not run yet.") // once its file was read, without loading the page again
	p.shows("at 03:15 on weekdays, Europe/Zurich")
	job := p.address()
	if times := ask[[]string](p, `[...document.querySelectorAll("#times time[data-clock]")].map((e) => e.textContent)`); len(times) != 5 || strings.Contains(times[0], "UTC") {
		p.t.Errorf("the next times are %q, want five by the viewer's clock", times)
	}
	p.open(job + "/variables")
	p.fill("[name=name]", "LIMIT")
	p.fill("[name=value]", "three")
	p.click("[name=secret]")
	p.press("Add the variable")
	p.shows("The next run gets the value.")
	return job
}

// watchRun runs the job now, watches its log grow, and returns the address of the run.
func (p *tab) watchRun(job string) string {
	p.t.Helper()
	p.open(job)
	ask[bool](p, `(window.untouched = true)`)
	p.press("Run now")
	p.shows("counting 1 up to three")
	ask[bool](p, `(window.untouched = true)`)
	run := p.address()
	p.shows("Succeeded")
	p.shows("complete")
	p.shows("counting 3 up to three")
	if lines := ask[int](p, `document.querySelectorAll("#log li").length`); lines != 3 || !ask[bool](p, `window.untouched === true`) {
		p.t.Errorf("the log has %d lines at the end, or the page was loaded again", lines)
	}
	p.open(job)
	p.shows("The last run ended well.")
	p.open(job + "/run")
	p.fill("[name=text]", "LIMIT='four'\nEXTRA=1")
	p.press("Run it")
	p.shows("counting 3 up to four")
	p.shows("EXTRA")
	p.shows("Succeeded")
	return run
}

// breakAndMendJob pushes a file that cannot be used and watches the job ask for somebody, then another that can.
func (p *tab) breakAndMendJob(job, image string) {
	p.t.Helper()
	p.open(job)
	p.room.commit("Break the job", map[string]string{"jobs/count/job.yaml": countJob(image, "")})
	p.shows("Broken")
	p.shows("resources.timeout")
	p.audit("job-broken", job)
	p.open("/")
	p.shows("Its newest commit cannot be used.")
	p.room.commit("Mend the job", map[string]string{"jobs/count/job.yaml": countJob(image, ", timeout: 2m")})
	p.until("the overview to be content", `!document.querySelector("main").innerText.includes("cannot be used")`)
	p.open(job)
	p.shows("2 min")
}
