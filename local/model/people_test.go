package model

import (
	"context"

	"berth/core"
	"berth/core/fault"
	"berth/core/stacks"
)

// wish is what a person was promised: the deployment that covers it.
type wish struct {
	deployment core.DeploymentID
	aim        stacks.Aim
	head       int // of the repository when it was promised
}

// ask stores a wish. What is refused was not promised.
func (w *world) ask(trigger stacks.Trigger, options stacks.DeployOptions, aim stacks.Aim) bool {
	var d stacks.Deployment
	err := w.durable(func() (err error) {
		d, err = w.store.QueueDeployment(context.Background(), stacks.Ask{Stack: w.stack, Trigger: trigger, Actor: person.Name,
			Reason: "asked", Options: options, Aim: aim}, person)
		return err
	})
	if err != nil {
		if k := fault.KindOf(err); k != fault.Conflict && k != fault.NotFound && k != fault.Invalid {
			w.must(err)
		}
		return false
	}
	w.tell("a person asks for %s, aim %+v: %s, %s", trigger, aim, d.ID, d.State)
	if trigger == stacks.TriggerRedeploy {
		aim = d.Aim // while the head is in quarantine, of what runs
	}
	w.wishes = append(w.wishes, wish{deployment: d.ID, aim: aim, head: w.head()})
	return true
}

// push adds a commit: most change the stack's folder, some cannot be deployed.
func (w *world) push() {
	n := w.head() + 1
	c := commit{tree: n, broken: w.chance(10), bad: w.chance(5), keep: w.chance(4), heal: w.chance(2)}
	if w.chance(4) {
		c = w.commits[n-2]
	}
	w.commits = append(w.commits, c)
	w.tell("commit c%d: %+v", n, c)
}

func (w *world) rollBack() bool {
	rev, err := w.store.Revisions(context.Background(), w.stack, 0, 20)
	w.must(err)
	if len(rev) == 0 {
		return false
	}
	return w.ask(stacks.TriggerRollback, stacks.DeployOptions{}, stacks.Aim{Revision: rev[w.random.IntN(len(rev))].Number})
}

func (w *world) pause() {
	ctx := context.Background()
	st, err := w.store.Stack(ctx, w.stack)
	w.must(err)
	change := w.store.PauseStack
	if st.Paused {
		change = w.store.ResumeStack
	}
	w.must(w.durable(func() error {
		_, err := change(ctx, w.stack, person)
		return err
	}))
	w.tell("a person sets paused to %v", !st.Paused)
}

// autoSync switches automatic sync on or off.
func (w *world) autoSync() {
	on := w.random.IntN(2) == 0
	w.must(w.durable(func() error {
		_, err := w.store.UpdateStack(context.Background(), w.stack, stacks.Change{AutoSync: &on}, person)
		return err
	}))
	w.tell("a person sets automatic sync to %v", on)
}

// askCancel asks to cancel the newest deployment that is open.
func (w *world) askCancel() bool {
	open, err := w.store.OpenDeployments(context.Background())
	w.must(err)
	if len(open) == 0 {
		return false
	}
	d := open[w.random.IntN(len(open))]
	w.ended = append(w.ended, d.ID) // also when the answer is lost
	w.tell("a person cancels %s, %s", d.ID, d.State)
	w.must(w.durable(func() error {
		_, err := w.store.CancelDeployment(context.Background(), d.ID, person)
		return err
	}))
	return true
}

func (w *world) askLook() {
	w.tell("a person asks for a look at the repository")
	w.must(w.durable(func() error {
		_, err := w.store.AskSync(context.Background(), w.repo, w.tick(), person)
		return err
	}))
}
