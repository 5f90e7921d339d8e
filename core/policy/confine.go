package policy

import (
	"fmt"
	"maps"
	"net/netip"
	"path"
	"regexp"
	"slices"
	"strings"

	"berth/core"
)

// Confine lists what layers of rules do not let pass of a project, which is in the form that Judge takes. What Judge
// refuses everywhere, such as a build, is not listed again.
func Confine(project map[string]any, layers []Layer) []Refusal {
	var all []Refusal
	for _, layer := range layers {
		if layer.Rules.Empty() {
			continue
		}
		c := &confined{Layer: layer, project: project}
		c.judge()
		all = append(all, c.refused...)
	}
	slices.SortStableFunc(all, func(a, b Refusal) int { return strings.Compare(a.Path, b.Path) })
	return all
}

// confined gathers what one layer refuses of a project.
type confined struct {
	Layer
	project map[string]any
	refused []Refusal
}

func (c *confined) refuse(at, rule, format string, args ...any) {
	c.refused = append(c.refused, Refusal{Path: at, Problem: fmt.Sprintf(format, args...), Rule: rule, From: c.From})
}

func (c *confined) judge() {
	members := func(section string, judge func(at, key string, member map[string]any)) {
		all := mapping(c.project[section])
		for _, key := range slices.Sorted(maps.Keys(all)) {
			judge(section+"."+key, key, mapping(all[key]))
		}
	}
	members("services", c.service)
	members("networks", c.network)
	members("volumes", c.volume)
	file := func(at, _ string, member map[string]any) {
		if source := text(member["file"]); source != "" {
			c.bind(at+".file", source)
		}
	}
	members("configs", file)
	members("secrets", file)
}

func (c *confined) service(at, _ string, s map[string]any) {
	c.image(at+".image", text(s["image"]))
	c.hostWide(at, s)
	c.namespaces(at, s)
	c.added(at, s)
	c.hardware(at, s)
	c.mounts(at+".volumes", s)
	c.ports(at+".ports", s)
}

// image judges the name of an image.
func (c *confined) image(at, reference string) {
	if reference == "" {
		return
	}
	i, ok := ReadImage(strings.ReplaceAll(reference, "$$", "$"))
	switch allowed := c.Rules.Allow.Images; {
	case !ok && (allowed != nil || c.Rules.Block.LatestTags):
		c.refuse(at, "allow.images", "%s is not the name of an image with a registry, so no rule can let it pass", clip(reference))
	case ok && allowed != nil && !slices.ContainsFunc(allowed, i.Matches):
		c.refuse(at, "allow.images", "the image %s is not among those that are allowed", clip(reference))
	case ok && c.Rules.Block.LatestTags && i.Latest():
		c.refuse(at, "block.latest_tags", "the image %s has no tag but latest, which may be another one tomorrow", clip(reference))
	}
}

func (c *confined) hostWide(at string, s map[string]any) {
	if c.Rules.Block.Privileged && yes(s["privileged"]) {
		c.refuse(at+".privileged", "block.privileged", "it has the whole host")
	}
	for _, key := range []string{"pre_start", "post_start", "pre_stop"} {
		for i, h := range list(s[key]) {
			hook := fmt.Sprintf("%s.%s[%d]", at, key, i)
			if c.Rules.Block.Privileged && yes(mapping(h)["privileged"]) {
				c.refuse(hook+".privileged", "block.privileged", "it has the whole host")
			}
			c.image(hook+".image", text(mapping(h)["image"]))
		}
	}
}

func (c *confined) namespaces(at string, s map[string]any) {
	shared := func(key, rule, what string, blocked bool) {
		switch mode := text(s[key]); {
		case !blocked, mode == "", mode == "private", mode == "none", mode == "shareable", strings.HasPrefix(mode, "service:"), strings.HasPrefix(mode, "container:"):
		default:
			c.refuse(at+"."+key, rule, "it has %s of the host", what)
		}
	}
	shared("pid", "block.host_pid", "the processes", c.Rules.Block.HostPID)
	shared("ipc", "block.host_ipc", "the shared memory", c.Rules.Block.HostIPC)
	shared("userns_mode", "block.host_users", "the users", c.Rules.Block.HostUsers)
	for _, key := range []string{"network_mode", "net"} {
		mode := text(s[key])
		name, _, _ := strings.Cut(mode, ":")
		switch {
		case mode == "host" && c.Rules.Block.HostNetwork:
			c.refuse(at+"."+key, "block.host_network", "it has the host's own network")
		case mode == "" || mode == "none" || name == "service":
		case c.Rules.Allow.Networks != nil && (name == "container" || !matchesName(c.Rules.Allow.Networks, mode)):
			c.refuse(at+"."+key, "allow.networks", "the network %s is not among those that are allowed", clip(mode))
		}
	}
}

