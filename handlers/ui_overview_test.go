package handlers_test

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/stacks"
)

// ended stores deployments of a stack that ended so long ago and took a minute.
func (s *stand) ended(stack string, state stacks.DeploymentState, ago time.Duration, n int) {
	s.t.Helper()
	at := s.now().Add(-ago)
	for range n {
		s.exec(`INSERT INTO deployments (id, stack_id, state, trigger, actor, commit_hash, revision, worker_id, options, phases, error_code, error, tree, cancelling, queued_at, started_at, finished_at)
			VALUES (?, ?, ?, 'poll', 'system', '', 0, '', '{}', '[]', '', '', '', 0, ?, ?, ?)`, core.NewID(core.PrefixDeployment, at.Add(-time.Minute)), stack, state,
			at.Add(-time.Minute).UnixMicro(), at.Add(-time.Second).UnixMicro(), at.UnixMicro())
	}
}

func TestTheOverviewDrawsWhatWasDeployed(t *testing.T) {
	s := newStand(t)
	session := s.session(s.found())
	silent(t, s.browse(session, "/").Body.String(), `class="columns"`, `class="share"`, "Nothing was deployed yet.")
	_, page := s.madeStack(session)
	stack := strings.TrimPrefix(page, "/stacks/")
	says(t, s.browse(session, "/"), 200, "Nothing was deployed yet.", `aria-label="Stacks by status: 1 in all, 1 new."`)

	s.ended(stack, stacks.DeploymentSucceeded, 40*24*time.Hour, 3)
	says(t, s.browse(session, "/"), 200, "No deployment ended in the last 14 days.")
	s.ended(stack, stacks.DeploymentSucceeded, 5*24*time.Hour, 8)
	s.ended(stack, stacks.DeploymentFailed, time.Minute, 1)
	fortnight := s.browse(session, "/")
	says(t, fortnight, 200, "Last 14 days, by the day", `aria-label="Deployments that ended. Last 14 days, by the day: 1 failed, 8 succeeded. At most 8 a day."`,
		"<dt>Succeeded</dt><dd>88 %</dd>", "<dt>Median time</dt><dd>1 min 00 s</dd>", "As a table")
	s.ended(stack, stacks.DeploymentRolledBack, 20*time.Hour, 10)
	says(t, s.browse(session, "/"), 200, `aria-label="Deployments that ended. Last 24 hours, by the hour: 1 failed, 10 rolled back. At most 10 an hour."`, "<dt>Succeeded</dt><dd>0 %</dd>")

	s.withoutHub()
	says(t, s.browse(session, "/"), 200, "The hub is away.", "Last 24 hours, by the hour: 1 failed, 10 rolled back.")
}

func TestTheTableOfDeploymentsLeadsToThem(t *testing.T) {
	s := newStand(t)
	session := s.session(s.found())
	_, page := s.madeStack(session)
	stack := strings.TrimPrefix(page, "/stacks/")
	s.ended(stack, stacks.DeploymentFailed, 3*24*time.Hour, 1)
	s.ended(stack, stacks.DeploymentSucceeded, 6*24*time.Hour, 2)
	rows := regexp.MustCompile(`<a href="(/deployments\?after=[^"]*)">`).FindAllStringSubmatch(s.browse(session, "/").Body.String(), -1)
	if len(rows) != 2 {
		t.Fatalf("the table has %d links: %v", len(rows), rows)
	}
	for i, want := range []int{3, 2} {
		list := s.browse(session, html.UnescapeString(rows[i][1]))
		if got := strings.Count(list.Body.String(), `href="/deployments/dep_`); list.Code != 200 || got != want {
			t.Errorf("line %d leads to %d deployments, want %d: %d %s", i, got, want, list.Code, rows[i][1])
		}
	}
}

func TestTheOverviewDrawsAFleetOfAnySize(t *testing.T) {
	s := newStand(t)
	s.found()
	session := s.session(s.user(access.RoleViewer))
	s.madeStack(s.session(s.user(access.RoleOperator)))
	says(t, s.browse(session, "/"), 200, "No worker is registered.")
	set := func(host string, connected, left int) {
		t.Helper()
		w := s.worker(host, "eu")
		s.exec(`UPDATE workers SET connected_at = ?, left_at = ? WHERE id = ?`, connected, left, w.ID)
	}
	set("alone", 2, 1)
	says(t, s.browse(session, "/"), 200, "1 of 1 online", `aria-label="The one worker is online."`, ">alone<")
	for i := range 20 {
		set(fmt.Sprintf("edge-%02d", i), 1, 100-i)
	}
	set("new", 0, 0)
	large := s.browse(session, "/")
	says(t, large, 200, "1 of 22 online", "22 workers: 20 offline, 1 online, 1 never connected.", "Offline longest", "12 more are offline")
	body := large.Body.String()
	silent(t, body, ">alone<", ">edge-11<", ">new<")
	if first, last := strings.Index(body, ">edge-19<"), strings.Index(body, ">edge-12<"); first < 0 || last < first {
		t.Errorf("who left first is at %d, who left eighth at %d", first, last)
	}
	link := regexp.MustCompile(`href="(/workers/wrk_[^"]*)"><bdi>edge-19<`).FindStringSubmatch(body)
	if link == nil {
		t.Fatal("the worker that left first has no link")
	}
	own := s.browse(session, html.UnescapeString(link[1]))
	says(t, own, 200, ">edge-19<", "Offline", "It has no link to a hub.", "No stack is on this worker.")
	silent(t, own.Body.String(), ">edge-18<", "/revoke")
	for query, want := range map[string]int{"": 22, "?online=true": 1, "?online=false": 21, "?online=maybe": 22} {
		if got := strings.Count(s.browse(session, "/workers"+query).Body.String(), `scope="row"`); got != want {
			t.Errorf("/workers%s lists %d, want %d", query, got, want)
		}
	}
	for query, want := range map[string]int{"?q=EDGE-1": 10, "?q=edge-1&online=true": 0, "?q=alone&online=true": 1, "?tag=eu": 22, "?tag=us": 0, "?tag=eu&q=new": 1} {
		list := s.browse(session, "/workers"+query)
		if got := strings.Count(list.Body.String(), `scope="row"`); got != want {
			t.Errorf("/workers%s lists %d, want %d", query, got, want)
		}
		says(t, list, 200, `aria-label="Workers by whether they are there"`)
	}
	kept := s.browse(session, "/workers?q=edge&tag=eu&online=false")
	says(t, kept, 200, `href="/workers?online=true&amp;q=edge&amp;tag=eu"`, `href="/workers?online=false&amp;q=edge"`, `value="edge"`, `name="tag" value="eu"`, `name="online" value="false"`, `href="/workers?tag=eu"`)
	says(t, s.browse(session, "/workers?tag=no%20tag"), 422, "letters, digits, - and _")
	says(t, s.browse(session, "/workers?online=false&after=wrk_z"), 200, "There is no such worker.")
}
