package ui

import (
	"fmt"

	"berth/core/fleet"
	"berth/core/jobs"
	"berth/core/stacks"
)

// uncounted is what stands for things that are there, and that nobody counted.
const uncounted = -1

// moreStacks stands for the stacks of a status that are not listed among what needs somebody.
func (o *overview) moreStacks(status stacks.Status, listed int) []need {
	b := badgeOf(statusBadges, status)
	return moreNeed(o.counts[status]-listed, need{Tone: b.Tone, Icon: b.Icon, Kind: "Stacks", Why: "They have the status " + b.Word + ", too.", Href: "/stacks?status=" + string(status)})
}

// moreJobs stands for the jobs of a standing that are not listed.
func (o *overview) moreJobs(standing jobs.Standing, listed int) []need {
	b := badgeOf(standingBadges, standing)
	return moreNeed(o.standings[standing]-listed, need{Tone: b.Tone, Icon: b.Icon, Kind: "Jobs", Why: "They stand as " + b.Word + ", too.", Href: "/jobs?standing=" + string(standing)})
}

func moreNeed(n int, of need) []need {
	if n <= 0 {
		return nil
	}
	of.More, of.Name, of.Action, of.ActionHref = n, fmt.Sprintf("%d more", n), "See them", of.Href
	return []need{of}
}

// cut leaves as many of a kind as are listed, of which one more was asked for than that, and stands for the rest, which
// nobody counted.
func cut[T any](all []T, rest need) ([]T, []need) {
	if len(all) <= maxNeeds {
		return all, nil
	}
	rest.More, rest.Name, rest.Action, rest.ActionHref = uncounted, "More", "See them", rest.Href
	return all[:maxNeeds], []need{rest}
}

// awayNeeds lists workers that are missed, of which one more was asked for than is listed.
func (o *overview) awayNeeds(missed []fleet.Worker) []need {
	listed, more := cut(missed, need{Tone: "bad", Icon: "cross", Kind: "Workers", Why: "More workers that have stacks are offline.", Href: "/workers?online=false"})
	return append(workerNeeds(listed, o.now), more...)
}

// countOf is how many things needs stand for; more says that there are more than that.
func countOf(needs []need) (n int, more bool) {
	for _, one := range needs {
		switch one.More {
		case uncounted:
			more = true
		default:
			n += max(1, one.More)
		}
	}
	return n, more
}