// added judges capabilities and security options.
func (c *confined) added(at string, s map[string]any) {
	allowed := c.Rules.Allow.Capabilities
	for i, added := range list(s["cap_add"]) {
		name := capability(text(added))
		if allowed != nil && !usual[name] && !slices.ContainsFunc(allowed, func(one string) bool { return capability(one) == name }) {
			c.refuse(fmt.Sprintf("%s.cap_add[%d]", at, i), "allow.capabilities", "the capability %s is not among those that are allowed", clip(name))
		}
	}
	same := func(option string) string { return strings.ReplaceAll(strings.TrimSpace(option), "=", ":") }
	for i, o := range list(s["security_opt"]) {
		option := same(text(o))
		if c.Rules.Allow.SecurityOptions == nil || slices.Contains(harmlessOptions, option) {
			continue
		}
		if !slices.ContainsFunc(c.Rules.Allow.SecurityOptions, func(one string) bool { return same(one) == option }) {
			c.refuse(fmt.Sprintf("%s.security_opt[%d]", at, i), "allow.security_options", "%s is not among the security options that are allowed", clip(option))
		}
	}
}

// hardware judges what a container gets of the host's devices.
func (c *confined) hardware(at string, s map[string]any) {
	allowed := c.Rules.Allow.Devices
	if allowed == nil {
		return
	}
	one := func(at, device string) {
		if !slices.ContainsFunc(allowed, func(pattern string) bool { return pattern == device || glob(pattern, device) }) {
			c.refuse(at, "allow.devices", "the device %s is not among those that are allowed", clip(device))
		}
	}
	for i, d := range list(s["devices"]) {
		source := text(mapping(d)["source"])
		if source == "" {
			source, _, _ = strings.Cut(text(d), ":")
		}
		if strings.HasPrefix(source, "/") {
			source = path.Clean(source)
		}
		one(fmt.Sprintf("%s.devices[%d]", at, i), source)
	}
	for i, rule := range list(s["device_cgroup_rules"]) {
		one(fmt.Sprintf("%s.device_cgroup_rules[%d]", at, i), text(rule))
	}
	if written(s["gpus"]) != "" {
		one(at+".gpus", GPU)
	}
	reserved := mapping(mapping(mapping(s["deploy"])["resources"])["reservations"])
	for _, key := range []string{"devices", "generic_resources"} {
		if written(reserved[key]) != "" {
			one(at+".deploy.resources.reservations."+key, GPU)
		}
	}
}

func (c *confined) mounts(at string, s map[string]any) {
	for i, m := range list(s["volumes"]) {
		mount, place := mapping(m), fmt.Sprintf("%s[%d]", at, i)
		switch source := text(mount["source"]); text(mount["type"]) {
		case "bind":
			c.bind(place, source)
		case "image":
			c.image(place, source)
		case "volume":
			if _, declared := mapping(c.project["volumes"])[source]; !declared && source != "" {
				c.named(place, "volumes", source, "", c.Rules.Allow.Volumes)
			}
		}
	}
	for i, from := range list(s["volumes_from"]) {
		limited := c.Rules.Allow.Volumes != nil || c.Rules.Allow.BindMounts != nil
		if strings.HasPrefix(text(from), "container:") && (limited || c.Rules.Block.HostVolumes || c.Rules.Block.DockerSocket) {
			c.refuse(fmt.Sprintf("%s_from[%d]", at, i), "allow.volumes", "nobody knows what a container outside of the project mounts")
		}
	}
}

// bind judges a path of the host; what belongs to the stack itself is none.
func (c *confined) bind(at, source string) {
	clean := path.Clean(strings.ReplaceAll(source, "$$", "$"))
	if below(clean, path.Clean(core.ContentRoot)) || below(clean, path.Clean(core.StateRoot)) {
		return
	}
	switch allowed := c.Rules.Allow.BindMounts; {
	case c.Rules.Block.HostVolumes:
		c.refuse(at, "block.host_volumes", "%s is a path of the host", clip(source))
	case c.Rules.Block.DockerSocket && reachesSocket(clean):
		c.refuse(at, "block.docker_socket", "%s is, or leads to, the socket of the container engine", clip(source))
	case allowed != nil && !slices.ContainsFunc(allowed, func(folder string) bool { return below(clean, folder) }):
		c.refuse(at, "allow.bind_mounts", "%s is not in a folder of the host that is allowed", clip(source))
	}
}

