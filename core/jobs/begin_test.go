package jobs

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"berth/core"
)

// told says in short what a Beginning holds: for each run its fire, state or code, and worker; then what is replaced.
func told(b Beginning) string {
	var parts []string
	for _, start := range b.Runs {
		r := start.Run
		text := strings.TrimPrefix(string(r.Fire), "run_0")
		switch {
		case r.ErrorCode != "":
			text += " " + string(r.State) + " " + r.ErrorCode
		case start.Command != nil && start.Command.Worker == r.Worker && start.Command.ID == r.Command && start.Command.Run == r.ID:
			text += " on " + string(r.Worker)
		default:
			text += " unclear"
		}
		parts = append(parts, text)
	}
	for _, id := range b.Replace {
		parts = append(parts, "replace "+strings.TrimPrefix(string(id), "run_0"))
	}
	return strings.Join(parts, ", ")
}

func TestBegin(t *testing.T) {
	with := func(d func(*Definition), open ...Run) []Run {
		for i := range open {
			d(&open[i].Definition)
		}
		return open
	}
	skip, queue, replace := func(d *Definition) { d.Overlap = OverlapSkip }, func(d *Definition) { d.Overlap = OverlapQueue }, func(d *Definition) { d.Overlap = OverlapReplace }
	one := func(r Run, change func(*Run)) Run { change(&r); return r }
	for sentence, c := range map[string]struct {
		open   []Run
		roster *Roster
		want   string
	}{
		"nothing waits":                               {opened("1+"), crew("w"), ""},
		"one waits and can begin":                     {opened("1"), crew("w"), "1 on w"},
		"one waits and no worker is there":            {opened("1"), crew(), ""},
		"one is being stopped":                        {opened("1!"), crew("w"), ""},
		"a retry whose pause is not over":             {[]Run{one(opened("1")[0], func(r *Run) { r.NotBefore = noon.Add(1) })}, crew("w"), ""},
		"a retry whose pause is over":                 {[]Run{one(opened("1")[0], func(r *Run) { r.NotBefore = noon })}, crew("w"), "1 on w"},
		"skip: another runs":                          {with(skip, opened("1+", "2")...), crew("w"), "2 skipped run.overlap"},
		"skip: two wait":                              {with(skip, opened("1", "2")...), crew("w"), "1 on w, 2 skipped run.overlap"},
		"skip: two wait, no worker is there":          {with(skip, opened("1", "2")...), crew(), "2 skipped run.overlap"},
		"skip: a newer one runs, by a clock set back": {with(skip, opened("1", "2+")...), crew("w"), "1 skipped run.overlap"},
		"queue: another runs":                         {with(queue, opened("1+", "2", "3")...), crew("w"), ""},
		"queue: the oldest begins, the others wait":   {with(queue, opened("1", "2", "3")...), crew("w"), "1 on w"},
		"queue: also when told in another order":      {with(queue, opened("3", "2", "1")...), crew("w"), "1 on w"},
		"queue: one is being stopped":                 {with(queue, opened("1+!", "2")...), crew("w"), ""},
		"replace: another runs":                       {with(replace, opened("1+", "2")...), crew("w"), "replace 1"},
		"replace: another is being stopped":           {with(replace, opened("1+!", "2")...), crew("w"), ""},
		"replace: the newest of those that wait":      {with(replace, opened("1", "2", "3")...), crew("w"), "replace 1, replace 2"},
		"replace: the newest, while another runs":     {with(replace, opened("1+", "2", "3")...), crew("w"), "replace 2, replace 1"},
		"replace: nothing else is open":               {with(replace, opened("3")...), crew("w"), "3 on w"},
		"on all: one becomes several":                 {with(func(d *Definition) { d.Mode = ModeOnceAll }, opened("1")...), crew("a", "b", "c"), "1 on a, 1 on b, 1 on c"},
		"on all: a retry stays with its worker":       {with(func(d *Definition) { d.Mode = ModeOnceAll }, one(opened("1")[0], func(r *Run) { r.Worker = "b" })), crew("a", "b", "c"), "1 on b"},
		"on all: its worker is away":                  {with(func(d *Definition) { d.Mode = ModeOnceAll }, one(opened("1")[0], func(r *Run) { r.Worker = "d" })), crew("a", "b", "c"), ""},
		"a retry beside other runs of its fire":       {with(skip, append(opened("1+"), one(opened("1")[0], func(r *Run) { r.ID = "run_09" }))...), crew("w"), "1 on w"},
		"too late: no worker came":                    {[]Run{one(opened("1")[0], func(r *Run) { r.ScheduledAt = noon.Add(-time.Hour - 1) })}, crew(), "1 skipped run.no_worker"},
		"too late: one came a moment too late":        {[]Run{one(opened("1")[0], func(r *Run) { r.ScheduledAt = noon.Add(-time.Hour - 1) })}, crew("w"), "1 skipped run.no_worker"},
		"just in time":                                {[]Run{one(opened("1")[0], func(r *Run) { r.ScheduledAt = noon.Add(-time.Hour) })}, crew("w"), "1 on w"},
		"a retry is late after its pause":             {[]Run{one(opened("1")[0], func(r *Run) { r.ScheduledAt, r.NotBefore = noon.Add(-9*time.Hour), noon.Add(-time.Hour) })}, crew("w"), "1 on w"},
		"too late: its turn did not come":             {with(queue, opened("1+")[0], one(opened("2")[0], func(r *Run) { r.ScheduledAt = noon.Add(-time.Hour - 1) })), crew("w"), "2 skipped run.overlap"},
		"too late: what it replaces did not end":      {with(replace, opened("1+!")[0], one(opened("2")[0], func(r *Run) { r.ScheduledAt = noon.Add(-time.Hour - 1) })), crew("w"), "2 skipped run.overlap"},
		"the policy has changed":                      {with(func(d *Definition) { d.Network = "host" }, opened("1")...), crew("w"), "1 failed run.refused"},
		"what cannot be read does not begin":          {[]Run{one(opened("1")[0], func(r *Run) { r.Definition = Definition{} })}, crew("w"), "1 failed run.refused"},
	} {
		t.Run(sentence, func(t *testing.T) {
			before := slices.Clone(c.open)
			b := Begin(hourly(nil), c.open, c.roster, noon)
			if got := told(b); got != c.want {
				t.Errorf("it says %q, want %q", got, c.want)
			}
			if fmt.Sprint(before) != fmt.Sprint(c.open) {
				t.Error("what it was asked about was changed")
			}
			if again := told(Begin(hourly(nil), c.open, c.roster, noon)); again != c.want {
				t.Errorf("asked again it says %q", again)
			}
		})
	}
}

func TestOneThatBecomesSeveralStaysTheirFirst(t *testing.T) {
	open := opened("1")
	open[0].Definition.Mode, open[0].Overrides, open[0].Actor = ModeOnceAll, []string{"A"}, "ada"
	b := Begin(hourly(nil), open, crew("a", "b"), noon)
	if len(b.Runs) != 2 || b.Runs[0].Run.ID != "run_01" || b.Runs[1].Run.ID == "run_01" {
		t.Fatalf("%+v", b.Runs)
	}
	second := b.Runs[1].Run
	if second.Fire != "run_01" || second.Overrides[0] != "A" || second.Actor != "ada" || second.Trigger != TriggerManual || !core.ValidID(core.PrefixRun, string(second.ID)) {
		t.Errorf("the second is %+v", second)
	}
}
