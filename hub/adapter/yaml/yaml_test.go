package yaml

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/stacks"
)

func TestReadDocument(t *testing.T) {
	doc, err := Reader{}.ReadDocument([]byte("a: text\nb:\n  c: [1, true, null, 1.5]\n  d: \"3\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"a": "text", "b": map[string]any{"c": []any{int64(1), true, nil, 1.5}, "d": "3"}}
	if !reflect.DeepEqual(doc.Value, want) {
		t.Errorf("value %#v, want %#v", doc.Value, want)
	}
	if doc.Lines["b.d"] != 4 || doc.Lines["b.c[3]"] != 3 {
		t.Errorf("lines are %v", doc.Lines)
	}
}

func TestReadDocumentRefuses(t *testing.T) {
	for name, test := range map[string]struct{ content, says string }{
		"an empty file":     {"", "empty"},
		"a list on top":     {"- a\n", "mapping"},
		"two documents":     {"a: 1\n---\nb: 2\n", "second document"},
		"a key twice":       {"a: 1\na: 2\n", "twice"},
		"an alias":          {"a: &x 1\nb: *x\n", "anchors"},
		"a key of a number": {"1: a\n", "key must be text"},
		"a date":            {"a: 2026-01-02\n", "quotes"},
		"infinity":          {"a: .inf\n", "out of range"},
		"no UTF-8":          {"a: 1\nb: größe\nc: \xff\n", "line 3: the file is not UTF-8"},
		"wrong at once":     {"a: b: c\n", "line 1: mapping values"},
		"a list left open":  {"a: 1\nb: [1\nc: 2\n", "line 2: did not find"},
		"an unknown alias":  {"a: 1\nb: *x\n", "line 2: unknown anchor"},
		"a control letter":  {"a: 1\nb: 2\nc: \x01\n", "line 3: control characters"},
		"a second one bad":  {"a: 1\n---\nb: [\n", "line 3: did not find"},
		"a second of none":  {"a: 1\n\n---\n", "line 3: a second document"},
		"a tab":             {"a:\n\tb: 1\n", "line 2"},
		"deep nesting":      {"a: " + strings.Repeat("[", 40) + strings.Repeat("]", 40), "levels"},
		"too much":          {"a: " + strings.Repeat("x", smallFile.bytes), "bytes"},
	} {
		_, err := Reader{}.ReadDocument([]byte(test.content))
		if err == nil || !strings.Contains(fault.PublicOf(err), test.says) {
			t.Errorf("%s: %v, want an error that says %q", name, err, test.says)
		}
	}
}

func TestManifestOfThePeersUsersParsesUnchanged(t *testing.T) {
	doc, err := Reader{}.ReadDocument([]byte(`version: wireops.v1
name: metrics
group: monitoring
timeout: 3m
compose:
  files: [docker-compose.yml, docker-compose.prod.yml]
  profiles: [prod]
  remove_orphans: true
  force_pull: false
jobs:
  wait_running: true
worker:
  tags:
    - local
    - node
sync:
  interval: 5m
deploy:
  health_timeout: 90s
  stable_for: 5s
  on_failure: rollback
`))
	if err != nil {
		t.Fatal(err)
	}
	got, err := stacks.ReadManifest("wireops.yaml", doc)
	if err != nil {
		t.Fatal(err)
	}
	want := stacks.Manifest{Name: "metrics", Group: "monitoring", Timeout: 3 * time.Minute, Files: []string{"docker-compose.yml", "docker-compose.prod.yml"},
		Profiles: []string{"prod"}, RemoveOrphans: true, WaitRunning: true, WorkerTags: []string{"local", "node"}, SyncInterval: 5 * time.Minute,
		HealthTimeout: 90 * time.Second, StableFor: 5 * time.Second, OnFailure: "rollback"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("manifest\n%+v, want\n%+v", got, want)
	}
}

func TestManifestNamesEveryProblemWithItsLine(t *testing.T) {
	doc, err := Reader{}.ReadDocument([]byte("version: wireops.v2\ntimeuot: 3m\ntimeout: 3\ncompose: yes please\nworker:\n  tags: [a b]\ndeploy:\n  on_failure: panic\n"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = stacks.ReadManifest("apps/wireops.yaml", doc)
	var problem *fault.Error
	if !errors.As(err, &problem) {
		t.Fatalf("%v is no fault", err)
	}
	for _, says := range []string{"apps/wireops.yaml", "version: line 1", "timeuot: line 2", "timeout: line 3", "compose: line 4", "worker.tags: line 6", "deploy.on_failure: line 8"} {
		if !strings.Contains(problem.Public, says) {
			t.Errorf("the error does not say %q: %s", says, problem.Public)
		}
	}
}

func FuzzReadDocument(f *testing.F) {
	f.Add([]byte("version: wireops.v1\nname: a\n"))
	f.Add([]byte("a: &x [*x]\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		doc, err := Reader{}.ReadDocument(content)
		if err != nil {
			return
		}
		if doc.Value == nil {
			t.Error("neither value nor error")
		}
		_, _ = stacks.ReadManifest("f", core.Document{Value: doc.Value, Lines: doc.Lines})
	})
}

func TestARenderedProjectMayBeLarger(t *testing.T) {
	text := []byte("services:\n  web:\n    environment:\n")
	for i := range 6000 {
		text = fmt.Appendf(text, "      V%d: \"a value of some length\"\n", i)
	}
	if _, err := (Reader{}).ReadDocument(text); fault.CodeOf(err) != "document.too_large" {
		t.Errorf("as a file of a repository: %v", err)
	}
	doc, err := Rendered{}.ReadDocument(text)
	if err != nil || len(doc.Value["services"].(map[string]any)["web"].(map[string]any)["environment"].(map[string]any)) != 6000 {
		t.Errorf("as a rendered project: %v", err)
	}
	if _, err := (Rendered{}).ReadDocument(append(text, bytes.Repeat([]byte("# \n"), 1<<20)...)); fault.CodeOf(err) != "document.too_large" {
		t.Errorf("beyond every project: %v", err)
	}
}
