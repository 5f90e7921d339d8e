package policy

import (
	"encoding/json"
	"strings"
	"testing"
)

// project reads a rendered project that is written as JSON.
func project(t *testing.T, text string) map[string]any {
	t.Helper()
	var p map[string]any
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return p
}

// service is a project with one compose service.
func service(t *testing.T, settings string) map[string]any {
	return project(t, `{"name":"p","services":{"web":{"image":"nginx",`+settings+`}}}`)
}

// refused are settings of a compose service, where they are refused, and what allows them.
var refused = map[string]struct {
	settings, at string
	needs        Allowance
}{
	"R15 privileged":                     {`"privileged":true`, "privileged", Privileged},
	"R15 privileged as text":             {`"privileged":"true"`, "privileged", Privileged},
	"R16 the host's network":             {`"network_mode":"host"`, "network_mode", HostNetwork},
	"R16 the host's processes":           {`"pid":"host"`, "pid", HostNamespaces},
	"R16 the host's shared memory":       {`"ipc":"host"`, "ipc", HostNamespaces},
	"R16 the host's name":                {`"uts":"host"`, "uts", HostNamespaces},
	"R16 the host's control groups":      {`"cgroup":"host"`, "cgroup", HostNamespaces},
	"R16 the host's users":               {`"userns_mode":"host"`, "userns_mode", HostNamespaces},
	"R16 a control group of the host":    {`"cgroup_parent":"/system.slice"`, "cgroup_parent", HostNamespaces},
	"R17 the network of a container":     {`"network_mode":"container:db"`, "network_mode", OtherContainers},
	"R17 the processes of a container":   {`"pid":"container:db"`, "pid", OtherContainers},
	"R17 the memory of a container":      {`"ipc":"container:db"`, "ipc", OtherContainers},
	"R17 links to others":                {`"external_links":["db"]`, "external_links", OtherContainers},
	"R18 all capabilities":               {`"cap_add":["ALL"]`, "cap_add[0]", Capabilities},
	"R18 one, spelled in full":           {`"cap_add":["CHOWN","cap_sys_admin"]`, "cap_add[1]", Capabilities},
	"R19 a device":                       {`"devices":[{"source":"/dev/sda","target":"/dev/sda"}]`, "devices", Devices},
	"R20 a rule for devices":             {`"device_cgroup_rules":["c 1:3 mr"]`, "device_cgroup_rules", Devices},
	"R21 GPUs":                           {`"gpus":[{"count":-1}]`, "gpus", Devices},
	"R21 GPUs that are reserved":         {`"deploy":{"resources":{"reservations":{"devices":[{"capabilities":["gpu"]}]}}}`, "deploy.resources.reservations.devices", Devices},
	"R22 no profile":                     {`"security_opt":["seccomp=unconfined"]`, "security_opt[0]", SecurityOptions},
	"R22 a profile of the host":          {`"security_opt":["seccomp:/etc/x.json"]`, "security_opt[0]", SecurityOptions},
	"R22 no labels":                      {`"security_opt":["label:disable"]`, "security_opt[0]", SecurityOptions},
	"R23 kernel settings":                {`"sysctls":{"kernel.shmmax":"1"}`, "sysctls", Sysctls},
	"R24 another runtime":                {`"runtime":"nvidia"`, "runtime", Runtimes},
	"R26 the root":                       {mounted("/"), "volumes[0]", "/"},
	"R26 a way round":                    {mounted("/srv/../etc"), "volumes[0]", "/etc"},
	"R26 processes":                      {mounted("/proc/self/root"), "volumes[0]", "/proc/self/root"},
	"R26 a home":                         {mounted("~/x"), "volumes[0]", ""},
	"R26 a relative path":                {mounted("x"), "volumes[0]", ""},
	"R26 keys":                           {mounted("/home/ada/.ssh"), "volumes[0]", "/home/ada/.ssh"},
	"R26 mounts that pass to the host":   {`"volumes":[{"type":"bind","source":"/srv","target":"/x","bind":{"propagation":"rshared"}}]`, "volumes[0]", Privileged},
	"R26 a path as volume":               {`"volumes":[{"type":"volume","source":"/etc","target":"/x"}]`, "volumes[0]", ""},
	"R26 a part that leads out":          {`"volumes":[{"type":"volume","source":"data","target":"/x","volume":{"subpath":"../../x"}}]`, "volumes[0]", ""},
	"R26 a part of an image":             {`"volumes":[{"type":"image","source":"nginx","target":"/x","image":{"subpath":"/etc/../.."}}]`, "volumes[0]", ""},
	"R26 a pipe":                         {`"volumes":[{"type":"npipe","source":"x","target":"/x"}]`, "volumes[0]", ""},
	"R27 the engine's socket":            {mounted("/var/run/docker.sock"), "volumes[0]", "/var/run/docker.sock"},
	"R27 its folder":                     {mounted("/run"), "volumes[0]", "/run"},
	"R27 the folder above":               {mounted("/var"), "volumes[0]", "/var"},
	"R27 a socket elsewhere":             {mounted("/srv/x/docker.sock"), "volumes[0]", "/srv/x/docker.sock"},
	"R27 by the log driver":              {`"logging":{"driver":"syslog","options":{"syslog-address":"unix:///run/docker.sock"}}`, "logging.options.syslog-address", "/run/docker.sock"},
	"R28 a privileged hook after start":  {`"post_start":[{"command":["a"],"privileged":true}]`, "post_start[0].privileged", Privileged},
	"R28 a privileged hook before stop":  {`"pre_stop":[{"command":["a"]},{"command":["b"],"privileged":true}]`, "pre_stop[1].privileged", Privileged},
	"R28 a privileged hook before start": {`"pre_start":[{"command":["a"],"privileged":true}]`, "pre_start[0].privileged", Privileged},
	"R28 a provider":                     {`"provider":{"type":"sh"}`, "provider", ""},
	"R28 a build":                        {`"build":{"context":".","network":"host"}`, "build", ""},
	"R28 volumes of another container":   {`"volumes_from":["web2","container:db:ro"]`, "volumes_from[1]", OtherContainers},
	"R28 the engine's API":               {`"use_api_socket":true`, "use_api_socket", ""},
	"R28 a driver for volumes":           {`"volume_driver":"x"`, "volume_driver", VolumeDrivers},
	"R33 a setting that nobody knows":    {`"shiny":1`, "shiny", ""},
	"a container that is never ended":    {`"oom_kill_disable":true`, "oom_kill_disable", Privileged},
	"a container that is ended last":     {`"oom_score_adj":-1000`, "oom_score_adj", Privileged},
}

