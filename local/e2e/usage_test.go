package e2e_test

import (
	"fmt"
	"testing"

	"berth/handlers/api"
	"berth/handlers/endpoint"
	"berth/local/e2e/rig"
)

// usageIsTold: soon after a stack was put in place its compose services show what they use, each its own.
func usageIsTold(t *testing.T, s *rig.Server) {
	stack := s.Repository(one(compose(box(t, "busy", "command: [sh, -c, 'while :; do :; done']", "cpus: 0.2"), box(t, "idle")))).On("", "app")
	stack.Deployed()
	rig.Until(t, rig.Soon, "both compose services are told of", func() (bool, string) {
		all := rig.Get[endpoint.Items[api.ServiceUsageAnswer]](s.Client, "/api/custom/stacks/"+string(stack.ID)+"/usage")
		newest := map[string]api.UsageSampleAnswer{}
		for _, u := range all.Items {
			newest[u.Service] = u.Samples[len(u.Samples)-1]
		}
		busy, idle := newest["busy"], newest["idle"]
		return busy.CPU > 0.02 && busy.CPU < 1.2 && idle.CPU < 0.02 && busy.Memory > 0 && idle.Memory > 0, fmt.Sprintf("%+v", all)
	})
}
