package hostile_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"berth/core"
	"berth/core/policy"
)

// reach is a setting that reaches for the host: how it is written, and what its owner would have to allow.
type reach struct {
	key   string
	value string // YAML flow form
	needs policy.Allowance
}

// reaches are the settings of R15 to R24, R27 and R28 that a host may allow.
var reaches = map[string]reach{
	"R15": {"privileged", "true", policy.Privileged},
	"R16": {"network_mode", "host", policy.HostNetwork}, "R16 pid": {"pid", "host", policy.HostNamespaces}, "R16 ipc": {"ipc", "host", policy.HostNamespaces},
	"R16 uts": {"uts", "host", policy.HostNamespaces}, "R16 cgroup": {"cgroup", "host", policy.HostNamespaces}, "R16 userns": {"userns_mode", "host", policy.HostNamespaces},
	"R17 network": {"network_mode", "'container:other'", policy.OtherContainers}, "R17 pid": {"pid", "'container:other'", policy.OtherContainers},
	"R17 ipc": {"ipc", "'container:other'", policy.OtherContainers},
	"R18":     {"cap_add", "[ALL]", policy.Capabilities}, "R18 one": {"cap_add", "[SYS_ADMIN]", policy.Capabilities},
	"R19": {"devices", "['/dev/sda:/dev/sda:rwm']", policy.Devices}, "R20": {"device_cgroup_rules", "['a *:* rwm']", policy.Devices},
	"R21": {"gpus", "all", policy.Devices}, "R22": {"security_opt", "['seccomp:unconfined']", policy.SecurityOptions},
	"R22 apparmor": {"security_opt", "['apparmor=unconfined']", policy.SecurityOptions}, "R22 of the host": {"security_opt", "['seccomp=/etc/x.json']", policy.SecurityOptions},
	"R23": {"sysctls", "{kernel.core_pattern: '|/x'}", policy.Sysctls}, "R23 as a list": {"sysctls", "['kernel.core_pattern=|/x']", policy.Sysctls},
	"R24":      {"runtime", "nvidia", policy.Runtimes},
	"R26 root": {"volumes", "['/:/x']", "/"}, "R26 way round": {"volumes", "['/etc/../etc/./shadow:/x']", "/etc/shadow"}, "R26 processes": {"volumes", "['/proc/self/root:/x:ro']", "/proc/self/root"},
	"R26 in long": {"volumes", "[{type: bind, source: /etc, target: /x, read_only: true}]", "/etc"},
	"R27":         {"volumes", "['/var/run/docker.sock:/s']", "/var/run/docker.sock"}, "R27 folder": {"volumes", "['/run:/s']", "/run"}, "R27 above": {"volumes", "['/var:/s']", "/var"},
	"R28 hook": {"post_start", "[{command: [id], privileged: true}]", policy.Privileged}, "R28 hook at the end": {"pre_stop", "[{command: [id], privileged: true}]", policy.Privileged},
	"R28 volumes": {"volumes_from", "['container:other']", policy.OtherContainers}, "R28 links": {"external_links", "['other']", policy.OtherContainers},
	"cgroup_parent": {"cgroup_parent", "/system.slice", policy.HostNamespaces},
	"oom":           {"oom_score_adj", "-1000", policy.Privileged},
}

// spelling writes one setting in one of the ways that YAML and Compose offer. empty: it cannot be written so.
type spelling func(r reach) (file string, more map[string]string, change func(*core.ComposeSource))

// with is a Compose file whose one service has this line.
func with(line string) string { return web(line) }

// spellings are the ways to write a setting: what is judged is what all of them become.
var spellings = map[string]spelling{
	"plainly": func(r reach) (string, map[string]string, func(*core.ComposeSource)) {
		return with(r.key + ": " + r.value), nil, nil
	},
	"with quotes around the key": func(r reach) (string, map[string]string, func(*core.ComposeSource)) {
		return with(`"` + r.key + `": ` + r.value), nil, nil
	},
	"with an escape in the key": func(r reach) (string, map[string]string, func(*core.ComposeSource)) {
		return with(fmt.Sprintf(`"\x%02x%s": %s`, r.key[0], r.key[1:], r.value)), nil, nil
	},
	"as a default of a variable": func(r reach) (string, map[string]string, func(*core.ComposeSource)) {
		return with(r.key + ": " + scalars(r.value, func(s string) string { return "\"${X:-" + s + "}\"" })), nil, nil
	},
	"as the value of a variable": func(r reach) (string, map[string]string, func(*core.ComposeSource)) {
		var variables []core.ComposeVariable
		value := scalars(r.value, func(s string) string {
			name := fmt.Sprintf("X%d", len(variables))
			variables = append(variables, core.ComposeVariable{Name: name, Value: s})
			return "\"${" + name + "}\""
		})
		return with(r.key + ": " + value), nil, func(src *core.ComposeSource) { src.Variables = variables }
	},
	"with an anchor": func(r reach) (string, map[string]string, func(*core.ComposeSource)) {
		return "x-v: &v " + r.value + "\n" + with(r.key+": *v"), nil, nil
	},
	"with a merge key": func(r reach) (string, map[string]string, func(*core.ComposeSource)) {
		return "x-s: &s\n  " + r.key + ": " + r.value + "\n" + with("<<: *s"), nil, nil
	},
	"with merge keys of merge keys": func(r reach) (string, map[string]string, func(*core.ComposeSource)) {
		return "x-s: &s\n  " + r.key + ": " + r.value + "\nx-t: &t {<<: [*s]}\n" + with("<<: [*t]"), nil, nil
	},
	"by extends": func(r reach) (string, map[string]string, func(*core.ComposeSource)) {
		return "services:\n  base:\n    image: nginx\n    profiles: [off]\n    " + r.key + ": " + r.value + "\n  web: {extends: {service: base}, profiles: [], image: nginx}\n", nil, profile("off")
	},
	"by an override": func(r reach) (string, map[string]string, func(*core.ComposeSource)) {
		return web(), map[string]string{"compose.override.yaml": "services:\n  web:\n    " + r.key + ": " + r.value + "\n"}, nil
	},
	"by an override that resets": func(r reach) (string, map[string]string, func(*core.ComposeSource)) {
		return web(), map[string]string{"compose.override.yaml": "services:\n  web:\n    " + r.key + ": !override " + r.value + "\n"}, nil
	},
	"in a profile": func(r reach) (string, map[string]string, func(*core.ComposeSource)) {
		return web() + "  late:\n    image: nginx\n    profiles: [late]\n    " + r.key + ": " + r.value + "\n", nil, profile("late")
	},
	"in a file of another name": func(r reach) (string, map[string]string, func(*core.ComposeSource)) {
		return web(), map[string]string{"evil.yaml": with(r.key + ": " + r.value)}, func(src *core.ComposeSource) { src.Files = []string{"compose.yaml", "evil.yaml"} }
	},
}

func profile(name string) func(*core.ComposeSource) {
	return func(src *core.ComposeSource) { src.Profiles = []string{name} }
}

// scalars replaces each scalar value of a flow form.
func scalars(value string, replace func(string) string) string {
	var out strings.Builder
	for rest := value; rest != ""; {
		if strings.ContainsRune("[]{}, ", rune(rest[0])) {
			out.WriteByte(rest[0])
			rest = rest[1:]
			continue
		}
		if end := keyEnd(rest); end > 0 {
			out.WriteString(rest[:end])
			rest = rest[end:]
			continue
		}
		end := strings.IndexAny(rest, ",]}")
		if rest[0] == '\'' {
			end = strings.IndexByte(rest[1:], '\'') + 2
		}
		if end < 0 {
			end = len(rest)
		}
		out.WriteString(replace(strings.Trim(rest[:end], "'")))
		rest = rest[end:]
	}
	return out.String()
}

// keyEnd returns where a key of a flow mapping ends, its colon included; 0 when there is none.
func keyEnd(rest string) int {
	i := strings.Index(rest, ": ")
	if i < 0 || strings.ContainsAny(rest[:i], ",[]{}'") {
		return 0
	}
	return i + 2
}

// asksOf is what a folder asks of its host, by allowance; nil with the error that refused it altogether.
func asksOf(f fetched, dir string, change func(*core.ComposeSource)) ([]string, error) {
	if change == nil {
		change = func(*core.ComposeSource) {}
	}
	project, err := f.render(dir, change)
	var needs []string
	for _, ask := range project.Asks {
		needs = append(needs, ask.Needs)
	}
	return needs, err
}

// TestR25: whatever the spelling, the same is asked of the host: each setting in each way, in one commit.
func TestR25(t *testing.T) {
	type made struct {
		dir, name string
		needs     policy.Allowance
		change    func(*core.ComposeSource)
	}
	var all []made
	c := commit{files: map[string]string{}}
	for _, id := range slices.Sorted(maps.Keys(reaches)) {
		for _, how := range slices.Sorted(maps.Keys(spellings)) {
			dir := fmt.Sprintf("s/%03d", len(all))
			file, more, change := spellings[how](reaches[id])
			c.files[dir+"/compose.yaml"] = file
			for name, text := range more {
				c.files[dir+"/"+name] = text
			}
			all = append(all, made{dir, id + ", " + how, reaches[id].needs, change})
		}
	}
	if len(all) < 400 {
		t.Fatalf("only %d spellings were made", len(all))
	}
	tree := fetch(t, c)
	for _, m := range all {
		needs, err := asksOf(tree, m.dir, m.change)
		if err != nil || !slices.Contains(needs, string(m.needs)) {
			t.Errorf("%s asks for %v, %v; want %s, of\n%s", m.name, needs, err, m.needs, c.files[m.dir+"/compose.yaml"])
		}
	}
	t.Logf("%d spellings of %d settings", len(all), len(reaches))
}

// named are the tests of single settings: the resolved project asks, naming file and line, and nothing allows it by itself.
func named(t *testing.T, id string) {
	t.Helper()
	c := commit{files: map[string]string{}}
	dirs := map[string]string{}
	for name, r := range reaches {
		if name == id || strings.HasPrefix(name, id+" ") {
			dirs[name] = fmt.Sprintf("s%d", len(dirs))
			c.files[dirs[name]+"/compose.yaml"] = web(r.key + ": " + r.value)
		}
	}
	if len(dirs) == 0 {
		t.Fatalf("there is no case of %s", id)
	}
	tree := fetch(t, c)
	for name, dir := range dirs {
		project, err := tree.render(dir)
		if err != nil || len(project.Asks) == 0 {
			t.Errorf("%s: %+v, %v", name, project.Asks, err)
			continue
		}
		ask := project.Asks[0]
		if ask.Needs != string(reaches[name].needs) || ask.Place != dir+"/compose.yaml:4" || !strings.HasPrefix(ask.Path, "services.web."+reaches[name].key) {
			t.Errorf("%s: asks %+v", name, ask)
		}
		if (policy.Policy{}).Allows(policy.Allowance(ask.Needs)) {
			t.Errorf("%s is allowed by default", name)
		}
	}
	elsewhere(t, "./core/policy", "^(TestWhatIsRefusedOfAComposeService|TestWhatIsRefusedBesideComposeServices|TestAllowances)$", 3)
}

func TestR15(t *testing.T) { named(t, "R15") }
func TestR16(t *testing.T) { named(t, "R16") }
func TestR17(t *testing.T) { named(t, "R17") }
func TestR18(t *testing.T) { named(t, "R18") }
func TestR19(t *testing.T) { named(t, "R19") }
func TestR20(t *testing.T) { named(t, "R20") }
func TestR21(t *testing.T) { named(t, "R21") }
func TestR22(t *testing.T) { named(t, "R22") }
func TestR23(t *testing.T) { named(t, "R23") }
func TestR24(t *testing.T) { named(t, "R24") }
func TestR27(t *testing.T) { named(t, "R27") }

// TestR26: mounts of the host in disguise.
func TestR26(t *testing.T) {
	named(t, "R26")
	refuses(t, map[string]hostile{
		"a home":                {compose: web("volumes: ['~/x:/x']"), code: "compose.path_escapes", says: "depends on who runs the worker"},
		"a way up":              {compose: web("volumes: ['../../../etc:/x']"), code: "compose.path_escapes", says: "leaves the repository"},
		"a relative device":     {compose: web("volumes: ['vol:/x']") + "volumes: {vol: {driver_opts: {type: none, o: bind, device: ../..}}}\n", code: "compose.unsupported", says: "not an absolute path"},
		"a path of ours":        {compose: web("volumes: ['/.berth/state/../../etc:/x', '/.berth/content:/y']"), code: "compose.path_escapes", says: "made by Berth"},
		"a part that leads out": {compose: web("volumes: [{type: volume, source: vol, target: /x, volume: {subpath: ../../x}}]") + "volumes: {vol: {}}\n", code: "compose.unsupported", says: "leads out of it"},
		"a part of an image":    {compose: web("volumes: [{type: image, source: nginx, target: /x, image: {subpath: ../x}}]"), code: "compose.unsupported", says: "leads out of it"},
	})
	tree := fetch(t, commit{files: map[string]string{
		"bind/compose.yaml":    web("volumes: ['vol:/x']") + "volumes: {vol: {driver_opts: {type: none, o: bind, device: /}}}\n",
		"disk/compose.yaml":    web("volumes: ['vol:/x']") + "volumes: {vol: {driver_opts: {type: ext4, device: /dev/sda1}}}\n",
		"share/compose.yaml":   web("volumes: ['vol:/x']") + "volumes: {vol: {driver_opts: {type: nfs, o: 'addr=10.0.0.1', device: ':/'}}}\n",
		"overlay/compose.yaml": web("volumes: ['vol:/x']") + "volumes: {vol: {driver_opts: {type: overlay, device: overlay, o: 'lowerdir=/'}}}\n",
		"shared/compose.yaml":  web("volumes: [{type: bind, source: /srv, target: /x, bind: {propagation: rshared}}]"),
	}})
	for dir, want := range map[string]policy.Allowance{"bind": "/", "disk": policy.VolumeDrivers, "share": policy.VolumeDrivers, "overlay": policy.VolumeDrivers, "shared": policy.Privileged} {
		if needs, err := asksOf(tree, dir, nil); err != nil || !slices.Equal(needs, []string{string(want)}) {
			t.Errorf("%s asks for %v, %v; want %s", dir, needs, err, want)
		}
	}
}

// TestR28: what starts programs of the host is refused by its key, on every host.
func TestR28(t *testing.T) {
	named(t, "R28")
	cases := map[string]hostile{
		"models":       {compose: "models: {m: {model: x}}\n" + web(), code: "compose.unsupported", says: "models is not supported"},
		"build, off":   {compose: web() + "  dev: {build: {context: ., network: host}, profiles: [dev]}\n", code: "compose.unsupported", says: "services.dev.build"},
		"build merged": {compose: "x: &b {build: .}\n" + web("<<: *b"), code: "compose.unsupported", says: "services.web.build"},
	}
	for _, setting := range []string{"provider: {type: sh}", "build: {context: ., network: host}", "use_api_socket: true", "models: [m]", "develop: {watch: []}", "credential_spec: {file: x}", "label_file: x"} {
		key, _, _ := strings.Cut(setting, ":")
		cases[setting] = hostile{compose: web(setting), code: "compose.unsupported", says: "compose.yaml:4: services.web." + key + " is not supported"}
	}
	refuses(t, cases)
}

// TestR33: keys that nobody knows.
func TestR33(t *testing.T) {
	refuses(t, map[string]hostile{
		"at the top":     {compose: web() + "gadgets: {}\n", code: "compose.invalid", says: "gadgets"},
		"of a service":   {compose: web("shiny: 1"), code: "compose.invalid", says: "shiny"},
		"of a deep part": {compose: web("healthcheck: {shiny: 1}"), code: "compose.invalid", says: "shiny"},
		"a likely typo":  {compose: "Services: {}\n" + web(), code: "compose.invalid", says: "Services"},
	})
	elsewhere(t, "./hub/adapter/compose/render", "^TestEverySettingOfAComposeServiceIsJudged$", 1)
}

// TestR34: a worker judges by itself, whatever the hub sent.
func TestR34(t *testing.T) {
	elsewhere(t, "./hub/adapter/compose/engine", "^(TestTheWorkerRefusesWhatItsHostDoesNotAllow|TestWhatTheOwnerOfAHostAllowsRuns)$", 2)
	elsewhere(t, "./hub", "^(TestWhatAHostDoesNotAllowIsNotSentToIt|TestWhoJudgesIsTold)$", 2)
}
