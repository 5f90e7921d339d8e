package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"berth/core"
	"berth/core/stacks"
	"berth/handlers/api"
)

// measureTold measures from a push to its dispatch where a webhook tells of it.
func measureTold(ctx context.Context, b *bench) (figures []figure, err error) {
	f, err := b.startFleet(ctx, "bench-told", 1, "SCAN_INTERVAL=1h")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.stop()) }()
	hook, err := post[api.NewWebhookSecretAnswer](ctx, f.client, "/api/custom/repositories/"+string(f.repository)+"/webhook/secret", nil)
	if err != nil {
		return nil, err
	}
	took, err := f.pushes(ctx, func(ctx context.Context, commit core.Commit) error { return tell(ctx, hook, commit) }, 0)
	return []figure{{name: fmt.Sprintf("commit to dispatch, told by a webhook, %d commits", len(took)), result: distribution(took), goal: "p50 under 1 s", met: median(took) < time.Second}}, err
}

// measureFound measures it where polling finds the push.
func measureFound(ctx context.Context, b *bench) (figures []figure, err error) {
	f, err := b.startFleet(ctx, "bench-found", 1, "SCAN_INTERVAL="+pollInterval.String())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.stop()) }()
	took, err := f.pushes(ctx, func(context.Context, core.Commit) error { return nil }, pollInterval)
	limit := pollInterval + time.Second
	return []figure{{name: fmt.Sprintf("commit to dispatch, polled every %v, %d commits", pollInterval, len(took)), result: distribution(took), goal: "p90 under " + limit.String(), met: within(took, limit, 90)}}, err
}

// within reports whether so many of a hundred are under a limit.
func within(values []time.Duration, limit time.Duration, hundredth int) bool {
	under := 0
	for _, v := range values {
		if v < limit {
			under++
		}
	}
	return 100*under >= hundredth*len(values)
}

// tell calls the webhook as a script of one's own does.
func tell(ctx context.Context, hook api.NewWebhookSecretAnswer, commit core.Commit) error {
	body := fmt.Sprintf(`{"ref":"main","commit":%q}`, commit)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, hook.URL, strings.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+hook.Secret)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	said, err := io.ReadAll(io.LimitReader(answer.Body, 4096))
	if err == nil && answer.StatusCode != http.StatusAccepted {
		err = fmt.Errorf("the webhook was answered %d %s", answer.StatusCode, said)
	}
	return err
}

// pushes commits again and again, each time some moment of a span after the one before was deployed, tells of it, and
// waits until the engine begins.
func (f *fleet) pushes(ctx context.Context, told func(context.Context, core.Commit) error, span time.Duration) (took []time.Duration, err error) {
	begun := make(chan time.Time, 4)
	f.begun.Store(&begun)
	for i := range max(pushRounds, f.b.runs) {
		if err := pause(ctx, time.Duration(rand.Float64()*float64(span))); err != nil {
			return nil, err
		}
		text := fmt.Sprintf("services:\n  app:\n    image: %s\n    environment:\n      NUMBER: \"push %d\"\n", image, i)
		hash, err := f.b.git.Commit(f.name, "main", map[string]string{folder(0) + "/compose.yaml": text}, "One")
		if err != nil {
			return nil, err
		}
		pushed, commit := time.Now(), core.Commit(hash)
		if err := told(ctx, commit); err != nil {
			return nil, err
		}
		select {
		case at := <-begun:
			took = append(took, at.Sub(pushed))
		case <-time.After(5 * time.Minute):
			return nil, fmt.Errorf("commit %s was not dispatched", commit.Short())
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if err := f.activeAt(ctx, commit); err != nil {
			return nil, err
		}
	}
	return took, nil
}

// activeAt waits until the first stack is active at a commit.
func (f *fleet) activeAt(ctx context.Context, commit core.Commit) error {
	return until(ctx, time.Minute, 20*time.Millisecond, "the stack at "+commit.Short(), func(ctx context.Context) (bool, error) {
		s, err := get[api.StackAnswer](ctx, f.client, "/api/custom/stacks/"+string(f.stacks[0]))
		return s.Commit == commit && s.Status == stacks.StatusActive, err
	})
}
