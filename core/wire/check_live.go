package wire

import "berth/core"

func checkBlobWant(c *complaints, m BlobWant) {
	c.id("id", core.PrefixCommand, string(m.ID))
	c.digest("digest", m.Digest)
}

func checkBlobChunk(c *complaints, m BlobChunk) {
	c.digest("digest", m.Digest)
	c.whole("offset", m.Offset, 0, maxContent)
	c.size("data", len(m.Data), MaxBlobChunk, "bytes")
	c.text("error", m.Error, MaxText)
}

func checkRequest(c *complaints, m Request) {
	c.counter("id", m.ID, 1)
	oneOf(c, "kind", m.Kind, RequestLogs, RequestUsage, RequestStart, RequestStop, RequestRestart)
	c.id("stack", core.PrefixStack, string(m.Stack))
	c.project("project", m.Project)
	if m.Kind != RequestUsage {
		c.shape("service", m.Service, serviceShape, maxName, "the name of a compose service")
	}
	c.whole("tail", int64(m.Tail), 0, MaxTail)
	c.whole("seconds", int64(m.Seconds), 1, maxSeconds)
}

func checkReply(c *complaints, m Reply) {
	c.counter("id", m.ID, 1)
	c.text("data", m.Data, MaxLogChunk)
	c.shape("kind", m.Kind, codeShape, 32, "the name of a fault kind")
	c.shape("code", m.Code, codeShape, 64, "a fault code")
	c.text("error", m.Error, MaxText)
}

func checkRequestCancel(c *complaints, m RequestCancel) { c.counter("id", m.ID, 1) }
