package notify_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"berth/core/integrations"
	"berth/core/notify"
)

var began = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func failed(subject, version string) notify.Problem {
	return notify.Problem{Kind: notify.DeploymentFailed, Subject: subject, Version: version, Name: "stack " + subject, Detail: "it did not work", Group: "shop", Tags: []string{"eu"}, Path: "/deployments/x"}
}

func away(n int) (all []notify.Problem) {
	for i := range n {
		all = append(all, notify.Problem{Kind: notify.WorkerAway, Subject: fmt.Sprintf("wrk_%03d", i), Name: fmt.Sprintf("web-%03d", i)})
	}
	return all
}

// world keeps what Judge says to keep, as the store does.
type world struct{ known map[notify.Key]notify.Known }

func (w *world) look(after time.Duration, current ...notify.Problem) []notify.Notice {
	var known []notify.Known
	for _, k := range w.known {
		known = append(known, k)
	}
	step := notify.Judge(began.Add(after), current, known)
	for _, k := range step.Keep {
		w.known[notify.Key{Kind: k.Kind, Subject: k.Subject}] = k
	}
	for _, k := range step.Drop {
		delete(w.known, k)
	}
	return step.Notices
}

func said(notices []notify.Notice) string {
	var all []string
	for _, n := range notices {
		word := "wrong"
		if n.Over {
			word = "over"
		}
		all = append(all, fmt.Sprintf("%s %s %d", n.Kind, word, len(n.Problems)))
	}
	return strings.Join(all, ", ")
}

func TestWhatIsToldAndWhen(t *testing.T) {
	type look struct {
		after time.Duration
		there []notify.Problem
		says  string
	}
	a, b, again := failed("a", "1"), failed("b", "1"), failed("a", "2")
	for name, looks := range map[string][]look{
		"a problem that lasts, and its end": {{0, []notify.Problem{a}, ""}, {19 * time.Second, []notify.Problem{a}, ""}, {20 * time.Second, []notify.Problem{a}, "deployment_failed wrong 1"},
			{time.Hour, []notify.Problem{a}, ""}, {61 * time.Minute, nil, ""}, {62 * time.Minute, nil, "deployment_failed over 1"}, {70 * time.Minute, nil, ""}},
		"one that does not last":                 {{0, []notify.Problem{a}, ""}, {10 * time.Second, nil, ""}, {time.Minute, nil, ""}},
		"one that flaps after it was told":       {{0, []notify.Problem{a}, ""}, {time.Minute, []notify.Problem{a}, "deployment_failed wrong 1"}, {61 * time.Second, nil, ""}, {70 * time.Second, []notify.Problem{a}, ""}, {75 * time.Second, nil, ""}, {80 * time.Second, []notify.Problem{a}, ""}, {time.Hour, []notify.Problem{a}, ""}},
		"those that come up together":            {{0, []notify.Problem{a}, ""}, {10 * time.Second, []notify.Problem{a, b}, ""}, {21 * time.Second, []notify.Problem{a, b}, "deployment_failed wrong 2"}, {time.Hour, []notify.Problem{a, b}, ""}},
		"another failure of the same":            {{0, []notify.Problem{a}, ""}, {time.Minute, []notify.Problem{a}, "deployment_failed wrong 1"}, {2 * time.Minute, []notify.Problem{again}, ""}, {3 * time.Minute, []notify.Problem{again}, "deployment_failed wrong 1"}},
		"a hundred workers":                      {{0, away(100), ""}, {time.Minute, away(100), ""}, {91 * time.Second, away(100), "worker_away wrong 100"}, {5 * time.Minute, nil, ""}, {7 * time.Minute, nil, "worker_away over 100"}},
		"workers that come back after a restart": {{0, away(100), ""}, {60 * time.Second, nil, ""}, {10 * time.Minute, nil, ""}},
		"what has no end":                        {{0, []notify.Problem{{Kind: notify.JobMissed, Subject: "j", Version: "1"}}, ""}, {time.Minute, []notify.Problem{{Kind: notify.JobMissed, Subject: "j", Version: "1"}}, "job_missed wrong 1"}, {2 * time.Hour, nil, ""}, {3 * time.Hour, nil, ""}},
	} {
		w := &world{known: map[notify.Key]notify.Known{}}
		for _, l := range looks {
			if got := said(w.look(l.after, l.there...)); got != l.says {
				t.Errorf("%s, after %s: %q, want %q", name, l.after, got, l.says)
			}
		}
	}
}

func TestWhoIsTold(t *testing.T) {
	n := notify.Notice{Kind: notify.DeploymentFailed, Problems: []notify.Problem{failed("a", ""), failed("b", "")}}
	for name, c := range map[string]struct {
		settings map[string]string
		title    string
	}{
		"everything":        {nil, "The deployments of 2 stacks failed"},
		"this event":        {map[string]string{"events": "worker_away, deployment_failed"}, "The deployments of 2 stacks failed"},
		"another event":     {map[string]string{"events": "worker_away"}, ""},
		"one stack":         {map[string]string{"stacks": "Stack B"}, "The deployment of stack b failed"},
		"its group":         {map[string]string{"groups": "shop,other"}, "The deployments of 2 stacks failed"},
		"another group":     {map[string]string{"groups": "other"}, ""},
		"its tag":           {map[string]string{"tags": "us,eu"}, "The deployments of 2 stacks failed"},
		"another tag":       {map[string]string{"tags": "us"}, ""},
		"stack, not group":  {map[string]string{"stacks": "stack a", "groups": "other"}, ""},
		"all that it needs": {map[string]string{"stacks": "stack a", "groups": "shop", "tags": "eu", "events": "deployment_failed"}, "The deployment of stack a failed"},
	} {
		told, some := n.For(notify.RouteOf(c.settings), "https://berth.test", began)
		if some != (c.title != "") || some && told.Title != c.title {
			t.Errorf("%s: %q, %t", name, told.Title, some)
		}
	}
	many, _ := notify.Notice{Kind: notify.WorkerAway, Problems: away(100)}.For(notify.Route{}, "https://berth.test", began)
	if len(many.Items) != 20 || many.More != 80 || many.Title != "100 workers are away" || !strings.Contains(many.Text(), "And 80 more") {
		t.Errorf("%q, %d items and %d more", many.Title, len(many.Items), many.More)
	}
	long := failed("a", "")
	long.Detail = "first line\nsecond line"
	one, _ := notify.Notice{Kind: long.Kind, Problems: []notify.Problem{long}}.For(notify.Route{}, "https://berth.test", began)
	if one.Items[0] != (notify.Item{Name: "stack a", Detail: "first line", URL: "https://berth.test/deployments/x"}) {
		t.Errorf("%+v", one.Items[0])
	}
	for _, event := range integrations.Events {
		n := notify.Notice{Kind: notify.Kind(event), Problems: []notify.Problem{{Kind: notify.Kind(event), Name: "x"}}}
		if told, _ := n.For(notify.Route{}, "", began); told.Title == "" || strings.Contains(told.Title, "%!") {
			t.Errorf("%s is told as %q", event, told.Title)
		}
	}
}
