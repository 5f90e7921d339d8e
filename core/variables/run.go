package variables

import (
	"context"
	"fmt"
	"maps"

	"berth/core"
	"berth/core/secrets"
)

// Seen is what a run of a job sees of variables: all of them, as its containers get no others.
type Seen struct {
	Plain   map[string]string
	Secrets map[string]secrets.Value
}

// ForRun returns what a run of a job sees: the job's own variables, the global ones that are bound to it, and what
// was given for this run alone, which takes the place of variables with its names. What takes the place of a secret is
// one. The other secrets are resolved, all or none; nothing but memory ever holds them. The fault
// "secret.unresolved" names the provider and every variable that it did not give.
func (r *Resolver) ForRun(ctx context.Context, job core.JobID, given map[string]string) (Seen, error) {
	all, err := r.store.EffectiveVariables(ctx, OfJob(job))
	if err != nil {
		return Seen{}, fmt.Errorf("read the job's variables: %w", err)
	}
	seen := Seen{Plain: maps.Clone(given), Secrets: map[string]secrets.Value{}}
	if seen.Plain == nil {
		seen.Plain = map[string]string{}
	}
	var refs []secrets.Ref
	for _, v := range all {
		value, replaced := given[v.Name]
		switch {
		case v.Secret && replaced:
			delete(seen.Plain, v.Name)
			seen.Secrets[v.Name] = secrets.NewValue(value)
		case v.Secret:
			refs = append(refs, v.ref())
		case !replaced:
			seen.Plain[v.Name] = v.Value
		}
	}
	if len(refs) == 0 {
		return seen, nil
	}
	resolved, err := r.gate.Resolve(ctx, refs)
	if err != nil {
		return Seen{}, err
	}
	maps.Copy(seen.Secrets, resolved)
	return seen, nil
}
