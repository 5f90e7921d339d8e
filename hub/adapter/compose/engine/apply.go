package engine

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/compose-spec/compose-go/v2/types"
	"github.com/docker/compose/v5/pkg/api"
	"github.com/moby/moby/api/types/container"

	"berth/core"
	"berth/core/secrets"
	"berth/hub/worker"
)

// Apply brings the project up. See worker.Engine.
func (e *Engine) Apply(ctx context.Context, p worker.Project, report func(line string)) error {
	r := redactor(p)
	project, err := e.prepare(ctx, p)
	if err == nil {
		err = e.checkName(ctx, project, p, func(line string) { report(clipText(r.Redact(line))) })
	}
	if err == nil {
		err = e.pull(ctx, project, false, r.Redact, report)
	}
	var replace []string
	if err == nil {
		replace, err = e.prepareHost(ctx, project, p, r.Redact, report)
	}
	if err == nil {
		err = e.up(ctx, project, p, replace, r, report)
	}
	return e.failed(ctx, err, r.Redact)
}

func redactor(p worker.Project) *secrets.Redactor {
	return secrets.NewRedactor(slices.Collect(maps.Values(p.Secrets)))
}

// prepare loads a project and does everything that can fail without touching a container.
func (e *Engine) prepare(ctx context.Context, p worker.Project) (*types.Project, error) {
	project, err := load(ctx, p)
	if err != nil {
		return nil, err
	}
	if err := e.judge(ctx, project, append(slices.Clone(e.limits), p.Policy...)); err != nil {
		return nil, err
	}
	if err := checkSecrets(project); err != nil {
		return nil, err
	}
	if err := place(project, p); err != nil {
		return nil, err
	}
	if err := addDigests(project, p.DigestKey); err != nil {
		return nil, err
	}
	addLabels(project, p)
	return project, nil
}

// checkSecrets makes sure that every secret from a variable has a value. The SDK would
// find out when it starts the service, after others were started.
func checkSecrets(project *types.Project) error {
	for name, service := range project.Services {
		for _, ref := range service.Secrets {
			secret := project.Secrets[ref.Source]
			if secret.Environment != "" && secret.Content == "" {
				return about(name, applyFault("%s: the secret %s needs the variable %s, which is empty or missing; nothing was changed.", name, ref.Source, secret.Environment))
			}
		}
	}
	return nil
}

func (e *Engine) up(ctx context.Context, project *types.Project, p worker.Project, replace []string, r *secrets.Redactor, report func(string)) error {
	for name, service := range project.Services {
		service.PullPolicy = types.PullPolicyNever // pull has seen to it; not part of the hash
		project.Services[name] = service
	}
	create := api.CreateOptions{
		RemoveOrphans: p.RemoveOrphans, IgnoreOrphans: !p.RemoveOrphans,
		Recreate: api.RecreateDiverged, RecreateDependencies: api.RecreateDiverged,
		Inherit: true, QuietPull: true,
	}
	switch {
	case p.Recreate:
		create.Recreate, create.RecreateDependencies = api.RecreateForce, api.RecreateForce
	case len(replace) > 0: // Compose brings up all services all the same
		create.Services, create.Recreate = replace, api.RecreateForce
	}
	err := relay(report, namesOf(project), r.Redact, func(progress *progress) error {
		sdk, err := newSDK(upOfStack{e.docker, core.StackID(p.Labels[worker.LabelStack])}, progress, progress.question)
		if err != nil {
			return err
		}
		return sdk.Up(ctx, project, api.UpOptions{
			Create: create,
			Start:  api.StartOptions{Project: project, WaitTimeout: dependencyTime(project, p.HealthTimeout)},
		})
	})
	return e.explainUp(ctx, project, p, r, err)
}

// dependencyTime bounds the wait of one service for those that it depends on: they have as long to
// become healthy as when nobody waits for them. Compose has one bound for a whole project, so there is
// none where a service waits for another to finish: a task may take as long as the deployment.
func dependencyTime(project *types.Project, health time.Duration) time.Duration {
	for _, service := range project.Services {
		for _, on := range service.DependsOn {
			if on.Condition == types.ServiceConditionCompletedSuccessfully {
				return 0
			}
		}
	}
	return health
}

// explainUp finds the container behind "dependency failed to start": what it said last
// helps more than that it is unhealthy.
func (e *Engine) explainUp(ctx context.Context, project *types.Project, p worker.Project, r *secrets.Redactor, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	text := err.Error()
	late := strings.Contains(text, "timeout waiting for dependencies")
	if !late && !strings.Contains(text, "dependency failed to start") && !strings.Contains(text, "didn't complete successfully") {
		return err
	}
	seen, lookErr := e.observeOwn(ctx, p)
	if lookErr != nil {
		return err
	}
	if bad := firstFailed(project, seen, nil); bad != nil {
		return e.unhealthy(ctx, *bad, r)
	}
	for _, o := range ofProject(project, seen) {
		if late && o.state == container.StateRunning && judge(o, 0) == waiting {
			return e.unhealthyAfter(ctx, o, r, p.HealthTimeout)
		}
	}
	return about(mentioned(project, seen, text), err)
}

// mentioned returns the compose service of the container that a text names; empty when it names none.
func mentioned(project *types.Project, seen []observed, text string) string {
	longest := observed{}
	for _, o := range ofProject(project, seen) {
		if strings.Contains(text, o.name) && len(o.name) > len(longest.name) { // "web-1" is in "web-10" as well
			longest = o
		}
	}
	return longest.service
}
