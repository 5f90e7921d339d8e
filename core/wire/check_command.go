package wire

import (
	"io/fs"
	"strings"

	"berth/core"
	"berth/core/policy"
	"berth/core/stacks"
)

func checkCommand(c *complaints, m Command) {
	c.command(m.ID, m.Attempt)
	c.counter("epoch", m.Epoch, 1)
	c.whole("seconds", int64(m.Seconds), 1, maxSeconds)
	oneOf(c, "kind", m.Kind, CommandDeploy, CommandTeardown, CommandRun)
	if (m.Deploy != nil) != (m.Kind == CommandDeploy) || (m.Teardown != nil) != (m.Kind == CommandTeardown) || (m.Run != nil) != (m.Kind == CommandRun) {
		c.add("kind", "must agree with the body: exactly one of deploy, teardown and run")
	}
	if m.Deploy != nil {
		c.within("deploy", func() { checkDeploy(c, *m.Deploy) })
	}
	if m.Teardown != nil {
		c.within("teardown", func() {
			c.id("stack", core.PrefixStack, string(m.Teardown.Stack))
			c.project("project", m.Teardown.Project)
		})
	}
	if m.Run != nil {
		c.within("run", func() { checkRun(c, *m.Run) })
	}
}

func checkDeploy(c *complaints, m Deploy) {
	c.id("stack", core.PrefixStack, string(m.Stack))
	c.id("deployment", core.PrefixDeployment, string(m.Deployment))
	c.project("project", m.Project)
	c.whole("revision", int64(m.Revision), 1, maxNumber)
	c.shape("commit", string(m.Commit), commitShape, 64, "a full commit hash")
	if c.size("compose", len(m.Compose), MaxCompose, "bytes") && len(m.Compose) == 0 {
		c.add("compose", "must not be empty")
	}
	checkContents(c, m.Content)
	checkValues(c, "secrets", m.Secrets)
	checkSeconds(c, "health_seconds", m.HealthSeconds)
	checkSeconds(c, "stable_seconds", m.StableSeconds)
	checkPolicy(c, m.Policy)
}

// checkPolicy bounds rules. What it does not know of them is an error, never a rule that lets everything pass.
func checkPolicy(c *complaints, layers []policy.Layer) {
	c.each("policy", len(layers), policy.MaxLayers, func(i int) {
		oneOf(c, "from", layers[i].From, policy.FromHost, policy.FromWorker, policy.FromGlobal)
		checkRules(c, layers[i].Rules)
	})
}

func checkRules(c *complaints, r policy.Rules) {
	for _, bad := range r.Check() {
		c.add(bad.Path, "%s", bad.Problem)
	}
}

// checkContents keeps what the worker writes inside its content folder, whoever the hub is.
func checkContents(c *complaints, contents []core.Content) {
	files, bytes := 0, int64(0)
	c.each("content", len(contents), MaxContents, func(i int) {
		content := contents[i]
		c.digest("digest", content.Digest)
		c.text("source", content.Source, maxPath)
		files += len(content.Files)
		c.each("files", len(content.Files), MaxFiles, func(i int) {
			file := content.Files[i]
			if c.size("path", len(file.Path), maxPath, "bytes") && !localPath(file.Path) {
				c.add("path", "must be a relative path that stays in its folder")
			}
			c.digest("digest", file.Digest)
			c.whole("size", file.Size, 0, maxContent)
			bytes += min(file.Size, maxContent+1)
		})
	})
	c.size("content", files, MaxFiles, "files")
	c.size("content", int(bytes), maxContent, "bytes")
}

func localPath(p string) bool {
	return fs.ValidPath(p) && p != "." && !strings.ContainsAny(p, "\x00\\")
}

// checkValues never mentions a value. A name that is wrong is not repeated either.
func checkValues(c *complaints, path string, values map[string]string) {
	if !c.size(path, len(values), MaxSecrets, "variables") {
		return
	}
	for name, value := range values {
		c.within(path, func() {
			c.line("name", name, 1, maxName)
			if strings.Contains(name, "=") {
				c.add("name", "must not contain =")
			}
			c.text("value", value, MaxSecret)
		})
	}
}

func checkSeconds(c *complaints, path string, seconds float64) {
	if !(seconds >= 0 && seconds <= maxSeconds) {
		c.add(path, "must be from 0 to %d", maxSeconds)
	}
}

func checkAccepted(c *complaints, m Accepted)   { c.command(m.ID, m.Attempt) }
func checkResultAck(c *complaints, m ResultAck) { c.command(m.ID, m.Attempt) }
func checkCancel(c *complaints, m Cancel)       { c.command(m.ID, m.Attempt) }

func checkEvent(c *complaints, m Event) {
	c.command(m.ID, m.Attempt)
	c.counter("number", m.Number, 1)
	c.text("log", m.Log, MaxLogChunk)
	c.line("log_to", m.LogTo, 0, MaxLogTo)
	c.whole("ran_ms", m.RanMS, 0, maxNumber)
	if m.Phase != nil {
		c.within("phase", func() { checkPhase(c, *m.Phase) })
	}
}

func checkPhase(c *complaints, m PhaseEvent) {
	oneOf(c, "name", m.Name, stacks.PhaseFetch, stacks.PhaseLint, stacks.PhasePolicy, stacks.PhaseRender,
		stacks.PhaseSecrets, stacks.PhaseDispatch, stacks.PhasePull, stacks.PhaseApply, stacks.PhaseVerify)
	oneOf(c, "state", m.State, stacks.PhaseRunning, stacks.PhaseSucceeded, stacks.PhaseFailed, stacks.PhaseSkipped)
	c.whole("duration_ms", m.DurationMS, 0, maxNumber)
	c.text("message", m.Message, MaxText)
}

func checkResult(c *complaints, m Result) {
	c.command(m.ID, m.Attempt)
	oneOf(c, "status", m.Status, ResultSucceeded, ResultFailed, ResultCancelled, ResultUnknown)
	c.shape("code", m.Code, codeShape, 64, "a fault code")
	c.text("error", m.Error, MaxText)
	c.line("service", m.Service, 0, maxName)
	c.text("lines", m.Lines, MaxLines)
	c.counter("events", m.Events, 0)
	c.whole("ran_ms", m.RanMS, 0, maxNumber)
	if m.ExitCode != nil {
		checkExitCode(c, *m.ExitCode)
	}
	c.each("phases", len(m.Phases), MaxPhases, func(i int) { checkPhase(c, m.Phases[i]) })
	if m.Observed != nil {
		c.within("observed", func() { checkStackObserved(c, *m.Observed) })
	}
}
