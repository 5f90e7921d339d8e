package policy

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// web is a project of one compose service.
func web(service map[string]any) map[string]any {
	if service["image"] == nil {
		service["image"] = "nginx:1"
	}
	return map[string]any{"name": "shop", "services": map[string]any{"web": service}}
}

func with(project map[string]any, section, key string, member map[string]any) map[string]any {
	project[section] = map[string]any{key: member}
	return project
}

func one(values ...any) []any { return values }

func bind(source string) map[string]any {
	return web(map[string]any{"volumes": one(map[string]any{"type": "bind", "source": source})})
}

func port(fields ...string) map[string]any {
	p := map[string]any{"target": 80, "protocol": "tcp"}
	for i := 0; i < len(fields); i += 2 {
		p[fields[i]] = fields[i+1]
	}
	return web(map[string]any{"ports": one(p)})
}

func TestWhatRulesRefuse(t *testing.T) {
	allow := func(l Lists) Rules { return Rules{Allow: l} }
	block := func(b Blocks) Rules { return Rules{Block: b} }
	for name, c := range map[string]struct {
		rules   Rules
		project map[string]any
		at      string // empty: it passes
	}{
		"an image that is listed":      {allow(Lists{Images: []string{"nginx"}}), web(map[string]any{}), ""},
		"an image that is not":         {allow(Lists{Images: []string{"nginx"}}), web(map[string]any{"image": "evil"}), "services.web.image"},
		"no image at all":              {allow(Lists{Images: []string{}}), web(map[string]any{}), "services.web.image"},
		"an image that is none":        {allow(Lists{Images: []string{"**"}}), web(map[string]any{"image": "NGINX"}), "services.web.image"},
		"an image that is mounted":     {allow(Lists{Images: []string{"nginx"}}), web(map[string]any{"volumes": one(map[string]any{"type": "image", "source": "evil"})}), "services.web.volumes[0]"},
		"an image of a hook":           {allow(Lists{Images: []string{"nginx"}}), web(map[string]any{"pre_start": one(map[string]any{"image": "evil"})}), "services.web.pre_start[0].image"},
		"latest":                       {block(Blocks{LatestTags: true}), web(map[string]any{"image": "nginx:latest"}), "services.web.image"},
		"no tag":                       {block(Blocks{LatestTags: true}), web(map[string]any{"image": "ghcr.io/a/b"}), "services.web.image"},
		"a tag":                        {block(Blocks{LatestTags: true}), web(map[string]any{"image": "nginx:1"}), ""},
		"a digest":                     {block(Blocks{LatestTags: true}), web(map[string]any{"image": "nginx:latest@sha256:" + strings.Repeat("0", 64)}), ""},
		"privileged":                   {block(Blocks{Privileged: true}), web(map[string]any{"privileged": true}), "services.web.privileged"},
		"privileged as text":           {block(Blocks{Privileged: true}), web(map[string]any{"privileged": "true"}), "services.web.privileged"},
		"not privileged":               {block(Blocks{Privileged: true}), web(map[string]any{"privileged": false}), ""},
		"a privileged hook":            {block(Blocks{Privileged: true}), web(map[string]any{"post_start": one(map[string]any{"privileged": true})}), "services.web.post_start[0].privileged"},
		"host network":                 {block(Blocks{HostNetwork: true}), web(map[string]any{"network_mode": "host"}), "services.web.network_mode"},
		"host network by name":         {block(Blocks{HostNetwork: true}), with(web(map[string]any{}), "networks", "n", map[string]any{"name": "host", "external": true}), "networks.n"},
		"host network by driver":       {block(Blocks{HostNetwork: true}), with(web(map[string]any{}), "networks", "n", map[string]any{"driver": "host"}), "networks.n"},
		"host processes":               {block(Blocks{HostPID: true}), web(map[string]any{"pid": "host"}), "services.web.pid"},
		"processes of its own project": {block(Blocks{HostPID: true}), web(map[string]any{"pid": "service:db"}), ""},
		"host memory":                  {block(Blocks{HostIPC: true}), web(map[string]any{"ipc": "host"}), "services.web.ipc"},
		"shared memory":                {block(Blocks{HostIPC: true}), web(map[string]any{"ipc": "shareable"}), ""},
		"host users":                   {block(Blocks{HostUsers: true}), web(map[string]any{"userns_mode": "host"}), "services.web.userns_mode"},
		"a folder of the host":         {block(Blocks{HostVolumes: true}), bind("/srv"), "services.web.volumes[0]"},
		"repository content":           {block(Blocks{HostVolumes: true}), bind("/.berth/content/00/conf"), ""},
		"a way out of that":            {block(Blocks{HostVolumes: true}), bind("/.berth/content/../../etc"), "services.web.volumes[0]"},
		"the stack's own folder":       {allow(Lists{BindMounts: []string{}}), bind("/.berth/state/data"), ""},
		"a folder as a volume":         {block(Blocks{HostVolumes: true}), with(web(map[string]any{}), "volumes", "v", map[string]any{"driver_opts": map[string]any{"o": "bind", "device": "/srv"}}), "volumes.v.driver_opts.device"},
		"a file as a config":           {block(Blocks{HostVolumes: true}), with(web(map[string]any{}), "configs", "c", map[string]any{"file": "/srv/c"}), "configs.c.file"},
		"the socket":                   {block(Blocks{DockerSocket: true}), bind("/var/run/docker.sock"), "services.web.volumes[0]"},
		"the folder of the socket":     {block(Blocks{DockerSocket: true}), bind("/var/run"), "services.web.volumes[0]"},
		"all of the host":              {block(Blocks{DockerSocket: true}), bind("/"), "services.web.volumes[0]"},
		"the parent of the link":       {block(Blocks{DockerSocket: true}), bind("/var"), "services.web.volumes[0]"},
		"the processes' folder":        {block(Blocks{DockerSocket: true}), bind("/proc/1/root"), "services.web.volumes[0]"},
		"a user's engine":              {block(Blocks{DockerSocket: true}), bind("/run/user/1000"), "services.web.volumes[0]"},
		"the socket as a volume":       {block(Blocks{DockerSocket: true}), with(web(map[string]any{}), "volumes", "v", map[string]any{"driver_opts": map[string]any{"o": "rw,bind", "device": "/run/docker.sock"}}), "volumes.v.driver_opts.device"},
		"another folder":               {block(Blocks{DockerSocket: true}), bind("/srv/docker"), ""},
		"a folder that is listed":      {allow(Lists{BindMounts: []string{"/srv/files"}}), bind("/srv/files/a"), ""},
		"a folder beside it":           {allow(Lists{BindMounts: []string{"/srv/files"}}), bind("/srv/files2"), "services.web.volumes[0]"},
		"a way out of it":              {allow(Lists{BindMounts: []string{"/srv/files"}}), bind("/srv/files/../secret"), "services.web.volumes[0]"},
		"a volume of the project":      {allow(Lists{Volumes: []string{Own}}), with(web(map[string]any{}), "volumes", "v", map[string]any{"name": "shop_v"}), ""},
		"a volume of another":          {allow(Lists{Volumes: []string{Own}}), with(web(map[string]any{}), "volumes", "v", map[string]any{"name": "bank_v"}), "volumes.v"},
		"another's, called its own":    {allow(Lists{Volumes: []string{Own}}), with(web(map[string]any{}), "volumes", "v", map[string]any{"name": "shop_v", "external": true}), "volumes.v"},
		"a volume by pattern":          {allow(Lists{Volumes: []string{"shared_*"}}), with(web(map[string]any{}), "volumes", "v", map[string]any{"name": "shared_a", "external": true}), ""},
		"a key does not count":         {allow(Lists{Volumes: []string{"shared_*"}}), with(web(map[string]any{}), "volumes", "shared_a", map[string]any{"name": "bank_v", "external": true}), "volumes.shared_a"},
		"a network of the project":     {allow(Lists{Networks: []string{Own}}), with(web(map[string]any{}), "networks", "default", map[string]any{"name": "shop_default"}), ""},
		"a network outside":            {allow(Lists{Networks: []string{Own}}), with(web(map[string]any{}), "networks", "n", map[string]any{"name": "bank", "external": true}), "networks.n"},
		"a network as a mode":          {allow(Lists{Networks: []string{Own}}), web(map[string]any{"network_mode": "bank"}), "services.web.network_mode"},
		"a container's network":        {allow(Lists{Networks: []string{"*"}}), web(map[string]any{"network_mode": "container:x"}), "services.web.network_mode"},
		"no network":                   {allow(Lists{Networks: []string{}}), web(map[string]any{"network_mode": "none"}), ""},
		"a capability":                 {allow(Lists{Capabilities: []string{"cap_net_admin"}}), web(map[string]any{"cap_add": one("NET_ADMIN")}), ""},
		"another capability":           {allow(Lists{Capabilities: []string{"NET_ADMIN"}}), web(map[string]any{"cap_add": one("CAP_SYS_ADMIN")}), "services.web.cap_add[0]"},
		"every capability":             {allow(Lists{Capabilities: []string{"NET_ADMIN"}}), web(map[string]any{"cap_add": one("all")}), "services.web.cap_add[0]"},
		"one that everybody has":       {allow(Lists{Capabilities: []string{}}), web(map[string]any{"cap_add": one("chown")}), ""},
		"a device":                     {allow(Lists{Devices: []string{"/dev/ttyUSB*"}}), web(map[string]any{"devices": one(map[string]any{"source": "/dev/ttyUSB0", "target": "/dev/x"})}), ""},
		"another device":               {allow(Lists{Devices: []string{"/dev/ttyUSB*"}}), web(map[string]any{"devices": one(map[string]any{"source": "/dev/sda", "target": "/dev/ttyUSB0"})}), "services.web.devices[0]"},
		"a device by a way round":      {allow(Lists{Devices: []string{"/dev/ttyUSB*"}}), web(map[string]any{"devices": one("/dev/ttyUSB/../sda:/dev/ttyUSB0")}), "services.web.devices[0]"},
		"a rule of devices":            {allow(Lists{Devices: []string{"/dev/*"}}), web(map[string]any{"device_cgroup_rules": one("c 1:3 rwm")}), "services.web.device_cgroup_rules[0]"},
		"a GPU":                        {allow(Lists{Devices: []string{}}), web(map[string]any{"gpus": one(map[string]any{"count": -1})}), "services.web.gpus"},
		"a GPU that is listed":         {allow(Lists{Devices: []string{GPU}}), web(map[string]any{"gpus": one(map[string]any{"count": -1})}), ""},
		"a reserved GPU":               {allow(Lists{Devices: []string{}}), web(map[string]any{"deploy": map[string]any{"resources": map[string]any{"reservations": map[string]any{"devices": one(map[string]any{"capabilities": one("gpu")})}}}}), "services.web.deploy.resources.reservations.devices"},
		"a security option":            {allow(Lists{SecurityOptions: []string{"apparmor:web"}}), web(map[string]any{"security_opt": one("apparmor=web")}), ""},
		"another security option":      {allow(Lists{SecurityOptions: []string{"apparmor:web"}}), web(map[string]any{"security_opt": one("seccomp=unconfined")}), "services.web.security_opt[0]"},
		"a port":                       {block(Blocks{PublishedPorts: []string{"22"}}), port("published", "22"), "services.web.ports[0]"},
		"a port of a range":            {block(Blocks{PublishedPorts: []string{"1-1023"}}), port("published", "443"), "services.web.ports[0]"},
		"a range over a port":          {block(Blocks{PublishedPorts: []string{"8443"}}), port("published", "8000-9000"), "services.web.ports[0]"},
		"a port of another protocol":   {block(Blocks{PublishedPorts: []string{"53/udp"}}), port("published", "53"), ""},
		"a port that the engine picks": {block(Blocks{PublishedPorts: []string{"1-65535"}}), port(), ""},
		"what is no port":              {block(Blocks{PublishedPorts: []string{"22"}}), port("published", "ssh"), "services.web.ports[0]"},
		"another port":                 {block(Blocks{PublishedPorts: []string{"22"}}), port("published", "222"), ""},
		"an address":                   {allow(Lists{Addresses: []string{"127.0.0.1"}}), port("published", "80", "host_ip", "127.0.0.1"), ""},
		"an address in other words":    {allow(Lists{Addresses: []string{"127.0.0.1"}}), port("published", "80", "host_ip", "::ffff:127.0.0.1"), ""},
		"another address":              {allow(Lists{Addresses: []string{"127.0.0.1"}}), port("published", "80", "host_ip", "10.0.0.1"), "services.web.ports[0]"},
		"every address":                {allow(Lists{Addresses: []string{"127.0.0.1"}}), port("published", "80"), "services.web.ports[0]"},
		"every address of IPv6":        {allow(Lists{Addresses: []string{"127.0.0.1"}}), port("published", "80", "host_ip", "::"), "services.web.ports[0]"},
		"mounts of another container":  {block(Blocks{HostVolumes: true}), web(map[string]any{"volumes_from": one("container:x")}), "services.web.volumes_from[0]"},
		"nothing is narrowed":          {Rules{}, web(map[string]any{"privileged": true, "image": "evil"}), ""},
	} {
		t.Run(name, func(t *testing.T) {
			if bad := c.rules.Check(); len(bad) > 0 {
				t.Fatal(bad)
			}
			refused := Confine(c.project, []Layer{{FromGlobal, c.rules}})
			if c.at == "" && len(refused) > 0 || c.at != "" && (len(refused) != 1 || refused[0].Path != c.at || refused[0].From != FromGlobal || refused[0].Rule == "" || refused[0].Problem == "") {
				t.Errorf("refused is %v, want %q", refused, c.at)
			}
		})
	}
}

