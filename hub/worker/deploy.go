package worker

import (
	"context"
	"errors"
	"slices"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/secrets"
	"berth/core/stacks"
	"berth/core/wire"
	"berth/hub/worker/applied"
	"berth/hub/worker/content"
)

// deploy puts a revision in place: pull, apply, verify.
//
// A deployment that an earlier worker began is settled by looking. Where the record says
// that the engine had put it in place, it is only verified. Otherwise it goes on: Apply
// makes what is missing or differs and leaves alone what is in place already, so going on is not doing it twice.
func (s *steps) deploy(ctx context.Context, j *job, d wire.Deploy) error {
	project, err := s.projectOf(d)
	if err != nil {
		return err
	}
	if j.interrupted && s.inPlace(d) {
		j.line("The worker was restarted after this deployment had been applied. It is verified now.")
		j.skip(stacks.PhasePull, "done before the worker was restarted")
		j.skip(stacks.PhaseApply, "done before the worker was restarted")
	} else if err := s.change(ctx, j, d, project); err != nil {
		s.tidy(ctx, d.Stack, d.Project, false)
		return err
	}
	err = j.during(ctx, stacks.PhaseVerify, func() error {
		return s.engine.Verify(ctx, project, duration(d.HealthSeconds), duration(d.StableSeconds), j.line)
	})
	s.tidy(ctx, d.Stack, d.Project, err == nil)
	return err
}

// change is what alters the host: pull and apply.
func (s *steps) change(ctx context.Context, j *job, d wire.Deploy, project Project) error {
	attempt := applied.Attempt{Stack: d.Stack, Project: d.Project, Revision: d.Revision, Commit: d.Commit, Deployment: d.Deployment, Content: d.Content}
	if j.interrupted {
		j.line("The worker was restarted during this deployment. It goes on with what is not in place yet.")
		project.Recreate = project.Recreate && !s.allCarry(ctx, d)
	}
	err := j.during(ctx, stacks.PhasePull, func() error {
		if err := s.provide(ctx, j, attempt); err != nil {
			return err
		}
		return s.engine.Pull(ctx, project, d.ForcePull, j.line)
	})
	if err != nil {
		return err
	}
	s.writeCompose(j, d)
	return j.during(ctx, stacks.PhaseApply, func() error {
		if err := s.takeDown(ctx, j, d); err != nil {
			return err
		}
		if err := s.engine.Apply(ctx, project, j.line); err != nil {
			return err
		}
		return diskFaultIf(s.applied.Applied(attempt, s.now()))
	})
}

// takeDown removes the project first, when its networks or volumes are to be made anew. A
// deployment that goes on after a restart does so only while nothing of it is there.
func (s *steps) takeDown(ctx context.Context, j *job, d wire.Deploy) error {
	if !d.RecreateNetworks && !d.RecreateVolumes || j.interrupted && s.anyCarries(ctx, d) {
		return nil
	}
	return s.engine.Down(ctx, d.Project, d.Stack, d.RecreateVolumes, j.line)
}

// provide brings the content of a deployment to this host. It is recorded as in use
// before anything of it is looked for, so that no other command deletes it meanwhile.
func (s *steps) provide(ctx context.Context, j *job, a applied.Attempt) error {
	release := s.content.Hold(a.Content)
	defer release()
	s.shelf.Lock()
	err := s.applied.Try(a)
	s.shelf.Unlock()
	if err != nil {
		return diskFault(err)
	}
	if wants := s.content.Missing(a.Content); len(wants) > 0 {
		if err := s.fetch(ctx, j.cmd.ID, wants); err != nil {
			return contentFault(ctx, err)
		}
	}
	return contentFault(ctx, s.content.Build(ctx, a.Content))
}

func contentFault(ctx context.Context, err error) error {
	var f *fault.Error
	switch {
	case err == nil, errors.As(err, &f), ctx.Err() != nil:
		return err
	case errors.Is(err, content.ErrDamaged):
		return fault.New(fault.Unavailable, "content.damaged",
			"A file from the repository did not arrive as announced. Try again; if it stays so, the hub's stored content is damaged.").Because(err)
	}
	return diskFault(err)
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
	return Project{
		Name: d.Project, YAML: d.Compose, Secrets: values, ContentDir: s.content.ContentDir(), StateDir: state,
		Labels: labelsOf(d), DigestKey: s.digestKey, RemoveOrphans: d.RemoveOrphans, Recreate: d.Recreate,
	}, nil
}

// inPlace reports whether the engine had applied this very deployment.
func (s *steps) inPlace(d wire.Deploy) bool {
	record, found := s.applied.Get(d.Stack)
	return found && record.Trying == 0 && record.Deployment == d.Deployment && record.Revision == d.Revision
}

// allCarry reports whether every container of the project was made by this deployment:
// then an interrupted recreation has nothing old left.
func (s *steps) allCarry(ctx context.Context, d wire.Deploy) bool {
	list, err := s.engine.Containers(ctx, d.Project)
	if err != nil || len(list) == 0 {
		return false
	}
	for _, c := range list {
		if core.DeploymentID(c.Labels[LabelDeployment]) != d.Deployment {
			return false
		}
	}
	return true
}

// anyCarries reports whether a container of the project was made by this deployment.
func (s *steps) anyCarries(ctx context.Context, d wire.Deploy) bool {
	list, err := s.engine.Containers(ctx, d.Project)
	return err == nil && slices.ContainsFunc(list, func(c ProjectContainer) bool {
		return core.DeploymentID(c.Labels[LabelDeployment]) == d.Deployment
	})
}

func duration(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }

func diskFaultIf(err error) error {
	if err == nil {
		return nil
	}
	return diskFault(err)
}
