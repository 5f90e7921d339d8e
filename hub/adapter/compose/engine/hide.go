package engine

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"

	"berth/core/secrets"
	"berth/core/stacks"
)

// copyHidden writes a container's output, without the secrets that its own environment holds.
func (e *Engine) copyHidden(ctx context.Context, o observed, r logRange, to *shared) error {
	redactor := secrets.NewRedactor(o.secretsIn(r.secret))
	if r.times {
		return e.copyTimed(ctx, o, r, redactor, to)
	}
	lines := to.lines(o.name)
	out, errOut := redactor.Writer(lines), redactor.Writer(lines)
	err := errors.Join(e.copyLogs(ctx, o, r, out, errOut), out.End(), errOut.End())
	lines.flush()
	return err
}

// copyTimed is copyHidden with the time of each line before it.
func (e *Engine) copyTimed(ctx context.Context, o observed, r logRange, redactor *secrets.Redactor, to *shared) error {
	stream, err := e.openLogs(ctx, o, r)
	if err != nil {
		return err
	}
	defer stream.Close()
	return timeLines(stream, o.tty, redactor, to, to.prefix(o.name))
}

// timeLines puts before each line when it was written, and the prefix behind that.
func timeLines(stream io.Reader, tty bool, redactor *secrets.Redactor, to *shared, prefix string) error {
	read := readEntries
	if tty {
		read = readTerminal
	}
	var lines [3]*lineWriter // by the engine's numbers; there is no first
	var hidden [3]*secrets.Lines
	for i := range lines {
		lines[i] = &lineWriter{to: to}
		hidden[i] = redactor.Lines(lines[i], maxLine)
	}
	err := read(bufio.NewReader(stream), func(e entry) error {
		return hidden[e.stream].Write(stacks.LineTime(e.at)+prefix, e.text)
	})
	for i := range lines {
		err = errors.Join(err, hidden[i].End())
		lines[i].flush()
	}
	return err
}

// secretsIn returns the secrets in the environment that the container was made with.
func (o observed) secretsIn(templates map[string]string) []secrets.Value {
	var values []secrets.Value
	if o.inspected.Config == nil {
		return nil
	}
	for _, entry := range o.inspected.Config.Env {
		name, value, _ := strings.Cut(entry, "=")
		if template, secret := templates[name]; secret {
			values = append(values, secrets.Within(template, value)...)
		}
	}
	return values
}
