package render

import (
	"context"
	"path"
	"strings"

	"go.yaml.in/yaml/v3"
)

// inclusion is one entry of include: files that overlay each other and are a project of their own.
type inclusion struct {
	key      string // the same for entries that bring the same
	place    string // where the entry stands, for people
	docs     []*document
	dir      string            // in the repository: where their relative paths begin
	envFiles []string          // in the repository
	env      map[string]string // of envFiles; set when they were read
}

// maxNesting is how deep files may include or extend each other.
const maxNesting = 8

// readOthers reads the files that the main ones include, and those that they extend.
func (r *rendering) readOthers(ctx context.Context, budget *weight) error {
	for _, d := range r.main {
		if err := r.readOthersOf(ctx, d, budget, nil); err != nil {
			return err
		}
	}
	return nil
}

// readOthersOf reads what one file includes and extends; chain is the files that led to it.
func (r *rendering) readOthersOf(ctx context.Context, d *document, budget *weight, chain []string) error {
	if len(chain) >= maxNesting {
		return tooLarge("%s: files include or extend each other more than %d deep.", d.path, maxNesting)
	}
	chain = append(chain[:len(chain):len(chain)], d.path)
	if err := r.readIncludes(ctx, d, budget, chain); err != nil {
		return err
	}
	return r.readBases(ctx, d, budget, chain)
}

func (r *rendering) readIncludes(ctx context.Context, d *document, budget *weight, chain []string) error {
	list := lookup(d.root, "include")
	if list == nil || list.ShortTag() == "!!null" {
		return nil
	}
	if list.Kind != yaml.SequenceNode {
		return invalid("%s: include must be a list.", d.at(list))
	}
	if len(list.Content) > maxModels {
		return tooLarge("%s: include has more than %d entries.", d.at(list), maxModels)
	}
	for _, node := range list.Content {
		inc, paths, err := r.entryOf(d, deref(node))
		if err != nil {
			return err
		}
		for _, p := range paths {
			doc, err := r.readAnother(ctx, d, node, p, inc.dir, budget, chain)
			if err != nil {
				return err
			}
			inc.docs = append(inc.docs, doc)
		}
		d.includes = append(d.includes, inc)
	}
	return nil
}

// entryOf reads one entry of include, in its short or long form.
func (r *rendering) entryOf(d *document, node *yaml.Node) (inc *inclusion, paths []string, err error) {
	long := node
	if node.Kind == yaml.ScalarNode {
		long = &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{{Kind: yaml.ScalarNode, Tag: "!!str", Value: "path"}, node}}
	}
	inc = &inclusion{place: d.at(node)}
	for _, e := range entries(long) {
		var into *[]string
		var dirs []string
		switch e.name {
		case "path":
			into = &paths
		case "env_file":
			into = &inc.envFiles
		case "project_directory":
			into = &dirs
		default:
			return nil, nil, invalid("%s: include has no key %q; it has path, project_directory and env_file.", d.at(e.key), clipKey(e.name))
		}
		if *into, err = r.pathsIn(d, e.value); err != nil {
			return nil, nil, err
		}
		if len(dirs) > 0 {
			inc.dir = dirs[0]
		}
	}
	if len(paths) == 0 {
		return nil, nil, invalid("%s: an entry of include needs a path.", inc.place)
	}
	if inc.dir == "" {
		inc.dir = path.Dir(paths[0])
	}
	inc.key = strings.Join([]string{strings.Join(paths, "\x00"), inc.dir, strings.Join(inc.envFiles, "\x00")}, "\x01")
	return inc, paths, nil
}

// pathsIn reads a path or a list of paths that are relative to a file, as paths of the repository.
func (r *rendering) pathsIn(d *document, node *yaml.Node) ([]string, error) {
	nodes := []*yaml.Node{node}
	if node.Kind == yaml.SequenceNode {
		nodes = node.Content
	}
	var all []string
	for _, n := range nodes {
		p, err := r.pathIn(d, deref(n))
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// pathIn reads a path that is relative to a file. Variables do not choose files: what a commit reads is known from it alone.
func (r *rendering) pathIn(d *document, n *yaml.Node) (string, error) {
	switch {
	case n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str":
		return "", invalid("%s: a path must be text.", d.at(n))
	case strings.Contains(n.Value, "$"):
		return "", unsupported("%s: %q: a variable cannot choose the file that is included or extended.", d.at(n), clipKey(n.Value))
	case strings.HasPrefix(n.Value, "git@"):
		return "", escapes("%s: %q is remote: only files of the repository can be read.", d.at(n), clipKey(n.Value))
	}
	p, err := r.repositoryPath(d.dir, n.Value)
	return p, in(d.at(n), err)
}

// readAnother reads a file that another names, once: what it says is the same each time.
func (r *rendering) readAnother(ctx context.Context, from *document, at *yaml.Node, p, dir string, budget *weight, chain []string) (*document, error) {
	for _, before := range chain {
		if before == p {
			return nil, invalid("%s: %s includes or extends itself.", from.at(at), p)
		}
	}
	key := p + "\x00" + dir
	if known := r.read[key]; known != nil {
		return known, known.spend(budget)
	}
	if len(r.files) >= maxFiles {
		return nil, tooLarge("%s: more than %d Compose files are read.", from.at(at), maxFiles)
	}
	d, err := r.readFile(ctx, p, dir, budget)
	if err != nil {
		return nil, in(from.at(at), err)
	}
	if n := retaking(d.root); n != nil {
		return nil, unsupported("%s: %s is not supported in a file that another includes or extends; use it in one that is listed under compose.files.", d.at(n), n.Tag)
	}
	r.read[key] = d
	return d, r.readOthersOf(ctx, d, budget, chain)
}

// retaking finds a tag by which a file takes back what an earlier one said.
func retaking(n *yaml.Node) *yaml.Node {
	if n.Tag == "!reset" || n.Tag == "!override" {
		return n
	}
	for _, child := range n.Content {
		if found := retaking(child); found != nil {
			return found
		}
	}
	return nil
}

// readBases reads the files whose services a file's services extend.
func (r *rendering) readBases(ctx context.Context, d *document, budget *weight, chain []string) error {
	d.bases = map[string]*document{}
	for _, service := range entries(lookup(d.root, "services")) {
		file := lookup(lookup(service.value, "extends"), "file")
		if file == nil {
			continue
		}
		if n := retaking(d.root); n != nil {
			return unsupported("%s: %s is not supported in a file that extends services of another.", d.at(n), n.Tag)
		}
		p, err := r.pathIn(d, file)
		if err != nil {
			return err
		}
		base := d
		if p != d.path {
			if base, err = r.readAnother(ctx, d, file, p, path.Dir(p), budget, chain); err != nil {
				return err
			}
		}
		d.bases[file.Value] = base
	}
	return nil
}
