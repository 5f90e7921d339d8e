package ssh

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"golang.org/x/crypto/ssh"
)

// Command is one command that runs on the other side.
type Command struct {
	In  io.WriteCloser
	Out io.Reader

	session *ssh.Session
	said    *tail
}

// tail keeps the end of what the other side says of its troubles.
type tail struct {
	mu   sync.Mutex
	kept []byte // guarded by mu
}

const tailSize = 4 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, p[max(0, len(p)-tailSize):]...)
	t.kept = t.kept[max(0, len(t.kept)-tailSize):]
	return len(p), nil
}

// Start runs a program with one argument, which the other side's shell takes as it is. The settings are
// offered to its environment; many hosts take none.
func (l *Line) Start(program, argument string, settings map[string]string) (*Command, error) {
	session, err := l.client.NewSession()
	if err != nil {
		return nil, fmt.Errorf("open a session: %w", err)
	}
	for name, value := range settings {
		_ = session.Setenv(name, value) // refused by most hosts, which then speak the older version
	}
	c := &Command{session: session, said: &tail{}}
	session.Stderr = c.said
	if c.In, err = session.StdinPipe(); err == nil {
		c.Out, err = session.StdoutPipe()
	}
	if err == nil {
		err = session.Start(program + " " + quoted(argument))
	}
	if err != nil {
		session.Close()
		return nil, fmt.Errorf("start %s: %w", program, err)
	}
	return c, nil
}

// quoted writes text so that a POSIX shell, and hosts that only look like one, read exactly it.
func quoted(text string) string {
	return "'" + strings.NewReplacer("'", `'\''`, "!", `'\!'`).Replace(text) + "'"
}

// Wait returns the command's exit status once it has ended and what it said of its troubles has arrived;
// -1: it ended otherwise.
func (c *Command) Wait() int {
	err := c.session.Wait()
	var exit *ssh.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitStatus()
	}
	return -1
}

// Said returns the end of what the command said of its troubles. Wait comes first.
func (c *Command) Said() string {
	c.said.mu.Lock()
	defer c.said.mu.Unlock()
	return strings.ToValidUTF8(string(c.said.kept), "?")
}

// Close ends the command.
func (c *Command) Close() error { return c.session.Close() }
