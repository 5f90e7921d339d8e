package hubs

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"berth/core"
	"berth/core/stacks"
	hubworker "berth/hub/worker"
	"berth/local/e2e/rig"
	"berth/local/stand/dryengine"
)

// speaking is an engine whose services write a log, and which notes what is done to them.
type speaking struct {
	dryengine.Engine
	lines chan string // of a log that is followed

	mu   sync.Mutex
	done []string // guarded by mu
	said string   // after what was said before; guarded by mu
}

var _ hubworker.Engine = (*speaking)(nil)

// say adds a line to the log that is there already.
func (e *speaking) say(line string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.said += line + "\n"
}

func (e *speaking) note(what, service string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.done = append(e.done, what+" "+service)
	return nil
}

// Start implements hubworker.Engine.
func (e *speaking) Start(_ context.Context, _, service string) error { return e.note("start", service) }

// Stop implements hubworker.Engine.
func (e *speaking) Stop(_ context.Context, _, service string) error { return e.note("stop", service) }

// Restart implements hubworker.Engine.
func (e *speaking) Restart(_ context.Context, _, service string) error {
	return e.note("restart", service)
}

// Logs implements hubworker.Engine.
func (e *speaking) Logs(ctx context.Context, _, _ string, ask hubworker.LogAsk, w io.Writer) error {
	e.mu.Lock()
	said := "said before\n" + e.said
	e.mu.Unlock()
	written := ""
	if ask.Times {
		written = stacks.LineTime(time.Now())
	}
	for line := range strings.Lines(said) {
		if _, err := io.WriteString(w, written+line); err != nil {
			return err
		}
	}
	if !ask.Follow {
		return nil
	}
	for {
		select {
		case line := <-e.lines:
			if _, err := io.WriteString(w, written+line+"\n"); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// through starts a worker of this process whose link goes through one hub.
func (s *site) through(hub *program, engine hubworker.Engine) core.WorkerID {
	s.t.Helper()
	remote := (&rig.Server{T: s.t, Client: s.api}).Remote()
	remote.Run(s.t, hub.workers, engine)
	id := s.linked(remote.Hostname)
	if p := s.holder(id); p != hub {
		s.t.Fatalf("its link is held by %v", p)
	}
	return id
}

// The pages and the API reach workers and repositories through whichever hub has them.
func TestEverythingIsReachedThroughOtherHubs(t *testing.T) {
	t.Parallel()
	s := onOneHost(t)
	leader, other, web := s.hub("hub-1"), s.hub("hub-2"), s.add("local", "./local")
	for _, p := range []*program{leader, other, web} {
		p.run()
	}
	if p, _ := s.leader(); p != leader {
		t.Fatalf("%s leads, and not the first", p.name)
	}
	s.balancer.before(leader.workers, other.workers)
	s.setUp(rig.Client{T: t, URL: s.origin})
	engine := &speaking{lines: make(chan string)}
	id := s.through(other, engine)
	l := newLoad(s, 7, s.worker())
	before := s.fetches()
	added := l.added("spoken", id)
	if state := l.ended(added.DeploymentID); state != stacks.DeploymentSucceeded || engine.Applied(added.DeploymentID) != 1 {
		t.Errorf("it ended %s and was done %d times", state, engine.Applied(added.DeploymentID))
	}
	if n := s.fetches() - before; n != 1 {
		t.Errorf("one commit was fetched %d times", n)
	}
	path := "/api/custom/stacks/" + string(added.ID)
	s.servicesAre(engine, path)
	s.repositoryIsReadable(l)
	if plan := s.api.Ask(http.MethodGet, path+"/plan", nil); plan.Status != http.StatusOK || !strings.Contains(string(plan.Body), `"services"`) {
		t.Errorf("plan: %d %s", plan.Status, plan.Body)
	}
	if revision := s.api.Ask(http.MethodGet, path+"/revisions/1", nil); revision.Status != http.StatusOK || !strings.Contains(string(revision.Body), "NUMBER") {
		t.Errorf("revision: %d %s", revision.Status, revision.Body)
	}
	s.metricsAreWhole(id, l.workers[0].id, leader, other, web)
	s.revokedAtOnce(id, other)

	leader.stop()
	s.leads(1)
	s.repositoryIsReadable(l) // from another copy
	l.settle()
}

// servicesAre starts, stops and restarts a service, and follows its log.
func (s *site) servicesAre(engine *speaking, path string) {
	t := s.t
	t.Helper()
	for _, what := range []string{"stop", "start", "restart"} {
		if answer := s.api.Ask(http.MethodPost, path+"/services/app/"+what, nil); answer.Status != http.StatusNoContent {
			t.Errorf("%s: %d %s", what, answer.Status, answer.Body)
		}
	}
	if engine.mu.Lock(); fmt.Sprint(engine.done) != "[stop app start app restart app]" {
		t.Errorf("done was %v", engine.done)
	}
	engine.mu.Unlock()
	if log := s.api.Ask(http.MethodGet, path+"/services/app/logs?tail=10", nil); log.Status != http.StatusOK || !strings.Contains(string(log.Body), "said before") {
		t.Errorf("log: %d %s", log.Status, log.Body)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.api.URL+path+"/services/app/logs?follow=true&tail=10", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-Service-Api-Key", s.api.Key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	read := bufio.NewReader(response.Body)
	for _, want := range []string{"said before", "said now", "said later"} {
		if want != "said before" {
			select {
			case engine.lines <- want:
			case <-ctx.Done():
				t.Fatal("nobody follows the log")
			}
		}
		for seen := ""; !strings.Contains(seen, want); {
			line, err := read.ReadString('\n')
			if err != nil {
				t.Fatalf("the log that is followed ended before %q: %q, %v", want, line, err)
			}
			seen = line
		}
	}
}

func (s *site) repositoryIsReadable(l *load) {
	s.t.Helper()
	repository := "/api/custom/repositories/" + string(l.repoID)
	for rest, want := range map[string]string{"/commits": "Change", "/files": "spoken", "/files?path=spoken%2Fcompose.yaml": "services:", "/discover": "spoken"} {
		s.until("the repository is read: "+rest, func() (bool, string) {
			answer := s.api.Ask(http.MethodGet, repository+rest, nil)
			return answer.Status == http.StatusOK && strings.Contains(string(answer.Body), want), string(answer.Body)
		})
	}
}

// fetches counts the fetches of all hubs so far.
func (s *site) fetches() (n int) {
	s.t.Helper()
	for line := range strings.Lines(string(s.scrape("/metrics"))) {
		var more int
		if name, value, found := strings.Cut(line, "} "); found && strings.HasPrefix(name, "berth_fetches_total{") {
			fmt.Sscan(value, &more)
			n += more
		}
	}
	return n
}

func (s *site) scrape(path string) []byte {
	s.t.Helper()
	answer := s.api.Ask(http.MethodGet, path, nil)
	if answer.Status != http.StatusOK {
		s.t.Fatalf("%s: %d %s", path, answer.Status, answer.Body)
	}
	return answer.Body
}

// metricsAreWhole scrapes all hubs at once: each worker is there once, wherever its link is.
func (s *site) metricsAreWhole(linked, another core.WorkerID, all ...*program) {
	t := s.t
	t.Helper()
	var text []byte
	s.until("the metrics of both workers", func() (bool, string) {
		text = s.scrape("/metrics")
		up := bytes.Count(text, []byte("\nberth_hub_up{"))
		ones := 0
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "berth_hub_up{") && strings.HasSuffix(line, " 1\n") {
				ones++
			}
		}
		return up == len(all) && ones == len(all) && bytes.Contains(text, []byte(linked)) && bytes.Contains(text, []byte(another)), string(text)
	})
	for _, id := range []core.WorkerID{linked, another} {
		if n := bytes.Count(text, []byte(`berth_worker_up{worker="`+string(id)+`"`)); n != 1 {
			t.Errorf("worker %s is there %d times", id, n)
		}
		if one := s.scrape("/api/custom/workers/" + string(id) + "/metrics"); !bytes.Contains(one, []byte(id)) {
			t.Errorf("the metrics of worker %s alone: %s", id, one)
		}
	}
	check := exec.Command("promtool", "check", "metrics")
	check.Stdin = bytes.NewReader(text)
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("promtool: %v\n%s", err, out)
	}
}

// revokedAtOnce cuts a worker off whose link another hub holds.
func (s *site) revokedAtOnce(id core.WorkerID, holder *program) {
	s.t.Helper()
	began := time.Now()
	if answer := s.api.Ask(http.MethodPost, "/api/custom/workers/"+string(id)+"/revoke", nil); answer.Status != http.StatusOK && answer.Status != http.StatusNoContent {
		s.t.Fatalf("revoke: %d %s", answer.Status, answer.Body)
	}
	s.until("its link is closed", func() (bool, string) {
		tail := holder.tail()
		return strings.Contains(tail, `msg="worker left" worker=`+string(id)), tail
	})
	s.t.Logf("a revoked worker's link is closed after %v", time.Since(began).Round(time.Millisecond))
}
