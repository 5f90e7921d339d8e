package ui

import (
	"context"
	"fmt"
	"strings"

	"berth/core"
	"berth/core/fault"
	"berth/core/fleet"
)

// pickedFrom is up to how many workers a list to choose from has. One of a larger fleet is typed.
const pickedFrom = 200

// workerPick is where people say which worker: they choose it or, in a large fleet, type its host name.
type workerPick struct {
	Choose choice
	Type   input
	Large  bool // it is typed
}

// newWorkerPick asks for a worker, or for none where the answer for that has a word. It has the one that was chosen
// before, by its identifier, or what was typed. Some workers are not offered.
func newWorkerPick(ctx context.Context, workers WorkerDirectory, words choice, none, chosen string, offered func(fleet.Worker) bool) (workerPick, error) {
	p := workerPick{Choose: words, Type: input{Name: words.Name, Label: words.Label, Kind: "text", Complete: "off", Mono: true, Value: exact(chosen), Optional: none != ""}}
	no, yes := false, true
	all, err := workers.Workers(ctx, fleet.Filter{Revoked: &no}, core.Page{Limit: pickedFrom})
	if err != nil {
		return p, err
	}
	present, err := chosenWorker(ctx, workers, chosen)
	if err != nil {
		return p, err
	}
	if p.Large = all.Next != ""; !p.Large {
		if none != "" {
			p.Choose.Options = []option{{"", none, chosen == ""}}
		}
		p.Choose.Options = append(p.Choose.Options, workerOptions(all.Items, chosen, offered)...)
		if present.Revoked && offered(present) { // what is saved as it was stays so
			p.Choose.Options = append(p.Choose.Options, option{exact(present.ID), present.Label() + " (revoked)", true})
		}
		return p, nil
	}
	if present.ID != "" && !present.Revoked { // one that is revoked has no name by which it is found
		p.Type.Value = exact(present.Label())
	}
	p.Type.Hint = strings.TrimSpace("The host name of a worker, as the list of workers has it. " + words.Hint)
	if none != "" {
		p.Type.Hint += " Empty: " + strings.ToLower(none[:1]) + none[1:] + "."
	}
	there, err := workers.Workers(ctx, fleet.Filter{Revoked: &no, Online: &yes}, core.Page{Limit: pickedFrom})
	for _, w := range there.Items {
		if offered(w) {
			p.Type.Among = append(p.Type.Among, w.Label())
		}
	}
	return p, err
}

// chosenWorker is the worker of which a form has the identifier; none where it has a name, or what there is no more.
func chosenWorker(ctx context.Context, workers WorkerFinder, chosen string) (fleet.Worker, error) {
	if !isWorkerID(chosen) {
		return fleet.Worker{}, nil
	}
	w, err := workers.Worker(ctx, core.WorkerID(chosen))
	if gone(err) {
		return fleet.Worker{}, nil
	}
	return w, err
}

// Empty reports whether there is no worker to choose.
func (p workerPick) Empty() bool {
	for _, o := range p.Choose.Options {
		if o.Value != "" {
			return false
		}
	}
	return !p.Large
}

// rename has it posted under another name.
func (p workerPick) rename(name string) workerPick {
	p.Choose.Name, p.Type.Name = name, name
	return p
}

// refuse puts beside it what is wrong with it.
func (p *workerPick) refuse(c *complaints) {
	if problem := c.about(p.Choose.Name); problem != "" {
		p.Choose.Problem, p.Type.Problem = problem, problem
	}
}

func isWorkerID(text string) bool { return strings.HasPrefix(text, core.PrefixWorker+"_") }

// pickedWorker is the worker that was said in a field: chosen, which posts its identifier, or typed by its name. Invalid
// "worker.unnamed" where no worker, or more than one, is called so.
func pickedWorker(ctx context.Context, workers WorkerLister, field, said string) (core.WorkerID, error) {
	said = strings.TrimSpace(said)
	if said == "" || isWorkerID(said) {
		return core.WorkerID(said), nil
	}
	no := false
	host, _, _ := strings.Cut(said, " (")
	var found []fleet.Worker
	for ask := (core.Page{Limit: core.MaxPage}); ; {
		some, err := workers.Workers(ctx, fleet.Filter{Revoked: &no, Search: host}, ask)
		if err != nil {
			return "", err
		}
		for _, w := range some.Items {
			if strings.EqualFold(w.Label(), said) {
				return w.ID, nil
			}
			if strings.EqualFold(w.Hostname, said) {
				found = append(found, w)
			}
		}
		if ask.After = some.Next; some.Next == "" {
			break
		}
	}
	problem := fmt.Sprintf("no worker that may be used is called %q: type its host name as the list of workers has it, or its identifier", said)
	if len(found) > 1 {
		problem = fmt.Sprintf("%d workers are called %q: add which one, as in %s", len(found), said, found[0].Label())
	}
	return "", fault.BadFields("worker.unnamed", []fault.Field{{Path: field, Problem: problem}})
}
