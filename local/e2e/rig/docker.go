package rig

import (
	"bytes"
	"context"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// Container is what the engine says of one.
type Container struct {
	ID           string
	Name         string
	RestartCount int
	State        struct {
		Status    string
		StartedAt string
		Health    *struct{ Status string }
	}
	Config struct {
		Env    []string
		Labels map[string]string
	}
	Mounts []struct {
		Source, Destination string
		RW                  bool
	}
}

// Service returns the compose service of a container.
func (c Container) Service() string { return c.Config.Labels["com.docker.compose.service"] }

// Docker runs one docker command, which must work, and returns what it printed.
func Docker(t testing.TB, args ...string) string {
	t.Helper()
	out, err := docker(nil, args...)
	if err != nil {
		t.Fatalf("docker %s: %v", strings.Join(args, " "), err)
	}
	return out
}

func docker(stdin []byte, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "docker", args...)
	cmd.Stdin = bytes.NewReader(stdin)
	var problem bytes.Buffer
	cmd.Stderr = &problem
	out, err := cmd.Output()
	if err != nil {
		return "", &commandError{err, problem.String()}
	}
	return string(out), nil
}

type commandError struct {
	error
	said string
}

func (e *commandError) Error() string { return e.error.Error() + ": " + e.said }

// Containers returns what the engine has of the stack, running or not, by compose service.
func (s *Stack) Containers() map[string]Container {
	s.T.Helper()
	for {
		ids := strings.Fields(Docker(s.T, "ps", "--all", "--quiet", "--filter", projectLabel+s.Name))
		if len(ids) == 0 {
			return map[string]Container{}
		}
		text, err := docker(nil, append([]string{"inspect"}, ids...)...)
		if err != nil && strings.Contains(err.Error(), "No such object") {
			continue // one of them went away meanwhile
		}
		if err != nil {
			s.T.Fatalf("inspect the containers of %s: %v", s.Name, err)
		}
		return byService(s.T, text)
	}
}

// byService reads what "docker inspect" printed.
func byService(t testing.TB, text string) map[string]Container {
	t.Helper()
	var all []Container
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		t.Fatal(err)
	}
	found := map[string]Container{}
	for _, c := range all {
		found[c.Service()] = c
	}
	return found
}

// Container returns that of one compose service, which must be there.
func (s *Stack) Container(service string) Container {
	s.T.Helper()
	c, found := s.Containers()[service]
	if !found {
		s.T.Fatalf("compose service %s has no container", service)
	}
	return c
}

// Environment returns what the first process of a container was started with, as the
// kernel has it.
func (c Container) Environment(t testing.TB) map[string]string {
	t.Helper()
	environment := map[string]string{}
	for _, entry := range strings.Split(strings.TrimSuffix(Docker(t, "exec", c.ID, "cat", "/proc/1/environ"), "\x00"), "\x00") {
		name, value, _ := strings.Cut(entry, "=")
		environment[name] = value
	}
	return environment
}

// Read returns a file in a container.
func (c Container) Read(t testing.TB, path string) string {
	t.Helper()
	return Docker(t, "exec", c.ID, "cat", path)
}

const projectLabel = "label=com.docker.compose.project="

// RemoveProjectAfter removes what a Compose project has on the engine when the test ends.
func RemoveProjectAfter(t testing.TB, project string) {
	t.Helper()
	t.Cleanup(func() {
		for _, kind := range [][2]string{{"ps --all", "rm --force --volumes"}, {"network ls", "network rm"}, {"volume ls", "volume rm --force"}} {
			out, err := docker(nil, append(strings.Fields(kind[0]), "--quiet", "--filter", projectLabel+project)...)
			if ids := strings.Fields(out); err == nil && len(ids) > 0 {
				_, err = docker(nil, append(strings.Fields(kind[1]), ids...)...)
			}
			if err != nil {
				t.Errorf("something of %s was left behind: %v", project, err)
			}
		}
	})
}
