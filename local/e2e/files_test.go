package e2e_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"berth/local/e2e/rig"
)

// madeAnew returns the compose services whose container is another than before.
func madeAnew(before, after map[string]rig.Container) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if before[name].ID != after[name].ID || before[name].State.StartedAt != after[name].State.StartedAt {
			names = append(names, name)
		}
	}
	return names
}

func wantAnew(t *testing.T, before, after map[string]rig.Container, names ...string) {
	t.Helper()
	if got := madeAnew(before, after); !slices.Equal(got, names) || len(before) != len(after) {
		t.Errorf("made anew: %v, want %v", got, names)
	}
}

func mountedFileRecreates(t *testing.T, s *rig.Server) {
	file := compose(
		box(t, "page", "volumes: [./site:/site:ro]"),
		box(t, "single", "volumes: [./settings.conf:/settings.conf:ro]"),
		box(t, "file-config", "configs: [{source: from-file, target: /from-file}]"),
		box(t, "plain")) + "configs: {from-file: {file: ./from-file.txt}}\n"
	repository := s.Repository(map[string]string{"app/compose.yaml": file, "app/site/index.html": "one", "app/site/deep/er.txt": "unchanged",
		"app/settings.conf": "a=1\n", "app/from-file.txt": "first"})
	stack := repository.On("", "app")
	stack.Deployed()
	first := stack.Containers()
	if got := first["page"].Read(t, "/site/index.html") + first["page"].Read(t, "/site/deep/er.txt") + first["single"].Read(t, "/settings.conf") + first["file-config"].Read(t, "/from-file"); got != "oneunchangeda=1\nfirst" {
		t.Fatalf("the containers read %q", got)
	}
	if _, err := stackFile(first["page"], "/site"); err != nil {
		t.Error(err)
	}

	stack.At(repository.Commit(map[string]string{"app/site/index.html": "two"}))
	second := stack.Containers()
	wantAnew(t, first, second, "page")
	if got := second["page"].Read(t, "/site/index.html"); got != "two" {
		t.Errorf("the page reads %q", got)
	}

	stack.At(repository.Commit(map[string]string{"app/settings.conf": "a=2\n"}))
	third := stack.Containers()
	wantAnew(t, second, third, "single")
	if got := third["single"].Read(t, "/settings.conf"); got != "a=2\n" {
		t.Errorf("the single file reads %q", got)
	}

	stack.At(repository.Commit(map[string]string{"app/from-file.txt": "second"}))
	fourth := stack.Containers()
	wantAnew(t, third, fourth, "file-config")
	if got := fourth["file-config"].Read(t, "/from-file"); got != "second" {
		t.Errorf("the config reads %q", got)
	}

	stack.At(repository.Commit(map[string]string{"app/NOTES.md": "nothing mounts this"}))
	wantAnew(t, fourth, stack.Containers())
}

func inlineConfigRecreates(t *testing.T, s *rig.Server) {
	file := func(greeting string) map[string]string {
		return one(compose(
			box(t, "user", "configs: [{source: greeting, target: /greeting.txt}]"),
			box(t, "other-user", "configs: [{source: constant, target: /constant.txt}]"),
			box(t, "plain")) + "configs:\n  greeting: {content: \"" + greeting + "\"}\n  constant: {content: same}\n")
	}
	repository := s.Repository(file("hello"))
	stack := repository.On("", "app")
	stack.Deployed()
	before := stack.Containers()
	if got := before["user"].Read(t, "/greeting.txt"); got != "hello" {
		t.Fatalf("the config reads %q", got)
	}
	stack.At(repository.Commit(file("good evening")))
	after := stack.Containers()
	wantAnew(t, before, after, "user")
	if got := after["user"].Read(t, "/greeting.txt"); got != "good evening" {
		t.Errorf("the config reads %q", got)
	}
}

func writtenFilesSurvive(t *testing.T, s *rig.Server) {
	file := func(number string) map[string]string {
		return one(compose(box(t, "writer", "volumes: [./state:/state]", "environment: {NUMBER: '"+number+"'}")))
	}
	repository := s.Repository(file("1"))
	stack := repository.On("", "app")
	stack.Deployed()
	rig.Docker(t, "exec", stack.Container("writer").ID, "sh", "-c", "echo kept > /state/file")
	before := stack.Containers()
	stack.At(repository.Commit(file("2")))
	after := stack.Containers()
	wantAnew(t, before, after, "writer")
	if got := after["writer"].Read(t, "/state/file"); got != "kept\n" {
		t.Errorf("the file reads %q", got)
	}
}

func filesElsewhereCount(t *testing.T, s *rig.Server) {
	repository := s.Repository(map[string]string{"app/compose.yaml": compose(box(t, "web"), box(t, "user", "env_file: ../shared/common.env")), "shared/common.env": "FROM=here\n"})
	stack := repository.On("", "app")
	stack.Deployed()
	before := stack.Containers()
	if got := before["user"].Environment(t)["FROM"]; got != "here" {
		t.Fatalf("the env_file gave %q", got)
	}
	stack.At(repository.Commit(map[string]string{"shared/common.env": "FROM=there\n"}))
	after := stack.Containers()
	wantAnew(t, before, after, "user")
	if got := after["user"].Environment(t)["FROM"]; got != "there" {
		t.Errorf("the env_file gave %q", got)
	}
}

// stackFile finds where on this host a container's mount comes from, which must be read-only.
func stackFile(c rig.Container, destination string) (string, error) {
	for _, m := range c.Mounts {
		if m.Destination == destination && !m.RW {
			return m.Source, nil
		}
	}
	return "", &missingMount{c, destination}
}

type missingMount struct {
	container   rig.Container
	destination string
}

func (m *missingMount) Error() string {
	var have strings.Builder
	for _, mount := range m.container.Mounts {
		have.WriteString(" " + mount.Destination)
	}
	return "no read-only mount at " + m.destination + "; there are" + have.String()
}
