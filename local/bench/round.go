package main

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// round lets each way have its turn, and makes sure that containers were
// recreated exactly when something was changed.
func (d *duel) round(ctx context.Context, change bool, t *times) error {
	if change {
		before := value(d.number)
		d.number++
		d.rendered = strings.ReplaceAll(d.rendered, before, value(d.number))
		if err := d.commit(); err != nil {
			return err
		}
	}
	turns := d.turns(ctx, t)
	for i := range turns {
		next := turns[(i+d.rounds)%len(turns)]
		if err := d.watched(ctx, next, change); err != nil {
			return err
		}
	}
	d.rounds++
	return nil
}

// turn is one way to bring a project up.
type turn struct {
	project string
	take    func() error
}

// turns are the ways that are compared. Compose without --wait does not wait for a health
// check, which makes it no comparison for a stack that has one.
func (d *duel) turns(ctx context.Context, t *times) []turn {
	bare := func(wait bool, took *[]time.Duration) turn {
		return turn{d.project(wait), func() error {
			spent, err := d.bare(ctx, wait)
			*took = append(*took, spent)
			return err
		}}
	}
	ours := turn{d.name, func() error {
		deployed, took, err := d.sync(ctx)
		t.add(took, deployed.Phases)
		return err
	}}
	if d.health {
		return []turn{ours, bare(true, &t.waiting)}
	}
	return []turn{ours, bare(true, &t.waiting), bare(false, &t.started)}
}

// watched takes a turn and compares the project's containers before and after.
func (d *duel) watched(ctx context.Context, t turn, change bool) error {
	before, err := containersOf(ctx, t.project)
	if err != nil {
		return err
	}
	if err := t.take(); err != nil {
		return err
	}
	after, err := containersOf(ctx, t.project)
	if err == nil && (before == "" || after == "" || (before != after) != change) {
		err = fmt.Errorf("project %s: changed %v, but its containers went from %q to %q", t.project, change, before, after)
	}
	return err
}
