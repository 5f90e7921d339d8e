package kill

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

var (
	building sync.Mutex
	built    = map[string]string{} // path of a program by its package; guarded by building
)

// Program returns the path of one of this module's programs, such as "./hub/cmd/worker",
// built from this checkout. It is built once, however many tests ask.
func Program(t testing.TB, pkg string) string {
	t.Helper()
	building.Lock()
	defer building.Unlock()
	if path, found := built[pkg]; found {
		return path
	}
	path, err := build(pkg)
	if err != nil {
		t.Fatalf("build %s: %v", pkg, err)
	}
	built[pkg] = path
	return path
}

// build builds below .build, where make builds too: what is up to date there is not built again.
func build(pkg string) (string, error) {
	module, err := output(exec.Command("go", "env", "GOMOD"))
	if err != nil {
		return "", err
	}
	root := filepath.Dir(strings.TrimSpace(module))
	dir := filepath.Join(root, ".build", "kill")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	lock, err := os.Create(filepath.Join(dir, "lock")) // the tests of another package may be building too
	if err != nil {
		return "", err
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return "", err
	}
	path := filepath.Join(dir, filepath.Base(pkg))
	cmd := exec.Command("go", "build", "-buildvcs=false", "-o", path, pkg)
	cmd.Dir = root
	_, err = output(cmd)
	return path, err
}

// output runs a command, which must work, and returns what it printed.
func output(cmd *exec.Cmd) (string, error) {
	var problem strings.Builder
	cmd.Stderr = &problem
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", strings.Join(cmd.Args, " "), err, problem.String())
	}
	return string(out), nil
}
