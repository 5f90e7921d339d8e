package hub

import (
	"context"
	"slices"
	"strings"
	"sync"

	"berth/core"
)

// watchingTree notes what is read outside a stack's folder, so that a change there is seen
// as a change of the stack.
type watchingTree struct {
	core.Tree
	folder string

	mu      sync.Mutex
	outside map[string]bool // guarded by mu
}

func watch(tree core.Tree, folder string) *watchingTree {
	return &watchingTree{Tree: tree, folder: folder, outside: map[string]bool{}}
}

// List implements core.Tree.
func (t *watchingTree) List(ctx context.Context, dir string) ([]core.TreeEntry, error) {
	t.note(dir)
	return t.Tree.List(ctx, dir)
}

// Read implements core.Tree.
func (t *watchingTree) Read(ctx context.Context, path string, limit int64) ([]byte, error) {
	t.note(path)
	return t.Tree.Read(ctx, path, limit)
}

func (t *watchingTree) note(path string) {
	if t.folder == "" || path == t.folder || strings.HasPrefix(path, t.folder+"/") {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.outside[path] = true
}

// paths returns what was read outside the folder, in order.
func (t *watchingTree) paths() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	paths := make([]string, 0, len(t.outside))
	for path := range t.outside {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	return paths
}
