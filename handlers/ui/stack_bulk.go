package ui

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/stacks"
	"berth/handlers/endpoint"
)

// maxBulk is how many stacks are done at once: what came of each stands in the address of the page that
// shows it, and proxies take addresses of 8 KiB.
const maxBulk = 100

// stackBulkAt is where stacks are done together.
const stackBulkAt = "/stacks/bulk"

// StackBulkDesk asks each stack by itself: what is refused for one hinders none of the others, and audit has a
// line for each. See stacks.Desk.
type StackBulkDesk interface {
	Sync(ctx context.Context, id core.StackID, by access.Principal) (stacks.Deployment, error)
	Pause(ctx context.Context, id core.StackID, by access.Principal) (stacks.Stack, error)
	Resume(ctx context.Context, id core.StackID, by access.Principal) (stacks.Stack, error)
}

// BulkReader reads the stacks that were chosen.
type BulkReader interface {
	StackFinder
	Stacks(ctx context.Context, f stacks.Filter, ask core.Page) (core.List[stacks.Stack], error)
}

// bulkAct is something that is done to many stacks.
type bulkAct struct {
	name string // as in the address
	word string // on the button
	said string // of how many: "3 stacks will be deployed."
	ask  func(context.Context, StackBulkDesk, core.StackID, access.Principal) (core.DeploymentID, error)
	// would says what becomes of a stack; false when nothing does, so that it is left alone.
	would func(stacks.Stack) (string, bool)
}

var bulkActs = []bulkAct{
	{"sync", "Sync", "deployed", func(ctx context.Context, d StackBulkDesk, id core.StackID, by access.Principal) (core.DeploymentID, error) {
		deployment, err := d.Sync(ctx, id, by)
		return deployment.ID, err
	}, wouldSync},
	{"pause", "Pause", "paused", func(ctx context.Context, d StackBulkDesk, id core.StackID, by access.Principal) (core.DeploymentID, error) {
		_, err := d.Pause(ctx, id, by)
		return "", err
	}, func(s stacks.Stack) (string, bool) {
		if s.Paused {
			return "Is paused already.", false
		}
		return "Nothing is deployed by itself until it is resumed; its containers run on.", true
	}},
	{"resume", "Resume", "resumed", func(ctx context.Context, d StackBulkDesk, id core.StackID, by access.Principal) (core.DeploymentID, error) {
		_, err := d.Resume(ctx, id, by)
		return "", err
	}, func(s stacks.Stack) (string, bool) {
		if !s.Paused {
			return "Is not paused.", false
		}
		return "Its repository is looked at, and what it missed is deployed if it syncs by itself.", true
	}},
}

func wouldSync(s stacks.Stack) (string, bool) {
	switch {
	case s.Quarantine.Tree != "":
		return "Tries the newest commit, although one is in quarantine.", true
	case s.Paused:
		return "Deploys the newest commit once; the stack stays paused.", true
	case s.Status == stacks.StatusSyncing || s.Status == stacks.StatusPending:
		return "Waits behind the deployment that is under way, or joins the one that waits.", true
	}
	return "Deploys the newest commit.", true
}

// bulkActIn is the act that a form or an address names.
func bulkActIn(q url.Values) (bulkAct, error) {
	i := slices.IndexFunc(bulkActs, func(a bulkAct) bool { return a.name == q.Get("do") })
	if i < 0 {
		return bulkAct{}, fault.BadFields("query.invalid", []fault.Field{{Path: "do", Problem: "must be sync, pause or resume"}})
	}
	return bulkActs[i], nil
}

type stackBulkPage struct {
	Do, Word, Said string
	Lines          []bulkLine // that something becomes of
	Alone          []bulkLine
	Left           bool // more fit the filter than are done at once
	Most           int
	Back           string
}

// bulkLine is a stack of many, and what would become or came of it.
type bulkLine struct {
	ID         string
	Name, Href string
	Badge      badge
	What       string
	More       string // address of the deployment that was asked for
}

