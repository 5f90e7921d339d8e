package render

import (
	"context"
	"fmt"
	"path"

	"github.com/compose-spec/compose-go/v2/loader"
	"go.yaml.in/yaml/v3"

	"berth/core"
)

var _ core.ComposeDrafter = Reader{}

// Draft resolves a project as far as it can be told what is wrong with it: what its parts refer to need not be there,
// and nothing of the repository but its Compose files is read. Faults as Read's.
func (Reader) Draft(ctx context.Context, src core.ComposeSource) (core.ComposeDraft, error) {
	r := &rendering{src: src, repo: &repository{tree: src.Tree, known: map[string]found{}}, read: map[string]*document{}, models: map[modelKey]map[string]any{}}
	if _, err := r.inRepository("."); err != nil || path.IsAbs(src.Dir) {
		return core.ComposeDraft{}, escapes("The stack's folder %q is not a folder of the repository.", src.Dir)
	}
	if err := r.readFiles(ctx); err != nil {
		return core.ComposeDraft{}, err
	}
	var err error
	if r.variables, err = newVariables(src, r.files); err != nil {
		return core.ComposeDraft{}, err
	}
	r.loose = true
	project, err := r.load(ctx)
	if err != nil {
		return core.ComposeDraft{}, err
	}
	ignored := ignoredOf(project.Extensions["x-berth"])
	values, err := treeOf(project)
	if err != nil {
		return core.ComposeDraft{}, err
	}
	return core.ComposeDraft{Project: values, Undefined: r.variables.missingNames(), Ignored: ignored, Locate: r.place, Uses: r.uses,
		Secret: func(value string) bool { return len(r.variables.secretsIn(value)) > 0 }}, nil
}

// ignoredOf reads x-berth: {lint: {ignore: [code]}}.
func ignoredOf(extension any) []string {
	berth, _ := extension.(map[string]any)
	lint, _ := berth["lint"].(map[string]any)
	codes, _ := lint["ignore"].([]any)
	var all []string
	for _, code := range codes {
		all = append(all, fmt.Sprint(code))
	}
	return all
}

// uses says where a variable is used first.
func (r *rendering) uses(name string) core.Place {
	for _, d := range r.files {
		if line := usedIn(d.root, name); line > 0 {
			return core.Place{File: d.path, Line: line}
		}
	}
	return core.Place{}
}

func usedIn(n *yaml.Node, name string) int {
	if n.Kind == yaml.ScalarNode && withoutDefault(n.Value)[name] {
		return n.Line
	}
	for _, child := range n.Content {
		if line := usedIn(child, name); line > 0 {
			return line
		}
	}
	return 0
}

// loosely lets a project pass whose parts do not fit together.
func (r *rendering) loosely(o *loader.Options) {
	r.configure(o)
	o.SkipConsistencyCheck = true
}

// options are what the Compose library is told.
func (r *rendering) options() func(*loader.Options) {
	if r.loose {
		return r.loosely
	}
	return r.configure
}
