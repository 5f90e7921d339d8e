package stacks

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// RevisionChange is one way in which a revision differs from another one. Values are masked as in plans.
type RevisionChange struct {
	Kind    ChangeKind `json:"kind"`
	Service string     `json:"service"`        // compose service; empty for what belongs to none
	Name    string     `json:"name"`           // of the field, file, variable or key of the manifest
	Before  string     `json:"before"`         // empty: it was not there
	After   string     `json:"after"`          // empty: it is not there any more
	Diff    string     `json:"diff,omitempty"` // see Reason
}

// ChangeKind says what changed between revisions.
type ChangeKind string

// The kinds of changes.
const (
	ChangeServiceAdded   ChangeKind = "service_added"
	ChangeServiceRemoved ChangeKind = "service_removed"
	ChangeField          ChangeKind = "field" // of a compose service, or of the project: "networks.default.driver"
	ChangeFile           ChangeKind = "file"
	ChangeVariable       ChangeKind = "variable" // the value of a secret variable
	ChangeManifest       ChangeKind = "manifest"
)

// ProjectChanges lists how after differs from before: by compose service, then what belongs to none.
func ProjectChanges(before, after Project) []RevisionChange {
	c := comparison{before, after}
	changes := []RevisionChange{}
	names := append(before.serviceNames(), after.serviceNames()...)
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		old, was := before.service(name)
		now, is := after.service(name)
		switch {
		case !was:
			changes = append(changes, RevisionChange{Kind: ChangeServiceAdded, Service: name, Name: name, After: after.image(name)})
		case !is:
			changes = append(changes, RevisionChange{Kind: ChangeServiceRemoved, Service: name, Name: name, Before: before.image(name)})
		default:
			changes = append(changes, asChanges(name, unite(c.settings(old, now), c.service(name)))...)
		}
	}
	for _, section := range []string{"networks", "volumes"} {
		changes = append(changes, asChanges("", c.values(ReasonField, section, itemOf(before.Compose[section]), itemOf(after.Compose[section])))...)
	}
	return append(changes, manifestChanges(before.Manifest, after.Manifest)...)
}

func asChanges(service string, reasons []Reason) []RevisionChange {
	kinds := map[ReasonKind]ChangeKind{ReasonField: ChangeField, ReasonFile: ChangeFile, ReasonVariable: ChangeVariable}
	var changes []RevisionChange
	for _, r := range reasons {
		changes = append(changes, RevisionChange{Kind: kinds[r.Kind], Service: service, Name: r.Name, Before: r.Before, After: r.After})
	}
	return changes
}

func manifestChanges(before, after Manifest) []RevisionChange {
	old, now := manifestTexts(before), manifestTexts(after)
	var changes []RevisionChange
	for _, name := range slices.Sorted(maps.Keys(old)) {
		if old[name] != now[name] {
			changes = append(changes, RevisionChange{Kind: ChangeManifest, Name: name, Before: clip(old[name]), After: clip(now[name])})
		}
	}
	return changes
}

// manifestTexts returns what a manifest says, defaults included, under the keys of wireops.yaml.
func manifestTexts(m Manifest) map[string]string {
	return map[string]string{
		"name":                   m.Name,
		"group":                  m.Group,
		"timeout":                m.Timeout.String(),
		"compose.files":          strings.Join(m.Files, ", "),
		"compose.profiles":       strings.Join(m.Profiles, ", "),
		"compose.remove_orphans": strconv.FormatBool(m.RemoveOrphans),
		"compose.force_pull":     strconv.FormatBool(m.ForcePull),
		"jobs.wait_running":      strconv.FormatBool(m.WaitRunning),
		"worker.tags":            strings.Join(m.WorkerTags, ", "),
		"sync.interval":          m.SyncInterval.String(),
		"sync.self_heal":         strconv.FormatBool(m.SelfHeal),
		"deploy.health_timeout":  m.HealthTimeout.String(),
		"deploy.stable_for":      m.StableFor.String(),
		"deploy.on_failure":      m.OnFailure,
	}
}
