package variables_test

import (
	"maps"
	"testing"

	"berth/core"
	"berth/core/jobs"
	"berth/core/secrets"
	"berth/core/variables"
)

// addJob adds a job that variables can belong to.
func (r *room) addJob(t *testing.T, name string) core.JobID {
	t.Helper()
	j, err := r.store.CreateJob(t.Context(), jobs.Job{ID: core.JobID(core.NewID(core.PrefixJob, r.now())), Name: name, Repository: "rep_1", Path: "jobs/" + name}, ada)
	if err != nil {
		t.Fatal(err)
	}
	return j.ID
}

func TestARunSeesAllThatItsJobHas(t *testing.T) {
	r := open(t)
	job, other := r.addJob(t, "backup"), r.addJob(t, "other")
	own := variables.OfJob(job)
	bound := r.add(t, variables.Draft{Owner: variables.Global, Name: "BOUND", Value: "global"})
	both := r.secret(t, variables.Global, "BOTH", "global-secret")
	key := r.secret(t, variables.Global, "KEY", "global-key")
	r.add(t, variables.Draft{Owner: variables.Global, Name: "UNBOUND", Value: "x"})
	r.add(t, variables.Draft{Owner: variables.OfJob(other), Name: "FOREIGN", Value: "x"})
	r.add(t, variables.Draft{Owner: variables.OfStack(r.stack), Name: "OF_STACK", Value: "x"})
	r.add(t, variables.Draft{Owner: own, Name: "BOTH", Value: "own"})
	r.add(t, variables.Draft{Owner: own, Name: "LINES", Value: "one\ntwo\n"})
	r.secret(t, own, "TOKEN", "own-token")
	if _, err := r.Bind(t.Context(), own, []core.VariableID{bound.ID, both.ID, key.ID}, ada); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		given, plain, secret map[string]string
	}{
		"nothing is given": {nil, map[string]string{"BOTH": "own", "BOUND": "global", "LINES": "one\ntwo\n"}, map[string]string{"KEY": "global-key", "TOKEN": "own-token"}},
		"something new is given": {map[string]string{"SIZE": "7"},
			map[string]string{"BOTH": "own", "BOUND": "global", "LINES": "one\ntwo\n", "SIZE": "7"}, map[string]string{"KEY": "global-key", "TOKEN": "own-token"}},
		"what is given takes the place of a variable, and of a secret": {map[string]string{"BOUND": "given", "TOKEN": "given-token", "LINES": ""},
			map[string]string{"BOTH": "own", "BOUND": "given", "LINES": ""}, map[string]string{"KEY": "global-key", "TOKEN": "given-token"}},
	} {
		t.Run(name, func(t *testing.T) {
			seen, err := r.ForRun(t.Context(), job, c.given)
			if err != nil {
				t.Fatal(err)
			}
			if !maps.Equal(seen.Plain, c.plain) {
				t.Errorf("the run sees %v", seen.Plain)
			}
			got := map[string]string{}
			for name, value := range seen.Secrets {
				got[name] = value.Reveal()
			}
			if !maps.Equal(got, c.secret) {
				t.Errorf("the run is given the secrets %v", seen.Secrets)
			}
		})
	}
}

func TestARunIsGivenAllItsSecretsOrNothing(t *testing.T) {
	r := open(t)
	job := r.addJob(t, "backup")
	own := variables.OfJob(job)
	r.secret(t, own, "GOOD", "canary-good")
	bad := r.secret(t, own, "BAD", "canary-bad")
	if _, err := r.raw.ExecContext(t.Context(), `UPDATE variables SET provider = ?, reference = 'kv/data/a#b' WHERE id = ?`, secrets.Vault, bad.ID); err != nil {
		t.Fatal(err)
	}
	_, err := r.ForRun(t.Context(), job, nil)
	wantFault(t, err, "secret.unresolved", "vault")
	wantFault(t, err, "secret.unresolved", "BAD")
	if seen, err := r.ForRun(t.Context(), job, map[string]string{"BAD": "given"}); err != nil || seen.Secrets["BAD"].Reveal() != "given" {
		t.Errorf("with a value of its own the run sees %v, %v", seen.Secrets, err)
	}
	if seen, err := r.ForRun(t.Context(), "job_none", nil); err == nil && len(seen.Plain)+len(seen.Secrets) > 0 {
		t.Errorf("a job that is not there sees %v", seen)
	}
}
