// Package program runs a real server of somebody else's beside tests: it writes what the server says
// to a file, and sees to it that the server never outlives the tests. It must not know what the server
// is. Start with Start.
package program

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"berth/local/stand/freeport"
)

// Options is how a program is run.
type Options struct {
	Path string
	Args []string
	Dir  string   // where it runs and where its log is
	Env  []string // nil: that of the tests
}

// Program is a running server.
type Program struct {
	dir   string
	stdin *os.File      // of the guard
	ended chan struct{} // closed when the program has ended
}

// guard runs the server and ends it when its own input ends; it ends together with the server.
const guard = `"$@" </dev/null 3<&- & server=$!
( read -r _ <&3; kill -9 $server ) & watcher=$!
wait $server
kill $watcher 2>/dev/null
exit 0`

// Start starts a program. Whatever becomes of the tests, it ends with them.
func Start(o Options) (p *Program, err error) {
	p = &Program{dir: o.Dir, ended: make(chan struct{})}
	out, err := os.Create(p.logFile())
	if err != nil {
		return nil, err
	}
	defer out.Close()
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer read.Close()
	p.stdin = write
	cmd := exec.Command("/bin/sh", append([]string{"-c", guard, "sh", o.Path}, o.Args...)...)
	cmd.Dir, cmd.Env = o.Dir, o.Env
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = out, out, []*os.File{read}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, write.Close())
	}
	go func() {
		defer close(p.ended)
		_ = cmd.Wait() // how it ended is in its log
	}()
	return p, nil
}

// Stop ends the program at once. It may be called again.
func (p *Program) Stop() {
	_ = p.stdin.Close() // it can only be closed already
	<-p.ended
}

func (p *Program) logFile() string { return filepath.Join(p.dir, "log") }

// Log is what the program said, if anything.
func (p *Program) Log() []byte {
	said, _ := os.ReadFile(p.logFile())
	return said
}

// Eventually repeats what is not yet so, while the program runs.
func (p *Program) Eventually(within time.Duration, do func() error) error {
	deadline := time.After(within)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		err := do()
		if err == nil {
			return nil
		}
		select {
		case <-p.ended:
			return fmt.Errorf("the server has ended: %w", err)
		case <-deadline:
			return err
		case <-tick.C:
		}
	}
}

// FreeAddress returns an address of this host that nobody else gets; see freeport.
func FreeAddress() (string, error) {
	port, err := freeport.Take()
	return net.JoinHostPort("127.0.0.1", port), err
}
