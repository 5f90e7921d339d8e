package engine

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/moby/moby/api/types/container"
)

// traits are what a hand could change of a container, or make otherwise. What the engine
// gives anew at every start, such as addresses, ports that it chose and process ids, is no
// trait. Every value comes from this code, not from a library's type, so that another version
// of the library compares equal.
func traits(c container.InspectResponse) map[string]string {
	all := map[string]string{"image": c.Image, "name": strings.TrimPrefix(c.Name, "/"), "mounts": mountsOf(c)}
	if c.Config != nil {
		maps.Copy(all, programTraits(*c.Config))
	}
	if c.HostConfig != nil {
		maps.Copy(all, limitTraits(*c.HostConfig))
		maps.Copy(all, rightTraits(*c.HostConfig))
		all["published ports"] = publishedOf(*c.HostConfig)
	}
	if c.NetworkSettings != nil {
		all["networks"] = networksOf(c)
	}
	return all
}

// programTraits are about what runs in the container.
func programTraits(c container.Config) map[string]string {
	labels := map[string]string{}
	for name, value := range c.Labels {
		if strings.HasPrefix(name, "dev.berth.") {
			labels[name] = value
		}
	}
	return map[string]string{
		"command": text(c.Cmd), "entrypoint": text(c.Entrypoint), "environment": sorted(c.Env),
		"user": c.User, "working directory": c.WorkingDir, "labels": text(labels),
	}
}

// limitTraits are what "docker update" changes.
func limitTraits(h container.HostConfig) map[string]string {
	pids := int64(0) // unlimited, in whichever way that is said
	if h.PidsLimit != nil {
		pids = max(0, *h.PidsLimit)
	}
	return map[string]string{
		"memory limit":   fmt.Sprint(h.Memory, h.MemoryReservation, h.MemorySwap),
		"CPU limit":      fmt.Sprintf("%d %d %d %d %d %d %q %q", h.NanoCPUs, h.CPUShares, h.CPUQuota, h.CPUPeriod, h.CPURealtimePeriod, h.CPURealtimeRuntime, h.CpusetCpus, h.CpusetMems),
		"disk weight":    fmt.Sprint(h.BlkioWeight),
		"process limit":  fmt.Sprint(pids),
		"restart policy": policyOf(h.RestartPolicy),
	}
}

// policyOf writes a policy that says nothing and one that says "no" alike.
func policyOf(p container.RestartPolicy) string {
	if p.Name == "" {
		p.Name = container.RestartPolicyDisabled
	}
	return fmt.Sprintf("%s %d", p.Name, p.MaximumRetryCount)
}

// rightTraits are about what the container may do to the host.
func rightTraits(h container.HostConfig) map[string]string {
	return map[string]string{
		"privileged":   fmt.Sprint(h.Privileged),
		"capabilities": sorted(h.CapAdd) + " without " + sorted(h.CapDrop),
	}
}

func mountsOf(c container.InspectResponse) string {
	var all []string
	for _, m := range c.Mounts {
		source := m.Source
		if m.Name != "" { // a volume: where the engine keeps it is the engine's business
			source = m.Name
		}
		all = append(all, fmt.Sprintf("%s %q %q %t", m.Type, source, m.Destination, m.RW))
	}
	return sorted(all)
}

// publishedOf lists what was asked for; which ports the engine chose changes with every start.
func publishedOf(h container.HostConfig) string {
	var all []string
	for port, bindings := range h.PortBindings {
		for _, b := range bindings {
			address := ""
			if b.HostIP.IsValid() && !b.HostIP.IsUnspecified() {
				address = b.HostIP.String()
			}
			all = append(all, fmt.Sprintf("%s:%s->%s", address, b.HostPort, port))
		}
	}
	return sorted(all)
}

// networksOf lists networks with the names that the container has there. The engine adds
// the beginning of its id to them.
func networksOf(c container.InspectResponse) string {
	var all []string
	for name, endpoint := range c.NetworkSettings.Networks {
		var aliases []string
		if endpoint != nil {
			aliases = slices.DeleteFunc(slices.Clone(endpoint.Aliases), func(a string) bool { return a != "" && strings.HasPrefix(c.ID, a) })
		}
		all = append(all, fmt.Sprintf("%q %s", name, sorted(aliases)))
	}
	return sorted(all)
}

// sorted writes a list whose order means nothing, each entry once.
func sorted(list []string) string {
	list = slices.Compact(slices.Sorted(slices.Values(list)))
	return text(append([]string{}, list...))
}

// text writes a list or a map so that no two different ones are written alike.
func text(value any) string {
	encoded, err := json.Marshal(value)
	if err != nil {
		return err.Error() // lists and maps of texts have no reason to fail
	}
	return string(encoded)
}