func TestEveryLayerIsAsked(t *testing.T) {
	layers := []Layer{{FromHost, Rules{Block: Blocks{Privileged: true}}}, {FromWorker, Rules{Allow: Lists{Images: []string{"redis"}}}}, {FromGlobal, Rules{Allow: Lists{Images: []string{"redis"}}}}}
	refused := Confine(web(map[string]any{"privileged": true}), layers)
	var said []string
	for _, r := range refused {
		said = append(said, string(r.From)+" "+r.Rule)
	}
	if want := []string{"worker allow.images", "global allow.images", "host block.privileged"}; !slices.Equal(said, want) {
		t.Errorf("refused is %v, want %v", said, want)
	}
	if text := refused[2].String(); !strings.Contains(text, "the policy file of the host refuses (block.privileged)") {
		t.Error(text)
	}
}

func TestRulesAreChecked(t *testing.T) {
	many := make([]string, MaxEntries+1)
	long := slices.Repeat([]string{"/" + strings.Repeat("a", 400)}, 100)
	for name, c := range map[string]struct {
		rules Rules
		at    string
	}{
		"a pattern of images": {Rules{Allow: Lists{Images: []string{"nginx", "A/B"}}}, "allow.images[1]"},
		"a name":              {Rules{Allow: Lists{Volumes: []string{"a/b"}}}, "allow.volumes[0]"},
		"another name":        {Rules{Allow: Lists{Networks: []string{""}}}, "allow.networks[0]"},
		"no capability":       {Rules{Allow: Lists{Capabilities: []string{"NET_ADMIN", "all", "cap_bpf", "FOO"}}}, "allow.capabilities[3]"},
		"a capability":        {Rules{Allow: Lists{Capabilities: []string{"NET-ADMIN"}}}, "allow.capabilities[0]"},
		"a device":            {Rules{Allow: Lists{Devices: []string{"a\nb"}}}, "allow.devices[0]"},
		"an option":           {Rules{Allow: Lists{SecurityOptions: []string{""}}}, "allow.security_options[0]"},
		"a folder":            {Rules{Allow: Lists{BindMounts: []string{"/a/../b"}}}, "allow.bind_mounts[0]"},
		"an address":          {Rules{Allow: Lists{Addresses: []string{"localhost"}}}, "allow.addresses[0]"},
		"a port":              {Rules{Block: Blocks{PublishedPorts: []string{"22", "70000"}}}, "block.ports[1]"},
		"a range":             {Rules{Block: Blocks{PublishedPorts: []string{"9-8"}}}, "block.ports[0]"},
		"too many":            {Rules{Allow: Lists{Images: many}}, "allow.images"},
		"too large":           {Rules{Allow: Lists{BindMounts: long}}, "allow"},
	} {
		if bad := c.rules.Check(); len(bad) == 0 || bad[0].Path != c.at {
			t.Errorf("%s: %v, want %s", name, bad, c.at)
		}
	}
}

