package render

import (
	"context"
	"errors"
	"path"
	"strings"

	"berth/core/fault"
)

// The names that Compose looks for when a stack names no files, best first.
var (
	defaultNames  = []string{"compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml"}
	overrideNames = []string{"compose.override.yml", "compose.override.yaml", "docker-compose.override.yml", "docker-compose.override.yaml"}
)

// readFiles finds, reads and checks the stack's Compose files.
func (r *rendering) readFiles(ctx context.Context) error {
	paths, err := r.filePaths(ctx)
	if err != nil {
		return err
	}
	budget := weight{nodes: maxNodes, bytes: maxNodeBytes}
	for _, p := range paths {
		file, err := r.readFile(ctx, p, path.Clean(r.src.Dir), &budget)
		if err != nil {
			return err
		}
		r.main = append(r.main, file)
	}
	return r.readOthers(ctx, &budget)
}

// readFile reads and checks one Compose file. Its relative paths begin at dir.
func (r *rendering) readFile(ctx context.Context, p, dir string, budget *weight) (*document, error) {
	data, err := r.readText(ctx, p, maxFileBytes)
	if err != nil {
		return nil, err
	}
	file, err := parse(p, data)
	if err != nil {
		return nil, err
	}
	file.dir = dir
	if err := file.spend(budget); err != nil {
		return nil, err
	}
	if err := file.refuseUnsupported(); err != nil {
		return nil, err
	}
	r.files = append(r.files, file)
	return file, nil
}

// filePaths returns the repository paths of the files to read.
func (r *rendering) filePaths(ctx context.Context) ([]string, error) {
	if len(r.src.Files) == 0 {
		return r.defaultFiles(ctx)
	}
	if len(r.src.Files) > maxFiles {
		return nil, tooLarge("The stack overlays %d Compose files; at most %d are read.", len(r.src.Files), maxFiles)
	}
	paths := make([]string, len(r.src.Files))
	for i, name := range r.src.Files {
		p, err := r.inRepository(name)
		if err != nil {
			return nil, err
		}
		paths[i] = p
	}
	return paths, nil
}

// defaultFiles picks files as Compose does: the first default name, and on top of it
// the first override name.
func (r *rendering) defaultFiles(ctx context.Context) ([]string, error) {
	var ask []string
	for _, name := range append(append([]string{".env"}, defaultNames...), overrideNames...) {
		ask = append(ask, path.Join(r.src.Dir, name))
	}
	hashes, err := r.src.Tree.Hashes(ctx, ask)
	if err != nil {
		return nil, err
	}
	if hashes[ask[0]] != "" {
		r.warn(".env in the stack's folder is not read: add its variables to the stack, where secrets are kept sealed.")
	}
	base, others := r.present(defaultNames, hashes)
	if base == "" {
		return nil, missingFile("No Compose file in %s of the repository. Add a compose.yaml there, or name the files in wireops.yaml under compose.files.", folderName(r.src.Dir))
	}
	if len(others) > 0 {
		r.warn("Several Compose files: " + base + " is read, " + strings.Join(others, ", ") + " not.")
	}
	if override, _ := r.present(overrideNames, hashes); override != "" {
		return []string{base, override}, nil
	}
	return []string{base}, nil
}

func (r *rendering) present(names []string, hashes map[string]string) (first string, others []string) {
	for _, name := range names {
		p := path.Join(r.src.Dir, name)
		switch {
		case hashes[p] == "":
		case first == "":
			first = p
		default:
			others = append(others, p)
		}
	}
	return first, others
}

// readText reads a regular file of the commit and says in the stack's words what is
// wrong with it.
func (r *rendering) readText(ctx context.Context, p string, limit int64) ([]byte, error) {
	data, err := r.src.Tree.Read(ctx, p, limit)
	var f *fault.Error
	if err == nil || !errors.As(err, &f) {
		return data, err
	}
	switch f.Kind {
	case fault.NotFound:
		return nil, missingFile("%s is not in the repository at this commit.", p)
	case fault.TooLarge:
		return nil, tooLarge("%s is larger than %d KiB.", p, limit>>10)
	case fault.Invalid:
		return nil, escapes("%s is a folder, symbolic link or submodule; a regular file is needed.", p)
	}
	return nil, err
}

func folderName(dir string) string {
	if dir == "" || dir == "." {
		return "the root folder"
	}
	return dir
}
