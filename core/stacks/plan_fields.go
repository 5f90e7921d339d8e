package stacks

import (
	"maps"
	"reflect"
	"slices"
	"strings"
)

// uncounted are the settings of a compose service that do not change its containers.
var uncounted = []string{"build", "pull_policy", "scale", "depends_on", "profiles"}

// keyed turns a list of mounts, configs or secrets into a mapping by target or source; nil when
// its members are something else. An empty list may be either.
func keyed(list []any) map[string]any {
	members := map[string]any{}
	for _, item := range list {
		m, _ := item.(map[string]any)
		if m == nil || m["published"] != nil || m["protocol"] != nil { // a port's target names it badly
			return nil
		}
		key := plainText(m["target"])
		if key == "" {
			key = plainText(m["source"])
		}
		if _, twice := members[key]; twice || key == "" {
			return nil
		}
		members[key] = item
	}
	return members
}

// comparison compares parts of two projects.
type comparison struct{ before, after Project }

// item is a value of a rendered project, or that there is none.
type item struct {
	value any
	there bool
}

func itemOf(value any) item { return item{value, value != nil} }

// values compares two values, and the files of the repository that they name.
func (c comparison) values(kind ReasonKind, name string, before, after item) []Reason {
	if before.there == after.there && reflect.DeepEqual(before.value, after.value) {
		return nil
	}
	members, others := membersOf(before), membersOf(after)
	if members != nil && others != nil || !before.there && len(others) > 0 || !after.there && len(members) > 0 {
		return c.members(kind, name, members, others, isList(before) || isList(after))
	}
	old, _ := before.value.(string)
	now, _ := after.value.(string)
	if isContent(old) && isContent(now) {
		if found := c.files(old, now); len(found) > 0 {
			return found
		}
	}
	return []Reason{{Kind: kind, Name: name, Before: c.text(name, before), After: c.text(name, after)}}
}

// members compares two mappings, or two lists whose members can be told apart. A member that only one
// list has is told of as a whole.
func (c comparison) members(kind ReasonKind, name string, before, after map[string]any, list bool) []Reason {
	names := maps.Clone(before)
	if names == nil {
		names = map[string]any{}
	}
	maps.Copy(names, after)
	var found []Reason
	for _, key := range slices.Sorted(maps.Keys(names)) {
		old, was := before[key]
		now, is := after[key]
		at := join(name, key)
		if list && was != is {
			found = append(found, Reason{Kind: kind, Name: at, Before: c.member(at, item{old, was}), After: c.member(at, item{now, is})})
			continue
		}
		found = append(found, c.values(kind, at, item{old, was}, item{now, is})...)
	}
	if list && len(found) == 0 { // the same members in another order
		found = append(found, Reason{Kind: kind, Name: name, Before: "another order", After: "another order"})
	}
	return found
}

// text is a value as people may see it; empty when it is not there.
func (c comparison) text(name string, v item) string {
	if !v.there {
		return ""
	}
	if path, isText := v.value.(string); isText {
		return c.source(path, leafText(name, v.value))
	}
	return leafText(name, v.value)
}

// member is a mount, config or secret as people may see it: where it comes from.
func (c comparison) member(name string, v item) string {
	m, _ := v.value.(map[string]any)
	if source := plainText(m["source"]); source != "" {
		return c.text(name, itemOf(source))
	}
	return c.text(name, v)
}

// membersOf returns the members of a mapping, or of a list whose members can be told apart; nil for
// everything else.
func membersOf(v item) map[string]any {
	switch value := v.value.(type) {
	case map[string]any:
		return value
	case []any:
		return keyed(value)
	}
	return nil
}

func isList(v item) bool {
	_, is := v.value.([]any)
	return is
}

func join(name, key string) string {
	if name == "" {
		return key
	}
	return name + "." + key
}

// service compares what decides whether the containers of a compose service are replaced: its own
// settings, and the content of the configs and secrets that it uses.
func (c comparison) service(name string) []Reason {
	before, _ := c.before.service(name)
	after, _ := c.after.service(name)
	found := c.settings(decisive(before), decisive(after))
	for _, kind := range []string{"configs", "secrets"} {
		for _, ref := range refsOf(after, kind) {
			if slices.Contains(refsOf(before, kind), ref) {
				found = append(found, c.object(kind, ref)...)
			}
		}
	}
	return append(found, c.variables(name)...)
}

// settings compares the settings of two compose services.
func (c comparison) settings(before, after map[string]any) []Reason {
	if reflect.DeepEqual(before, after) {
		return nil
	}
	return c.members(ReasonField, "", before, after, false)
}

// object compares the content of a config or secret.
func (c comparison) object(section, name string) []Reason {
	before, after := mappingAt(c.before.section(section), name), mappingAt(c.after.section(section), name)
	return c.values(ReasonField, section+"."+name, itemOf(contentOf(before)), itemOf(contentOf(after)))
}

// variables compares the secret variables that reach a compose service in both projects. One whose
// value is not known now is taken as unchanged.
func (c comparison) variables(service string) []Reason {
	before, after := c.before.secretsOf(service), c.after.secretsOf(service)
	var found []Reason
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if old, now := before[name], after[name]; old != "" && now != "" && old != now {
			found = append(found, Reason{Kind: ReasonVariable, Name: name, Before: "another value", After: "a new value"})
		}
	}
	return found
}

// decisive returns a compose service without what does not change its containers.
func decisive(service map[string]any) map[string]any {
	kept := maps.Clone(service)
	for _, name := range uncounted {
		delete(kept, name)
	}
	if deploy, there := kept["deploy"].(map[string]any); there {
		deploy = maps.Clone(deploy)
		delete(deploy, "replicas")
		kept["deploy"] = deploy
	}
	return kept
}

// contentOf returns what decides what is in a config or secret. The key of a secret's value is the one that
// the Compose library gives it.
func contentOf(object map[string]any) map[string]any {
	kept := map[string]any{}
	for name, value := range object {
		switch {
		case name == "file", name == "content":
			kept[name] = value
		case strings.HasPrefix(name, "x-"):
			kept["value"] = value
		}
	}
	return kept
}

// refsOf returns the names of the configs or secrets that a compose service uses.
func refsOf(service map[string]any, section string) []string {
	refs, _ := service[section].([]any)
	var names []string
	for _, ref := range refs {
		m, _ := ref.(map[string]any)
		if name := plainText(m["source"]); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
