package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"berth/core/fault"
)

// program is the git command and the surroundings that every run of it gets.
type program struct {
	path    string
	version string
	home    string // a folder without configuration, so that nobody's own is read

	protocols string // that it may speak; empty: http and https
}

var versionText = regexp.MustCompile(`^git version ((\d+)\.(\d+)\S*)`)

// Installed finds out whether the git command can be used, and touches nothing. Faults are those of Open for it.
func Installed() error {
	_, err := findProgram(os.TempDir())
	return err
}

// findProgram looks the git command up and asks for its version.
func findProgram(home string) (program, error) {
	path, err := exec.LookPath("git")
	if err != nil {
		return program{}, noCommand("The command git was not found on the PATH, and repositories are read with it", err)
	}
	p := program{path: path, home: home}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	out, err := p.command(ctx, home, nil, "version").Output()
	if err != nil {
		return program{}, noCommand("The command "+path+" cannot be used: it ended with an error", err)
	}
	found := versionText.FindStringSubmatch(string(out))
	if found == nil {
		return program{}, noCommand(fmt.Sprintf("The command %s cannot be used: it calls itself %.100q", path, out), nil)
	}
	major, _ := strconv.Atoi(found[2])
	minor, _ := strconv.Atoi(found[3])
	if major < 2 || major == 2 && minor < 31 {
		return program{}, noCommand("The command "+path+" cannot be used: it is version "+found[1], nil)
	}
	p.version = found[1]
	return p, nil
}

// noCommand is the fault of a git command that is missing or of no use.
func noCommand(why string, cause error) error {
	return fault.New(fault.Unavailable, "git.command_missing", "%s. Install git 2.31 or newer and start again.", why).Because(cause)
}

// agent is the User-Agent for asking. Some hosts answer only those that begin like this.
func (p program) agent() string { return "git/" + p.version + " (berth)" }

// command prepares a run of git in the repository dir. It is killed, with everything
// that it started, when ctx ends.
func (p program) command(ctx context.Context, dir string, extra []setting, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, p.path, args...)
	cmd.Dir = dir
	cmd.Env = p.environment(extra)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		if errors.Is(err, syscall.ESRCH) {
			return os.ErrProcessDone
		}
		return err
	}
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// run waits for one run of git and returns the end of what it wrote about its troubles.
func (p program) run(ctx context.Context, dir string, extra []setting, args ...string) (stderr string, err error) {
	cmd := p.command(ctx, dir, extra, args...)
	var said tail
	cmd.Stderr = &said
	if err := cmd.Run(); err != nil {
		return said.String(), fmt.Errorf("git %s: %w", args[0], err)
	}
	return "", nil
}

// tail keeps the last few kilobytes that are written to it.
type tail struct{ kept []byte }

const tailSize = 4 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p[max(0, len(p)-tailSize):]...)
	if over := len(t.kept) - tailSize; over > 0 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	return strings.ToValidUTF8(string(bytes.TrimSpace(t.kept)), "?")
}