// sockets are where container engines have their socket; runtimeFolder is one of a user's own engine.
var (
	sockets       = []string{"/run/docker.sock", "/run/podman/podman.sock", "/run/containerd/containerd.sock", "/run/crio/crio.sock"}
	runtimeFolder = regexp.MustCompile(`^/run/user(/[0-9]+)?(/podman|/docker)?$`)
)

// reachesSocket reports whether who has a path has the socket of an engine. Every process's root can be had through /proc.
func reachesSocket(clean string) bool {
	if rest, links := strings.CutPrefix(clean, "/var/run"); links && (rest == "" || rest[0] == '/') {
		clean = "/run" + rest
	}
	if clean == "/var" || below(clean, "/proc") || engineSockets.MatchString(clean) || runtimeFolder.MatchString(clean) {
		return true
	}
	return slices.ContainsFunc(sockets, func(socket string) bool { return below(socket, clean) })
}

func (c *confined) network(at, key string, n map[string]any) {
	if c.Rules.Block.HostNetwork && (text(n["name"]) == "host" || text(n["driver"]) == "host") {
		c.refuse(at, "block.host_network", "it is the host's own network")
	}
	c.named(at, "networks", c.nameOf(key, n), c.ownName(key, n), c.Rules.Allow.Networks)
}

func (c *confined) volume(at, key string, v map[string]any) {
	options := mapping(v["driver_opts"])
	if device := text(options["device"]); binds(text(options["o"])) || strings.HasPrefix(device, "/") {
		c.bind(at+".driver_opts.device", device)
	}
	c.named(at, "volumes", c.nameOf(key, v), c.ownName(key, v), c.Rules.Allow.Volumes)
}

// nameOf is the name that the engine knows a volume or network by.
func (c *confined) nameOf(key string, member map[string]any) string {
	if name := text(member["name"]); name != "" {
		return strings.ReplaceAll(name, "$$", "$")
	}
	return key
}

// ownName is the name that a volume or network of the project has unless it is given another; empty: it is not the project's.
func (c *confined) ownName(key string, member map[string]any) string {
	if yes(member["external"]) || len(mapping(member["external"])) > 0 {
		return ""
	}
	return text(c.project["name"]) + "_" + key
}

func (c *confined) named(at, what, name, own string, allowed []string) {
	if allowed == nil || own == name && slices.Contains(allowed, Own) || matchesName(allowed, name) {
		return
	}
	c.refuse(at, "allow."+what, "the name %s is not among those that are allowed", clip(name))
}

func matchesName(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool { return pattern != Own && glob(pattern, name) })
}

// ports judges what is published on the host.
func (c *confined) ports(at string, s map[string]any) {
	for i, p := range list(s["ports"]) {
		port, place := mapping(p), fmt.Sprintf("%s[%d]", at, i)
		if published := text(port["published"]); published != "" && published != "0" {
			c.published(place, published, text(port["protocol"]))
		}
		c.address(place, text(port["host_ip"]))
	}
}

func (c *confined) published(at, published, protocol string) {
	span, problem := portsOf(published)
	if problem != "" && len(c.Rules.Block.PublishedPorts) > 0 {
		c.refuse(at, "block.ports", "%s is not a port that can be judged", clip(published))
		return
	}
	if span.protocol = protocol; protocol == "" {
		span.protocol = "tcp"
	}
	for _, entry := range c.Rules.Block.PublishedPorts {
		if blocked, problem := portsOf(entry); problem == "" && blocked.overlaps(span) {
			c.refuse(at, "block.ports", "the port %s of the host may not be published (%s)", clip(published), entry)
			return
		}
	}
}

// address judges the address of the host on which a port is published; none is all of them.
func (c *confined) address(at, written string) {
	allowed := c.Rules.Allow.Addresses
	if allowed == nil {
		return
	}
	ip, err := netip.ParseAddr(strings.Trim(written, "[]"))
	if written == "" || err == nil && ip.IsUnspecified() {
		ip, err = netip.IPv4Unspecified(), nil
	}
	listed := func(one string) bool {
		known, bad := netip.ParseAddr(one)
		return bad == nil && (known.Unmap() == ip.Unmap() || known.IsUnspecified() && ip.IsUnspecified())
	}
	if err != nil || !slices.ContainsFunc(allowed, listed) {
		c.refuse(at, "allow.addresses", "it is published on %s, which is not among the addresses that are allowed", clip(ip.String()))
	}
}
