package wire

import (
	"time"

	"berth/core"
	"berth/core/jobs"
)

// What a run's resources may be: whatever a job file may ask for.
const (
	maxCPU    = 10_000
	minMemory = 6 << 20 // bytes; engines refuse less
)

func checkRun(c *complaints, m Run) {
	c.id("run", core.PrefixRun, string(m.Run))
	c.id("job", core.PrefixJob, string(m.Job))
	c.line("name", m.Name, 1, maxName)
	c.shape("commit", string(m.Commit), commitShape, 64, "a full commit hash")
	if m.Container != jobs.ContainerName(m.Run) {
		c.add("container", "must be the name that belongs to the run")
	}
	c.within("definition", func() { checkDefinition(c, m.Definition) })
	c.each("configs", len(m.Configs), MaxMounts, func(i int) {
		c.line("target", m.Configs[i].Target, 1, maxPath)
		checkConfig(c, m.Configs[i].Content)
	})
	checkValues(c, "variables", m.Variables)
	checkValues(c, "secrets", m.Secrets)
	checkPolicy(c, m.Policy)
}

// checkConfig holds the content of a config to one small file.
func checkConfig(c *complaints, content core.Content) {
	checkContents(c, []core.Content{content})
	if len(content.Files) != 1 {
		c.add("content", "must have exactly one file")
		return
	}
	c.whole("content.size", content.Files[0].Size, 0, MaxConfig)
}

// checkDefinition bounds what a worker reads of a definition, and the size of the rest.
func checkDefinition(c *complaints, d jobs.Definition) {
	c.line("image", d.Image, 1, maxImage)
	words := 0
	c.each("command", len(d.Command), MaxCommand, func(i int) {
		words += len(d.Command[i])
		c.text("", d.Command[i], MaxWords)
	})
	c.size("command", words, MaxWords, "bytes")
	c.each("volumes", len(d.Volumes), MaxMounts, func(i int) {
		c.line("source", d.Volumes[i].Source, 1, maxPath)
		c.line("target", d.Volumes[i].Target, 1, maxPath)
	})
	c.line("network", d.Network, 0, maxName)
	checkResources(c, d.Resources)
	c.each("configs", len(d.Configs), MaxMounts, func(i int) {
		c.text("file", d.Configs[i].File, maxPath)
		c.text("target", d.Configs[i].Target, maxPath)
	})
	c.each("tags", len(d.Tags), MaxTags, func(i int) { c.text("", d.Tags[i], maxName) })
	for _, text := range [][2]string{{"name", d.Name}, {"description", d.Description}, {"cron", d.Cron}, {"timezone", d.Timezone},
		{"group", d.Group}, {"mode", string(d.Mode)}, {"overlap", string(d.Overlap)}} {
		c.text(text[0], text[1], MaxText)
	}
}

func checkResources(c *complaints, r jobs.Resources) {
	if !(r.CPU > 0 && r.CPU <= maxCPU) {
		c.add("resources.cpu", "must be more than 0 and at most %d", maxCPU)
	}
	c.whole("resources.memory", r.Memory, minMemory, maxNumber)
	if r.Timeout < time.Second || r.Timeout > maxSeconds*time.Second {
		c.add("resources.timeout", "must be from 1s to %s", maxSeconds*time.Second)
	}
}
