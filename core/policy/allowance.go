package policy

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// Allowance is what the owner of a host may let every project there have. An Allowance that
// begins with a slash is a folder or file of the host that may be mounted.
type Allowance string

// The allowances that are words.
const (
	Everything      Allowance = "all"              // nothing is judged on this host
	Privileged      Allowance = "privileged"       // containers and hooks that have the whole host
	HostNetwork     Allowance = "host-network"     // the host's own network
	HostNamespaces  Allowance = "host-namespaces"  // processes, memory, names, users and control groups of the host
	OtherContainers Allowance = "other-containers" // namespaces, volumes and links of containers outside of the project
	Capabilities    Allowance = "capabilities"     // more than the engine gives to every container
	Devices         Allowance = "devices"          // devices of the host, GPUs included
	SecurityOptions Allowance = "security-options" // profiles other than the engine's
	Sysctls         Allowance = "sysctls"
	Runtimes        Allowance = "runtimes"        // another program than runc to run containers
	NetworkDrivers  Allowance = "network-drivers" // networks that are not the engine's own bridges
	VolumeDrivers   Allowance = "volume-drivers"  // volumes that mount a disk or a share, or that a plugin makes
)

// words are the allowances that are no paths, in the order in which people read them.
var words = []Allowance{Privileged, HostNetwork, HostNamespaces, OtherContainers, Capabilities, Devices, SecurityOptions, Sysctls, Runtimes,
	NetworkDrivers, VolumeDrivers, Everything}

// Words returns the allowances that are words.
func Words() []Allowance { return slices.Clone(words) }

// Limits of a policy.
const (
	MaxAllowances = 64
	maxFolder     = 512 // bytes
)

// Policy is what one host allows beyond what every container has. The zero Policy allows nothing.
type Policy struct {
	words   []Allowance
	folders []string
}

// Of returns the policy that consists of allowances; an error says what is wrong with the first that is none.
func Of(allowed []string) (Policy, error) {
	var p Policy
	if len(allowed) > MaxAllowances {
		return p, fmt.Errorf("has %d entries; at most %d", len(allowed), MaxAllowances)
	}
	for _, entry := range allowed {
		switch {
		case slices.Contains(words, Allowance(entry)):
			p.words = append(p.words, Allowance(entry))
		case strings.HasPrefix(entry, "/") && len(entry) <= maxFolder && path.Clean(entry) == entry && !strings.ContainsAny(entry, "\x00\n"):
			p.folders = append(p.folders, entry)
		default:
			return Policy{}, fmt.Errorf("has an entry that is neither one of %s nor a clean absolute path", wordList())
		}
	}
	return p, nil
}

func wordList() string {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = string(w)
	}
	return strings.Join(all, ", ")
}

// Allows reports whether a policy has an allowance.
func (p Policy) Allows(a Allowance) bool {
	if slices.Contains(p.words, Everything) || slices.Contains(p.words, a) {
		return true
	}
	return strings.HasPrefix(string(a), "/") && slices.ContainsFunc(p.folders, func(folder string) bool { return below(string(a), folder) })
}

// Leading returns a policy that allows as well where its folders lead.
func (p Policy) Leading(to func(folder string) string) Policy {
	all := slices.Clone(p.folders)
	for _, folder := range p.folders {
		all = append(all, to(folder))
	}
	return Policy{p.words, all}
}

// below reports whether a clean path is a folder or lies in it.
func below(p, folder string) bool {
	return p == folder || strings.HasPrefix(p, strings.TrimSuffix(folder, "/")+"/")
}
