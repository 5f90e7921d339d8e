package stacks

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/fault"
)

// decoded decodes JSON as the reader of a manifest decodes YAML, except that its numbers
// are all float64.
func decoded(t testing.TB, text string) core.Document {
	t.Helper()
	doc := core.Document{Value: map[string]any{}}
	if err := json.Unmarshal([]byte(text), &doc.Value); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return doc
}

func TestReadManifest(t *testing.T) {
	with := func(change func(*Manifest)) Manifest {
		m := DefaultManifest()
		change(&m)
		return m
	}
	for name, c := range map[string]struct {
		text string
		want Manifest
	}{
		"the version alone":        {`{"version":"wireops.v1"}`, DefaultManifest()},
		"sections that are empty":  {`{"version":"wireops.v1","compose":null,"jobs":{},"worker":null,"sync":{},"deploy":{}}`, DefaultManifest()},
		"false is not the default": {`{"version":"wireops.v1","compose":{"remove_orphans":false}}`, with(func(m *Manifest) { m.RemoveOrphans = false })},
		"limits are allowed":       {`{"version":"wireops.v1","timeout":"24h","deploy":{"stable_for":"0s","health_timeout":"1s"}}`, with(func(m *Manifest) { m.Timeout, m.HealthTimeout = 24*time.Hour, time.Second })},
		"fractions of a duration":  {`{"version":"wireops.v1","timeout":"1.5h"}`, with(func(m *Manifest) { m.Timeout = 90 * time.Minute })},
		"everything": {`{"version":"wireops.v1","name":"shop","group":"prod","timeout":"1h","compose":{"files":["a.yaml","b.yaml"],"profiles":["p"],"remove_orphans":true,
			"force_pull":true},"jobs":{"wait_running":true},"worker":{"tags":["eu","ssd_1"]},"sync":{"interval":"3m"},
			"deploy":{"health_timeout":"90s","stable_for":"10s","on_failure":"rollback"}}`,
			Manifest{Name: "shop", Group: "prod", Timeout: time.Hour, Files: []string{"a.yaml", "b.yaml"}, Profiles: []string{"p"}, RemoveOrphans: true, ForcePull: true,
				WaitRunning: true, WorkerTags: []string{"eu", "ssd_1"}, SyncInterval: 3 * time.Minute, HealthTimeout: 90 * time.Second, StableFor: 10 * time.Second, OnFailure: "rollback"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ReadManifest("wireops.yaml", decoded(t, c.text))
			if err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, %v\nwant %+v", got, err, c.want)
			}
		})
	}
}