func TestTheFileOfAHostIsReadStrictly(t *testing.T) {
	rules, err := ReadRules([]byte(`{"allow":{"volumes":[]},"block":{"privileged":true}}`))
	if err != nil || !reflect.DeepEqual(rules.Set(), []string{"allow.volumes", "block.privileged"}) {
		t.Errorf("rules are %+v, %v", rules, err)
	}
	for name, text := range map[string]string{"a slip": `{"block":{"privilegd":true}}`, "no JSON": `privileged`, "two": `{} {}`, "a bad entry": `{"block":{"ports":["x"]}}`, "nothing": ``} {
		if rules, err := ReadRules([]byte(text)); err == nil || !rules.Empty() {
			t.Errorf("%s is read as %+v", name, rules)
		}
	}
}

func TestWhatChangedIsToldWithoutEntries(t *testing.T) {
	before, after := Rules{Allow: Lists{Images: []string{"a"}}}, Rules{Allow: Lists{Images: []string{"a", "b"}, Volumes: []string{}}, Block: Blocks{HostPID: true, PublishedPorts: []string{"22"}}}
	if got := after.Changed(before); !slices.Equal(got, []string{"allow.images", "allow.volumes", "block.host_pid", "block.ports"}) {
		t.Errorf("changed is %v", got)
	}
	for name, want := range map[string]string{"allow.images": "2 entries", "allow.volumes": "0 entries", "allow.devices": "no limit", "block.host_pid": "on", "block.host_ipc": "off", "block.ports": "1 entries"} {
		if got := after.Told(name); got != want {
			t.Errorf("%s is told as %s", name, got)
		}
	}
}
