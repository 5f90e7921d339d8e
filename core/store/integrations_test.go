package store_test

import (
	"testing"
	"time"

	"berth/core"
	"berth/core/integrations"
	"berth/core/stacks"
)

// What failed for want of a secret is tried again as soon as somebody configures a backend.
func TestABackendThatIsConfiguredHurriesWhatWaitsForIt(t *testing.T) {
	y := openYard(t)
	fail := func(name, code string) core.StackID {
		id := y.add(name)
		y.exec(t, `UPDATE stacks SET auto_sync = 1 WHERE id = '`+string(id)+`'`)
		y.end(y.start(y.queue(wish(id))).ID, stacks.DeploymentFailed, func(o *stacks.Outcome) { o.ErrorCode = code })
		return id
	}
	waits, other := fail("web", "secret.unresolved"), fail("blog", "engine.image")
	before := y.stack(other).RetryAt
	if before.IsZero() {
		t.Fatal("a failure is not tried again")
	}
	save := func(enabled bool) {
		t.Helper()
		y.must(y.EditIntegration(t.Context(), "vault", func(i integrations.Stored) (integrations.Stored, error) {
			return integrations.Stored{Slug: "vault", Enabled: enabled, Settings: map[string]string{}, Version: i.Version + 1, UpdatedAt: y.tick()}, nil
		}, someone))
	}
	save(false)
	if at := y.stack(waits).RetryAt; !at.Equal(before) && at.Before(y.tick()) {
		t.Errorf("it is hurried by a backend that is disabled: %s", at)
	}
	save(true)
	if at := y.stack(waits).RetryAt; at.After(y.tick().Add(time.Second)) {
		t.Errorf("it is tried again at %s only", at)
	}
	if at := y.stack(other).RetryAt; !at.Equal(before) {
		t.Errorf("another failure is hurried too: %s, was %s", at, before)
	}
	if all, err := y.Integrations(t.Context()); err != nil || all["vault"].Version != 2 || !all["vault"].Enabled {
		t.Errorf("kept %+v, %v", all, err)
	}
}
