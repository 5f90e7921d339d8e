package fleet

import (
	"fmt"
	"strings"

	"berth/core"
)

// Want is what a stack asks of the worker that it runs on.
type Want struct {
	Worker core.WorkerID // assigned already: no other will do
	Tags   []string      // every one of them
}

// Place chooses the worker for a stack: the assigned one or, among those that are
// online, not revoked and have every tag, the one with the fewest stacks. When none
// fits, the text says in words why, and what would help; it is empty otherwise. The
// same input gives the same answer.
func Place(workers []Worker, want Want) (Worker, string) {
	if want.Worker != "" {
		return placeAssigned(workers, want)
	}
	best := -1
	for i, w := range workers {
		if w.Revoked || !w.Online || !w.HasAll(want.Tags) {
			continue
		}
		if best < 0 || w.Stacks < workers[best].Stacks || w.Stacks == workers[best].Stacks && w.ID < workers[best].ID {
			best = i
		}
	}
	if best < 0 {
		return Worker{}, whyNone(workers, want.Tags)
	}
	return workers[best], ""
}

func placeAssigned(workers []Worker, want Want) (Worker, string) {
	for _, w := range workers {
		if w.ID != want.Worker {
			continue
		}
		switch {
		case w.Revoked:
			return Worker{}, fmt.Sprintf("worker %s (%s) is revoked; assign the stack to another one", w.Hostname, w.ID)
		case !w.HasAll(want.Tags):
			return Worker{}, fmt.Sprintf("worker %s (%s) lacks the tag %s; give it that tag or assign the stack to another one",
				w.Hostname, w.ID, missing(w, want.Tags))
		case !w.Online:
			return Worker{}, fmt.Sprintf("worker %s (%s) is offline; the deployment waits for it", w.Hostname, w.ID)
		}
		return w, ""
	}
	return Worker{}, fmt.Sprintf("the stack's worker (%s) was revoked or deleted; choose another one in the stack's settings. What it runs stays on its host", want.Worker)
}

// whyNone tells what stands between the fleet and a stack with these tags.
func whyNone(workers []Worker, tags []string) string {
	usable, online, offline := 0, 0, []string{}
	for _, w := range workers {
		if w.Revoked {
			continue
		}
		usable++
		if w.Online {
			online++
		} else if w.HasAll(tags) {
			offline = append(offline, w.Hostname)
		}
	}
	switch {
	case usable == 0:
		return "no worker is registered; add one under Workers"
	case len(offline) > 0:
		return fmt.Sprintf("the workers that fit are offline: %s; the deployment waits for one", few(offline))
	case online == 0:
		return "no worker is online, and none of those that are offline has the tags " + strings.Join(tags, ", ")
	}
	return fmt.Sprintf("no worker has all of the tags %s; set WORKER_TAGS on one", strings.Join(tags, ", "))
}

func missing(w Worker, tags []string) string {
	var absent []string
	for _, tag := range tags {
		if !w.HasAll([]string{tag}) {
			absent = append(absent, tag)
		}
	}
	return strings.Join(absent, ", ")
}

// few joins at most five names and counts the rest.
func few(names []string) string {
	const shown = 5
	if len(names) <= shown {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:shown], ", "), len(names)-shown)
}
