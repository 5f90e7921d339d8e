package policy

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// service judges a compose service, key by key. A key that nobody judged is refused.
func (j *judge) service(at string, s map[string]any) {
	for _, key := range slices.Sorted(maps.Keys(s)) {
		value := s[key]
		one, judged := judged[key]
		switch {
		case value == nil || inner[key] || strings.HasPrefix(key, "x-"):
		case judged:
			one(j, at+"."+key, value)
		default:
			j.refuse(at+"."+key, "", "it is a setting that this release does not know")
		}
	}
}

// inner are settings that change a container only within what every container has.
var inner = set("annotations", "attach", "blkio_config", "cap_drop", "command", "configs", "container_name", "cpu_count", "cpu_percent",
	"cpu_period", "cpu_quota", "cpu_rt_period", "cpu_rt_runtime", "cpu_shares", "cpus", "cpuset", "depends_on", "dns", "dns_opt", "dns_search",
	"domainname", "entrypoint", "environment", "expose", "extra_hosts", "group_add", "healthcheck", "hostname", "image", "init", "labels", "links",
	"log_driver", "mac_address", "mem_limit", "mem_reservation", "mem_swappiness", "memswap_limit", "networks", "pids_limit",
	"platform", "ports", "profiles", "pull_policy", "read_only", "restart", "scale", "secrets", "shm_size", "stdin_open", "stop_grace_period",
	"stop_signal", "storage_opt", "tmpfs", "tty", "ulimits", "user", "working_dir", "isolation")

// judged are the settings that can reach beyond the container.
var judged = map[string]func(j *judge, at string, value any){
	"privileged":   (*judge).privileged,
	"network_mode": (*judge).networkMode,
	"net":          (*judge).networkMode,
	"pid":          namespace("the processes"), "ipc": namespace("the shared memory"), "uts": namespace("the host name"),
	"cgroup": namespace("the control groups"), "userns_mode": namespace("the users"),
	"cgroup_parent":       filled(HostNamespaces, "it is put below %s of the host's control groups"),
	"cap_add":             (*judge).capabilities,
	"devices":             filled(Devices, "it has the host's device %s"),
	"device_cgroup_rules": filled(Devices, "it may use devices of the host: %s"),
	"gpus":                filled(Devices, "it has a GPU of the host"),
	"security_opt":        (*judge).securityOptions,
	"sysctls":             filled(Sysctls, "it sets kernel settings: %s"),
	"runtime":             (*judge).runtime,
	"volumes":             (*judge).mounts,
	"volumes_from":        (*judge).volumesFrom,
	"volume_driver":       filled(VolumeDrivers, "the driver %s is a program of the host"),
	"external_links":      filled(OtherContainers, "it is linked to containers outside of the project: %s"),
	"pre_start":           (*judge).hooks, "post_start": (*judge).hooks, "pre_stop": (*judge).hooks,
	"logging":          (*judge).logging,
	"log_opt":          (*judge).logTo,
	"deploy":           (*judge).deploy,
	"oom_kill_disable": (*judge).privileged,
	"oom_score_adj":    (*judge).spared,
	"build":            never("images are not built on a worker"), "dockerfile": never("images are not built on a worker"),
	"provider": never("it starts a program of the host"), "models": never("it starts a program of the host"),
	"use_api_socket":  (*judge).engineSocket,
	"credential_spec": never("it reads a file of the host"), "env_file": never("it reads a file of the host"),
	"label_file": never("it reads a file of the host"), "extends": never("it is not resolved"),
	"develop": never("it is for a developer's machine"),
}

func set(names ...string) map[string]bool {
	all := map[string]bool{}
	for _, name := range names {
		all[name] = true
	}
	return all
}

// Judged lists the settings of a compose service that this package knows.
func Judged() []string {
	return slices.Sorted(func(yield func(string) bool) {
		for name := range inner {
			if !yield(name) {
				return
			}
		}
		for name := range judged {
			if !yield(name) {
				return
			}
		}
	})
}

// filled refuses a setting that says anything; the format may show what.
func filled(needs Allowance, format string) func(*judge, string, any) {
	return func(j *judge, at string, value any) {
		shown := written(value)
		switch {
		case shown == "":
		case strings.Contains(format, "%s"):
			j.refuse(at, needs, format, clip(shown))
		default:
			j.refuse(at, needs, "%s", format)
		}
	}
}

// never refuses a setting that says anything, on every host.
func never(problem string) func(*judge, string, any) {
	return func(j *judge, at string, value any) {
		if written(value) != "" {
			j.refuse(at, "", "%s", problem)
		}
	}
}

// written is a value for people; empty when it says nothing.
func written(value any) string {
	var parts []string
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, key+"="+written(v[key]))
		}
	case []any:
		for _, e := range v {
			parts = append(parts, written(e))
		}
	case bool:
		if !v {
			return ""
		}
		return "true"
	default:
		return text(v)
	}
	return strings.Join(parts, ", ")
}

func yes(value any) bool {
	said := strings.ToLower(text(value))
	return said != "" && said != "false"
}

func (j *judge) privileged(at string, value any) {
	if yes(value) {
		j.refuse(at, Privileged, "it has the whole host")
	}
}

func (j *judge) spared(at string, value any) {
	if strings.HasPrefix(text(value), "-") {
		j.refuse(at, Privileged, "the host's own programs would be ended before it")
	}
}

func (j *judge) engineSocket(at string, value any) {
	if yes(value) {
		j.refuse(at, "", "it has the container engine and the host's registry passwords")
	}
}

