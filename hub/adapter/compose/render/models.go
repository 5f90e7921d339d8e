package render

import (
	"context"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/override"
	"github.com/compose-spec/compose-go/v2/types"

	"berth/core/fault"
)

// layers returns what the Compose library merges, in order: before each main file what it includes. A file that neither
// is included nor extends another's services goes in as it is; any other as a model, whose relative paths begin at the
// stack's folder.
func (r *rendering) layers(ctx context.Context) ([]types.ConfigFile, error) {
	owners := map[string]*inclusion{}
	var all []types.ConfigFile
	for _, d := range r.main {
		own := map[string]string{}
		for _, name := range d.definitions() {
			own[name] = d.path
		}
		included, err := r.included(ctx, d, nil, own, owners)
		if err != nil {
			return nil, err
		}
		all = append(all, included...)
		if len(d.bases) == 0 {
			all = append(all, types.ConfigFile{Filename: d.path, Content: d.data})
			continue
		}
		model, err := r.model(ctx, d, nil)
		if err != nil {
			return nil, err
		}
		all = append(all, layer(d, model))
	}
	return all, nil
}

func layer(d *document, model map[string]any) types.ConfigFile {
	return types.ConfigFile{Filename: d.path, Config: doubled(model).(map[string]any)}
}

// included returns what a file includes, and what that includes. own are the names that the file defines itself, and
// owners those that were included before: nothing that is included replaces anything, unless it is the same.
func (r *rendering) included(ctx context.Context, d *document, env map[string]string, own map[string]string, owners map[string]*inclusion) ([]types.ConfigFile, error) {
	var all []types.ConfigFile
	for _, inc := range d.includes {
		if err := r.readEnvironment(ctx, inc, env); err != nil {
			return nil, err
		}
		known := false
		for _, doc := range inc.docs {
			for _, name := range doc.definitions() {
				before := owners[name]
				known = known || before != nil && before != inc && before.key == inc.key
				if where := own[name]; where != "" {
					return nil, invalid("%s: %s is in %s and in the included %s; overlay it in a file of its own, such as compose.override.yaml.", inc.place, name, where, doc.path)
				}
				if before != nil && before.key != inc.key {
					return nil, invalid("%s: %s of %s was included before, by %s.", inc.place, name, doc.path, before.place)
				}
				owners[name] = inc
			}
		}
		if known {
			continue
		}
		layers, err := r.ofInclusion(ctx, inc, owners)
		if err != nil {
			return nil, err
		}
		all = append(all, layers...)
	}
	return all, nil
}

func (r *rendering) ofInclusion(ctx context.Context, inc *inclusion, owners map[string]*inclusion) ([]types.ConfigFile, error) {
	var all []types.ConfigFile
	for _, doc := range inc.docs {
		below, err := r.included(ctx, doc, inc.env, nil, owners)
		if err != nil {
			return nil, err
		}
		model, err := r.model(ctx, doc, inc)
		if err != nil {
			return nil, err
		}
		all = append(append(all, below...), layer(doc, model))
	}
	return all, nil
}

// definitions are the names that a file defines, as services.web.
func (d *document) definitions() []string {
	var all []string
	for _, section := range []string{"services", "volumes", "networks", "configs", "secrets"} {
		for _, e := range entries(lookup(d.root, section)) {
			all = append(all, section+"."+e.name)
		}
	}
	return all
}

// readEnvironment reads the variables that an entry's env_file adds below those of the stack and of what includes it.
func (r *rendering) readEnvironment(ctx context.Context, inc *inclusion, outer map[string]string) error {
	merged := types.Mapping{}
	for _, p := range inc.envFiles {
		data, err := r.readText(ctx, p, maxEnvFileBytes)
		if err != nil {
			return in(inc.place, err)
		}
		if err := r.parseEnvFile(types.EnvFile{Path: p}, data, merged, nil); err != nil {
			return invalid("%s: %s: %s", inc.place, p, r.variables.reveal(err.Error()))
		}
	}
	maps.Copy(merged, outer)
	inc.env = merged
	return nil
}

// modelKey is what a model depends on.
type modelKey struct {
	doc *document
	inc *inclusion
}

// model returns a file as maps and lists: interpolated, in long forms, services of other files extended, and relative paths
// beginning at the stack's folder. The caller must not change it.
func (r *rendering) model(ctx context.Context, d *document, inc *inclusion) (map[string]any, error) {
	key := modelKey{d, inc}
	if known := r.models[key]; known != nil {
		return known, nil
	}
	if len(r.models) >= maxModels {
		return nil, tooLarge("%s: more than %d entries of include and extends.", d.path, maxModels)
	}
	environment := r.variables.environment()
	if inc != nil {
		for name, value := range inc.env {
			if _, given := environment[name]; !given {
				environment[name] = value
			}
		}
	}
	model, err := loader.LoadModelWithContext(ctx, types.ConfigDetails{WorkingDir: "/", Environment: environment,
		ConfigFiles: []types.ConfigFile{{Filename: d.path, Content: d.data}}}, r.configure, func(o *loader.Options) {
		o.SkipExtends, o.SkipNormalization, o.SkipDefaultValues = true, true, true
	})
	if err != nil {
		return nil, r.explain(ctx, err)
	}
	delete(model, "name")
	delete(model, "include")
	r.rebase(model, d.dir)
	r.models[key] = model
	return model, r.extend(ctx, d, inc, model)
}

