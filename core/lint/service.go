package lint

import (
	"fmt"
	"maps"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"berth/core/policy"
)

func (l *linted) service(name string, s map[string]any) {
	l.references(name, s)
	if image := text(s["image"]); image != "" {
		if i, ok := policy.ReadImage(image); ok && i.Latest() {
			l.add("image.unpinned", name, "image", "the image %s has no tag but latest", clip(image))
		}
	}
	if len(mapping(s["healthcheck"])) == 0 {
		l.add("healthcheck.missing", name, "healthcheck", "there is no health check")
	}
	limits := mapping(mapping(mapping(s["deploy"])["resources"])["limits"])
	if s["mem_limit"] == nil && limits["memory"] == nil {
		l.add("limits.missing", name, "mem_limit", "its memory is not limited")
	}
	environment := mapping(s["environment"])
	for _, key := range slices.Sorted(maps.Keys(environment)) {
		if value := text(environment[key]); secretName.MatchString(key) && value != "" && !l.draft.Secret(value) {
			l.add("secret.plaintext", name, "environment."+key, "%s looks like a secret and stands in the file", clip(key))
		}
	}
}

// secretName are names of variables whose values nobody but a container should read; a path of a file is none.
var secretName = regexp.MustCompile(`(?i)(^|_)(PASSWORD|PASSWD|SECRET|TOKEN|API_?KEY|PRIVATE_KEY|ACCESS_KEY|CREDENTIALS?)$`)

// references complains about names that nothing has.
func (l *linted) references(name string, s map[string]any) {
	missing := func(code, section, field, key string) {
		if _, there := mapping(l.draft.Project[section])[key]; key != "" && !there {
			l.add(code, name, field, "there is no %s %s", strings.TrimSuffix(section, "s"), clip(key))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(mapping(s["networks"]))) {
		if key != "default" {
			missing("network.undeclared", "networks", "networks."+key, key)
		}
	}
	for i, m := range list(s["volumes"]) {
		if mount := mapping(m); text(mount["type"]) == "volume" {
			missing("volume.undeclared", "volumes", fmt.Sprintf("volumes[%d]", i), text(mount["source"]))
		}
	}
	for _, kind := range []string{"config", "secret"} {
		for i, ref := range list(s[kind+"s"]) {
			missing(kind+".undeclared", kind+"s", fmt.Sprintf("%ss[%d]", kind, i), text(mapping(ref)["source"]))
		}
	}
	shared := map[string]bool{} // whatever is shared is depended on too
	for _, field := range []string{"network_mode", "pid", "ipc"} {
		if other, shares := strings.CutPrefix(text(s[field]), "service:"); shares {
			shared[other] = true
			missing("service.undeclared", "services", field, other)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(mapping(s["depends_on"]))) {
		if shared[key] {
			continue
		}
		if required, said := mapping(mapping(s["depends_on"])[key])["required"].(bool); required || !said {
			missing("service.undeclared", "services", "depends_on."+key, key)
		}
	}
}

// published is a port of the host that a compose service takes.
type published struct {
	service, field string
	address        netip.Addr // unspecified: all of them
	protocol       string
	from, to       int
}

func (p published) clashes(other published) bool {
	return p.protocol == other.protocol && p.from <= other.to && other.from <= p.to &&
		(p.address == other.address || p.address.IsUnspecified() || other.address.IsUnspecified()) && !(p.from != p.to && other.from != other.to)
}

// ports complains about ports of the host that two compose services take. Of two ranges the engine may find a way.
func (l *linted) ports(services map[string]any) {
	byPort := map[int][]published{}
	for _, name := range slices.Sorted(maps.Keys(services)) {
		for i, one := range list(mapping(services[name])["ports"]) {
			p, ok := publishedOf(mapping(one))
			if !ok {
				continue
			}
			p.service, p.field = name, fmt.Sprintf("ports[%d]", i)
			if other := slices.IndexFunc(byPort[p.from], p.clashes); other >= 0 {
				first := byPort[p.from][other]
				l.add("port.duplicate", name, p.field, "port %d of the host is published by %s too", p.from, clip(first.service))
				continue
			}
			byPort[p.from] = append(byPort[p.from], p)
		}
	}
}

func publishedOf(port map[string]any) (p published, ok bool) {
	first, last, ranged := strings.Cut(text(port["published"]), "-")
	from, err := strconv.Atoi(first)
	if err != nil || from == 0 {
		return p, false
	}
	p = published{from: from, to: from, protocol: text(port["protocol"]), address: netip.IPv4Unspecified()}
	if p.protocol == "" {
		p.protocol = "tcp"
	}
	if to, err := strconv.Atoi(last); ranged && err == nil {
		p.to = to
	}
	if address, err := netip.ParseAddr(text(port["host_ip"])); err == nil {
		p.address = address.Unmap()
	}
	return p, true
}
