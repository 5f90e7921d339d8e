package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// child is a process that runs until it is stopped.
type child struct {
	cmd     *exec.Cmd
	started time.Time
	log     string // file
	ended   chan struct{}
	err     error // set before ended is closed
}

// stopGrace is how long a process may take to end.
const stopGrace = 20 * time.Second

// start starts a program with nothing in its environment but what it needs and env.
func (b *bench) start(path string, env ...string) (*child, error) {
	file, err := os.CreateTemp(b.dir, filepath.Base(path)+"-*.log")
	if err != nil {
		return nil, err
	}
	defer file.Close()
	c := &child{cmd: exec.Command(path), log: file.Name(), ended: make(chan struct{})}
	c.cmd.Stdout, c.cmd.Stderr = file, file
	c.cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + b.dir, "LOG_LEVEL=warn", "HOSTNAME=bench"}, env...)
	for _, name := range []string{"DOCKER_HOST", "DOCKER_TLS_VERIFY", "DOCKER_CERT_PATH", "DOCKER_API_VERSION"} {
		if value, set := os.LookupEnv(name); set {
			c.cmd.Env = append(c.cmd.Env, name+"="+value)
		}
	}
	c.started = time.Now()
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		c.err = c.cmd.Wait()
		close(c.ended)
	}()
	return c, nil
}

func (c *child) pid() int { return c.cmd.Process.Pid }

// alive fails with the end of the log once the process has ended.
func (c *child) alive() error {
	select {
	case <-c.ended:
		return fmt.Errorf("%s ended (%v):\n%s", filepath.Base(c.cmd.Path), c.err, c.tail())
	default:
		return nil
	}
}

func (c *child) tail() string {
	text, err := os.ReadFile(c.log)
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-2000):])
}

// stop ends the process and waits for it.
func (c *child) stop() error {
	if c.cmd.Process.Signal(syscall.SIGTERM) != nil {
		<-c.ended // it has ended by itself
		return nil
	}
	timer := time.NewTimer(stopGrace)
	defer timer.Stop()
	select {
	case <-c.ended:
		return nil
	case <-timer.C:
		err := c.cmd.Process.Kill()
		<-c.ended
		return fmt.Errorf("%s did not end within %v and was killed (%v):\n%s", filepath.Base(c.cmd.Path), stopGrace, err, c.tail())
	}
}

// opens waits until a port of this host accepts connections.
func (c *child) opens(ctx context.Context, port string) error {
	return until(ctx, time.Minute, 10*time.Millisecond, "opening port "+port, func(ctx context.Context) (bool, error) {
		if err := c.alive(); err != nil {
			return false, err
		}
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", "127.0.0.1:"+port)
		if err != nil {
			return false, nil
		}
		return true, conn.Close()
	})
}
