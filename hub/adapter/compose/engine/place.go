package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/compose-spec/compose-go/v2/types"

	"berth/core"
	"berth/hub/worker"
)

// place replaces the rendered paths of a project by paths of this host, and makes the
// folders of its state.
func place(project *types.Project, p worker.Project) error {
	h := host{p: p}
	for name, service := range project.Services {
		for i, mount := range service.Volumes {
			if mount.Type != types.VolumeTypeBind {
				continue
			}
			source, err := h.path(name, mount.Source)
			if err != nil {
				return about(name, err)
			}
			service.Volumes[i].Source = source
		}
	}
	for name, config := range project.Configs {
		file, err := h.path("configs."+name, config.File)
		if err != nil {
			return err
		}
		config.File = file
		project.Configs[name] = config
	}
	for name, secret := range project.Secrets {
		file, err := h.path("secrets."+name, secret.File)
		if err != nil {
			return err
		}
		secret.File = file
		project.Secrets[name] = secret
	}
	return nil
}

// host turns rendered paths into paths of this host.
type host struct{ p worker.Project }

func (h host) path(owner, rendered string) (string, error) {
	if below, ok := strings.CutPrefix(rendered, core.ContentRoot); ok {
		return h.content(owner, below)
	}
	if below, ok := strings.CutPrefix(rendered, core.StateRoot); ok {
		return h.state(owner, below)
	}
	return rendered, nil
}

// content returns the path of repository content, which must be there already.
func (h host) content(owner, below string) (string, error) {
	path := filepath.Join(h.p.ContentDir, below)
	if !filepath.IsLocal(below) {
		return "", applyFault("%s: the rendered path %q leaves its folder.", owner, below)
	}
	if _, err := os.Lstat(path); err != nil {
		return "", applyFault("%s: the content %q of the repository is not on this worker; deploy again.", owner, below)
	}
	return path, nil
}

// state returns the path of a folder of the stack, and makes it. Containers write there:
// one could leave a symbolic link that leads elsewhere for the next mount to follow, so
// none is accepted on the way.
func (h host) state(owner, below string) (string, error) {
	if !filepath.IsLocal(below) {
		return "", applyFault("%s: the rendered path %q leaves its folder.", owner, below)
	}
	if err := os.MkdirAll(h.p.StateDir, 0o755); err != nil {
		return "", fmt.Errorf("make the stack's folder: %w", err)
	}
	root, err := os.OpenRoot(h.p.StateDir)
	if err != nil {
		return "", fmt.Errorf("open the stack's folder: %w", err)
	}
	defer root.Close()
	so := "."
	for name := range strings.SplitSeq(filepath.Clean(below), "/") {
		so = filepath.Join(so, name)
		if err := ensureFolder(root, so); err != nil {
			return "", applyFault("%s: %s in the stack's folder: %v", owner, so, err)
		}
	}
	return filepath.Join(h.p.StateDir, so), nil
}

func ensureFolder(root *os.Root, name string) error {
	if name == "." {
		return nil
	}
	if err := root.Mkdir(name, 0o755); err == nil || !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := root.Lstat(name)
	if err != nil {
		return err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		return errors.New("a symbolic link is not mounted; remove it")
	}
	return nil
}
