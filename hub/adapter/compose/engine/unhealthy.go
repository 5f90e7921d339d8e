package engine

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"berth/core/fault"
)

// What a fault quotes of a container.
const (
	quotedLines = 20
	quotedBytes = 4 << 10
	quotedCheck = 500
	quoteWithin = 3 * time.Second
)

// unhealthy returns the fault about a container that has failed, with its last words.
func (e *Engine) unhealthy(ctx context.Context, o observed) error {
	return e.unhealthyFault(ctx, o, fmt.Sprintf("%s is not healthy: its container %s is %s", o.service, o.name, o.describe()))
}

// unhealthyAfter returns the fault about a container that took too long.
func (e *Engine) unhealthyAfter(ctx context.Context, o observed, timeout time.Duration) error {
	return e.unhealthyFault(ctx, o, fmt.Sprintf("%s did not become healthy within %v: its container %s is %s", o.service, timeout, o.name, o.describe()))
}

func (e *Engine) unhealthyFault(ctx context.Context, o observed, text string) error {
	if o.checks != "" && o.health != "" {
		text += ". Its health check said: " + strings.TrimSpace(tail(o.checks, quotedCheck))
	}
	if last := e.lastLines(ctx, o); last != "" {
		text += ". It said last:\n" + last
	} else {
		text += ". It has written nothing."
	}
	return fault.New(fault.Conflict, "engine.unhealthy", "%s", text)
}

// lastLines returns the end of a container's output, empty when it cannot be had.
func (e *Engine) lastLines(ctx context.Context, o observed) string {
	ctx, cancel := context.WithTimeout(ctx, quoteWithin)
	defer cancel()
	var out bytes.Buffer
	if err := e.copyLogs(ctx, o, logRange{tail: quotedLines}, &limited{&out, 16 * quotedBytes}); err != nil && out.Len() == 0 {
		return ""
	}
	return strings.TrimRight(tail(out.String(), quotedBytes), "\n")
}

// tail returns the last n bytes of text, as valid UTF-8 without control characters
// other than newlines and tabs.
func tail(text string, n int) string {
	text = strings.ToValidUTF8(text[max(0, len(text)-n):], "")
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
			return -1
		}
		return r
	}, text)
}
