package ui

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"berth/core/fleet"
	"berth/core/jobs"
	"berth/core/stacks"
)

func TestReasonsAreSaidInWords(t *testing.T) {
	for name, c := range map[string]struct {
		reason stacks.Reason
		want   changeLine
	}{
		"a field":               {stacks.Reason{Kind: stacks.ReasonField, Name: "image", Before: "a", After: "b"}, changeLine{Name: "image", Before: "a", After: "b", Arrow: true}},
		"a field that is new":   {stacks.Reason{Kind: stacks.ReasonField, Name: "image", After: "b"}, changeLine{Name: "image", After: "b"}},
		"a secret":              {stacks.Reason{Kind: stacks.ReasonVariable, Name: "TOKEN", Before: "another value", After: "a new value"}, changeLine{Kind: "secret variable", Name: "TOKEN", Text: "has another value", Before: "another value", After: "a new value", Arrow: true}},
		"a secret without more": {stacks.Reason{Kind: stacks.ReasonVariable, Name: "TOKEN"}, changeLine{Kind: "secret variable", Name: "TOKEN", Text: "has another value"}},
		"a secret that is new":  {stacks.Reason{Kind: stacks.ReasonVariable, Name: "TOKEN", After: "x"}, changeLine{Kind: "secret variable", Name: "TOKEN", Text: "is new", After: "x"}},
		"a secret that goes":    {stacks.Reason{Kind: stacks.ReasonVariable, Name: "TOKEN", Before: "x"}, changeLine{Kind: "secret variable", Name: "TOKEN", Text: "does not reach it any more", Before: "x"}},
		"another service":       {stacks.Reason{Kind: stacks.ReasonService, Name: "vpn", Before: "network_mode", After: "recreate"}, changeLine{Kind: "compose service", Name: "vpn", Text: "is recreated (network_mode)", Before: "network_mode", After: "recreate", Arrow: true}},
		"no container":          {stacks.Reason{Kind: stacks.ReasonContainer, Name: "container", Before: "missing"}, changeLine{Kind: "container", Text: "missing", Before: "missing"}},
		"a stopped container":   {stacks.Reason{Kind: stacks.ReasonContainer, Name: "web-1", Before: "exited", After: "running"}, changeLine{Kind: "container", Name: "web-1", Before: "exited", After: "running", Arrow: true}},
		"what is not known yet": {stacks.Reason{Kind: "weather", Name: "rain"}, changeLine{Name: "rain"}},
	} {
		if got := changeLines([]stacks.Reason{c.reason}); !reflect.DeepEqual(got, []changeLine{c.want}) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func TestChangesAreGatheredByWhatTheyBelongTo(t *testing.T) {
	var got []string
	for _, g := range sampleDiff() {
		words := []string{}
		for _, c := range g.Changes {
			words = append(words, c.Name)
		}
		got = append(got, g.Badge.Word+" "+g.Name+": "+strings.Join(words, ", "))
	}
	want := []string{"Changed api: image, SESSION_KEY, apps/shop/config/nginx.conf", "Added cache: image", "Removed old-worker: image",
		"Changed All compose services: networks.default.driver", "Changed wireops.yaml: deploy.stable_for"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestDriftSaysWhoRepairsItAndWhen(t *testing.T) {
	drifted := stacks.Stack{ID: "stk_1", Status: stacks.StatusDegraded, Revision: 3, Drift: []stacks.Difference{{Text: "container web-1 is exited"}}}
	heals := stacks.Manifest{SelfHeal: true}
	with := func(change func(*stacks.Stack)) stacks.Stack { s := drifted; change(&s); return s }
	for name, c := range map[string]struct {
		stack    stacks.Stack
		manifest stacks.Manifest
		want     string // empty: a time is told
	}{
		"nobody":            {drifted, stacks.Manifest{}, "Nothing repairs it by itself"},
		"soon":              {with(func(s *stacks.Stack) { s.HealAt = sampleNow.Add(time.Minute) }), heals, ""},
		"once it is looked": {drifted, heals, "It is repaired by itself."},
		"a service is stopped": {with(func(s *stacks.Stack) {
			s.Containers = []stacks.ContainerState{{Service: "api", State: "exited", Changed: []string{stacks.ChangedHalted}}}
		}), heals, "while a compose service is stopped through Berth"},
		"paused":  {with(func(s *stacks.Stack) { s.Paused, s.HealAt = true, sampleNow }), heals, "while the stack is paused"},
		"at work": {with(func(s *stacks.Stack) { s.Status = stacks.StatusSyncing }), heals, "A deployment is at work on it."},
	} {
		n := driftOf(c.stack, c.manifest, sampleNow)
		if !strings.Contains(n.Repair, c.want) || (c.want == "") != (n.At.ISO != "" && n.Repair == "") || n.RepairHref != "/stacks/stk_1/sync" || len(n.Texts) != 1 {
			t.Errorf("%s: %+v", name, n)
		}
	}
	behind := with(func(s *stacks.Stack) { s.OutOfSync = true })
	if n := driftOf(behind, heals, sampleNow); n.RepairHref != "/stacks/stk_1/revisions/3/rollback" {
		t.Errorf("a repair would deploy something newer: %s", n.RepairHref)
	}
}

func TestWhatIsPlannedIsNeverJustNow(t *testing.T) {
	for want, then := range map[string]time.Time{"in a moment": sampleNow.Add(59 * time.Second), "in 2 min": sampleNow.Add(2 * time.Minute), "in 3 h": sampleNow.Add(3 * time.Hour)} {
		if got := at(then, sampleNow).Due; got != want {
			t.Errorf("%s is %q, want %q", then, got, want)
		}
	}
	if got := at(before(time.Hour), sampleNow).Due; got != "in a moment" {
		t.Errorf("what is overdue comes %q", got)
	}
	for want, d := range map[string]time.Duration{"5 min": 5 * time.Minute, "1 min 30 s": 90 * time.Second, "2 h": 2 * time.Hour, "10 s": 10 * time.Second, "500 ms": 500 * time.Millisecond} {
		if got := spell(d); got != want {
			t.Errorf("%s is %q, want %q", d, got, want)
		}
	}
}

func TestWhatIsNotListedIsCounted(t *testing.T) {
	o := &overview{counts: map[stacks.Status]int{stacks.StatusError: 51, stacks.StatusDegraded: 3}, standings: map[jobs.Standing]int{jobs.StandingFailing: 12}, now: sampleNow}
	listed := slices.Concat(make([]need, 10), o.moreStacks(stacks.StatusError, 10))
	for want, needs := range map[string][]need{
		"One thing needs you.":          make([]need, 1),
		"10 things need you.":           slices.Concat(make([]need, 10), o.moreStacks(stacks.StatusDegraded, 3)),
		"51 things need you.":           listed,
		"53 things need you.":           slices.Concat(listed, o.moreJobs(jobs.StandingFailing, 10)),
		"More than 61 things need you.": slices.Concat(listed, o.awayNeeds(missedWorkers(maxNeeds+1))),
		"61 things need you.":           slices.Concat(listed, o.awayNeeds(missedWorkers(maxNeeds))),
	} {
		if text, tone := summarise(needs, 100, nil); text != want || tone != "bad" {
			t.Errorf("%d lines are summed up as %q, %s; want %q", len(needs), text, tone, want)
		}
	}
	if n := o.moreStacks(stacks.StatusError, 10)[0]; n.Name != "41 more" || n.Tone != "bad" || n.ActionHref != "/stacks?status=error" {
		t.Errorf("the rest is %+v", n)
	}
}

func missedWorkers(n int) []fleet.Worker {
	all := make([]fleet.Worker, n)
	for i := range all {
		all[i].Stacks = 1
	}
	return all
}

func TestOnlyWhatIsPausedIsNoAlarm(t *testing.T) {
	paused, broken := need{Tone: "idle"}, need{Tone: "bad"}
	for want, needs := range map[string][]need{"idle": {paused}, "bad": {paused, broken}, "ok": nil} {
		if text, tone := summarise(needs, 1, map[stacks.Status]int{stacks.StatusActive: 1}); tone != want || text == "" {
			t.Errorf("%v is summed up as %q, %s", needs, text, tone)
		}
	}
}
