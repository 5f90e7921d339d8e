package runtimeapi

import (
	"os/exec"
	"sync/atomic"
	"syscall"
	"time"
)

// instance is a process of the function.
type instance struct {
	cmd   *exec.Cmd
	next  chan *invocation // handed to it when it asks
	ended chan struct{}    // closed when the process has ended
	first atomic.Pointer[time.Time]
}

// running returns the instance, started if need be.
func (h *Host) running() (running *instance, cold bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.instance != nil {
		select {
		case <-h.instance.ended: // between two invocations
		default:
			return h.instance, false, nil
		}
	}
	running = &instance{cmd: exec.Command(h.options.Program), next: make(chan *invocation), ended: make(chan struct{})}
	running.cmd.Env = append([]string{"AWS_LAMBDA_RUNTIME_API=" + h.address, "AWS_LAMBDA_FUNCTION_NAME=berth", "AWS_LAMBDA_FUNCTION_VERSION=$LATEST",
		"AWS_LAMBDA_FUNCTION_MEMORY_SIZE=512", "AWS_REGION=eu-central-1", "_HANDLER=bootstrap", "LAMBDA_TASK_ROOT=/var/task", "TZ=:UTC"}, h.options.Env...)
	running.cmd.Stdout, running.cmd.Stderr = logged{h}, logged{h}
	running.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} // tests that die leave none behind
	if err := running.cmd.Start(); err != nil {
		return nil, false, err
	}
	h.instance = running
	h.starts++
	go func() {
		defer close(running.ended)
		_ = running.cmd.Wait() // how it ended is asked for where that matters
	}()
	return running, true, nil
}

// asked returns when the instance asked for its first event.
func (i *instance) asked() time.Time {
	if at := i.first.Load(); at != nil {
		return *at
	}
	return time.Now()
}

// state says how the instance ended.
func (i *instance) state() string { return i.cmd.ProcessState.String() }

// Kill ends the instance that runs, at rest or at work, as the host does when it needs the room,
// and returns when it has ended.
func (h *Host) Kill() { h.kill() }

// kill kills the instance and waits for its end.
func (h *Host) kill() {
	h.mu.Lock()
	running := h.instance
	h.instance = nil
	h.mu.Unlock()
	if running != nil {
		_ = running.cmd.Process.Kill() // it may have ended by itself
		<-running.ended
	}
}

// forget makes the next invocation start another instance.
func (h *Host) forget(running *instance) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.instance == running {
		h.instance = nil
	}
}

// logged adds to the host's log.
type logged struct{ host *Host }

// Write implements io.Writer.
func (l logged) Write(p []byte) (int, error) {
	l.host.mu.Lock()
	defer l.host.mu.Unlock()
	return l.host.log.Write(p)
}
