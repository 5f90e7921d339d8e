package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// compose is the docker command with a Compose plug-in of version 2 or newer.
type compose struct {
	config  string // DOCKER_CONFIG; empty: the user's own
	version string
	built   bool // from the module that the worker uses, because none is installed
}

const composeModule = "github.com/docker/compose/v5"

// findCompose returns the installed plug-in, or else builds one, once per user.
func (b *bench) findCompose(ctx context.Context) (compose, error) {
	installed := compose{}
	version, err := output(installed.command(ctx, "compose", "version", "--short"))
	if err == nil && newEnough(strings.TrimSpace(version)) {
		installed.version = strings.TrimSpace(version)
		return installed, nil
	}
	if _, err := exec.LookPath("docker"); err != nil {
		return compose{}, fmt.Errorf("the docker command is needed for the comparison: %w", err)
	}
	return b.buildCompose(ctx)
}

// newEnough reports whether this is a version of the program that is meant:
// version 1 was another one.
func newEnough(version string) bool {
	major, _, _ := strings.Cut(strings.TrimPrefix(version, "v"), ".")
	n, err := strconv.Atoi(major)
	return err == nil && n >= 2
}

// buildCompose builds the plug-in from the very module that go.mod names, with that
// module's own versions of everything, and installs it for this run only.
func (b *bench) buildCompose(ctx context.Context) (compose, error) {
	version, err := output(exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Version}}", composeModule))
	if err != nil {
		return compose{}, err
	}
	c := compose{config: filepath.Join(b.dir, "docker"), version: strings.TrimSpace(version), built: true}
	cache, err := os.UserCacheDir()
	if err != nil {
		return compose{}, err
	}
	program := filepath.Join(cache, "berth-bench", "docker-compose-"+c.version)
	if _, err := os.Stat(program); errors.Is(err, fs.ErrNotExist) {
		b.say("building the Compose plug-in %s, which is not installed; this takes a minute, once", c.version)
		if err := b.compileCompose(ctx, c.version, program); err != nil {
			return compose{}, err
		}
	}
	plugins := filepath.Join(c.config, "cli-plugins")
	if err := os.MkdirAll(plugins, 0o700); err != nil {
		return compose{}, err
	}
	return c, os.Symlink(program, filepath.Join(plugins, "docker-compose"))
}

func (b *bench) compileCompose(ctx context.Context, version, program string) error {
	described, err := output(exec.CommandContext(ctx, "go", "mod", "download", "-json", composeModule+"@"+version))
	if err != nil {
		return err
	}
	var module struct{ Dir string }
	if err := json.Unmarshal([]byte(described), &module); err != nil {
		return err
	}
	// Built as a main module: one with exclude lines cannot be built from outside.
	source := filepath.Join(b.dir, "compose-source")
	if err := os.CopyFS(source, os.DirFS(module.Dir)); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(program), 0o755); err != nil {
		return err
	}
	fresh := filepath.Join(source, "docker-compose")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w -X "+composeModule+"/internal.Version="+version, "-o", fresh, "./cmd")
	cmd.Dir = source
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	if _, err := output(cmd); err != nil {
		return err
	}
	return install(fresh, program)
}

// install copies a program into place, whole or not at all.
func install(from, to string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	part := fmt.Sprintf("%s.%d", to, os.Getpid())
	if err := os.WriteFile(part, content, 0o755); err != nil {
		return err
	}
	return os.Rename(part, to)
}

func (c compose) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "docker", args...)
	if c.config != "" {
		cmd.Env = append(os.Environ(), "DOCKER_CONFIG="+c.config)
	}
	return cmd
}

func (c compose) String() string {
	if c.built {
		return "docker compose " + c.version + ", built from the module in go.mod as none is installed"
	}
	return "docker compose " + c.version
}

// up runs "docker compose up -d", with --wait or without, and returns how long it took.
func (c compose) up(ctx context.Context, file, project string, wait bool) (time.Duration, error) {
	args := []string{"compose", "-p", project, "-f", file, "up", "-d"}
	if wait {
		args = append(args, "--wait")
	}
	began := time.Now()
	_, err := output(c.command(ctx, args...))
	return time.Since(began), err
}
