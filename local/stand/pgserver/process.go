package pgserver

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// process is a server's process below a shell that waits for whoever started it: when that process
// is gone, in whatever way, the shell's input ends and the shell ends the server.
type process struct {
	cmd   *exec.Cmd
	input io.WriteCloser
	ended chan struct{} // closed when the shell and the server have ended
}

// guard runs the server, and ends it with a signal when its own input ends, together with the folder. A
// line on the input is the name of the signal that is to end the server before that.
const guard = `dir=$1; last=$2; shift 2
"$@" </dev/null 3<&- & server=$!
( if read -r how <&3; then kill -"$how" $server; else : >"$dir/abandoned"; kill -"$last" $server; fi ) & watcher=$!
wait $server
kill $watcher 2>/dev/null
if [ -e "$dir/abandoned" ]; then rm -rf "$dir"; fi
exit 0`

// begin starts a server that writes what it says to the file log below dir. What ends it at once is the
// signal last.
func begin(dir string, last syscall.Signal, program string, args ...string) (*process, error) {
	out, err := os.OpenFile(filepath.Join(dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer read.Close()
	cmd := exec.Command("/bin/sh", append([]string{"-c", guard, "sh", dir, name(last), program}, args...)...)
	cmd.ExtraFiles = []*os.File{read}
	cmd.Stdout, cmd.Stderr = out, out
	lower(cmd)
	if err := cmd.Start(); err != nil {
		write.Close()
		return nil, err
	}
	p := &process{cmd: cmd, input: write, ended: make(chan struct{})}
	go func() {
		defer close(p.ended)
		_ = cmd.Wait() // how it ended is in its log
	}()
	return p, nil
}

// lower runs cmd without the rights of root, in a process group of its own.
func lower(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Dir = "/"
	if os.Geteuid() == 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: unprivileged, Gid: unprivileged}
	}
}

// end sends the server a signal and waits until it has ended.
func (p *process) end(how syscall.Signal) {
	_, _ = io.WriteString(p.input, name(how)+"\n") // one that has ended by itself does not read
	<-p.ended
	p.input.Close()
}

// name is how the shell calls a signal.
func name(s syscall.Signal) string {
	return map[syscall.Signal]string{syscall.SIGINT: "INT", syscall.SIGQUIT: "QUIT", syscall.SIGTERM: "TERM"}[s]
}
