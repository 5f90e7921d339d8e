package main

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// hubRounds is how often all hand-overs are played; each round takes about a minute.
const hubRounds = 3

// What the test of two hubs prints.
var (
	handOver = regexp.MustCompile(`: (the leader [a-z ]+): \S+ leads after (\S+), the next deployment is done after (\S+)$`)
	accounts = regexp.MustCompile(`: (\d+) deployments accepted, (\d+) lost, (\d+) done twice$`)
)

// handOvers are those of one kind.
type handOvers struct{ lead, done []time.Duration }

// measureHubs plays the test of two hubs and local under load, and gathers what it prints.
func measureHubs(ctx context.Context, b *bench) ([]figure, error) {
	kinds := map[string]*handOvers{}
	var sums [3]int // accepted, lost, doubled
	for range hubRounds {
		b.say("two hubs come and go")
		cmd := exec.CommandContext(ctx, "go", "test", "-count=1", "-v", "-run", "^TestHubsComeAndGoUnderLoad$", "berth/local/hubs")
		text, err := output(cmd)
		if err != nil {
			return nil, err
		}
		if err := gather(string(text), kinds, &sums); err != nil {
			return nil, err
		}
	}
	var figures []figure
	for _, kind := range []string{"the leader is killed", "the leader stands still", "the leader ends"} {
		if kinds[kind] == nil {
			return nil, fmt.Errorf("the test did not tell of %q", kind)
		}
		figures = append(figures, figure{name: "two hubs: " + kind + ", until another leads", result: spread(kinds[kind].lead)},
			figure{name: "two hubs: " + kind + ", until the next deployment is done", result: spread(kinds[kind].done)})
	}
	return append(figures, figure{name: "two hubs: deployments lost", result: fmt.Sprintf("%d of %d", sums[1], sums[0]), goal: "0", met: sums[1] == 0},
		figure{name: "two hubs: deployments done twice", result: fmt.Sprintf("%d of %d", sums[2], sums[0]), goal: "0", met: sums[2] == 0}), nil
}

// gather reads what one run of the test printed.
func gather(text string, kinds map[string]*handOvers, sums *[3]int) error {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if found := handOver.FindStringSubmatch(line); found != nil {
			lead, err := time.ParseDuration(found[2])
			if err != nil {
				return err
			}
			done, err := time.ParseDuration(found[3])
			if err != nil {
				return err
			}
			kind := kinds[found[1]]
			if kind == nil {
				kind = &handOvers{}
				kinds[found[1]] = kind
			}
			kind.lead, kind.done = append(kind.lead, lead), append(kind.done, done)
		}
		if found := accounts.FindStringSubmatch(line); found != nil {
			for i := range sums {
				n, err := strconv.Atoi(found[i+1])
				if err != nil {
					return err
				}
				sums[i] += n
			}
		}
	}
	return nil
}
