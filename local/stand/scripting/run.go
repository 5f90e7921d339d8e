package scripting

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"berth/local/stand/freeport"
)

// Command is one more command of a script.
type Command = func(ts *testscript.TestScript, neg bool, args []string)

// scriptTime bounds all scripts of a folder; awaitTime one wait in them.
const (
	scriptTime = 2 * time.Minute
	awaitTime  = 30 * time.Second
)

// Run runs every script in dir, each as a test of its own and at the same time.
func Run(t *testing.T, dir string, more map[string]Command) {
	commands := map[string]Command{"exits": exits, "await": await, "terminate": terminate, "damage": damage, "newer": newer, "postgres": postgres, "ask": ask}
	maps.Copy(commands, more)
	testscript.Run(t, testscript.Params{Dir: dir, Setup: setUp, Cmds: commands, RequireExplicitExec: true, RequireUniqueNames: true,
		Deadline: time.Now().Add(scriptTime)})
}

func setUp(e *testscript.Env) error {
	busy, err := net.Listen("tcp", ":0")
	if err != nil {
		return err
	}
	e.Defer(func() { busy.Close() })
	var ports [3]string
	for i := range ports {
		if ports[i], err = freeport.Take(); err != nil {
			return err
		}
	}
	e.Vars = append(e.Vars, "PORT="+ports[0], "TLS_WORKER_PORT="+ports[1], "APP_URL=http://127.0.0.1:"+ports[0], "BUSY_PORT="+strconv.Itoa(busy.Addr().(*net.TCPAddr).Port), "HUB_LISTEN=127.0.0.1:"+ports[2],
		"DATA_DIR="+filepath.Join(e.WorkDir, "data"), "SECRET_KEY="+freshKey(), "OTHER_KEY="+freshKey(), "THIRD_KEY="+freshKey(), "BOOTSTRAP_TOKEN="+rand.Text(), "LOG_LEVEL=debug")
	if host, set := os.LookupEnv("DOCKER_HOST"); set {
		e.Vars = append(e.Vars, "DOCKER_HOST="+host)
	}
	return nil
}

func freshKey() string {
	key := make([]byte, 32)
	rand.Read(key)
	return hex.EncodeToString(key)
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code program [args...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var ended *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &ended) {
		got = ended.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("%s ended with %d, want %d", args[1], got, want)
	}
}

func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: await file pattern")
	}
	pattern, err := regexp.Compile("(?m)" + args[1])
	ts.Check(err)
	text, holds := "", false
	until(awaitTime, func() bool {
		content, err := os.ReadFile(ts.MkAbs(args[0]))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			ts.Check(err)
		}
		text = string(content)
		holds = pattern.MatchString(text)
		return holds
	})
	if !holds {
		ts.Fatalf("no line of %s matched %q within %s:\n%s", args[0], args[1], awaitTime, text)
	}
}

func terminate(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: terminate duration")
	}
	within, err := time.ParseDuration(args[0])
	ts.Check(err)
	for _, cmd := range ts.BackgroundCmds() {
		ts.Check(cmd.Process.Signal(syscall.SIGTERM))
	}
	began := time.Now()
	for _, cmd := range ts.BackgroundCmds() {
		if !until(within-time.Since(began), func() bool { return gone(cmd.Process.Pid) }) {
			ts.Fatalf("%s did not end within %s of SIGTERM", cmd.Path, within)
		}
	}
}

// gone reports whether a process has ended; it may still wait for its parent to take note.
func gone(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return true
	}
	_, state, _ := strings.Cut(string(stat), ") ")
	return strings.HasPrefix(state, "Z")
}

// until looks every few milliseconds whether something holds, for so long at most.
func until(within time.Duration, holds func() bool) bool {
	for end := time.Now().Add(within); !holds(); <-time.After(20 * time.Millisecond) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}
