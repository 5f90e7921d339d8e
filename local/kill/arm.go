package kill

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// arm gives a running process, which has no point, one from now on: its start and what it did so far count nothing. disarm takes it
// away again, and must be called.
func (p *Process) arm(at Point) (disarm func(), err error) {
	cmd := exec.Command("strace", "-f", "-b", "execve", "-qq", "-o", "/dev/null", "-e", "trace="+at.Call,
		"-e", fmt.Sprintf("inject=%s:signal=SIGKILL:when=%d", at.Call, at.When), "-p", fmt.Sprint(p.PID()))
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	disarm = func() {
		cmd.Process.Signal(syscall.SIGTERM) // lets the process go
		cmd.Wait()
	}
	for end := time.Now().Add(patience); time.Now().Before(end); <-time.After(5 * time.Millisecond) {
		if traced(p.PID()) || !p.Alive() { // it may die at once
			return disarm, nil
		}
	}
	disarm()
	return nil, fmt.Errorf("strace did not attach to %s within %v", p.cmd.Path, patience)
}

// traced reports whether every thread of a process has a tracer.
func traced(pid int) bool {
	all, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	for _, path := range all {
		text, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(text), "TracerPid:\t0\n") {
			return false
		}
	}
	return err == nil && len(all) > 0
}
