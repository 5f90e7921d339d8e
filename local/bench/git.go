package main

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// pushRounds is how many commits the distributions of commit to dispatch are made of, at least.
const pushRounds = 25

// measureGit measures what following Git hosts costs.
func measureGit(ctx context.Context, b *bench) ([]figure, error) {
	var all []figure
	for _, part := range []func(context.Context, *bench) ([]figure, error){measurePolls, measureTold, measureFound, measureFetch, measureClones} {
		figures, err := part(ctx, b)
		if err != nil {
			return nil, err
		}
		all = append(all, figures...)
	}
	return all, nil
}

// distribution shows the middle, the ninetieth of a hundred, and the extremes.
func distribution(values []time.Duration) string {
	if len(values) == 0 {
		return "-"
	}
	return fmt.Sprintf("p50 %s, p90 %s (%s to %s)", ms(median(values)), ms(percentile(values, 90)), ms(slices.Min(values)), ms(slices.Max(values)))
}
