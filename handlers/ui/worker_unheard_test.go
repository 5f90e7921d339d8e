package ui

import (
	"context"
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/fleet"
	"berth/core/repositories"
	"berth/core/stacks"
)

// oneWorker finds the same worker whatever is asked for.
type oneWorker struct{ is fleet.Worker }

func (o oneWorker) Worker(context.Context, core.WorkerID) (fleet.Worker, error) { return o.is, nil }

func (oneWorker) Repository(_ context.Context, id core.RepositoryID) (repositories.Repository, error) {
	return repositories.Repository{ID: id, Name: "apps"}, nil
}

// TestPagesOfStacksTellWhatIsKnownOfTheirWorker: one is online, offline, or nobody knows.
func TestPagesOfStacksTellWhatIsKnownOfTheirWorker(t *testing.T) {
	const offline, unknown = "is offline. What follows", "Nobody knows whether worker"
	online, left := sampleWorkers()[0], sampleWorkers()[2]
	for name, c := range map[string]struct {
		worker          fleet.Worker
		says, tag, word string
	}{
		"online":  {online, "", "", ""},
		"offline": {left, offline, "offline", "(offline)"},
		"unknown": {unheardWorker(), unknown, "not known", "(not known to be there)"},
	} {
		names := newNames(oneWorker{}, oneWorker{c.worker})
		facts, err := factsOf(t.Context(), sampleStack(), names)
		if err != nil {
			t.Fatal(err)
		}
		page, err := stackShowView.render(framed(inStacks, "shop"), stackShowPage{Head: headOf(sampleStack(), nil, tabOverview), Facts: facts})
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{offline, unknown} {
			if strings.Contains(string(page), text) != (text == c.says) {
				t.Errorf("%s: the stack's page says %q: %t", name, text, text != c.says)
			}
		}
		lines, err := stackLines(t.Context(), []stacks.Stack{sampleStack()}, names, func() time.Time { return sampleNow })
		if err != nil {
			t.Fatal(err)
		}
		list, err := stackListView.render(framed(inStacks, "Stacks"), stackListPage{Groups: grouped(lines, ""), Found: 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, tag := range []string{"offline", "not known"} {
			if strings.Contains(string(list), `<span class="tag is-warn">`+tag+"</span>") != (tag == c.tag) {
				t.Errorf("%s: the list of stacks has the tag %q: %t", name, tag, tag != c.tag)
			}
		}
		if got := workerOptions([]fleet.Worker{c.worker}, "", func(fleet.Worker) bool { return true })[0].Word; strings.Contains(got, "(") != (c.word != "") || !strings.HasSuffix(got, c.word) {
			t.Errorf("%s: it is offered as %q", name, got)
		}
	}
}
