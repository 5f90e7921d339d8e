package hub

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/fleet"
	"berth/core/stacks"
)

// deploy takes one deployment from queued to its worker: fetch, lint, policy, render,
// secrets, dispatch. Until the command is stored nothing was touched, so that an error
// ends the deployment, and a stop of the hub only means that it begins anew.
func (h *Hub) deploy(ctx context.Context, d stacks.Deployment) {
	d, err := h.begin(ctx, d.ID)
	if fault.Is(err, fault.Conflict) {
		return // cancelled, or dispatched meanwhile
	}
	if err != nil {
		h.report("a deployment cannot be started", err, "deployment", d.ID)
		return
	}
	if err := h.recorder.track(ctx, d); err != nil {
		h.report("a deployment's log cannot be read", err, "deployment", d.ID)
		return
	}
	w := &work{rendering: rendering{h: h}, d: d}
	err = w.run(ctx)
	if err == nil || errors.Is(err, errParked) || fault.CodeOf(err) == "stack.changed" {
		return // dispatched, waiting, or to be rendered anew
	}
	h.giveUp(ctx, d, err)
}

// begin moves a deployment to running, as it stands in the store now: what the look that
// started this saw may have been overtaken.
func (h *Hub) begin(ctx context.Context, id core.DeploymentID) (stacks.Deployment, error) {
	d, err := h.opts.Store.Deployment(ctx, id)
	switch {
	case err != nil:
		return d, err
	case d.State == stacks.DeploymentQueued:
		return h.opts.Store.StartDeployment(ctx, id)
	case d.State != stacks.DeploymentRunning || d.Revision > 0:
		return d, fault.New(fault.Conflict, "deployment.moved", "The deployment has moved on.")
	}
	return d, nil
}

// giveUp ends a deployment that did not reach its worker. When the hub is stopping it is
// left as it is, to begin anew.
func (h *Hub) giveUp(ctx context.Context, d stacks.Deployment, err error) {
	if ctx.Err() != nil {
		current, readErr := h.opts.Store.Deployment(context.WithoutCancel(ctx), d.ID)
		if readErr != nil || !current.Cancelling {
			return
		}
		h.end(context.WithoutCancel(ctx), d.ID, stacks.DeploymentCancelled, "deployment.cancelled", "cancelled before anything was changed", nil)
		return
	}
	if fault.KindOf(err) == fault.Internal {
		h.log.Error("a deployment failed for a reason that we did not foresee", "deployment", d.ID, "error", err)
	}
	h.recorder.line(d.ID, fault.PublicOf(err)+"\n")
	h.end(ctx, d.ID, stacks.DeploymentFailed, fault.CodeOf(err), fault.PublicOf(err), nil)
}

// end is endNow for callers that can do nothing about an error.
func (h *Hub) end(ctx context.Context, id core.DeploymentID, state stacks.DeploymentState, code, text string, seen []stacks.ContainerState) {
	h.report("the end of a deployment cannot be stored", h.endNow(ctx, id, state, code, text, seen), "deployment", id)
}

// endNow closes a deployment with what the recorder knows of it.
func (h *Hub) endNow(ctx context.Context, id core.DeploymentID, state stacks.DeploymentState, code, text string, seen []stacks.ContainerState) error {
	_, err := h.close(ctx, stacks.Outcome{Deployment: id, State: state, ErrorCode: code, Error: text, Containers: seen})
	return err
}

// close stores an outcome together with what the recorder knows of the deployment. What
// could not be stored stays in the recorder.
func (h *Hub) close(ctx context.Context, o stacks.Outcome) (done bool, err error) {
	p, lines := h.recorder.take(o.Deployment)
	o.At, o.Commit, o.Phases = h.opts.Now(), p.Commit, p.Phases
	if o.State != stacks.DeploymentSucceeded {
		o.Phases = stacks.FailRunning(p.Phases, o.Error, o.At)
	}
	ending, err := h.opts.Store.EndDeployment(ctx, o, lines)
	switch {
	case err == nil && ending.Ended:
		h.meterEnd(ctx, o.Deployment)
		h.Nudge()
	case err == nil && ending.Restore > 0:
		h.log.Info("a deployment failed; the last good revision is put back", "deployment", o.Deployment, "revision", ending.Restore)
		h.Nudge()
	default:
		h.recorder.giveBack(p, lines)
	}
	return ending.Ended, err
}

// meterEnd counts a deployment that has ended.
func (h *Hub) meterEnd(ctx context.Context, id core.DeploymentID) {
	d, err := h.opts.Store.Deployment(ctx, id)
	if err != nil {
		return // deleted with its stack meanwhile
	}
	h.opts.Meter.Deployed(d.Trigger, d.State, d.FinishedAt.Sub(d.QueuedAt))
	for _, p := range d.Phases {
		h.opts.Meter.PhaseEnded(p.Name, time.Duration(p.DurationMS)*time.Millisecond)
	}
}

// work is one deployment on its way through the pipeline. It belongs to one goroutine.
type work struct {
	rendering
	d      stacks.Deployment
	worker fleet.Worker
}

// errParked says that the deployment waits for a worker; it is not a failure.
var errParked = errors.New("waits for a worker")

