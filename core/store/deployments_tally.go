package store

import (
	"context"
	"strings"
	"time"

	"berth/core/stacks"
)

// tallyQuery counts the deployments that ended, step by step and result by result. Each count reads a
// stretch of the index deployments_finished, which is why it says what every result implies, and sorts
// nothing, which grouping would.
var tallyQuery = func() string {
	const count = `, (SELECT count(*) FROM deployments WHERE state = ? AND state NOT IN ('queued', 'running') AND finished_at >= since AND finished_at < until)`
	return `WITH RECURSIVE steps(since, until) AS (SELECT CAST(? AS BIGINT), CAST(? AS BIGINT) UNION ALL SELECT until, until + CAST(? AS BIGINT) FROM steps WHERE until < ?)
		SELECT since` + strings.Repeat(count, len(stacks.Results)) + ` FROM steps ORDER BY since LIMIT 1000`
}()

// DeploymentTally counts the deployments that ended in a span and are kept: not those of deleted stacks,
// and at most keptDeployments of each stack.
func (s *Store) DeploymentTally(ctx context.Context, span stacks.Span) (stacks.Tally, error) {
	return read(ctx, s, func(tx *Tx) (stacks.Tally, error) {
		from, until := micros(span.From), micros(span.Step(span.Steps))
		times, err := many(tx, scalar[int64], `SELECT finished_at - queued_at FROM deployments WHERE state = ? AND state NOT IN ('queued', 'running')
			AND finished_at >= ? AND finished_at < ? ORDER BY finished_at DESC LIMIT ?`, stacks.DeploymentSucceeded, from, until, stacks.MaxTimes)
		if err != nil {
			return stacks.Tally{}, err
		}
		tally := stacks.NewTally(span, durations(times))
		args := []any{from, micros(span.Step(1)), span.Every.Microseconds(), until}
		for _, state := range stacks.Results {
			args = append(args, state)
		}
		steps, err := many(tx, scanStep, tallyQuery, args...)
		copy(tally.Ended, steps)
		return tally, err
	})
}

// scanStep reads how many deployments ended in one step, by result.
func scanStep(row scanner) (map[stacks.DeploymentState]int, error) {
	var since int64
	counts, dest := make([]int, len(stacks.Results)), []any{&since}
	for i := range counts {
		dest = append(dest, &counts[i])
	}
	if err := row.Scan(dest...); err != nil {
		return nil, err
	}
	ended := map[stacks.DeploymentState]int{}
	for i, state := range stacks.Results {
		if counts[i] > 0 {
			ended[state] = counts[i]
		}
	}
	return ended, nil
}

func durations(us []int64) []time.Duration {
	all := make([]time.Duration, len(us))
	for i, n := range us {
		all[i] = max(0, time.Duration(n)*time.Microsecond)
	}
	return all
}
