package watch

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"berth/core/jobs"
	"berth/local/e2e/rig"
	"berth/local/stand/bucket"
	"berth/local/stand/prometheus"
)

// wanting are names of metrics whose series a small healthy site does not have, so that an expression
// with one of them may give nothing.
var wanting = []string{
	"berth_hub_up",                                                              // with PostgreSQL alone
	"berth_worker_messages_refused_total",                                       // when a worker misbehaves
	"berth_secret_resolutions_total", "provider:berth_secret_failures:ratio15m", // when a keeper of secrets is asked
	"berth_stack_out_of_sync_since_timestamp_seconds", // while a stack is
	"berth_webhook_last_delivery_timestamp_seconds",   // when a webhook was called
}

// quiet are parts of expressions that give nothing while nothing ever went wrong.
var quiet = []string{"ALERTS{", "berth_worker_up == 0", `status!="active"`, `status=~"degraded|error"`, `state!="succeeded"`,
	`result=~"failed|rolled_back|lost"`, "_failures:", `result="failed"`, `code="5xx"`, "_errors:", `problem!="none"`}

// TestAHealthyFleetHasPicturesAndNoAlerts runs the rules and every question of the dashboard before the
// whole program with a deployed stack: each has an answer, and no alert fires or is about to.
func TestAHealthyFleetHasPicturesAndNoAlerts(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p := s.run(t, prometheus.Distribution(t), s.shipped(t, "prometheus.yaml"))
	stack, job := s.work(t)
	questions := s.questions(t)
	p.Until(t, "every question is answered", func() error { return answered(p, questions) })
	p.Until(t, "every rule is evaluated and none raises an alarm", func() error { return calm(p) })
	matchersExist(t, p)
	s.pagesExist(t, stack, job)
}

// questions are the expressions that have an answer at such a site, by where they stand.
func (s *site) questions(t *testing.T) map[string]string {
	t.Helper()
	questions := map[string]string{}
	for where, expression := range asked(t) {
		if !mayBeEmpty(expression) && !strings.HasPrefix(where, "Berth") && !strings.HasPrefix(where, "variable") && !strings.HasPrefix(where, "annotation") {
			questions[where] = expression
		}
	}
	if len(questions) < 50 {
		t.Fatalf("only %d questions have to be answered", len(questions))
	}
	return questions
}

// answered asks what was not answered yet and returns what is still not, as an error.
func answered(p *prometheus.Server, questions map[string]string) error {
	for where, expression := range questions {
		samples, err := p.Query(expression)
		if err != nil {
			return err
		}
		if len(samples) > 0 {
			delete(questions, where)
		}
	}
	if len(questions) > 0 {
		return fmt.Errorf("these give nothing: %q", slices.Sorted(maps.Keys(questions)))
	}
	return nil
}

// work does once of all that there are figures of.
func (s *site) work(t *testing.T) (*rig.Stack, *rig.Job) {
	t.Helper()
	s.copyOffSite(t)
	return s.deploy(t), s.runJob(t)
}

// deploy deploys a stack of one container that does nothing, and asks for one that is not there.
func (s *site) deploy(t *testing.T) *rig.Stack {
	t.Helper()
	file := fmt.Sprintf("services:\n  web:\n    image: %s\n    command: [sleep, \"3600\"]\n    stop_signal: SIGKILL\n    network_mode: none\n", rig.Image(t))
	stack := s.Repository(map[string]string{"app/compose.yaml": file}).On(s.worker, "app")
	stack.Deployed()
	s.Problem(http.StatusNotFound, http.MethodGet, "/api/custom/stacks/stk_none", nil) // so that there is an answer of 4xx
	return stack
}

// runJob runs a job that is due each minute, and lets it fire as well.
func (s *site) runJob(t *testing.T) *rig.Job {
	t.Helper()
	file := fmt.Sprintf("name: nothing\nimage: %s\ncommand: [\"true\"]\nnetwork: none\ncron: '* * * * *'\nresources: {cpu: 0.5, memory: 64m, timeout: 1m}\n", rig.Image(t))
	job := s.Repository(map[string]string{"job/job.yaml": file}).Job("job").Read()
	if run := job.Run(nil); run.State != jobs.RunSucceeded {
		t.Fatalf("the run is %+v", run)
	}
	return job
}

