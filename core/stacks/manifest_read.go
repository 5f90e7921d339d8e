package stacks

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"berth/core"
	"berth/core/fault"
)

// ManifestFiles are the names under which a stack's folder may hold its manifest.
var ManifestFiles = []string{"wireops.yaml", "wireops.yml"}

// ManifestVersion is the one version of the manifest that this program reads.
const ManifestVersion = "wireops.v1"

// ReadManifest checks a decoded wireops.yaml and fills in the defaults. Every problem is
// reported at once, with its line where the document knows it. The file is named in
// the fault: Invalid "manifest.invalid".
func ReadManifest(file string, doc core.Document) (Manifest, error) {
	r := &manifestReader{doc: doc}
	m := DefaultManifest()
	r.keys("", doc.Value, "version", "name", "group", "timeout", "compose", "jobs", "worker", "sync", "deploy", "secrets")
	r.version()
	r.text("name", &m.Name)
	r.text("group", &m.Group)
	r.duration("timeout", &m.Timeout, time.Second, 24*time.Hour)
	compose := r.section("compose", "files", "profiles", "remove_orphans", "force_pull")
	r.list(compose, "compose.files", &m.Files)
	r.list(compose, "compose.profiles", &m.Profiles)
	r.flag(compose, "compose.remove_orphans", &m.RemoveOrphans)
	r.flag(compose, "compose.force_pull", &m.ForcePull)
	r.flag(r.section("jobs", "wait_running"), "jobs.wait_running", &m.WaitRunning)
	r.list(r.section("worker", "tags"), "worker.tags", &m.WorkerTags)
	sync := r.section("sync", "interval", "self_heal")
	r.duration("sync.interval", &m.SyncInterval, time.Second, 7*24*time.Hour)
	r.flag(sync, "sync.self_heal", &m.SelfHeal)
	deploy := r.section("deploy", "health_timeout", "stable_for", "on_failure")
	r.duration("deploy.health_timeout", &m.HealthTimeout, time.Second, 24*time.Hour)
	r.duration("deploy.stable_for", &m.StableFor, 0, time.Hour)
	r.choice(deploy, "deploy.on_failure", &m.OnFailure, OnFailureKeep, OnFailureRollback)
	r.flag(r.section("secrets", "redeploy_on_rotation"), "secrets.redeploy_on_rotation", &m.RedeployOnRotation)
	r.tags(m.WorkerTags)
	if len(r.problems) == 0 {
		return m, nil
	}
	return Manifest{}, &fault.Error{Kind: fault.Invalid, Code: "manifest.invalid", Fields: r.problems,
		Public: file + ": " + r.summary()}
}

// manifestReader collects every problem of one document.
type manifestReader struct {
	doc      core.Document
	problems []fault.Field
}

func (r *manifestReader) complain(path, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if line := r.doc.Lines[path]; line > 0 {
		text = fmt.Sprintf("line %d: %s", line, text)
	}
	r.problems = append(r.problems, fault.Field{Path: path, Problem: text})
}

func (r *manifestReader) summary() string {
	parts := make([]string, len(r.problems))
	for i, p := range r.problems {
		parts[i] = p.Path + ": " + p.Problem
	}
	return strings.Join(parts, "; ")
}

// keys refuses keys that are not known, so that a misspelt one is not silently without effect.
func (r *manifestReader) keys(prefix string, m map[string]any, known ...string) {
	var unknown []string
	for key := range m {
		if !slices.Contains(known, key) {
			unknown = append(unknown, key)
		}
	}
	sort.Strings(unknown)
	for _, key := range unknown {
		r.complain(prefix+key, "is not a known key; known are %s", strings.Join(known, ", "))
	}
}

func (r *manifestReader) version() {
	switch v := r.doc.Value["version"]; v {
	case ManifestVersion:
	case nil:
		r.complain("version", "is required: %s", ManifestVersion)
	default:
		r.complain("version", "this program reads %s", ManifestVersion)
	}
}

func (r *manifestReader) section(name string, known ...string) map[string]any {
	switch v := r.doc.Value[name].(type) {
	case nil:
		return nil
	case map[string]any:
		r.keys(name+".", v, known...)
		return v
	default:
		r.complain(name, "must be a mapping")
		return nil
	}
}

// at returns the value at a path of one or two parts.
func (r *manifestReader) at(path string) any {
	section, key, nested := strings.Cut(path, ".")
	if !nested {
		return r.doc.Value[path]
	}
	m, _ := r.doc.Value[section].(map[string]any)
	return m[key]
}

func (r *manifestReader) text(path string, dest *string) {
	switch v := r.at(path).(type) {
	case nil:
	case string:
		if len(v) > 200 {
			r.complain(path, "at most 200 characters")
		}
		*dest = v
	default:
		r.complain(path, "must be text")
	}
}

func (r *manifestReader) duration(path string, dest *time.Duration, low, high time.Duration) {
	switch v := r.at(path).(type) {
	case nil:
	case string:
		d, err := time.ParseDuration(v)
		if err != nil || d < low || d > high {
			r.complain(path, "must be a duration such as 90s, 3m or 1h, from %s to %s", low, high)
			return
		}
		*dest = d
	default:
		r.complain(path, "must be a duration with its unit, such as 90s, 3m or 1h")
	}
}

func (r *manifestReader) flag(section map[string]any, path string, dest *bool) {
	_, key, _ := strings.Cut(path, ".")
	switch v := section[key].(type) {
	case nil:
	case bool:
		*dest = v
	default:
		r.complain(path, "must be true or false")
	}
}

func (r *manifestReader) list(section map[string]any, path string, dest *[]string) {
	_, key, _ := strings.Cut(path, ".")
	if section[key] == nil {
		return
	}
	items, ok := section[key].([]any)
	if !ok || len(items) > 100 {
		r.complain(path, "must be a list of at most 100 texts")
		return
	}
	for _, item := range items {
		text, ok := item.(string)
		if !ok || text == "" || len(text) > 1000 {
			r.complain(path, "must be a list of texts")
			return
		}
		*dest = append(*dest, text)
	}
}

func (r *manifestReader) choice(section map[string]any, path string, dest *string, allowed ...string) {
	_, key, _ := strings.Cut(path, ".")
	if section[key] == nil {
		return
	}
	text, _ := section[key].(string)
	if !slices.Contains(allowed, text) {
		r.complain(path, "must be one of %s", strings.Join(allowed, ", "))
		return
	}
	*dest = text
}

func (r *manifestReader) tags(tags []string) {
	for _, tag := range tags {
		if !core.ValidTag(tag) {
			r.complain("worker.tags", "a tag has letters, digits, - and _ only")
		}
	}
}
