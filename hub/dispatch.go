package hub

import (
	"context"
	"fmt"
	"slices"

	"berth/core"
	"berth/core/stacks"
)

// dispatch stores the revision, unless it is a kept one, and the command that puts it in place.
func (w *work) dispatch(ctx context.Context) (string, error) {
	waiting, err := w.awaitRuns(ctx)
	if err == nil {
		waiting, err = w.place(ctx)
	}
	if err != nil || waiting != "" {
		return waiting, err
	}
	rev, number, err := w.row(ctx)
	if err != nil {
		return "", err
	}
	cmd := w.command(number)
	if err := fits(cmd, rev, number, rev.Commit, w.project.YAML, w.values); err != nil {
		return "", err
	}
	if w.kept.Number == 0 {
		err = w.h.opts.Files.PutCompose(ctx, w.stack.ID, number, w.project.YAML)
	}
	if err != nil {
		return "", err
	}
	return "", w.commit(ctx, rev, cmd)
}

// row returns the revision to store, and its number: the kept one, or what was rendered. The
// store finds the kept one by its digest.
func (w *work) row(ctx context.Context) (rev stacks.Revision, number int, err error) {
	if w.kept.Number > 0 {
		return w.kept, w.kept.Number, nil
	}
	if rev, err = w.revision(ctx); err != nil {
		return rev, 0, err
	}
	number, known, err := w.h.opts.Store.RevisionNumber(ctx, w.stack.ID, rev.Digest)
	if err == nil && !known {
		rev.Number = number
	}
	return rev, number, err
}

// command is what the worker will be asked to do.
func (w *work) command(number int) stacks.Command {
	now := w.h.opts.Now()
	return stacks.Command{ID: core.CommandID(core.NewID(core.PrefixCommand, now)), Attempt: 1, Worker: w.worker.ID, Kind: stacks.CommandDeploy,
		Stack: w.stack.ID, Deployment: w.d.ID, State: stacks.CommandQueued, CreatedAt: now,
		Body: stacks.CommandBody{Project: w.stack.ProjectName(), Revision: number, Options: w.d.Options, Seconds: int(w.manifest.Timeout.Seconds())}}
}

// commit stores revision, command and progress together and wakes the worker's session.
func (w *work) commit(ctx context.Context, rev stacks.Revision, cmd stacks.Command) error {
	number := cmd.Body.Revision
	message := fmt.Sprintf("revision %d to worker %s", number, w.worker.Hostname)
	if !w.worker.Online {
		message = fmt.Sprintf("worker %s is offline; the deployment waits for it", w.worker.Hostname)
	}
	w.h.recorder.phase(w.d.ID, stacks.PhaseDispatch, stacks.PhaseRunning, message)
	w.h.recorder.line(w.d.ID, "dispatch: "+message+"\n")
	w.h.recorder.know(w.d.ID, func(p *stacks.Progress) { p.Commit, p.Revision, p.Tree = rev.Commit, number, rev.Tree })
	err := w.h.recorder.dispatched(w.d.ID, w.worker.ID, func(p stacks.Progress, lines []stacks.LogLine) error {
		_, err := w.h.opts.Store.Dispatch(ctx, rev, cmd, p, lines)
		return err
	})
	if err != nil {
		return err
	}
	if w.h.opts.Peers != nil && w.h.session(w.worker.ID) == nil {
		w.h.recorder.forget(w.d.ID) // the hub that holds the link records it from here on
		w.h.opts.Peers.Wake(ctx, w.worker.ID)
	}
	w.h.Wake(w.worker.ID)
	w.h.figures.wake()
	return nil
}

// secretNames returns the secret variables that reach any compose service, in order.
func secretNames(services []core.ComposeService) []string {
	seen := map[string]bool{}
	names := []string{}
	for _, s := range services {
		for _, name := range s.Variables {
			if !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}
