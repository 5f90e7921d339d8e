package jobs

import (
	"fmt"
	"path"
	"regexp"
	"strings"

	"berth/core/fault"
	"berth/core/policy"
)

// Refusals says what the policy forbids of a definition; hub and worker both judge with it. None: it may run.
func Refusals(d Definition) []fault.Field {
	var bad []fault.Field
	refuse := func(at, problem string) {
		if problem != "" {
			bad = append(bad, fault.Field{Path: at, Problem: problem})
		}
	}
	refuse("image", imageProblem(d.Image))
	refuse("command", commandProblem(d.Command))
	for i, v := range d.Volumes {
		at := fmt.Sprintf("volumes[%d]", i)
		read, problem := readVolume(v.Source + ":" + v.Target)
		if problem == "" && (read.Source != v.Source || read.Target != v.Target) {
			problem = "its paths are not clean"
		}
		refuse(at, problem)
		refuse(at, refusedSource(v.Source))
	}
	for i, c := range d.Configs {
		refuse(fmt.Sprintf("configs[%d].file", i), fileProblem(c.File))
		refuse(fmt.Sprintf("configs[%d].target", i), targetProblem(c.Target))
	}
	if d.Network != "" {
		refuse("network", networkProblem(d.Network))
	}
	if r := d.Resources; !(r.CPU > 0 && r.CPU <= maxCPU) || r.Memory < minMemory || r.Memory > maxMemory || r.Timeout <= 0 || r.Timeout > maxSpan {
		refuse("resources", "cpu, memory and timeout are required, each within its limits")
	}
	return bad
}

// Refused says that somebody, such as "The policy", refuses a job, why, and what to do.
func Refused(who string, refusals []fault.Field) string {
	if len(refusals) == 1 {
		return fault.List(who+" refuses the job", refusals) + ". Correct its job.yaml."
	}
	return fault.List(fmt.Sprintf("%s refuses the job. Correct its job.yaml; %d things are wrong", who, len(refusals)), refusals)
}

// refusedSource says why a folder of the host may not be mounted; empty when it may, and for the name of a volume.
func refusedSource(source string) string {
	problem := policy.HostPath(source)
	if problem == "" {
		return ""
	}
	return fmt.Sprintf("%.100s %s, which no job gets; use a named volume, or a folder such as /srv/backup", path.Clean(source), problem)
}

var networkName = regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,127}$`)

// networkProblem says what is wrong with the name of a network; empty when nothing is.
func networkProblem(network string) string {
	switch {
	case network == "host":
		return "a job does not get the host's own network; name a network, or none"
	case strings.HasPrefix(network, "container:"):
		return "a job does not get the network of another container; name a network, or none"
	case !networkName.MatchString(network):
		return fmt.Sprintf("%.60q is not the name of a network", network)
	}
	return ""
}
