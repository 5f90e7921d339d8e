package worker

import (
	"cmp"
	"context"
	"strconv"
	"strings"

	"berth/core"
	"berth/core/fault"
	"berth/core/secrets"
	"berth/core/wire"
	"berth/hub/worker/journal"
	"berth/hub/worker/runs"
)

// container carries a run from whatever is there to its end. There is one container for a command and attempt, whatever
// happens to the worker: it is made under the run's name, and the journal says that it is launched before it is
// started. Of what was launched the container tells the rest; without it nobody can.
func (s *steps) container(ctx context.Context, w *work) error {
	w.phase = "the look for its container"
	c, found, err := s.findRun(ctx, w)
	switch {
	case err != nil:
		return err
	case !found && w.run.launched:
		return lost()
	case !found:
		if err = s.create(ctx, w); fault.CodeOf(err) == "run.container_taken" {
			c, err = s.beingMade(ctx, w, err)
		}
	}
	if err == nil && c.State != runs.Running && c.State != runs.Exited {
		c, err = s.launch(ctx, w)
	}
	if err != nil {
		return w.late(err)
	}
	return s.attend(ctx, w, c)
}

// findRun looks for the container. One of another attempt is in the way and goes: the newest counts. What was launched is
// looked for as long as it takes, also when nobody wants it any more: it has to be stopped.
func (s *steps) findRun(ctx context.Context, w *work) (c runs.Container, found bool, err error) {
	if w.run.launched {
		c, found, err = s.findLaunched(w.run.container)
	} else {
		c, found, err = s.engine.FindRun(ctx, w.run.container)
	}
	if err != nil || !found || c.Labels[runs.LabelCommand] == w.run.command {
		return c, found, err
	}
	if !before(c.Labels[runs.LabelCommand], w.run.command) {
		return runs.Container{}, false, fault.New(fault.Conflict, "run.container_taken", "The container %s was made for another command than this.", w.run.container)
	}
	w.line("A container of an earlier attempt is there; it is removed.")
	if err := s.engine.StopRun(ctx, w.run.container); err != nil {
		return c, false, err
	}
	return runs.Container{}, false, s.engine.RemoveRun(ctx, w.run.container)
}

func (s *steps) findLaunched(container string) (runs.Container, bool, error) {
	for {
		c, found, err := s.engine.FindRun(s.life, container)
		if err == nil {
			return c, found, nil
		}
		if err := pause(s.life, nil, engineAgain); err != nil {
			return c, false, err
		}
	}
}

// create makes the container: everything until it could be started.
func (s *steps) create(ctx context.Context, w *work) error {
	r := *w.cmd.Run
	w.at(runPreparing)
	if err := s.judge(r.Definition, r.Policy); err != nil {
		return err
	}
	w.phase = "the transfer of its files"
	contents := make([]core.Content, len(r.Configs))
	for i, config := range r.Configs {
		contents[i] = config.Content
	}
	inUse := func() error { return nil } // since it was journaled
	if err := s.provide(w.run.start, w, contents, inUse); err != nil {
		return err
	}
	w.phase = "the preparation of its image and container"
	return s.engine.PrepareRun(w.run.start, s.specOf(w, r), w.line)
}

// beingMade waits for a container which is not there though its name is taken: a worker that is gone had asked for it,
// and the engine is still making it.
func (s *steps) beingMade(ctx context.Context, w *work, taken error) (runs.Container, error) {
	for deadline := s.now().Add(lateAfter); ; {
		c, found, err := s.findRun(ctx, w)
		if err != nil || found {
			return c, err
		}
		if s.now().After(deadline) {
			return c, taken
		}
		if err := pause(ctx, nil, engineAgain); err != nil {
			return c, err
		}
	}
}

func (s *steps) specOf(w *work, r wire.Run) runs.Spec {
	d := r.Definition
	spec := runs.Spec{Name: w.run.container, Job: r.Name, Image: d.Image, Command: d.Command, Variables: r.Variables, Secrets: map[string]secrets.Value{},
		Network: d.Network, CPU: d.Resources.CPU, Memory: d.Resources.Memory, Labels: map[string]string{
			runs.LabelRun: string(r.Run), runs.LabelJob: string(r.Job), LabelCommit: string(r.Commit),
			runs.LabelCommand: w.run.command, runs.LabelWorker: s.self}}
	for name, value := range r.Secrets {
		spec.Secrets[name] = secrets.NewValue(value)
	}
	for _, v := range d.Volumes {
		spec.Mounts = append(spec.Mounts, runs.Mount(v))
	}
	for _, config := range r.Configs {
		source := s.content.ContentDir() + config.Content.Digest + "/" + config.Content.Files[0].Path
		spec.Mounts = append(spec.Mounts, runs.Mount{Source: source, Target: config.Target, ReadOnly: true})
	}
	return spec
}

// launch starts a container that never ran. Whether it was, the engine may not be able to say at once.
func (s *steps) launch(ctx context.Context, w *work) (runs.Container, error) {
	w.phase = "the start of its container"
	if err := context.Cause(w.run.start); err != nil {
		return runs.Container{}, err
	}
	if err := s.journal.Launched(keyOf(w.cmd)); err != nil {
		return runs.Container{}, diskFault(err)
	}
	w.run.launched = true
	startErr := s.engine.StartRun(ctx, w.run.container)
	c, found, err := s.findRun(ctx, w)
	switch {
	case err != nil:
		return c, err
	case !found:
		return c, lost()
	case c.State == runs.Created && startErr != nil:
		return c, startErr
	case c.State == runs.Created:
		return c, fault.New(fault.Unavailable, "run.start", "The Docker engine did not start the container of the run, and does not say why.")
	}
	return c, nil
}

// before reports whether what one LabelCommand names is older than what another does: identifiers rise, and so do attempts.
func before(label, other string) bool {
	id, attempt, _ := strings.Cut(label, "/")
	otherID, otherAttempt, _ := strings.Cut(other, "/")
	n, err := strconv.Atoi(attempt)
	m, otherErr := strconv.Atoi(otherAttempt)
	if err != nil || otherErr != nil {
		return false
	}
	return cmp.Or(cmp.Compare(id, otherID), cmp.Compare(n, m)) < 0
}

func keyOf(cmd wire.Command) journal.Key { return journal.Key{ID: cmd.ID, Attempt: cmd.Attempt} }
