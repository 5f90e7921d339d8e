package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"berth/core/stacks"
)

// The goal: what Berth may add to bare Compose.
const (
	maxOverhead = 150 * time.Millisecond
	maxRatio    = 1.15
)

func withinOverhead(ours, bare time.Duration) bool {
	return bare > 0 && ours-bare <= maxOverhead && ratio(ours, bare) <= maxRatio
}

// measureDeploy deploys two stacks again and again, through Berth and without it.
func measureDeploy(ctx context.Context, b *bench) (figures []figure, err error) {
	c, err := b.findCompose(ctx)
	if err != nil {
		return nil, err
	}
	if err := b.makeImage(ctx); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, removeImage(context.WithoutCancel(ctx))) }()
	s, err := b.newSite("deploy")
	if err != nil {
		return nil, err
	}
	srv, _, err := b.startLocal(ctx, s, "LOCAL_WORKER=true", "SCAN_INTERVAL=1h") // nobody but us asks for deployments
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, srv.stop()) }()
	if err := errors.Join(srv.setUp(ctx), srv.workersOnline(ctx, 1)); err != nil {
		return nil, err
	}
	figures = []figure{{note: "compared with " + c.String()}}
	for _, health := range []bool{false, true} {
		more, err := b.duel(ctx, srv, c, health)
		if err != nil {
			return nil, err
		}
		figures = append(figures, more...)
	}
	return figures, nil
}

// duel measures one stack, with a health check or without.
func (b *bench) duel(ctx context.Context, srv *server, c compose, health bool) (figures []figure, err error) {
	name := fmt.Sprintf("bench-%d-plain", os.Getpid())
	if health {
		name = fmt.Sprintf("bench-%d-health", os.Getpid())
	}
	d := &duel{b: b, srv: srv, compose: c, health: health, name: name}
	defer func() { err = errors.Join(err, d.remove(context.WithoutCancel(ctx))) }()
	if err := d.prepare(ctx); err != nil {
		return nil, err
	}
	title := "recreated, no health check"
	if health {
		title = "recreated, health check every second"
	}
	for _, change := range []bool{true, false} {
		if !change {
			title = strings.Replace(title, "recreated", "unchanged", 1)
		}
		b.say("%s: %d rounds", title, b.runs)
		var t times
		for range b.runs {
			if err := d.round(ctx, change, &t); err != nil {
				return nil, err
			}
		}
		figures = append(figures, t.figures(title)...)
	}
	return figures, nil
}

// times is what one series of rounds took.
type times struct {
	ours, waiting, started []time.Duration // Berth; Compose with --wait; Compose without
	phases                 map[stacks.PhaseName][]time.Duration
	other                  []time.Duration // of ours, outside all phases
}

func (t *times) add(took time.Duration, phases []stacks.Phase) {
	if t.phases == nil {
		t.phases = map[stacks.PhaseName][]time.Duration{}
	}
	t.ours = append(t.ours, took)
	for _, p := range phases {
		spent := time.Duration(p.DurationMS) * time.Millisecond
		t.phases[p.Name] = append(t.phases[p.Name], spent)
		took -= spent
	}
	t.other = append(t.other, took)
}

// figures are the lines of one series.
func (t *times) figures(title string) []figure {
	ours, waiting := median(t.ours), median(t.waiting)
	figures := []figure{
		{name: title + ": Berth", result: spread(t.ours)},
		{name: "  docker compose up -d --wait", result: spread(t.waiting)},
		{name: "  Berth's overhead over that", result: overhead(ours, waiting),
			goal: fmt.Sprintf("at most %s and %.2fx", ms(maxOverhead), maxRatio), met: withinOverhead(ours, waiting)},
		{note: "Berth, " + title + ", in ms: " + t.profile()},
	}
	if len(t.started) == 0 {
		return figures
	}
	return append(figures, figure{name: "  docker compose up -d, no wait", result: spread(t.started)},
		figure{name: "  Berth's overhead over that", result: overhead(ours, median(t.started))})
}

func overhead(ours, bare time.Duration) string {
	return fmt.Sprintf("%+.0f ms, %.2fx", float64(ours-bare)/float64(time.Millisecond), ratio(ours, bare))
}

// profile lists the medians of the phases, in their order.
func (t *times) profile() string {
	var parts []string
	for _, name := range phaseOrder {
		if spent := median(t.phases[name]); spent > 0 {
			parts = append(parts, fmt.Sprintf("%s %.0f", name, float64(spent)/float64(time.Millisecond)))
		}
	}
	return strings.Join(append(parts, fmt.Sprintf("between and around them %.0f", float64(median(t.other))/float64(time.Millisecond))), ", ")
}

var phaseOrder = []stacks.PhaseName{stacks.PhaseFetch, stacks.PhaseLint, stacks.PhaseRender, stacks.PhasePolicy,
	stacks.PhaseSecrets, stacks.PhaseDispatch, stacks.PhasePull, stacks.PhaseApply, stacks.PhaseVerify}
