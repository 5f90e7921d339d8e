package stacks

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"berth/core"
)

// Project is a rendered project as plans and comparisons read it: the Compose file, decoded,
// with what a revision keeps beside it.
type Project struct {
	Compose   map[string]any
	Services  []core.ComposeService
	Content   []core.Content
	Variables []Fingerprint
	Manifest  Manifest
}

// ProjectOf returns a revision as comparisons read it. compose is its rendered file.
func ProjectOf(r Revision, compose core.Document) Project {
	return Project{Compose: compose.Value, Services: r.Services, Content: r.Content, Variables: r.Variables, Manifest: r.Manifest}
}

// section returns a part of the Compose file: "services", "networks", "volumes", ….
func (p Project) section(name string) map[string]any { return mappingAt(p.Compose, name) }

func (p Project) service(name string) (map[string]any, bool) {
	s, there := p.section("services")[name].(map[string]any)
	return s, there
}

func (p Project) serviceNames() []string { return slices.Sorted(maps.Keys(p.section("services"))) }

// scale is how many containers a compose service has.
func (p Project) scale(service string) int {
	s, _ := p.service(service)
	for _, value := range []any{s["scale"], mappingAt(s, "deploy")["replicas"]} {
		if n, err := strconv.Atoi(plainText(value)); err == nil {
			return n
		}
	}
	return 1
}

// image is the image of a compose service, for people.
func (p Project) image(service string) string {
	s, _ := p.service(service)
	return shown("image", plainText(s["image"]))
}

// secretsOf returns the fingerprints of the secret variables that reach a compose service, by name.
func (p Project) secretsOf(service string) map[string]string {
	prints := map[string]string{}
	for _, s := range p.Services {
		if s.Name != service {
			continue
		}
		for _, v := range p.Variables {
			if slices.Contains(s.Variables, v.Name) {
				prints[v.Name] = v.Fingerprint
			}
		}
	}
	return prints
}

// parents are the compose services whose container another one is bound to when it is
// created, by the setting that says so.
func (p Project) parents(service string) map[string]string {
	s, _ := p.service(service)
	found := map[string]string{}
	for _, setting := range []string{"network_mode", "ipc", "pid"} {
		if name, bound := strings.CutPrefix(plainText(s[setting]), "service:"); bound {
			found[name] = setting
		}
	}
	sources, _ := s["volumes_from"].([]any)
	for _, source := range sources {
		if name, _, _ := strings.Cut(plainText(source), ":"); name != "container" {
			found[name] = "volumes_from"
		}
	}
	return found
}

// restartsWith are the compose services after whose recreation this one is started again.
func (p Project) restartsWith(service string) []string {
	s, _ := p.service(service)
	var names []string
	for name, dependency := range mappingAt(s, "depends_on") {
		settings, _ := dependency.(map[string]any)
		if settings["restart"] == true {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// volumesOf are the named volumes that a compose service mounts.
func (p Project) volumesOf(service string) []string {
	s, _ := p.service(service)
	mounts, _ := s["volumes"].([]any)
	var names []string
	for _, m := range mounts {
		mount, _ := m.(map[string]any)
		if source := plainText(mount["source"]); plainText(mount["type"]) == "volume" && source != "" {
			names = append(names, source)
		}
	}
	return names
}

func mappingAt(m map[string]any, key string) map[string]any {
	value, _ := m[key].(map[string]any)
	return value
}
