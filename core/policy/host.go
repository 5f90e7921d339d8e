package policy

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"berth/core"
)

// systemFolders are what only the owner of a host gives away: who has one of them has the host, or its container engine.
var systemFolders = []string{"/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/proc", "/root/.ssh", "/run", "/sbin", "/sys",
	"/usr/bin", "/usr/lib", "/usr/lib64", "/usr/libexec", "/usr/local/bin", "/usr/local/lib", "/usr/local/sbin", "/usr/sbin",
	"/var/lib/containerd", "/var/lib/containers", "/var/lib/docker", "/var/lib/kubelet", "/var/run", "/var/spool/cron"}

// harmless are files of those folders that tell the time and nothing else. They may be mounted to be read.
var harmless = []string{"/etc/localtime", "/etc/timezone", "/usr/share/zoneinfo"}

// engineSockets are names of sockets through which a container engine is driven, wherever they lie.
var engineSockets = regexp.MustCompile(`/(docker|podman|containerd|crio|buildkitd)\.sock(/|$)`)

// HostPath says why a path of the host may not be mounted unless its owner allows it; empty when it may, and for
// what is no absolute path.
func HostPath(source string) string {
	if !strings.HasPrefix(source, "/") {
		return ""
	}
	source = path.Clean(source)
	if engineSockets.MatchString(source) {
		return "is a socket of the container engine"
	}
	if strings.Contains(source+"/", "/.ssh/") {
		return "holds keys of the host"
	}
	for _, folder := range systemFolders {
		if below(source, folder) || below(folder, source) {
			return "is, or contains, a folder of the host's system"
		}
	}
	return ""
}

// Mount judges a path of the host that a project mounts; empty when p lets it.
func (p Policy) Mount(source string, readOnly bool) (problem string, needs Allowance) {
	clean := path.Clean(source)
	if below(clean, path.Clean(core.ContentRoot)) || below(clean, path.Clean(core.StateRoot)) || readOnly && slices.Contains(harmless, clean) {
		return "", ""
	}
	problem = HostPath(clean)
	if problem == "" || p.Allows(Allowance(clean)) {
		return "", ""
	}
	return clip(clean) + " " + problem, Allowance(clean)
}

func clip(text string) string {
	if len(text) <= 100 {
		return text
	}
	return strings.ToValidUTF8(text[:100], "") + "…"
}
