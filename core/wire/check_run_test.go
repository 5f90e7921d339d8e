package wire

import (
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/jobs"
)

// TestNoRunWithABadValuePasses: each change makes one field of the sample wrong, and the complaint names that.
func TestNoRunWithABadValuePasses(t *testing.T) {
	config := func(content core.Content) []jobs.ConfigFile {
		return []jobs.ConfigFile{{Target: "/c", Content: content}}
	}
	cases := map[string]struct {
		change func(c *Command, r *Run)
		path   string
		code   string // CodeInvalid when empty
	}{
		"a run with the kind of a deploy": {func(c *Command, _ *Run) { c.Kind = CommandDeploy }, "kind", ""},
		"a run without body":              {func(c *Command, _ *Run) { c.Run = nil }, "kind", ""},
		"a run and a teardown":            {func(c *Command, _ *Run) { c.Teardown = &Teardown{sampleStack, "web", false} }, "kind", ""},
		"more than eight days":            {func(c *Command, _ *Run) { c.Seconds = 8*86400 + 1 }, "seconds", ""},
		"no run":                          {func(_ *Command, r *Run) { r.Run = "" }, "run.run", ""},
		"the id of a stack":               {func(_ *Command, r *Run) { r.Run = core.RunID(sampleStack) }, "run.run", ""},
		"no job":                          {func(_ *Command, r *Run) { r.Job = "" }, "run.job", ""},
		"no name":                         {func(_ *Command, r *Run) { r.Name = "" }, "run.name", ""},
		"a name of two lines":             {func(_ *Command, r *Run) { r.Name = "a\nb" }, "run.name", ""},
		"a branch for a commit":           {func(_ *Command, r *Run) { r.Commit = "main" }, "run.commit", ""},
		"a container of another's name":   {func(_ *Command, r *Run) { r.Container = "shop-db-1" }, "run.container", ""},
		"no image":                        {func(_ *Command, r *Run) { r.Definition.Image = "" }, "run.definition.image", ""},
		"an endless image":                {func(_ *Command, r *Run) { r.Definition.Image = strings.Repeat("i", 1025) }, "run.definition.image", CodeCommandTooLarge},
		"an image with a line break":      {func(_ *Command, r *Run) { r.Definition.Image = "a\nb" }, "run.definition.image", ""},
		"too many words":                  {func(_ *Command, r *Run) { r.Definition.Command = make([]string, MaxCommand+1) }, "run.definition.command", CodeCommandTooLarge},
		"too long words": {func(_ *Command, r *Run) { r.Definition.Command = []string{strings.Repeat("x", MaxWords), "x"} },
			"run.definition.command", CodeCommandTooLarge},
		"a word with NUL":          {func(_ *Command, r *Run) { r.Definition.Command = []string{"a", "b\x00"} }, "run.definition.command[1]", ""},
		"too many volumes":         {func(_ *Command, r *Run) { r.Definition.Volumes = make([]jobs.Volume, MaxMounts+1) }, "run.definition.volumes", CodeCommandTooLarge},
		"a volume without source":  {func(_ *Command, r *Run) { r.Definition.Volumes[0].Source = "" }, "run.definition.volumes[0].source", ""},
		"a volume without target":  {func(_ *Command, r *Run) { r.Definition.Volumes[0].Target = "" }, "run.definition.volumes[0].target", ""},
		"a network of two lines":   {func(_ *Command, r *Run) { r.Definition.Network = "a\nb" }, "run.definition.network", ""},
		"no processor":             {func(_ *Command, r *Run) { r.Definition.Resources.CPU = 0 }, "run.definition.resources.cpu", ""},
		"no memory":                {func(_ *Command, r *Run) { r.Definition.Resources.Memory = 0 }, "run.definition.resources.memory", ""},
		"5 MiB of memory":          {func(_ *Command, r *Run) { r.Definition.Resources.Memory = 5 << 20 }, "run.definition.resources.memory", ""},
		"no timeout":               {func(_ *Command, r *Run) { r.Definition.Resources.Timeout = 0 }, "run.definition.resources.timeout", ""},
		"a timeout of nine days":   {func(_ *Command, r *Run) { r.Definition.Resources.Timeout = 9 * 24 * time.Hour }, "run.definition.resources.timeout", ""},
		"a long description":       {func(_ *Command, r *Run) { r.Definition.Description = strings.Repeat("x", MaxText+1) }, "run.definition.description", CodeCommandTooLarge},
		"too many tags":            {func(_ *Command, r *Run) { r.Definition.Tags = make([]string, MaxTags+1) }, "run.definition.tags", CodeCommandTooLarge},
		"too many configs":         {func(_ *Command, r *Run) { r.Configs = make([]jobs.ConfigFile, MaxMounts+1) }, "run.configs", CodeCommandTooLarge},
		"a config without target":  {func(_ *Command, r *Run) { r.Configs[0].Target = "" }, "run.configs[0].target", ""},
		"a config without a file":  {func(_ *Command, r *Run) { r.Configs = config(core.Content{Digest: digest}) }, "run.configs[0].content", ""},
		"a config outside":         {func(_ *Command, r *Run) { r.Configs = config(oneFile("../x", 1)[0]) }, "run.configs[0].content[0].files[0].path", ""},
		"a config of 2 MiB":        {func(_ *Command, r *Run) { r.Configs = config(oneFile("x", 2<<20)[0]) }, "run.configs[0].content.size", ""},
		"a variable without name":  {func(_ *Command, r *Run) { r.Variables = map[string]string{"": "hunter2"} }, "run.variables.name", ""},
		"a variable with = inside": {func(_ *Command, r *Run) { r.Variables = map[string]string{"A=B": "hunter2"} }, "run.variables.name", ""},
		"a secret with NUL":        {func(_ *Command, r *Run) { r.Secrets = map[string]string{"A": "hunter2\x00"} }, "run.secrets.value", ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			cmd := sampleRun()
			c.change(&cmd, cmd.Run)
			err := Validate(cmd)
			want := c.code
			if want == "" {
				want = CodeInvalid
			}
			if fault.CodeOf(err) != want || !strings.Contains(err.Error(), c.path+":") {
				t.Fatalf("Validate = %v; want %s at %s", err, want, c.path)
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%v shows a secret", err)
			}
		})
	}
}

// TestTheLargestRunFits: what a job file may ask for can be sent, as long as its values are not too large.
func TestTheLargestRunFits(t *testing.T) {
	cmd := sampleRun()
	d := &cmd.Run.Definition
	d.Command, d.Volumes, cmd.Run.Configs = make([]string, MaxCommand), nil, nil
	target := "/" + strings.Repeat("x", 200)
	for range MaxMounts {
		d.Volumes = append(d.Volumes, jobs.Volume{Source: "v", Target: target})
		cmd.Run.Configs = append(cmd.Run.Configs, jobs.ConfigFile{Target: target, Content: oneFile("x", MaxConfig)[0]})
	}
	if err := FitsFrame(cmd); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"A", "B", "C", "D"} {
		cmd.Run.Secrets[name] = strings.Repeat("x", MaxSecret)
	}
	if err := FitsFrame(cmd); fault.CodeOf(err) != CodeCommandTooLarge {
		t.Fatalf("FitsFrame = %v", err)
	}
}
