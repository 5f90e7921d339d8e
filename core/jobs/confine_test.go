package jobs

import (
	"strings"
	"testing"

	"berth/core/policy"
)

func TestRulesHoldForJobs(t *testing.T) {
	mounting := func(source string) Definition {
		return Definition{Image: "nginx:1", Volumes: []Volume{{Source: source, Target: "/x"}}}
	}
	for name, c := range map[string]struct {
		rules policy.Rules
		d     Definition
		at    string // empty: it passes
	}{
		"an image":         {policy.Rules{Allow: policy.Lists{Images: []string{"redis"}}}, mounting("data"), "image"},
		"latest":           {policy.Rules{Block: policy.Blocks{LatestTags: true}}, Definition{Image: "nginx"}, "image"},
		"a volume":         {policy.Rules{Allow: policy.Lists{Volumes: []string{"other"}}}, mounting("data"), "volumes[0]"},
		"a listed volume":  {policy.Rules{Allow: policy.Lists{Volumes: []string{"data"}}}, mounting("data"), ""},
		"a folder":         {policy.Rules{Block: policy.Blocks{HostVolumes: true}}, mounting("/srv/a"), "volumes[0]"},
		"another folder":   {policy.Rules{Allow: policy.Lists{BindMounts: []string{"/srv/a"}}}, mounting("/srv/b"), "volumes[0]"},
		"a network":        {policy.Rules{Allow: policy.Lists{Networks: []string{"jobs_*"}}}, Definition{Image: "a", Network: "shop_default"}, "network"},
		"a listed network": {policy.Rules{Allow: policy.Lists{Networks: []string{"jobs_*"}}}, Definition{Image: "a", Network: "jobs_x"}, ""},
		"nothing":          {policy.Rules{}, mounting("/srv/a"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			bad := Confined(c.d, []policy.Layer{{From: policy.FromWorker, Rules: c.rules}})
			if c.at == "" && len(bad) > 0 || c.at != "" && (len(bad) != 1 || bad[0].Path != c.at || !strings.Contains(bad[0].Problem, "the policy of this worker refuses")) {
				t.Errorf("refused is %v, want %q", bad, c.at)
			}
		})
	}
}
