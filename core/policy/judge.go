package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"berth/core/document"
)

// Refusal is one thing that a project has and a policy does not allow.
type Refusal struct {
	Path    string    // services.web.privileged
	Problem string    // what it would give the committer
	Needs   Allowance // empty: no allowance makes up for it
	Rule    string    // of the layer that refuses it: "block.privileged"; empty: the default of every host does
	From    Origin    // whose rule that is
}

// String says what is refused, and what the owner of the host could do about it.
func (r Refusal) String() string {
	if r.Rule != "" {
		return fmt.Sprintf("%s: %s, which %s refuses (%s)", r.Path, r.Problem, r.From.Words(), r.Rule)
	}
	if r.Needs == "" {
		return fmt.Sprintf("%s: %s, which is refused everywhere", r.Path, r.Problem)
	}
	return fmt.Sprintf("%s: %s, which this host does not allow; its owner can, with %q in WORKER_ALLOW", r.Path, r.Problem, string(r.Needs))
}

// Judge lists what a policy does not allow of a project, by place. The project is a Compose file in the form in
// which it is rendered: everything resolved, long forms only, as maps, lists and plain values.
func Judge(project map[string]any, p Policy) []Refusal {
	if p.Allows(Everything) {
		return nil
	}
	j := &judge{policy: p}
	for _, key := range slices.Sorted(maps.Keys(project)) {
		j.section(key, project[key])
	}
	return j.refused
}

// judge gathers what is refused of one project.
type judge struct {
	policy  Policy
	refused []Refusal
}

// refuse notes a refusal, unless the policy has the allowance.
func (j *judge) refuse(at string, needs Allowance, format string, args ...any) {
	if needs == "" || !j.policy.Allows(needs) {
		j.refused = append(j.refused, Refusal{Path: at, Problem: fmt.Sprintf(format, args...), Needs: needs})
	}
}

// sections are the parts of a project: how each of their members is judged.
var sections = map[string]func(j *judge, at string, member map[string]any){
	"services": (*judge).service,
	"networks": (*judge).network,
	"volumes":  (*judge).volume,
	"configs":  (*judge).file,
	"secrets":  (*judge).file,
}

func (j *judge) section(key string, value any) {
	if key == "name" || strings.HasPrefix(key, "x-") {
		return
	}
	one, known := sections[key]
	if !known {
		j.refuse(key, "", "it is no part of a project that this release knows")
		return
	}
	members := mapping(value)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		one(j, key+"."+name, mapping(members[name]))
	}
}

// network judges a network of the project.
func (j *judge) network(at string, n map[string]any) {
	if name := text(n["name"]); name == "host" {
		j.refuse(at+".name", HostNetwork, "it is the host's own network")
	}
	switch driver := text(n["driver"]); driver {
	case "", "default", "bridge", "overlay", "none", "null":
	case "host":
		j.refuse(at+".driver", HostNetwork, "it is the host's own network")
	default:
		j.refuse(at+".driver", NetworkDrivers, "the driver %s puts containers on a network of the host", clip(driver))
	}
}

// volume judges a volume of the project: those of the local driver can be anything that mount(8) takes.
func (j *judge) volume(at string, v map[string]any) {
	if driver := text(v["driver"]); driver != "" && driver != "local" && driver != "default" {
		j.refuse(at+".driver", VolumeDrivers, "the driver %s is a program of the host", clip(driver))
		return
	}
	options := mapping(v["driver_opts"])
	device, kind := text(options["device"]), text(options["type"])
	switch {
	case len(options) == 0, kind == "tmpfs":
	case device != "" && binds(text(options["o"])):
		j.mount(at+".driver_opts.device", device, false)
	case device != "" || kind != "":
		j.refuse(at+".driver_opts", VolumeDrivers, "it mounts %s of type %s", clip(device), clip(kind))
	}
}

// binds reports whether the options of a mount make it one of a folder.
func binds(options string) bool {
	for option := range strings.SplitSeq(options, ",") {
		if option = strings.TrimSpace(option); option == "bind" || option == "rbind" {
			return true
		}
	}
	return false
}

// file judges a config or secret; its file is mounted as a folder would be.
func (j *judge) file(at string, f map[string]any) {
	if file := text(f["file"]); file != "" {
		j.mount(at+".file", file, true)
	}
	for _, key := range []string{"driver", "template_driver"} {
		if driver := text(f[key]); driver != "" {
			j.refuse(at+"."+key, "", "the driver %s is a program of the host", clip(driver))
		}
	}
}

func (j *judge) mount(at, source string, readOnly bool) {
	if !strings.HasPrefix(source, "/") {
		j.refuse(at, "", "%s is not an absolute path", clip(source))
	} else if problem, needs := j.policy.Mount(source, readOnly); problem != "" {
		j.refuse(at, needs, "%s", problem)
	}
}

// What is read of a project may be anything.
var mapping, list, text = document.Mapping, document.List, document.Words
