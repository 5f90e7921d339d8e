package worker

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"berth/core/wire"
	"berth/hub/worker/durable"
)

// openComposes opens the folder in which people find the Compose files that were
// applied. The default is below the system's folder for temporary files, where anybody
// may have put something before us: what is not our own folder is not written to.
func openComposes(dir string) (*os.Root, error) {
	if dir == "" {
		return nil, nil
	}
	dir, err := filepath.Abs(dir)
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil {
		return nil, fmt.Errorf("make WORKER_STACK_DIR: %w", err)
	}
	stat, err := os.Lstat(dir)
	if err != nil {
		return nil, fmt.Errorf("look at WORKER_STACK_DIR: %w", err)
	}
	if !stat.IsDir() || !ownedByUs(stat) {
		return nil, fmt.Errorf("WORKER_STACK_DIR %s is not a folder of this worker's own user; name another one", dir)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open WORKER_STACK_DIR: %w", err)
	}
	return root, nil
}

// writeCompose shows people what is applied. It holds references to secrets, no values,
// and nothing depends on it: a failure is told and does not matter.
func (s *steps) writeCompose(w *work, d wire.Deploy) {
	if s.composes == nil {
		return
	}
	err := s.composes.Mkdir(d.Project, 0o700)
	if err == nil || errors.Is(err, fs.ErrExist) {
		err = durable.Write(s.composes, composeFile(d.Project), d.Compose, 0o600)
	}
	if err != nil {
		w.line("The Compose file could not be written to WORKER_STACK_DIR: " + err.Error())
	}
}

func (s *steps) removeCompose(project string) {
	if s.composes == nil {
		return
	}
	if err := s.composes.RemoveAll(project); err != nil {
		s.log.Warn("the Compose file of a stack could not be removed", "project", project, "error", err)
	}
}

func composeFile(project string) string { return path.Join(project, "compose.yaml") }
