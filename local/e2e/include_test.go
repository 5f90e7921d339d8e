package e2e_test

import (
	"testing"

	"berth/core/stacks"
	"berth/local/e2e/rig"
)

// composeFromGit: all the ways in which a Compose project lies in a repository, in one stack.
func composeFromGit(t *testing.T, s *rig.Server) {
	files := map[string]string{
		"app/wireops.yaml":       "version: wireops.v1\ncompose:\n  files: [base.yaml, prod.yaml]\n  profiles: [metrics]\n",
		"app/base.yaml":          "include: [../shared/db.yaml]\n" + compose(box(t, "web", "env_file: web.env", "configs: [{source: page, target: /page}]", "secrets: [key]"), "  late:\n    extends: {file: ../shared/base.yaml, service: sleeper}\n    profiles: [metrics]\n", box(t, "never", "profiles: [debug]")) + "configs: {page: {file: ./page.txt}}\nsecrets: {key: {file: ./key.txt}}\n",
		"app/prod.yaml":          "services:\n  web:\n    environment: {STAGE: prod}\n",
		"app/web.env":            "FROM_FILE=yes\nSTAGE=file\n",
		"app/page.txt":           "hello",
		"app/key.txt":            "sesame",
		"shared/db.yaml":         compose(box(t, "db", "env_file: db.env", "volumes: ['./conf:/conf:ro']")),
		"shared/db.env":          "DB=one\n",
		"shared/conf/db.conf":    "a=1\n",
		"shared/base.yaml":       compose(box(t, "sleeper", "env_file: db.env")),
		"shared/unused/file.txt": "x",
	}
	repository := s.Repository(files)
	stack := repository.On("", "app")
	stack.Deployed()
	first := stack.Containers()
	if len(first) != 3 {
		t.Fatalf("there are %d containers: %v", len(first), first)
	}
	web := first["web"].Environment(t)
	if web["FROM_FILE"] != "yes" || web["STAGE"] != "prod" || first["db"].Environment(t)["DB"] != "one" || first["late"].Environment(t)["DB"] != "one" {
		t.Errorf("the environments are %v, %v and %v", web, first["db"].Environment(t), first["late"].Environment(t))
	}
	if got := first["web"].Read(t, "/page") + first["web"].Read(t, "/run/secrets/key") + first["db"].Read(t, "/conf/db.conf"); got != "hellosesamea=1\n" {
		t.Errorf("the files read %q", got)
	}
	stack.At(repository.Commit(map[string]string{"shared/db.env": "DB=two\n"}))
	second := stack.Containers()
	wantAnew(t, first, second, "db", "late")
	if got := second["db"].Environment(t)["DB"]; got != "two" {
		t.Errorf("after the commit to the included folder the service has %q", got)
	}
	wantAnew(t, second, stack.Containers())
}

// buildIsRefused: images are not built, wherever the key stands.
func buildIsRefused(t *testing.T, s *rig.Server) {
	repository := s.Repository(map[string]string{"app/compose.yaml": "include: [../lib/b.yaml]\n", "lib/b.yaml": "services:\n  made:\n    image: made:1\n    build:\n      context: .\n", "lib/Dockerfile": "FROM scratch\n"})
	stack := repository.On("", "app")
	d := stack.Failed("compose.unsupported")
	failedAs(t, stack, d, stacks.PhaseRender, "lib/b.yaml:4", "services.made.build is not supported", "build and push the image in CI")
}
