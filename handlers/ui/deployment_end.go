package ui

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"berth/core/stacks"
)

// restoreNotice says what became of what ran before, after a deployment failed.
type restoreNotice struct{ Tone, Icon, Text string }

func restoreOf(d stacks.Deployment) restoreNotice {
	if d.State == stacks.DeploymentSucceeded {
		return restoreNotice{}
	}
	switch d.Restore.State {
	case stacks.RestoreRunning:
		return restoreNotice{"busy", "ring", fmt.Sprintf("It failed, and revision %d, the last good one, is being put back.", d.Restore.Revision)}
	case stacks.RestoreSucceeded:
		return restoreNotice{"warn", "back", fmt.Sprintf("It failed, and revision %d, the last good one, was put back. The same files are not deployed again by themselves.", d.Restore.Revision)}
	case stacks.RestoreFailed:
		text := fmt.Sprintf("Revision %d, the last good one, could not be put back either. What runs now is on the stack's page.", d.Restore.Revision)
		if d.Restore.Error != "" {
			text += " The reason: " + inBrief(d.Restore.Error)
		}
		return restoreNotice{"bad", "alert", text}
	}
	return restoreNotice{}
}

// brokenService is the compose service that made a deployment fail.
type brokenService struct {
	Name     string // empty: it was none
	LogsHref string
	Lines    []string // what it said last
}

func brokenOf(d stacks.Deployment, s stacks.Stack) brokenService {
	if d.FailedService == "" || d.State == stacks.DeploymentSucceeded {
		return brokenService{}
	}
	b := brokenService{Name: d.FailedService, LogsHref: serviceHref(s, d.FailedService) + "/logs"}
	if text := strings.TrimRight(d.FailedLines, "\r\n"); text != "" {
		for line := range strings.SplitSeq(text, "\n") {
			b.Lines = append(b.Lines, lastStroke(line))
		}
	}
	return b
}

// putWorkers names the workers that a deployment is about, and says when it waits for one.
func (p *deploymentPage) putWorkers(ctx context.Context, names *names, d stacks.Deployment, s stacks.Stack) error {
	worker, err := names.worker(ctx, d.Worker)
	if err != nil {
		return err
	}
	to, err := names.worker(ctx, d.Aim.Worker)
	if err != nil {
		return err
	}
	runs, err := names.worker(ctx, s.Worker)
	if err != nil {
		return err
	}
	p.Worker, p.Aim = worker.Name, aimWords(d, to.Name)
	for _, needed := range []known{worker, to, runs} {
		if needed.Name != "" {
			if p.Open && needed.Away {
				p.Waits = needed.Name
			}
			return nil // the first that is known is the one that has to do it
		}
	}
	return nil
}

// aimWords says what a deployment puts in place.
func aimWords(d stacks.Deployment, to string) string {
	switch {
	case d.Aim.Worker != "":
		return "what is in place, on worker " + cmp.Or(to, string(d.Aim.Worker))
	case d.Aim.Revision > 0:
		return fmt.Sprintf("revision %d, as it was", d.Aim.Revision)
	}
	return "the newest commit"
}