// extend merges services of other files into those of a model that extend them.
func (r *rendering) extend(ctx context.Context, d *document, inc *inclusion, model map[string]any) error {
	services, _ := model["services"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(services)) {
		service, _ := services[name].(map[string]any)
		merged, err := r.extended(ctx, d, inc, service, "services."+name, 0)
		if err != nil {
			return r.placed(err)
		}
		services[name] = merged
	}
	return nil
}

// extended returns a service with what it extends in another file; one that extends a service of its own file is left to
// the Compose library, unless it is itself such a base (depth above 0).
func (r *rendering) extended(ctx context.Context, d *document, inc *inclusion, service map[string]any, at string, depth int) (map[string]any, error) {
	extends, _ := service["extends"].(map[string]any)
	file, _ := extends["file"].(string)
	name, _ := extends["service"].(string)
	if extends == nil || file == "" && depth == 0 {
		return service, nil
	}
	if depth > maxNesting {
		return nil, tooLarge("%s: services extend each other more than %d deep.", at, maxNesting)
	}
	from := d
	if file != "" {
		if from = d.bases[file]; from == nil {
			return nil, unsupported("%s.extends.file: a variable cannot choose the file that is extended.", at)
		}
	}
	base, err := r.base(ctx, from, inc, name, at, depth)
	if err != nil {
		return nil, err
	}
	own := maps.Clone(service)
	delete(own, "extends")
	merged, err := override.ExtendService(copied(base).(map[string]any), copied(own).(map[string]any))
	if err != nil {
		return nil, invalid("%s: it cannot extend %s of %s: %v", at, name, from.path, err)
	}
	return merged, nil
}

// base returns a service of a file that another extends, with all that it extends itself.
func (r *rendering) base(ctx context.Context, from *document, inc *inclusion, name, at string, depth int) (map[string]any, error) {
	plain, err := r.modelOfBase(ctx, from, inc)
	if err != nil {
		return nil, err
	}
	services, _ := plain["services"].(map[string]any)
	base, _ := services[name].(map[string]any)
	if base == nil {
		return nil, composeFault(fault.Invalid, "compose.invalid", "%s.extends: %s has no compose service %q.", at, from.path, clipKey(name))
	}
	return r.extended(ctx, from, inc, base, at, depth+1)
}

// modelOfBase is model; one that is being made already, because its file extends itself, is taken as far as it is.
func (r *rendering) modelOfBase(ctx context.Context, d *document, inc *inclusion) (map[string]any, error) {
	if known := r.models[modelKey{d, inc}]; known != nil {
		return known, nil
	}
	return r.model(ctx, d, inc)
}

// rebase makes the relative paths of a model begin at the stack's folder.
func (r *rendering) rebase(model map[string]any, dir string) {
	if dir == path.Clean(r.src.Dir) {
		return
	}
	services, _ := model["services"].(map[string]any)
	for _, s := range services {
		service, _ := s.(map[string]any)
		mounts, _ := service["volumes"].([]any)
		for _, m := range mounts {
			if mount, _ := m.(map[string]any); mount["type"] == types.VolumeTypeBind {
				r.rebaseIn(mount, "source", dir)
			}
		}
		files, _ := service["env_file"].([]any)
		for _, f := range files {
			file, _ := f.(map[string]any)
			r.rebaseIn(file, "path", dir)
		}
	}
	for _, section := range []string{"configs", "secrets"} {
		objects, _ := model[section].(map[string]any)
		for _, o := range objects {
			object, _ := o.(map[string]any)
			r.rebaseIn(object, "file", dir)
		}
	}
}

// rebaseIn leaves what is no relative path, and what leaves the repository, to the checks that follow.
func (r *rendering) rebaseIn(in map[string]any, key, dir string) {
	p, _ := in[key].(string)
	if p == "" || strings.HasPrefix(p, "/") || strings.HasPrefix(p, "~") || strings.Contains(p, "://") {
		return
	}
	if relative, err := filepath.Rel(path.Clean(r.src.Dir), path.Join(dir, p)); err == nil {
		in[key] = "./" + relative
	}
}

// doubled copies a model with every dollar sign doubled: it is interpolated once more.
func doubled(value any) any {
	return eachText(value, func(text string) string { return strings.ReplaceAll(text, "$", "$$") })
}

func copied(value any) any { return eachText(value, func(text string) string { return text }) }

func eachText(value any, change func(string) string) any {
	switch v := value.(type) {
	case string:
		return change(v)
	case []any:
		all := make([]any, len(v))
		for i, e := range v {
			all[i] = eachText(e, change)
		}
		return all
	case map[string]any:
		all := make(map[string]any, len(v))
		for key, member := range v {
			all[key] = eachText(member, change)
		}
		return all
	}
	return value
}