// copyOffSite has backups copied to a bucket, so that there are figures of copies.
func (s *site) copyOffSite(t *testing.T) {
	t.Helper()
	store := bucket.New()
	server := httptest.NewServer(store)
	t.Cleanup(server.Close)
	settings := map[string]string{"endpoint": server.URL, "region": store.Region, "bucket": store.Bucket, "access_key": store.AccessKey, "secret_key": store.SecretKey}
	if answer := s.Ask(http.MethodPut, "/api/custom/integrations/s3", map[string]any{"enabled": true, "settings": settings}); answer.Status != http.StatusOK {
		t.Fatalf("the bucket is not taken: %d %s", answer.Status, answer.Body)
	}
	if answer := s.Ask(http.MethodPost, "/api/custom/backups", nil); answer.Status != http.StatusCreated {
		t.Fatalf("no backup is made: %d %s", answer.Status, answer.Body)
	}
}

// ofTheMachine are alerts that a machine raises on which tests run, whatever Berth does.
var ofTheMachine = []string{"BerthWorkerDiskFilling", "BerthWorkerMemoryLow"}

// calm is an error while a rule was not evaluated, failed, or raises an alarm.
func calm(p *prometheus.Server) error {
	rules, err := p.Rules()
	if err != nil || len(rules) < 40 {
		return fmt.Errorf("%d rules, %w", len(rules), err)
	}
	for _, r := range rules {
		if r.Health != "ok" || r.Type == "alerting" && r.State != "inactive" && !slices.Contains(ofTheMachine, r.Name) {
			return fmt.Errorf("%+v", r)
		}
	}
	return nil
}

func mayBeEmpty(expression string) bool {
	is := func(part string) bool { return strings.Contains(expression, part) }
	return slices.ContainsFunc(quiet, is) || slices.ContainsFunc(wanting, is)
}

var page = regexp.MustCompile(`/(?:stacks|jobs|workers|deployments|repositories|integrations)\b[/a-z_0-9]*`)

// pagesExist sees that whoever follows the first step of an alert finds the page that it names.
func (s *site) pagesExist(t *testing.T, stack *rig.Stack, job *rig.Job) {
	t.Helper()
	looked := map[string]bool{}
	for _, alert := range rulesOf(t, "alerts.yaml") {
		step := strings.NewReplacer("{{ $labels.stack }}", string(stack.ID), "{{ $labels.job_id }}", string(job.ID), "{{ $labels.worker }}", string(s.worker)).Replace(alert.Annotations["first_step"])
		for _, path := range page.FindAllString(strings.ReplaceAll(step, "/api/custom/workers/", ""), -1) {
			looked[path] = true
			if answer := s.Person.For(t).Ask(http.MethodGet, path, nil); answer.Status != http.StatusOK {
				t.Errorf("%s sends people to %s, which answers %d", alert.Alert, path, answer.Status)
			}
		}
	}
	if len(looked) < 5 {
		t.Errorf("only %v were looked at", looked)
	}
}

var (
	matched = regexp.MustCompile(`\b((?:berth|go|process)_\w+)\{([^}]*)\}`)
	label   = regexp.MustCompile(`(\w+)\s*(?:=~|!~|!=|=)\s*"`)
)

// matchersExist sees that the labels exist by which expressions choose series.
func matchersExist(t *testing.T, p *prometheus.Server) {
	t.Helper()
	checked := map[string]bool{}
	for where, expression := range asked(t) {
		for _, found := range matched.FindAllStringSubmatch(expression, -1) {
			for _, l := range label.FindAllStringSubmatch(found[2], -1) {
				ask := fmt.Sprintf(`count(%s{%s!=""})`, found[1], l[1])
				if checked[ask] || slices.Contains(wanting, found[1]) {
					continue
				}
				checked[ask] = true
				if samples, err := p.Query(ask); err != nil || len(samples) == 0 {
					t.Errorf("%s chooses by the label %s, which %s has not: %v", where, l[1], found[1], err)
				}
			}
		}
	}
	if len(checked) < 30 {
		t.Errorf("only %d labels were looked at", len(checked))
	}
}