func mounted(source string) string {
	return `"volumes":[{"type":"bind","source":"` + source + `","target":"/x"}]`
}

func TestWhatIsRefusedOfAComposeService(t *testing.T) {
	for name, c := range refused {
		t.Run(name, func(t *testing.T) {
			got := Judge(service(t, c.settings), Policy{})
			if len(got) != 1 || got[0].Path != "services.web."+c.at || got[0].Needs != c.needs {
				t.Fatalf("refused is %+v, want services.web.%s, which needs %q", got, c.at, c.needs)
			}
			if c.needs == "" {
				return
			}
			allowing, err := Of([]string{string(c.needs)})
			if err != nil {
				t.Fatal(err)
			}
			if left := Judge(service(t, c.settings), allowing); left != nil {
				t.Errorf("with %s allowed, %v is still refused", c.needs, left)
			}
		})
	}
}

func TestWhatEveryProjectMayHave(t *testing.T) {
	for name, settings := range map[string]string{
		"its own namespaces":          `"pid":"service:db","ipc":"private","network_mode":"service:db","uts":"","cgroup":"private"`,
		"no network":                  `"network_mode":"none"`,
		"a network of another name":   `"network_mode":"bridge"`,
		"capabilities that all have":  `"cap_add":["CHOWN","NET_BIND_SERVICE"],"cap_drop":["ALL"]`,
		"less than all have":          `"security_opt":["no-new-privileges:true"],"read_only":true`,
		"false":                       `"privileged":false,"use_api_socket":false,"oom_kill_disable":false,"devices":[],"sysctls":{}`,
		"folders for data":            mounted("/srv/data"),
		"content and state":           `"volumes":[{"type":"bind","source":"/.berth/content/x/y"},{"type":"bind","source":"/.berth/state/."}]`,
		"the time, to be read":        `"volumes":[{"type":"bind","source":"/etc/localtime","target":"/etc/localtime","read_only":true}]`,
		"volumes":                     `"volumes":[{"type":"volume","source":"data","target":"/x","volume":{"subpath":"a/b"}},{"type":"tmpfs","target":"/y"},{"type":"volume","target":"/z"}]`,
		"hooks":                       `"post_start":[{"command":["a"]}]`,
		"volumes of its own services": `"volumes_from":["db:ro"]`,
		"logs that go elsewhere":      `"logging":{"driver":"syslog","options":{"syslog-address":"tcp://10.0.0.1:514"}}`,
		"reserved memory":             `"deploy":{"resources":{"reservations":{"memory":"64"},"limits":{"pids":1}}}`,
		"extensions":                  `"x-anything":{"a":1}`,
	} {
		if got := Judge(service(t, settings), Policy{}); got != nil {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestWhatIsRefusedBesideComposeServices(t *testing.T) {
	for name, c := range map[string]struct {
		project, at string
		needs       Allowance
	}{
		"R16 the host's network by name":   {`{"networks":{"n":{"name":"host","external":true}}}`, "networks.n.name", HostNetwork},
		"R16 the host's network by driver": {`{"networks":{"n":{"driver":"host"}}}`, "networks.n.driver", HostNetwork},
		"a network of the host's":          {`{"networks":{"n":{"driver":"macvlan","driver_opts":{"parent":"eth0"}}}}`, "networks.n.driver", NetworkDrivers},
		"R26 a volume that is the root":    {`{"volumes":{"v":{"driver":"local","driver_opts":{"type":"none","o":"bind","device":"/"}}}}`, "volumes.v.driver_opts.device", "/"},
		"R26 the same, among options":      {`{"volumes":{"v":{"driver_opts":{"o":"ro, rbind","device":"/etc"}}}}`, "volumes.v.driver_opts.device", "/etc"},
		"R26 a disk":                       {`{"volumes":{"v":{"driver_opts":{"type":"ext4","device":"/dev/sda1"}}}}`, "volumes.v.driver_opts", VolumeDrivers},
		"R26 a share":                      {`{"volumes":{"v":{"driver_opts":{"type":"nfs","o":"addr=10.0.0.1,rw","device":":/x"}}}}`, "volumes.v.driver_opts", VolumeDrivers},
		"R26 an overlay":                   {`{"volumes":{"v":{"driver_opts":{"type":"overlay","device":"overlay","o":"lowerdir=/"}}}}`, "volumes.v.driver_opts", VolumeDrivers},
		"R26 a plugin":                     {`{"volumes":{"v":{"driver":"vieux/sshfs"}}}`, "volumes.v.driver", VolumeDrivers},
		"R7 a secret of the host":          {`{"secrets":{"s":{"file":"/etc/shadow"}}}`, "secrets.s.file", "/etc/shadow"},
		"R7 a config of the host":          {`{"configs":{"s":{"file":"/proc/1/environ"}}}`, "configs.s.file", "/proc/1/environ"},
		"R7 a config of a driver":          {`{"configs":{"s":{"template_driver":"golang"}}}`, "configs.s.template_driver", ""},
		"R28 models":                       {`{"models":{"m":{"model":"x"}}}`, "models", ""},
		"R33 a part that nobody knows":     {`{"gadgets":{}}`, "gadgets", ""},
	} {
		got := Judge(project(t, c.project), Policy{})
		if len(got) != 1 || got[0].Path != c.at || got[0].Needs != c.needs {
			t.Errorf("%s: %+v, want %s, which needs %q", name, got, c.at, c.needs)
		}
	}
	fine := `{"name":"p","networks":{"default":{"name":"p_default"},"out":{"external":true,"name":"proxy"}},
		"volumes":{"a":{"name":"p_a"},"b":{"driver":"local","driver_opts":{"type":"tmpfs","device":"tmpfs"}},"c":{"driver_opts":{"type":"none","o":"bind","device":"/srv/c"}}},
		"configs":{"c":{"file":"/.berth/content/x/y"},"d":{"content":"x"}},"x-a":{}}`
	if got := Judge(project(t, fine), Policy{}); got != nil {
		t.Errorf("refused: %v", got)
	}
}

func TestAllowances(t *testing.T) {
	whole, err := Of([]string{"all"})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range refused {
		if got := Judge(service(t, c.settings), whole); got != nil {
			t.Errorf("%s: %v is refused where everything is allowed", name, got)
		}
	}
	folder, err := Of([]string{"/etc/app", "/run/docker.sock"})
	if err != nil {
		t.Fatal(err)
	}
	for source, passes := range map[string]bool{"/etc/app": true, "/etc/app/x": true, "/etc/apple": false, "/etc": false, "/run/docker.sock": true, "/run/podman.sock": false, "/etc/app/../shadow": false} {
		if got := Judge(service(t, mounted(source)), folder); (got == nil) != passes {
			t.Errorf("%s: %v", source, got)
		}
	}
	for _, bad := range [][]string{{""}, {"Privileged"}, {"etc"}, {"/etc/"}, {"/a/../b"}, {"/a\nb"}, {strings.Repeat("/a", 400)}, make([]string, 100)} {
		if _, err := Of(bad); err == nil {
			t.Errorf("%.60q is taken", bad)
		}
	}
}

func TestARefusalSaysWhoCanDoWhat(t *testing.T) {
	got := Judge(service(t, `"privileged":true,"provider":{"type":"sh"}`), Policy{})
	if len(got) != 2 || got[0].String() != `services.web.privileged: it has the whole host, which this host does not allow; its owner can, with "privileged" in WORKER_ALLOW` ||
		got[1].String() != "services.web.provider: it starts a program of the host, which is refused everywhere" {
		t.Errorf("said: %q", got)
	}
}