var stackBulkView = newView[stackBulkPage]("stack_bulk.html")

// ConfirmStacks says what would become of the stacks that were ticked, or of those that fit the filter.
func ConfirmStacks(reader BulkReader) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		q := r.URL.Query()
		act, err := bulkActIn(q)
		if err != nil {
			return err
		}
		chosen, left, err := chosenStacks(r.Context(), reader, q)
		if err != nil {
			return err
		}
		page := stackBulkPage{Do: act.name, Word: act.word, Said: act.said, Left: left, Most: maxBulk, Back: withQuery("/stacks", filterOf(q))}
		for _, s := range chosen {
			line := bulkLine{ID: string(s.ID), Name: s.Name, Href: stackHref(s.ID), Badge: stackBadge(s)}
			does := false
			if line.What, does = act.would(s); s.Deleting {
				line.What, does = "Is being removed.", false
			}
			if does {
				page.Lines = append(page.Lines, line)
			} else {
				page.Alone = append(page.Alone, line)
			}
		}
		f := newFrame(r, inStacks, act.word+" many stacks", crumb{"Stacks", "/stacks"})
		return stackBulkView.write(w, r, http.StatusOK, f, page)
	})
}

// filterOf is what of a query the list of stacks is filtered by.
func filterOf(q url.Values) url.Values {
	kept := url.Values{}
	for _, name := range []string{"q", "status", "worker", "repository"} {
		if q.Get(name) != "" {
			kept.Set(name, q.Get(name))
		}
	}
	return kept
}

// keptFilter is the filter as hidden fields of a form.
func keptFilter(q url.Values) (kept []keptField) {
	filter := filterOf(q)
	for _, name := range slices.Sorted(maps.Keys(filter)) {
		kept = append(kept, keptField{name, exact(filter.Get(name))})
	}
	return kept
}

// keptField is a hidden field.
type keptField struct {
	Name  string
	Value exact
}

// chosenStacks reads the stacks that were ticked, or with all=on those that fit the filter; left is true
// when there are more than are done at once. One that went meanwhile is left out.
func chosenStacks(ctx context.Context, reader BulkReader, q url.Values) (chosen []stacks.Stack, left bool, err error) {
	if q.Has("all") {
		filter, err := stackFilterIn(q)
		if err != nil {
			return nil, false, err
		}
		list, err := reader.Stacks(ctx, filter, core.Page{Limit: maxBulk})
		return list.Items, list.Next != "", err
	}
	ids := distinct(q["stack"])
	for _, id := range ids[:min(len(ids), maxBulk)] {
		s, err := reader.Stack(ctx, core.StackID(id))
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return nil, false, err
		}
		chosen = append(chosen, s)
	}
	return chosen, len(ids) > maxBulk, nil
}

// distinct returns each word once, in the order of their first place.
func distinct(all []string) (once []string) {
	for _, word := range all {
		if !slices.Contains(once, word) {
			once = append(once, word)
		}
	}
	return once
}

// ActOnStacks does it to each stack and goes on to a page that shows what comes of that: loading that page again
// does nothing again.
func ActOnStacks(desk StackBulkDesk) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := typed(r)
		if err != nil {
			return err
		}
		act, err := bulkActIn(form)
		if err != nil {
			return err
		}
		ids := distinct(form["stack"])
		if len(ids) > maxBulk {
			return fault.BadFields("query.invalid", []fault.Field{{Path: "stack", Problem: "at most 100 stacks are done at once"}})
		}
		came := url.Values{"do": {act.name}}
		for _, id := range ids {
			deployment, err := act.ask(r.Context(), desk, core.StackID(id), endpoint.Principal(r.Context()))
			if r.Context().Err() != nil {
				return r.Context().Err()
			}
			came.Add("stack", outcome{core.StackID(id), deployment, refusalCode(err)}.text())
		}
		return seeOther(w, r, withQuery(stackBulkAt+"/done", came))
	})
}
