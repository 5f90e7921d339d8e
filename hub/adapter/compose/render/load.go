package render

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/tree"
	"github.com/compose-spec/compose-go/v2/types"

	"berth/core/fault"
)

// load hands the files to the Compose library in a way that gives it nothing to open.
func (r *rendering) load(ctx context.Context) (project *types.Project, err error) {
	details := types.ConfigDetails{WorkingDir: "/", Environment: r.variables.environment()}
	defer func() {
		// The library asserts types without asking in places that hostile files can reach.
		if p := recover(); p != nil {
			err = invalid("%s: not a valid Compose project.", r.files[0].path)
			err = err.(*fault.Error).Because(fmt.Errorf("compose library: %v", p))
		}
	}()
	if details.ConfigFiles, err = r.layers(ctx); err != nil {
		return nil, err
	}
	project, err = loader.LoadWithContext(ctx, details, r.options())
	if r.variables.exhausted() {
		return nil, tooLarge("%s: interpolation and port ranges make the project too large.", r.files[0].path)
	}
	if err != nil {
		return nil, r.explain(ctx, err)
	}
	if len(project.Services) == 0 {
		return nil, invalid("%s: no compose service is left to run with the profiles %q.", r.files[0].path, r.src.Profiles)
	}
	if r.loose {
		return project, nil
	}
	project = project.WithoutUnresolvedOptionalDependencies().WithoutUnnecessaryResources()
	return project, nil
}

func (r *rendering) configure(o *loader.Options) {
	o.SetProjectName(r.src.Project, true)
	o.Profiles = r.src.Profiles
	o.SkipInclude = true            // would open files; see models.go
	o.SkipResolveEnvironment = true // would open env files; see environment.go
	o.SkipResolveLabels = true      // would open label files; refused before
	o.ResolvePaths = false          // would know the server's home; see mounts.go
	interpolate := *o.Interpolate
	interpolate.Substitute = r.variables.substitute
	interpolate.TypeCastMapping = maps.Clone(interpolate.TypeCastMapping)
	interpolate.TypeCastMapping[tree.NewPath("services", tree.PathMatchAll, "ports", tree.PathMatchList)] = r.variables.countPorts
	o.Interpolate = &interpolate
}

// countPorts bounds what ranges such as "1-65535:1-65535" expand to. It sees each short
// port text after interpolation and before the library expands it.
func (v *variables) countPorts(text string) (any, error) {
	count := 1
	for part := range strings.SplitSeq(text, ":") {
		part, _, _ = strings.Cut(part, "/")
		from, to, isRange := strings.Cut(part, "-")
		first, err1 := strconv.Atoi(from)
		last, err2 := strconv.Atoi(to)
		if isRange && err1 == nil && err2 == nil && last > first {
			count = max(count, last-first+1)
		}
	}
	if v.ports -= count; v.ports < 0 {
		return nil, fmt.Errorf("more than %d ports", maxPorts)
	}
	return text, nil
}

// explain turns the library's error into a fault with a place.
func (r *rendering) explain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	text := err.Error()
	place := locate(r.files, text)
	if place == "" {
		place = r.files[0].path
	}
	for _, f := range r.files {
		text = strings.TrimSpace(strings.TrimPrefix(text, "validating "+f.path+": "))
	}
	if names := r.variables.secretsIn(text); len(names) > 0 {
		return unsupported("%s: the secret variable %s cannot stand here; %s. (%s)", place, names[0], secretPlaces, r.variables.reveal(text))
	}
	var known *fault.Error
	if errors.As(err, &known) {
		return err
	}
	return invalid("%s: %s", place, text)
}
