package ui

import (
	"slices"
	"strings"
	"testing"

	"berth/core/fleet"
	"berth/core/stacks"
)

func TestGroupsOfStatusBeginWithTheWorst(t *testing.T) {
	var lines []stackLine
	for _, s := range []stacks.Status{stacks.StatusActive, stacks.StatusPaused, stacks.StatusDegraded, stacks.StatusSyncing, stacks.StatusError} {
		lines = append(lines, stackLine{Badge: badgeOf(statusBadges, s)})
	}
	var order []string
	for _, g := range grouped(lines, "status") {
		order = append(order, g.Name)
	}
	if want := []string{"Error", "Degraded", "Syncing", "Active", "Paused"}; !slices.Equal(order, want) {
		t.Errorf("groups come as %v, want %v", order, want)
	}
}

func TestWorkersThatAreThereAreOfferedFirst(t *testing.T) {
	options := workerOptions([]fleet.Worker{{ID: "wrk_1", Hostname: "gone"}, {ID: "wrk_2", Hostname: "b", Online: true}, {ID: "wrk_3", Hostname: "a", Online: true}}, "", func(fleet.Worker) bool { return true })
	if len(options) != 3 || options[0].Word != "b" || options[1].Word != "a" || !strings.Contains(options[2].Word, "offline") {
		t.Errorf("offered are %+v", options)
	}
}

func TestWhatADeploymentWentThroughTurnsNoMore(t *testing.T) {
	events := []stacks.DeploymentEvent{{To: stacks.DeploymentQueued, Cause: "ada asked for it", Actor: "ada"}, {To: stacks.DeploymentRunning, Cause: "its turn has come"}, {To: stacks.DeploymentSucceeded, Cause: "it is healthy", Actor: "worker"}}
	for n, want := range map[int]bool{2: true, 3: false} { // while it runs, the last step does
		lines := historyOf(events[:n], "web", sampleNow)
		if turns := lines[1].Badge.Icon == "ring"; turns != want || lines[0].Badge.Icon == "ring" || lines[0].Actor != "" {
			t.Errorf("of %d steps: %+v", n, lines)
		}
	}
	well := stacks.Deployment{State: stacks.DeploymentSucceeded, FailedService: "web", Restore: stacks.Restore{State: stacks.RestoreFailed, Revision: 1}}
	if restoreOf(well).Text != "" || brokenOf(well, stacks.Stack{}).Name != "" {
		t.Error("a deployment that went well tells of a failure")
	}
}

func TestAPlanOfNothingSaysSo(t *testing.T) {
	if in, none := planWords(0, 2, true), planWords(0, 0, false); !strings.HasPrefix(in, "Nothing would change") || !strings.HasPrefix(none, "Nothing is in place") {
		t.Errorf("%q, %q", in, none)
	}
}

func TestSharesOfAHost(t *testing.T) {
	load := hostLoadOf(fleet.Reading{CPU: 996, Memory: 95, MemoryTotal: 100, Disk: 89, DiskTotal: 100})
	if load != (hostLoad{hostShare{"100 %", false}, hostShare{"95 %", true}, hostShare{"89 %", false}}) {
		t.Errorf("%+v", load)
	}
	if none := hostLoadOf(fleet.Reading{CPU: fleet.Unread, Memory: fleet.Unread, MemoryTotal: fleet.Unread, Disk: fleet.Unread, DiskTotal: fleet.Unread}); none != (hostLoad{}) {
		t.Errorf("what is not known: %+v", none)
	}
}
