package kill

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Process is a program that runs until it is killed, is stopped, or dies at its point.
type Process struct {
	cmd    *exec.Cmd
	traced bool
	log    string // file, to which what it prints is added
	ended  chan struct{}
}

// patience bounds whatever a process is waited for.
const patience = 90 * time.Second

// Start starts a program with nothing in its environment but env, under strace where there is a point.
// What it prints is added to the file log. It does not outlive the one who started it.
func Start(program string, env []string, log string, at Point) (*Process, error) {
	file, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	p := &Process{cmd: exec.Command(program), log: log, traced: at.Call != "", ended: make(chan struct{})}
	if p.traced {
		// Not with --seccomp-bpf: strace 6.1 delivers no signal then. Programs that the victim starts are let go
		// (-b execve): they count nothing and die of nothing.
		p.cmd = exec.Command("strace", "-f", "-b", "execve", "-qq", "-o", "/dev/null", "-e", "trace="+at.Call,
			"-e", fmt.Sprintf("inject=%s:signal=SIGKILL:when=%d", at.Call, at.When), program)
	}
	p.cmd.Env, p.cmd.Stdout, p.cmd.Stderr = env, file, file
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM} // strace hands it on
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		p.cmd.Wait() // how it ended is what the tests caused
		close(p.ended)
	}()
	return p, nil
}

// Ended is closed once the process is gone.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// PID is the number of the process that was started: the program's own, or strace's.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Alive reports whether the process is still there.
func (p *Process) Alive() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// Code is what the program ended with, once it has ended; -1 after a signal.
func (p *Process) Code() int { return p.cmd.ProcessState.ExitCode() }

// Signal sends a signal to the program itself.
func (p *Process) Signal(signal syscall.Signal) {
	for _, pid := range p.programs() {
		syscall.Kill(pid, signal) // one that is gone needs none
	}
}

// programs returns the process of the program: its own, or strace's child.
func (p *Process) programs() []int {
	pid := p.cmd.Process.Pid
	if !p.Alive() {
		return nil
	}
	if !p.traced {
		return []int{pid}
	}
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid)) // gone: nothing to signal
	var children []int
	for _, field := range strings.Fields(string(text)) {
		if child, err := strconv.Atoi(field); err == nil {
			children = append(children, child)
		}
	}
	return children
}

// Kill kills the program as kill -9 does, and waits until it is gone.
func (p *Process) Kill() error { return p.endBy(syscall.SIGKILL, patience) }

// Stop ends the program as kill does, and waits until it is gone.
func (p *Process) Stop() error { return p.endBy(syscall.SIGTERM, patience) }

func (p *Process) endBy(signal syscall.Signal, within time.Duration) error {
	limit := time.NewTimer(within)
	defer limit.Stop()
	for {
		p.Signal(signal)
		select {
		case <-p.ended:
			return nil
		case <-limit.C:
			p.cmd.Process.Kill()
			return fmt.Errorf("%s did not end within %v of %v:\n%s", p.cmd.Path, within, signal, p.Tail())
		case <-time.After(100 * time.Millisecond): // strace may not have started it yet
		}
	}
}

// Tail returns the end of what the program printed.
func (p *Process) Tail() string {
	text, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-4000):])
}