func (w *work) run(ctx context.Context) (err error) {
	if w.stack, err = w.h.opts.Store.Stack(ctx, w.d.Stack); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	for _, step := range []struct {
		phase stacks.PhaseName
		do    func(context.Context) (string, error)
	}{
		{stacks.PhaseFetch, w.fetch},
		{stacks.PhaseLint, w.lint},
		{stacks.PhasePolicy, w.policy},
		{stacks.PhaseRender, w.render},
		{stacks.PhaseSecrets, w.secrets},
		{stacks.PhaseDispatch, w.dispatch},
	} {
		if err := w.step(ctx, step.phase, step.do); err != nil {
			return err
		}
	}
	return nil
}

// step runs one phase and records how it went.
func (w *work) step(ctx context.Context, name stacks.PhaseName, do func(context.Context) (string, error)) error {
	w.h.recorder.phase(w.d.ID, name, stacks.PhaseRunning, "")
	message, err := do(ctx)
	switch {
	case errors.Is(err, errParked):
		w.h.recorder.phase(w.d.ID, name, stacks.PhaseRunning, message)
		return err
	case err != nil:
		w.h.recorder.phase(w.d.ID, name, stacks.PhaseFailed, fault.PublicOf(err))
		return err
	case name == stacks.PhaseDispatch:
		return nil // its end is the worker's word
	}
	state := stacks.PhaseSucceeded
	if name == stacks.PhasePolicy {
		state = stacks.PhaseSkipped
	}
	if w.h.recorder.phase(w.d.ID, name, state, message) { // a parked deployment comes by again and again
		w.h.recorder.line(w.d.ID, fmt.Sprintf("%s: %s\n", name, message))
	}
	return nil
}

// fetch opens the newest commit of the stack's branch.
func (w *work) fetch(ctx context.Context) (string, error) {
	if err := w.open(ctx); err != nil {
		return "", err
	}
	w.h.recorder.update(w.d.ID, func(p *stacks.Progress) { p.Commit = w.src.commit })
	return fmt.Sprintf("commit %s of %s", w.src.commit.Short(), w.repository), nil
}

// lint reads the manifest and checks that there is something to deploy.
func (w *work) lint(ctx context.Context) (string, error) {
	if err := w.read(ctx); err != nil {
		return "", err
	}
	if w.manifest.SyncInterval > 0 {
		w.h.recorder.line(w.d.ID, "warning: "+w.file+": sync.interval has no effect in this release; the repository is polled every SCAN_INTERVAL\n")
	}
	if w.file == "" {
		return "no wireops.yaml, the defaults hold", nil
	}
	return w.file + " is valid", nil
}

// policy has nothing to judge by yet: no policy can be set.
func (w *work) policy(context.Context) (string, error) { return "no policy is set", nil }

// render makes the project and stores the repository content that it mounts.
func (w *work) render(ctx context.Context) (string, error) {
	if err := w.compose(ctx, w.h.opts.Files.PutBlob); err != nil {
		return "", err
	}
	for _, warning := range w.project.Warnings {
		w.h.recorder.line(w.d.ID, "warning: "+warning+"\n")
	}
	for _, name := range w.project.Missing {
		w.h.recorder.line(w.d.ID, fmt.Sprintf("warning: the Compose file uses %s, which no variable of the stack provides; it is empty\n", name))
	}
	if len(w.project.Services) == 1 {
		return "1 compose service", nil
	}
	return fmt.Sprintf("%d compose services", len(w.project.Services)), nil
}

// secrets is the gate: every secret that reaches a compose service must resolve now. The
// values live as long as this work; they are resolved anew when the frame is built.
func (w *work) secrets(ctx context.Context) (string, error) {
	if err := w.resolve(ctx); err != nil {
		return "", err
	}
	names := secretNames(w.project.Services)
	if len(names) == 0 {
		return "none are used", nil
	}
	return "resolved " + strings.Join(names, ", "), nil
}

// dispatch stores the revision and the command that puts it in place.
func (w *work) dispatch(ctx context.Context) (string, error) {
	waiting, err := w.place(ctx)
	if err != nil || waiting != "" {
		return waiting, err
	}
	rev, err := w.revision(ctx)
	if err != nil {
		return "", err
	}
	number, known, err := w.h.opts.Store.RevisionNumber(ctx, w.stack.ID, rev.Digest)
	if err != nil {
		return "", err
	}
	if !known {
		rev.Number = number
	}
	cmd := w.command(number)
	if err := fits(cmd, rev, number, w.src.commit, w.project.YAML, w.values); err != nil {
		return "", err
	}
	if err := w.h.opts.Files.PutCompose(w.stack.ID, number, w.project.YAML); err != nil {
		return "", err
	}
	return "", w.commit(ctx, rev, cmd)
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
	w.h.recorder.update(w.d.ID, func(p *stacks.Progress) {
		p.Commit, p.Revision, p.Worker, p.Tree = rev.Commit, number, w.worker.ID, rev.Tree
	})
	p, lines := w.h.recorder.pending(w.d.ID)
	if _, err := w.h.opts.Store.Dispatch(ctx, rev, cmd, p, lines); err != nil {
		w.h.recorder.giveBack(p, lines)
		return err
	}
	if s := w.h.session(w.worker.ID); s != nil {
		s.wake()
	}
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