func TestReadManifestRefuses(t *testing.T) {
	for name, c := range map[string]struct{ text, path, says string }{
		"no version":                {`{}`, "version", "is required: wireops.v1"},
		"another version":           {`{"version":"wireops.v2"}`, "version", "reads wireops.v1"},
		"a version that is no text": {`{"version":["wireops.v1"]}`, "version", "reads wireops.v1"},
		"a misspelt key":            {`{"version":"wireops.v1","timeuot":"1h"}`, "timeuot", "known are version, name"},
		"a misspelt nested key":     {`{"version":"wireops.v1","compose":{"file":[]}}`, "compose.file", "known are files"},
		"a section that is a list":  {`{"version":"wireops.v1","compose":[]}`, "compose", "must be a mapping"},
		"a section that is text":    {`{"version":"wireops.v1","worker":"eu"}`, "worker", "must be a mapping"},
		"a name that is a number":   {`{"version":"wireops.v1","name":7}`, "name", "must be text"},
		"a name without end":        {`{"version":"wireops.v1","name":"` + strings.Repeat("a", 201) + `"}`, "name", "at most 200"},
		"a duration without unit":   {`{"version":"wireops.v1","timeout":"90"}`, "timeout", "such as 90s"},
		"a duration as number":      {`{"version":"wireops.v1","timeout":90}`, "timeout", "with its unit"},
		"too short":                 {`{"version":"wireops.v1","timeout":"999ms"}`, "timeout", "from 1s to 24h"},
		"too long":                  {`{"version":"wireops.v1","timeout":"24h1s"}`, "timeout", "from 1s to 24h"},
		"negative":                  {`{"version":"wireops.v1","deploy":{"stable_for":"-1s"}}`, "deploy.stable_for", "from 0s to 1h"},
		"an interval of 8 days":     {`{"version":"wireops.v1","sync":{"interval":"192h"}}`, "sync.interval", "to 168h"},
		"a flag as text":            {`{"version":"wireops.v1","compose":{"force_pull":"yes"}}`, "compose.force_pull", "true or false"},
		"a list that is text":       {`{"version":"wireops.v1","compose":{"files":"a.yaml"}}`, "compose.files", "list"},
		"a list of numbers":         {`{"version":"wireops.v1","compose":{"profiles":[1]}}`, "compose.profiles", "list of texts"},
		"an empty item":             {`{"version":"wireops.v1","compose":{"files":[""]}}`, "compose.files", "list of texts"},
		"a long item":               {`{"version":"wireops.v1","compose":{"files":["` + strings.Repeat("a", 1001) + `"]}}`, "compose.files", "list of texts"},
		"101 items":                 {`{"version":"wireops.v1","compose":{"files":["a"` + strings.Repeat(`,"a"`, 100) + `]}}`, "compose.files", "at most 100"},
		"a tag with a space":        {`{"version":"wireops.v1","worker":{"tags":["a b"]}}`, "worker.tags", "letters, digits"},
		"an unknown choice":         {`{"version":"wireops.v1","deploy":{"on_failure":"pray"}}`, "deploy.on_failure", "keep, rollback"},
		"a choice as number":        {`{"version":"wireops.v1","deploy":{"on_failure":1}}`, "deploy.on_failure", "keep, rollback"},
	} {
		t.Run(name, func(t *testing.T) {
			doc := decoded(t, c.text)
			doc.Lines = map[string]int{c.path: 7}
			m, err := ReadManifest("web/wireops.yaml", doc)
			f, ok := err.(*fault.Error)
			if !ok || f.Kind != fault.Invalid || f.Code != "manifest.invalid" || !reflect.DeepEqual(m, Manifest{}) {
				t.Fatalf("got %+v, %v", m, err)
			}
			if len(f.Fields) != 1 || f.Fields[0].Path != c.path || !strings.HasPrefix(f.Fields[0].Problem, "line 7: ") || !strings.Contains(f.Fields[0].Problem, c.says) {
				t.Errorf("complaints are %+v; want one about %s that says %q", f.Fields, c.path, c.says)
			}
			if !strings.HasPrefix(f.Public, "web/wireops.yaml: ") || !strings.Contains(f.Public, c.path) {
				t.Errorf("it says %q", f.Public)
			}
		})
	}
}

func TestReadManifestReportsEveryProblemInOrder(t *testing.T) {
	text := `{"zzz":1,"aaa":2,"name":7,"timeout":"x","compose":{"files":1,"remove_orphans":1},"deploy":{"on_failure":2}}`
	for range 20 {
		_, err := ReadManifest("wireops.yaml", decoded(t, text))
		var paths []string
		for _, f := range err.(*fault.Error).Fields {
			paths = append(paths, f.Path)
		}
		if got := strings.Join(paths, " "); got != "aaa zzz version name timeout compose.files compose.remove_orphans deploy.on_failure" {
			t.Fatalf("complaints are about %s", got)
		}
	}
}

// FuzzReadManifest: whatever a committer writes, the answer is a manifest within its limits or
// a fault that names fields.
func FuzzReadManifest(f *testing.F) {
	for _, seed := range []string{
		`{"version":"wireops.v1"}`, `{}`, `{"version":{}}`, `{"version":"wireops.v1","compose":{"files":[[]]}}`, `{"version":"wireops.v1","deploy":{"stable_for":"-9223372036854775808ns"}}`,
		`{"version":"wireops.v1","timeout":"9999999h"}`, `{"version":"wireops.v1","worker":{"tags":["a",null]}}`, `{"":null,"version":null}`, `{"version":"wireops.v1","sync":{"interval":"1s"}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		doc := core.Document{}
		if json.Unmarshal(text, &doc.Value) != nil {
			return
		}
		m, err := ReadManifest("wireops.yaml", doc)
		if err != nil {
			if f, ok := err.(*fault.Error); !ok || f.Code != "manifest.invalid" || len(f.Fields) == 0 {
				t.Fatalf("got %v", err)
			}
			return
		}
		within := func(d, low, high time.Duration) bool { return d >= low && d <= high }
		if doc.Value["version"] != ManifestVersion || !within(m.Timeout, time.Second, 24*time.Hour) || !within(m.HealthTimeout, time.Second, 24*time.Hour) ||
			!within(m.StableFor, 0, time.Hour) || m.SyncInterval != 0 && !within(m.SyncInterval, time.Second, 7*24*time.Hour) ||
			m.OnFailure != "keep" && m.OnFailure != "rollback" || len(m.Name) > 200 || len(m.Files) > 100 {
			t.Fatalf("accepted %+v", m)
		}
		for _, tag := range m.WorkerTags {
			if !core.ValidTag(tag) {
				t.Fatalf("accepted the tag %q", tag)
			}
		}
	})
}
