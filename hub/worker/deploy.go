package worker

import (
	"context"
	"time"

	"berth/core/secrets"
	"berth/core/stacks"
	"berth/core/wire"
	"berth/hub/worker/applied"
)

// deploy puts a revision in place: pull, apply, verify.
//
// A deployment that an earlier worker began is settled by looking. Where the record says
// that the engine had put it in place, it is only verified. Otherwise it goes on: Apply
// makes what is missing or differs and leaves alone what is in place already, so going on is not doing it twice.
func (s *steps) deploy(ctx context.Context, w *work, d wire.Deploy) error {
	project, err := s.projectOf(d)
	if err != nil {
		return err
	}
	if w.interrupted && s.inPlace(d) {
		w.line("The worker was restarted after this deployment had been applied. It is verified now.")
		w.skip(stacks.PhasePull, "done before the worker was restarted")
		w.skip(stacks.PhaseApply, "done before the worker was restarted")
	} else if err := s.change(ctx, w, d, project); err != nil {
		s.tidy(ctx, d.Stack, d.Project, false)
		return err
	}
	err = w.during(ctx, stacks.PhaseVerify, func() error {
		return s.engine.Verify(ctx, project, duration(d.HealthSeconds), duration(d.StableSeconds), w.line)
	})
	s.tidy(ctx, d.Stack, d.Project, err == nil)
	return err
}

// change is what alters the host: pull and apply.
func (s *steps) change(ctx context.Context, w *work, d wire.Deploy, project Project) error {
	attempt := applied.Attempt{Stack: d.Stack, Project: d.Project, Revision: d.Revision, Commit: d.Commit, Deployment: d.Deployment, Content: d.Content}
	if w.interrupted {
		w.line("The worker was restarted during this deployment. It goes on with what is not in place yet.")
	}
	err := w.during(ctx, stacks.PhasePull, func() error {
		if err := s.provide(ctx, w, d.Content, func() error { return s.applied.Try(attempt) }); err != nil {
			return err
		}
		return s.engine.Pull(ctx, project, d.ForcePull, w.line)
	})
	if err != nil {
		return err
	}
	s.writeCompose(w, d)
	return w.during(ctx, stacks.PhaseApply, func() error { return s.apply(ctx, w, d, project, attempt) })
}

func (s *steps) apply(ctx context.Context, w *work, d wire.Deploy, project Project, attempt applied.Attempt) error {
	all, err := s.engine.Containers(ctx, d.Project)
	if err != nil {
		return err
	}
	present := ownOf(all, d.Stack)
	s.renew(w, d, &project, present)
	if err := s.applied.Touch(d.Stack); err != nil {
		return diskFault(err)
	}
	if err := s.takeDown(ctx, w, d, present); err != nil {
		return err
	}
	if err := s.engine.Apply(ctx, project, w.line); err != nil {
		return err
	}
	if err := s.applied.Applied(attempt, s.now()); err != nil {
		s.log.Error("what was applied could not be recorded; it is known until the worker stops, and looked at again then", "stack", d.Stack, "error", err)
	}
	return nil
}

func (s *steps) projectOf(d wire.Deploy) (Project, error) {
	state, err := s.content.StateDir(d.Stack)
	if err != nil {
		return Project{}, diskFault(err)
	}
	values := make(map[string]secrets.Value, len(d.Secrets))
	for name, value := range d.Secrets {
		values[name] = secrets.NewValue(value)
	}
	record, placed := s.applied.Get(d.Stack)
	return Project{
		Placed: placed && record.Revision > 0 && record.Project == d.Project,
		Name:   d.Project, YAML: d.Compose, Secrets: values, ContentDir: s.content.ContentDir(), StateDir: state,
		Labels: labelsOf(d), DigestKey: s.digestKey, Policy: d.Policy, RemoveOrphans: d.RemoveOrphans, Recreate: d.Recreate,
		HealthTimeout: duration(d.HealthSeconds),
	}, nil
}

// inPlace reports whether the engine had applied this very deployment.
func (s *steps) inPlace(d wire.Deploy) bool {
	record, found := s.applied.Get(d.Stack)
	return found && record.Trying == 0 && record.Deployment == d.Deployment && record.Revision == d.Revision
}

func duration(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }
