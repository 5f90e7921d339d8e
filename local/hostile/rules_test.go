package hostile_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"berth/core"
	"berth/core/policy"
	"berth/hub/adapter/yaml"
)

// narrowed is a setting that rules of the server refuse: how it is written, the rules, and which of them refuses it.
type narrowed struct {
	key   string
	value string // YAML flow form
	rules policy.Rules
	rule  string
}

// sockets is a mount of the engine's socket in long form.
const sockets = "[{type: bind, source: /run/docker.sock, target: /s}]"

// narrowings are a setting for each rule, in the forms that Compose has for it.
var narrowings = map[string]narrowed{
	"privileged":                {"privileged", "true", policy.Rules{Block: policy.Blocks{Privileged: true}}, "block.privileged"},
	"a privileged hook":         {"post_start", "[{command: [id], privileged: true}]", policy.Rules{Block: policy.Blocks{Privileged: true}}, "block.privileged"},
	"host network":              {"network_mode", "host", policy.Rules{Block: policy.Blocks{HostNetwork: true}}, "block.host_network"},
	"host processes":            {"pid", "host", policy.Rules{Block: policy.Blocks{HostPID: true}}, "block.host_pid"},
	"host memory":               {"ipc", "host", policy.Rules{Block: policy.Blocks{HostIPC: true}}, "block.host_ipc"},
	"host users":                {"userns_mode", "host", policy.Rules{Block: policy.Blocks{HostUsers: true}}, "block.host_users"},
	"a folder":                  {"volumes", "['/srv/data:/x']", policy.Rules{Block: policy.Blocks{HostVolumes: true}}, "block.host_volumes"},
	"a folder to read":          {"volumes", "['/etc/localtime:/x:ro']", policy.Rules{Block: policy.Blocks{HostVolumes: true}}, "block.host_volumes"},
	"a folder in long":          {"volumes", "[{type: bind, source: /srv/data, target: /x, read_only: true}]", policy.Rules{Block: policy.Blocks{HostVolumes: true}}, "block.host_volumes"},
	"the socket":                {"volumes", "['/var/run/docker.sock:/s']", policy.Rules{Block: policy.Blocks{DockerSocket: true}}, "block.docker_socket"},
	"the socket in long":        {"volumes", sockets, policy.Rules{Block: policy.Blocks{DockerSocket: true}}, "block.docker_socket"},
	"the socket's folder":       {"volumes", "['/var/run/:/s']", policy.Rules{Block: policy.Blocks{DockerSocket: true}}, "block.docker_socket"},
	"the socket by a way round": {"volumes", "['/srv/../run/./docker.sock:/s:ro']", policy.Rules{Block: policy.Blocks{DockerSocket: true}}, "block.docker_socket"},
	"another folder":            {"volumes", "['/srv/files2:/x']", policy.Rules{Allow: policy.Lists{BindMounts: []string{"/srv/files"}}}, "allow.bind_mounts"},
	"out of a listed folder":    {"volumes", "['/srv/files/../x:/x']", policy.Rules{Allow: policy.Lists{BindMounts: []string{"/srv/files"}}}, "allow.bind_mounts"},
	"an image as a mount":       {"volumes", "[{type: image, source: evil/x, target: /x}]", policy.Rules{Allow: policy.Lists{Images: []string{"nginx"}}}, "allow.images"},
	"a capability":              {"cap_add", "[SYS_ADMIN]", policy.Rules{Allow: policy.Lists{Capabilities: []string{"NET_ADMIN"}}}, "allow.capabilities"},
	"a capability in small":     {"cap_add", "['cap_sys_admin']", policy.Rules{Allow: policy.Lists{Capabilities: []string{"NET_ADMIN"}}}, "allow.capabilities"},
	"every capability":          {"cap_add", "[ALL]", policy.Rules{Allow: policy.Lists{Capabilities: []string{"NET_ADMIN"}}}, "allow.capabilities"},
	"a device":                  {"devices", "['/dev/sda:/dev/ttyUSB0']", policy.Rules{Allow: policy.Lists{Devices: []string{"/dev/ttyUSB*"}}}, "allow.devices"},
	"a rule for devices":        {"device_cgroup_rules", "['a *:* rwm']", policy.Rules{Allow: policy.Lists{Devices: []string{"/dev/**"}}}, "allow.devices"},
	"a GPU":                     {"gpus", "all", policy.Rules{Allow: policy.Lists{Devices: []string{"/dev/**"}}}, "allow.devices"},
	"a security option":         {"security_opt", "['seccomp=unconfined']", policy.Rules{Allow: policy.Lists{SecurityOptions: []string{"apparmor:web"}}}, "allow.security_options"},
	"a network as a mode":       {"network_mode", "bank_default", policy.Rules{Allow: policy.Lists{Networks: []string{policy.Own}}}, "allow.networks"},
	"R32 a port":                {"ports", "['22:80']", policy.Rules{Block: policy.Blocks{PublishedPorts: []string{"22", "8443"}}}, "block.ports"},
	"R32 a port in long":        {"ports", "[{target: 80, published: '8443'}]", policy.Rules{Block: policy.Blocks{PublishedPorts: []string{"22", "8443"}}}, "block.ports"},
	"R32 a range":               {"ports", "['20-30:20-30']", policy.Rules{Block: policy.Blocks{PublishedPorts: []string{"22"}}}, "block.ports"},
	"R32 one of a range":        {"ports", "['127.0.0.1:443:80/tcp']", policy.Rules{Block: policy.Blocks{PublishedPorts: []string{"1-1023"}}}, "block.ports"},
	"R32 a port of UDP":         {"ports", "['53:53/udp']", policy.Rules{Block: policy.Blocks{PublishedPorts: []string{"53/udp"}}}, "block.ports"},
	"R32 the host's address":    {"ports", "['10.0.0.1:8080:80']", policy.Rules{Allow: policy.Lists{Addresses: []string{"127.0.0.1"}}}, "allow.addresses"},
	"R32 every address":         {"ports", "['8080:80']", policy.Rules{Allow: policy.Lists{Addresses: []string{"127.0.0.1"}}}, "allow.addresses"},
	"R32 every IPv6 address":    {"ports", "['[::]:8080:80']", policy.Rules{Allow: policy.Lists{Addresses: []string{"127.0.0.1"}}}, "allow.addresses"},
}

// confinedOf is what rules refuse of a folder.
func confinedOf(f fetched, dir string, rules policy.Rules, change func(*core.ComposeSource)) ([]policy.Refusal, core.ComposeProject, error) {
	if change == nil {
		change = func(*core.ComposeSource) {}
	}
	project, err := f.render(dir, change)
	if err != nil {
		return nil, project, err
	}
	document, err := yaml.Rendered{}.ReadDocument(project.YAML)
	return policy.Confine(document.Value, []policy.Layer{{From: policy.FromGlobal, Rules: rules}}), project, err
}

// TestR32: whatever the spelling, rules refuse the same, with the file and line that say it.
func TestR32(t *testing.T) {
	type made struct {
		narrowed
		dir, name string
		change    func(*core.ComposeSource)
	}
	var all []made
	c := commit{files: map[string]string{}}
	for _, id := range slices.Sorted(maps.Keys(narrowings)) {
		for _, how := range slices.Sorted(maps.Keys(spellings)) {
			n, dir := narrowings[id], fmt.Sprintf("s/%03d", len(all))
			file, more, change := spellings[how](reach{key: n.key, value: n.value})
			c.files[dir+"/compose.yaml"] = file
			for name, text := range more {
				c.files[dir+"/"+name] = text
			}
			all = append(all, made{n, dir, id + ", " + how, change})
		}
	}
	if len(all) < 400 {
		t.Fatalf("only %d spellings were made", len(all))
	}
	tree := fetch(t, c)
	for _, m := range all {
		refused, project, err := confinedOf(tree, m.dir, m.rules, m.change)
		if err != nil || len(refused) == 0 || refused[0].Rule != m.rule {
			t.Errorf("%s is refused as %v, %v; want %s, of\n%s", m.name, refused, err, m.rule, c.files[m.dir+"/compose.yaml"])
			continue
		}
		if place := project.Locate(refused[0].Path); !strings.HasPrefix(place.File, m.dir+"/") || place.Line == 0 {
			t.Errorf("%s stands in %s", m.name, place)
		}
	}
	t.Logf("%d spellings of %d settings that rules refuse", len(all), len(narrowings))
}

// TestR30: names of images that look like those that are listed, or hide what they are.
func TestR30(t *testing.T) {
	rules := policy.Rules{Allow: policy.Lists{Images: []string{"nginx", "redis:7.*", "ghcr.io/acme/*", "registry.lan:5000/app@sha256:*"}}}
	digest := "@sha256:" + strings.Repeat("0a", 32)
	lets := []string{"nginx", "nginx:1.27", "nginx" + digest, "docker.io/library/nginx", "index.docker.io/library/nginx:1", "${IMG:-nginx}", "redis:7.4", "ghcr.io/acme/web:1", "registry.lan:5000/app" + digest, "registry.lan:5000/app:1" + digest}
	not := []string{"evil/nginx", "${IMG:-evil}", "docker.io/evil/nginx", "docker.io.evil.example/library/nginx", "evil.example/nginx", "nginx.evil.example/nginx", "localhost/nginx", "nginx:5000/nginx", "nginx-evil",
		"ng\u0456nx", "NGINX", "Nginx:1", "nginx@sha256:00", "nginx:1:2", "redis", "redis:8", "redis:7.4" + digest, "redis" + digest, "ghcr.io/acme", "ghcr.io/acme/a/b", "ghcr.io/acme-evil/web", "ghcr.io./acme/web",
		"ghcr.io:443/acme/web", "ghcr.io/acme/../evil/web", "ghcr.io//acme/web", "GHCR.IO.evil/acme/web", "registry.lan:5000/app:1", "registry.lan/app" + digest, "registry.lan:5001/app" + digest, "0123456789abcdef",
		strings.Repeat("ab", 32), "https://ghcr.io/acme/web", "library/evil", "nginx/nginx", "$${IMG}", "nginx\u200b"}
	c, dirs := commit{files: map[string]string{}}, map[string]string{}
	for _, image := range append(slices.Clone(lets), not...) {
		dirs[image] = fmt.Sprintf("i/%03d", len(dirs))
		c.files[dirs[image]+"/compose.yaml"] = fmt.Sprintf("services:\n  web:\n    image: %q\n", image)
	}
	tree := fetch(t, c)
	for _, image := range lets {
		if refused, _, err := confinedOf(tree, dirs[image], rules, nil); err != nil || len(refused) > 0 {
			t.Errorf("%s is refused: %v, %v", image, refused, err)
		}
	}
	for _, image := range not {
		if refused, project, err := confinedOf(tree, dirs[image], rules, nil); err == nil && (len(refused) != 1 || project.Locate(refused[0].Path).Line != 3) {
			t.Errorf("%s passes, or nobody says where it stands: %v", image, refused)
		}
	}
}

// TestRulesSeeVolumesAndNetworks: what is declared beside the services is judged by its name in the engine, and by what it mounts.
func TestRulesSeeVolumesAndNetworks(t *testing.T) {
	own := policy.Rules{Allow: policy.Lists{Volumes: []string{policy.Own}, Networks: []string{policy.Own}}, Block: policy.Blocks{HostVolumes: true, HostNetwork: true}}
	const uses = "services: {web: {image: nginx, volumes: ['vol:/x'], networks: [n]}}\n"
	cases := map[string]struct{ rest, at string }{
		"the project's own":          {"volumes: {vol: {}}\nnetworks: {n: {}}\n", ""},
		"a volume of another":        {"volumes: {vol: {name: bank_data}}\nnetworks: {n: {}}\n", "volumes.vol"},
		"an external volume":         {"volumes: {vol: {external: true}}\nnetworks: {n: {}}\n", "volumes.vol"},
		"an external one, by name":   {"volumes: {vol: {external: true, name: '${X:-victim_vol}'}}\nnetworks: {n: {}}\n", "volumes.vol"},
		"a folder as a volume":       {"volumes: {vol: {driver_opts: {type: none, o: bind, device: /srv}}}\nnetworks: {n: {}}\n", "volumes.vol.driver_opts.device"},
		"a folder, with other words": {"volumes: {vol: {driver_opts: {type: none, o: 'rw,rbind', device: '${D:-/srv}'}}}\nnetworks: {n: {}}\n", "volumes.vol.driver_opts.device"},
		"a network of another":       {"volumes: {vol: {}}\nnetworks: {n: {external: true, name: bank_default}}\n", "networks.n"},
		"the host's network":         {"volumes: {vol: {}}\nnetworks: {n: {external: true, name: host}}\n", "networks.n"},
	}
	c, dirs := commit{files: map[string]string{}}, map[string]string{}
	for name, one := range cases {
		dirs[name] = fmt.Sprintf("n/%02d", len(dirs))
		c.files[dirs[name]+"/compose.yaml"] = uses + one.rest
	}
	tree := fetch(t, c)
	for name, one := range cases {
		refused, _, err := confinedOf(tree, dirs[name], own, nil)
		if err != nil || (len(refused) == 0) != (one.at == "") || one.at != "" && refused[0].Path != one.at {
			t.Errorf("%s: %v, %v; want %q", name, refused, err, one.at)
		}
	}
}
