package render

import (
	"context"
	"path"

	"github.com/compose-spec/compose-go/v2/types"

	"berth/core"
	"berth/hub/adapter/compose"
)

// Reader renders Compose projects. It has no state and may be used by many at once.
type Reader struct{}

var _ core.ComposeReader = Reader{}

// New returns a Reader.
func New() Reader {
	compose.Quieten()
	return Reader{}
}

// rendering is the work on one project.
type rendering struct {
	src       core.ComposeSource
	main      []*document          // overlay each other
	files     []*document          // all that were read: main, then what they include and extend
	read      map[string]*document // files, by path in the repository
	models    map[modelKey]map[string]any
	variables *variables
	repo      *repository
	content   *contents
	warnings  []string
	asks      []core.ComposeAsk
	loose     bool // what its parts refer to need not be there
}

// Read renders the project. See core.ComposeReader for its faults and the package
// documentation for what it does; variables that are listed for a compose service
// without a value ("- NAME") and that nobody provides count as missing too.
func (Reader) Read(ctx context.Context, src core.ComposeSource, blob func(digest string, content []byte) error) (core.ComposeProject, error) {
	r := &rendering{src: src, repo: &repository{tree: src.Tree, known: map[string]found{}}, read: map[string]*document{}, models: map[modelKey]map[string]any{}}
	r.content = newContents(r.repo, blob)
	project, err := r.resolve(ctx)
	if err != nil && r.variables != nil {
		return core.ComposeProject{Missing: r.variables.missingNames()}, err
	}
	if err != nil {
		return core.ComposeProject{}, err
	}
	written, err := r.write(project)
	if err != nil {
		return core.ComposeProject{}, err
	}
	return core.ComposeProject{
		YAML:     written.yaml,
		Services: written.services,
		Content:  r.content.list(),
		Missing:  r.variables.missingNames(),
		Warnings: r.warnings,
		Asks:     r.asks,
		Locate:   r.place,
	}, nil
}

// resolve returns the project as Compose understands it, with repository paths replaced.
func (r *rendering) resolve(ctx context.Context) (*types.Project, error) {
	if _, err := r.inRepository("."); err != nil || path.IsAbs(r.src.Dir) {
		return nil, escapes("The stack's folder %q is not a folder of the repository.", r.src.Dir)
	}
	if err := r.readFiles(ctx); err != nil {
		return nil, err
	}
	var err error
	if r.variables, err = newVariables(r.src, r.files); err != nil {
		return nil, err
	}
	project, err := r.load(ctx)
	if err != nil {
		return nil, err
	}
	for _, step := range []func(context.Context, *types.Project) error{
		r.checkProject, r.resolveEnvironments, r.resolveMounts, r.resolveFileObjects,
	} {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := step(ctx, project); err != nil {
			return nil, r.placed(err)
		}
	}
	return project, nil
}

func (r *rendering) warn(text string) { r.warnings = append(r.warnings, text) }
