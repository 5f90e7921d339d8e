package hub

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"berth/core"
	"berth/core/fault"
	"berth/core/fleet"
	"berth/core/stacks"
)

// deploy takes one deployment from queued to its worker: fetch, lint, render, policy,
// secrets, dispatch. Until the command is stored nothing was touched, so that an error
// ends the deployment, and a stop of the hub only means that it begins anew.
func (h *Hub) deploy(ctx context.Context, d stacks.Deployment) {
	d, err := h.begin(ctx, d.ID)
	if fault.Is(err, fault.Conflict) || fault.CodeOf(err) == "store.disk_full" {
		return // cancelled, or dispatched meanwhile; or it waits until the disk has room
	}
	if err != nil {
		h.report("a deployment cannot be started", err, "deployment", d.ID)
		return
	}
	if err := h.recorder.track(ctx, d.ID); err != nil {
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

// work is one deployment on its way through the pipeline. It belongs to one goroutine.
type work struct {
	rendering
	d stacks.Deployment
	// unrendered is set when the names that the secrets file provides are unknown, so that what is rendered without
	// them would fail for another reason than the real one.
	unrendered bool
	kept       stacks.Revision // that the deployment aims at; its number is 0 when it is about the head
	worker     fleet.Worker
}

// errParked says that the deployment waits for a worker, or for runs of jobs; it is not a failure.
var errParked = errors.New("waits")

func (w *work) run(ctx context.Context) (err error) {
	if w.stack, err = w.h.opts.Store.Stack(ctx, w.d.Stack); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	for _, next := range w.steps() {
		if err := w.step(ctx, next); err != nil {
			return err
		}
	}
	return nil
}

// step is one phase and what is done in it.
type step struct {
	name stacks.PhaseName
	do   func(context.Context) (message string, err error)
	skip bool // there is nothing to do in it: the message says why
}

// steps leads to the head of the branch, or to the kept revision that the deployment aims at.
func (w *work) steps() []step {
	if w.d.Aim != (stacks.Aim{}) {
		return []step{
			{name: stacks.PhaseFetch, do: w.recall, skip: true}, {name: stacks.PhaseLint, do: w.asKept, skip: true},
			{name: stacks.PhaseRender, do: w.asKept, skip: true}, {name: stacks.PhasePolicy, do: w.policyOfKept},
			{name: stacks.PhaseSecrets, do: w.secrets}, {name: stacks.PhaseDispatch, do: w.dispatch},
		}
	}
	return []step{
		{name: stacks.PhaseFetch, do: w.fetch}, {name: stacks.PhaseLint, do: w.lint}, {name: stacks.PhaseRender, do: w.render},
		{name: stacks.PhasePolicy, do: w.policy}, {name: stacks.PhaseSecrets, do: w.secrets}, {name: stacks.PhaseDispatch, do: w.dispatch},
	}
}

// step runs one phase and records how it went.
func (w *work) step(ctx context.Context, s step) error {
	w.h.recorder.phase(w.d.ID, s.name, stacks.PhaseRunning, "")
	message, err := s.do(ctx)
	switch {
	case errors.Is(err, errParked):
		w.h.recorder.phase(w.d.ID, s.name, stacks.PhaseRunning, message)
		return err
	case err != nil:
		w.h.recorder.phase(w.d.ID, s.name, stacks.PhaseFailed, fault.PublicOf(err))
		return err
	case s.name == stacks.PhaseDispatch:
		return nil // its end is the worker's word
	}
	state := stacks.PhaseSucceeded
	if s.skip || w.unrendered && (s.name == stacks.PhaseRender || s.name == stacks.PhasePolicy) {
		state = stacks.PhaseSkipped
	}
	if w.h.recorder.phase(w.d.ID, s.name, state, message) { // a parked deployment comes by again and again
		w.h.recorder.line(w.d.ID, fmt.Sprintf("%s: %s\n", s.name, message))
	}
	return nil
}

// fetch opens the newest commit that the stack's repository follows.
func (w *work) fetch(ctx context.Context) (string, error) {
	if err := w.open(ctx); err != nil {
		return "", err
	}
	w.h.recorder.know(w.d.ID, func(p *stacks.Progress) { p.Commit = w.src.commit })
	if w.src.version != "" {
		return fmt.Sprintf("commit %s, tag %s, of %s", w.src.commit.Short(), w.src.version, w.repository), nil
	}
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
	if err := w.check(ctx); err != nil {
		return "", err
	}
	for _, f := range w.findings {
		w.h.recorder.line(w.d.ID, "advice: "+f.String()+"\n")
	}
	if w.file == "" {
		return "no wireops.yaml, the defaults hold", nil
	}
	return w.file + " is valid", nil
}

// render makes the project and stores the repository content that it mounts, and the secrets file as it is
// in the repository.
func (w *work) render(ctx context.Context) (string, error) {
	if w.unrendered = w.over.broken != nil; w.unrendered {
		return "not before " + w.over.file + " can be read", nil
	}
	if w.over.content != nil {
		if err := w.h.opts.Files.PutBlob(ctx, w.over.digest(), w.over.content); err != nil {
			return "", err
		}
	}
	if err := w.compose(ctx, func(digest string, content []byte) error { return w.h.opts.Files.PutBlob(ctx, digest, content) }); err != nil {
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
