package wire

import (
	"time"

	"berth/core"
	"berth/core/policy"
	"berth/core/stacks"
)

func checkHello(c *complaints, m Hello) {
	checkHost(c, m.Hostname, m.Tags, m.Version, m.OS, m.Arch)
	c.line("engine", m.Engine, 0, maxEngine)
	c.each("allow", len(m.Allow), policy.MaxAllowances, func(i int) { c.line("", m.Allow[i], 1, maxAllowance) })
	if m.Limits != nil {
		c.within("limits", func() { checkRules(c, *m.Limits) })
	}
	c.each("journal", len(m.Journal), MaxJournal, func(i int) {
		c.command(m.Journal[i].ID, m.Journal[i].Attempt)
		oneOf(c, "state", m.Journal[i].State, JournalReceived, JournalResult)
	})
}

// checkHost checks what a worker says about itself, at enrolment and on each link.
func checkHost(c *complaints, hostname string, tags []string, version, os, arch string) {
	c.line("hostname", hostname, 1, maxHostname)
	c.line("version", version, 1, 64)
	c.line("os", os, 1, 32)
	c.line("arch", arch, 1, 32)
	c.each("tags", len(tags), MaxTags, func(i int) {
		c.shape("", tags[i], tagShape, 64, "letters, digits, - and _")
	})
}

func checkWelcome(c *complaints, m Welcome) {
	c.counter("epoch", m.Epoch, 1)
	c.whole("heartbeat_seconds", int64(m.HeartbeatSeconds), 1, maxBeat)
	c.line("version", m.Version, 1, 64)
	c.each("settle", len(m.Settle), MaxJournal, func(i int) {
		c.command(m.Settle[i].ID, m.Settle[i].Attempt)
		oneOf(c, "do", m.Settle[i].Do, SettleAcknowledged, SettleRun, SettleCancel, SettleForget)
		if m.Settle[i].Heard != nil {
			c.counter("heard", *m.Settle[i].Heard, 0)
		}
		c.line("log_to", m.Settle[i].LogTo, 0, MaxLogTo)
	})
}

func checkHeartbeat(c *complaints, m Heartbeat) {
	c.counter("number", m.Number, 1)
	c.whole("round_trip_us", m.RoundTripUS, 0, time.Duration(maxBeat*time.Second).Microseconds())
}

func checkHeartbeatAck(c *complaints, m HeartbeatAck) { c.counter("number", m.Number, 1) }

func checkSnapshot(c *complaints, m Snapshot) {
	c.text("text", m.Text, MaxSnapshot)
	c.each("ended", len(m.Ended), MaxEnded, func(i int) { c.line("", m.Ended[i], 1, maxName) })
}

func checkObserved(c *complaints, m Observed) {
	c.whole("parts", int64(m.Parts), 0, MaxParts)
	c.whole("part", int64(m.Part), int64(min(m.Parts, 1)), int64(m.Parts))
	c.each("stacks", len(m.Stacks), MaxStacks, func(i int) { checkStackObserved(c, m.Stacks[i]) })
}

func checkStackObserved(c *complaints, m StackObserved) {
	c.id("stack", core.PrefixStack, string(m.Stack))
	c.whole("revision", int64(m.Revision), 0, maxNumber)
	c.each("containers", len(m.Containers), MaxContainers, func(i int) { checkContainer(c, m.Containers[i]) })
}

func checkContainer(c *complaints, m stacks.ContainerState) {
	c.line("service", m.Service, 0, maxName)
	c.line("container", m.Container, 0, maxName)
	c.line("container_id", m.ContainerID, 0, 128)
	c.line("image", m.Image, 0, 1024)
	c.line("state", m.State, 0, 32)
	c.line("health", m.Health, 0, 32)
	checkExitCode(c, m.ExitCode)
	c.whole("restart_count", int64(m.RestartCount), 0, maxNumber)
	c.whole("revision", int64(m.Revision), 0, maxNumber)
	c.each("ports", len(m.Ports), MaxPorts, func(i int) { c.line("", m.Ports[i], 0, 128) })
	c.each("changed", len(m.Changed), MaxChanged, func(i int) { c.line("", m.Changed[i], 1, MaxTrait) })
}

func checkBye(c *complaints, m Bye) {
	c.text("reason", m.Reason, MaxText)
	c.whole("retry_seconds", int64(m.RetrySeconds), 0, maxRetry)
}

func checkExitCode(c *complaints, code int) { c.whole("exit_code", int64(code), -1<<31, 1<<32) }