func (j *judge) networkMode(at string, value any) {
	switch mode := text(value); {
	case mode == "host":
		j.refuse(at, HostNetwork, "it has the host's own network")
	case strings.HasPrefix(mode, "container:"):
		j.refuse(at, OtherContainers, "it shares the network of a container outside of the project")
	}
}

// namespace judges what is either the container's own, the host's, or another container's.
func namespace(what string) func(*judge, string, any) {
	return func(j *judge, at string, value any) {
		switch mode := text(value); {
		case mode == "", mode == "private", mode == "none", mode == "shareable", strings.HasPrefix(mode, "service:"):
		case strings.HasPrefix(mode, "container:"):
			j.refuse(at, OtherContainers, "it shares %s of a container outside of the project", what)
		default:
			j.refuse(at, HostNamespaces, "it has %s of the host", what)
		}
	}
}

// usual are the capabilities that the engine gives to every container.
var usual = set("AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE", "NET_RAW", "SETFCAP", "SETGID",
	"SETPCAP", "SETUID", "SYS_CHROOT")

func (j *judge) capabilities(at string, value any) {
	for i, c := range list(value) {
		name := strings.TrimPrefix(strings.ToUpper(strings.TrimSpace(text(c))), "CAP_")
		if !usual[name] {
			j.refuse(fmt.Sprintf("%s[%d]", at, i), Capabilities, "the capability %s is more than every container has", clip(name))
		}
	}
}

// harmlessOptions give nothing beyond what every container has.
var harmlessOptions = []string{"no-new-privileges", "no-new-privileges:true", "seccomp:builtin", "apparmor:docker-default"}

func (j *judge) securityOptions(at string, value any) {
	for i, o := range list(value) {
		if option := strings.ReplaceAll(text(o), "=", ":"); !slices.Contains(harmlessOptions, option) {
			j.refuse(fmt.Sprintf("%s[%d]", at, i), SecurityOptions, "%s takes the place of the engine's own protection", clip(option))
		}
	}
}

func (j *judge) runtime(at string, value any) {
	if name := text(value); name != "" && name != "runc" && name != "io.containerd.runc.v2" {
		j.refuse(at, Runtimes, "%s is another program to run containers", clip(name))
	}
}

// mounts judges what a compose service mounts.
func (j *judge) mounts(at string, value any) {
	for i, m := range list(value) {
		mount, place := mapping(m), fmt.Sprintf("%s[%d]", at, i)
		switch kind := text(mount["type"]); kind {
		case "bind":
			j.mount(place, text(mount["source"]), yes(mount["read_only"]))
			j.propagation(place, text(mapping(mount["bind"])["propagation"]))
		case "volume":
			j.namedVolume(place, text(mount["source"]))
			j.inside(place, mapping(mount["volume"]))
		case "image":
			j.inside(place, mapping(mount["image"]))
		case "tmpfs":
		default:
			j.refuse(place, "", "a mount of the type %s is not known", clip(kind))
		}
	}
}

// propagation refuses mounts that carry over what a container mounts, or the host.
func (j *judge) propagation(at, mode string) {
	switch mode {
	case "", "private", "rprivate":
	default:
		j.refuse(at, Privileged, "with propagation %s mounts pass between host and container", clip(mode))
	}
}

// namedVolume refuses a path in place of a volume's name: the engine would mount it.
func (j *judge) namedVolume(at, source string) {
	if strings.ContainsAny(source, "/\\~") {
		j.refuse(at, "", "%s is not the name of a volume", clip(source))
	}
}

// inside refuses a part of a volume or image that leads out of it.
func (j *judge) inside(at string, options map[string]any) {
	sub := text(options["subpath"])
	if strings.HasPrefix(sub, "/") || slices.Contains(strings.Split(sub, "/"), "..") {
		j.refuse(at, "", "the part %s leads out of it", clip(sub))
	}
}

func (j *judge) volumesFrom(at string, value any) {
	for i, source := range list(value) {
		if strings.HasPrefix(text(source), "container:") {
			j.refuse(fmt.Sprintf("%s[%d]", at, i), OtherContainers, "it mounts what a container outside of the project mounts")
		}
	}
}

func (j *judge) hooks(at string, value any) {
	for i, h := range list(value) {
		if yes(mapping(h)["privileged"]) {
			j.refuse(fmt.Sprintf("%s[%d].privileged", at, i), Privileged, "it has the whole host")
		}
	}
}

// deploy judges the one part of deploy: that reaches the host: what it reserves.
func (j *judge) deploy(at string, value any) {
	reservations := mapping(mapping(mapping(value)["resources"])["reservations"])
	for _, key := range []string{"devices", "generic_resources"} {
		if written(reservations[key]) != "" {
			j.refuse(at+".resources.reservations."+key, Devices, "it has devices of the host")
		}
	}
}

func (j *judge) logging(at string, value any) {
	j.logTo(at+".options", mapping(value)["options"])
}

// logTo refuses that the engine, which may connect to any socket of the host, is sent there with a container's words.
func (j *judge) logTo(at string, value any) {
	options := mapping(value)
	for _, key := range slices.Sorted(maps.Keys(options)) {
		if scheme, address, _ := strings.Cut(text(options[key]), "://"); strings.HasPrefix(scheme, "unix") {
			j.refuse(at+"."+key, Allowance(path.Clean("/"+address)), "%s is a socket of the host", clip(address))
		}
	}
}
