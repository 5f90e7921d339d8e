package ui

import (
	"context"
	"time"

	"berth/core"
	"berth/core/stacks"
)

// StackFinder finds one stack. NotFound "stack.not_found".
type StackFinder interface {
	Stack(ctx context.Context, id core.StackID) (stacks.Stack, error)
}

// DeploymentLister lists the deployments that fit a filter, newest first.
type DeploymentLister interface {
	Deployments(ctx context.Context, f stacks.DeploymentFilter, ask core.Page) (core.List[stacks.Deployment], error)
}

// deploymentTable is a list of deployments, newest first.
type deploymentTable struct {
	Stacks bool // each line names its stack
	Drawn  bool // lines have stripes, which a legend explains
	Lines  []deploymentLine
}

type deploymentLine struct {
	Href      string
	Badge     badge
	Stack     string
	StackHref string
	Commit    string // short; empty until fetched
	Revision  int    // 0 until rendered
	Trigger   string
	Actor     string // empty for what Berth does by itself
	Took      string
	When      moment
	Stripe    phaseStripe
}

func deploymentHref(id core.DeploymentID) string { return "/deployments/" + string(id) }

func stackHref(id core.StackID) string { return "/stacks/" + string(id) }

func lineOf(d stacks.Deployment, now time.Time, hub hubNotice) deploymentLine {
	line := deploymentLine{Href: deploymentHref(d.ID), Badge: badgeOf(deploymentBadges, d.State), StackHref: stackHref(d.Stack),
		Commit: d.Commit.Short(), Revision: d.Revision, Trigger: causeWord(d), Took: tookOf(d, now, hub), When: at(d.QueuedAt, now)}
	if d.Actor != "system" {
		line.Actor = d.Actor
	}
	return line
}

// linesOf makes lines that name their stacks.
func linesOf(ctx context.Context, teller NameTeller, all []stacks.Deployment, now time.Time) ([]deploymentLine, error) {
	ids, lines := make([]core.StackID, len(all)), make([]deploymentLine, len(all))
	for i, d := range all {
		ids[i] = d.Stack
	}
	known, err := teller.StackNames(ctx, ids)
	for i, d := range all {
		lines[i] = lineOf(d, now, hubIn(ctx))
		lines[i].Stack = known[d.Stack]
	}
	return lines, err
}
