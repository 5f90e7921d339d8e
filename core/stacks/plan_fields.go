package stacks

import (
	"maps"
	"reflect"
	"slices"
	"strings"
)

// uncounted are the settings of a compose service that do not change its containers.
var uncounted = []string{"build", "pull_policy", "scale", "depends_on", "profiles"}

// leaf is one value of the rendered project.
type leaf struct {
	value any
	text  string // as people may see it
}

// leaves lists the values below a value by dotted name. Lists of mappings go by what tells
// their members apart; other lists are one value.
func leaves(name string, value any, into map[string]leaf) {
	switch v := value.(type) {
	case map[string]any:
		for key, member := range v {
			leaves(join(name, key), member, into)
		}
		if len(v) > 0 {
			return
		}
	case []any:
		if members := keyed(v); members != nil {
			leaves(name, members, into)
			return
		}
	}
	into[name] = leaf{value, leafText(name, value)}
}

func join(name, key string) string {
	if name == "" {
		return key
	}
	return name + "." + key
}

// keyed turns a list of mounts, configs or secrets into a mapping by target or source; nil when
// its members are something else.
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
	if len(members) == 0 {
		return nil
	}
	return members
}

// comparison compares parts of two projects.
type comparison struct{ before, after Project }

// values compares two values, and the files of the repository that they name.
func (c comparison) values(kind ReasonKind, name string, before, after any) []Reason {
	if reflect.DeepEqual(before, after) {
		return nil
	}
	old, now := map[string]leaf{}, map[string]leaf{}
	if before != nil {
		leaves(name, before, old)
	}
	if after != nil {
		leaves(name, after, now)
	}
	names := maps.Clone(old)
	maps.Copy(names, now)
	var found []Reason
	for _, name := range slices.Sorted(maps.Keys(names)) {
		o, was := old[name]
		n, is := now[name]
		if was && is && reflect.DeepEqual(o.value, n.value) {
			continue
		}
		found = append(found, c.leaf(kind, name, o, n)...)
	}
	if len(found) == 0 { // the same members in another order
		found = append(found, Reason{Kind: kind, Name: name, Before: "another order", After: "another order"})
	}
	return found
}

func (c comparison) leaf(kind ReasonKind, name string, before, after leaf) []Reason {
	old, _ := before.value.(string)
	now, _ := after.value.(string)
	if isContent(old) && isContent(now) {
		if found := c.files(old, now); len(found) > 0 {
			return found
		}
	}
	before.text, after.text = c.source(old, before.text), c.source(now, after.text)
	return []Reason{{Kind: kind, Name: name, Before: before.text, After: after.text}}
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

// settings compares the settings of two compose services, in order of their names.
func (c comparison) settings(before, after map[string]any) []Reason {
	names := maps.Clone(before)
	maps.Copy(names, after)
	var found []Reason
	for _, setting := range slices.Sorted(maps.Keys(names)) {
		old, was := before[setting]
		now, is := after[setting]
		switch {
		case was && is:
			found = append(found, c.values(ReasonField, setting, old, now)...)
		default: // null is a value too
			found = append(found, c.lone(setting, old, now, was, is)...)
		}
	}
	return found
}

// lone tells of a setting that only one of two compose services has.
func (c comparison) lone(setting string, old, now any, was, is bool) []Reason {
	if old != nil || now != nil {
		return c.values(ReasonField, setting, old, now)
	}
	r := Reason{Kind: ReasonField, Name: setting}
	if was {
		r.Before = "null"
	}
	if is {
		r.After = "null"
	}
	return []Reason{r}
}

// object compares the content of a config or secret.
func (c comparison) object(section, name string) []Reason {
	before, after := mappingAt(c.before.section(section), name), mappingAt(c.after.section(section), name)
	return c.values(ReasonField, section+"."+name, contentOf(before), contentOf(after))
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
