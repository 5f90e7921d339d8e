package engine

import (
	"context"
	"errors"
	"strings"

	"berth/core/secrets"
)

// copyHidden writes a container's output, without the secrets that its own environment holds.
func (e *Engine) copyHidden(ctx context.Context, o observed, r logRange, lines *lineWriter) error {
	redactor := secrets.NewRedactor(o.secretsIn(r.secret))
	out, errOut := redactor.Writer(lines), redactor.Writer(lines)
	err := errors.Join(e.copyLogs(ctx, o, r, out, errOut), out.End(), errOut.End())
	lines.flush()
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
