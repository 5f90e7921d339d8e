package engine

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/moby/moby/api/types/container"

	"berth/core/fault"
	"berth/core/secrets"
	"berth/core/stacks"
	"berth/hub/worker"
)

// quoteWithin bounds the time in which a container's last words are read. Tests take longer.
const quoteWithin = 3 * time.Second

// unhealthy returns the fault about a container that has failed, with its last words.
func (e *Engine) unhealthy(ctx context.Context, o observed, r *secrets.Redactor) error {
	return e.unhealthyFault(ctx, o, r, fmt.Sprintf("Compose service %s is not healthy: its container %s is %s", o.service, o.name, o.describe()))
}

// unhealthyAfter returns the fault about a container that took too long.
func (e *Engine) unhealthyAfter(ctx context.Context, o observed, r *secrets.Redactor, timeout time.Duration) error {
	return e.unhealthyFault(ctx, o, r, fmt.Sprintf("Compose service %s did not become healthy within %v: its container %s is %s", o.service, timeout, o.name, o.describe()))
}

func (e *Engine) unhealthyFault(ctx context.Context, o observed, r *secrets.Redactor, text string) error {
	check := ""
	if o.checks != "" && o.health != "" {
		check = quoteCheck(o.checks, r)
		text += ". Its health check said: " + inOneLine(check)
	}
	if o.state == container.StateRunning && o.health == container.Unhealthy {
		text += ". " + givenUp
	}
	last := e.lastLines(ctx, o, r)
	if last != "" {
		text += ". " + stacks.SaidLast + "\n" + last
	} else {
		text += ". It has written nothing."
	}
	return unhealthyFault(o.service, withCheck(last, check), "%s", text)
}

// inOneLine quotes text within a sentence, of which a line of its own would begin another.
func inOneLine(text string) string {
	return `"` + strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' }), "; ") + `"`
}

// givenUp says why a container that may only have needed longer is given up all the same.
const givenUp = "The engine calls a container unhealthy once its check has failed \"retries\" times, without waiting for deploy.health_timeout: " +
	"give it a start_period in its healthcheck when it needs longer to start"

// withCheck puts what a health check printed last below what its container said last, each line marked.
func withCheck(lines, check string) string {
	if check == "" {
		return lines
	}
	check = "health check: " + strings.ReplaceAll(check, "\n", "\nhealth check: ")
	if lines == "" {
		return check
	}
	return lines + "\n" + check
}

// unhealthyFault says in words and, for programs, in parts what failed.
func unhealthyFault(service, lines, format string, args ...any) error {
	return fault.New(fault.Conflict, "engine.unhealthy", format, args...).Because(worker.FailedService{Service: service, Lines: lines})
}

// lastLines returns the end of a container's output, empty when it cannot be had.
func (e *Engine) lastLines(ctx context.Context, o observed, r *secrets.Redactor) string {
	ctx, cancel := context.WithTimeout(ctx, e.quoteWithin)
	defer cancel()
	q := newQuote(r)
	if err := e.copyLogs(ctx, o, logRange{tail: quoteReads}, q.out, q.errors); err != nil && q.read == 0 {
		return ""
	}
	return q.text()
}
