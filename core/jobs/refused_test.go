package jobs

import (
	"testing"

	"berth/core/fault"
)

func TestARefusalSaysWhoWhyAndWhatToDo(t *testing.T) {
	one := fault.Field{Path: "network", Problem: "a job does not get the host's own network"}
	two := fault.Field{Path: "volumes[0]", Problem: "/etc is a folder of the host's system"}
	for want, refusals := range map[string][]fault.Field{
		"The policy refuses the job: network: a job does not get the host's own network. Correct its job.yaml.":                                                                        {one},
		"The policy refuses the job. Correct its job.yaml; 2 things are wrong:\nnetwork: a job does not get the host's own network\nvolumes[0]: /etc is a folder of the host's system": {one, two},
	} {
		if got := Refused("The policy", refusals); got != want {
			t.Errorf("it says %q, want %q", got, want)
		}
	}
}
