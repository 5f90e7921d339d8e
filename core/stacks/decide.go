package stacks

import (
	"fmt"
	"time"

	"berth/core"
)

// Sight is what polling saw of one stack's folder at the head of its repository.
type Sight struct {
	Commit  core.Commit
	Tree    string // hash over the folder and what else the stack reads; "" when the folder is missing
	Trigger Trigger
	Told    string // who told of it; continues a decision's reason; empty: nobody, polling came by itself
}

// Reasoned is a reason with who told of what was seen.
func (s Sight) Reasoned(reason string) string {
	if s.Told == "" {
		return reason
	}
	return reason + "; " + s.Told
}

// Verdict is what follows from a Sight.
type Verdict struct {
	Deploy    bool
	OutOfSync bool   // the head differs from what was last deployed
	Problem   string // for people; set when the stack cannot be deployed at all
	Reason    string
	Record    bool // false: nothing new was seen, nothing is written
	Settled   bool // without a deployment: polling looks no more at this tree
}

// Decide says whether what was seen leads to a deployment, and why. It is called for
// each stack of a repository whose head moved or that somebody asked to look at.
func Decide(s Stack, seen Sight) Verdict {
	folder := s.Path
	if folder == "" {
		folder = "the repository's root"
	}
	switch {
	case seen.Tree == "":
		text := fmt.Sprintf("commit %s has no folder %s; what runs was left alone", seen.Commit.Short(), folder)
		return Verdict{OutOfSync: true, Problem: text, Reason: text, Record: s.Seen != seen.Commit || !s.OutOfSync}
	case seen.Tree == s.SeenTree:
		return Verdict{OutOfSync: seen.Tree != s.DeployedTree, Record: s.Seen != seen.Commit || s.OutOfSync != (seen.Tree != s.DeployedTree),
			Reason: fmt.Sprintf("%s at commit %s is as it was at the last look", folder, seen.Commit.Short())}
	case seen.Tree == s.Quarantine.Tree:
		return Verdict{OutOfSync: true, Record: s.Seen != seen.Commit || !s.OutOfSync,
			Reason: fmt.Sprintf("commit %s is as %s was, which is in quarantine: %s", seen.Commit.Short(), s.Quarantine.Commit.Short(), s.Quarantine.Reason)}
	case s.Paused:
		return Verdict{OutOfSync: true, Record: s.Seen != seen.Commit || !s.OutOfSync,
			Reason: fmt.Sprintf("%s changed at commit %s, but the stack is paused; resume it, or sync it by hand", folder, seen.Commit.Short())}
	case !s.AutoSync:
		return Verdict{OutOfSync: true, Record: true,
			Reason: fmt.Sprintf("%s changed at commit %s, but automatic sync is off; sync it by hand", folder, seen.Commit.Short())}
	case s.Repeats(seen.Commit):
		return Verdict{OutOfSync: true, Record: true, Settled: true,
			Reason: fmt.Sprintf("%s changed at commit %s, which was deployed already and failed for what is in its files; it is tried again once a commit or a variable of the stack has changed", folder, seen.Commit.Short())}
	}
	reason := fmt.Sprintf("%s changed at commit %s", folder, seen.Commit.Short())
	if s.SeenTree == "" {
		reason = fmt.Sprintf("first look at %s, commit %s", folder, seen.Commit.Short())
	}
	return Verdict{Deploy: true, OutOfSync: true, Record: true, Reason: reason}
}

// Ask is a wish for a deployment.
type Ask struct {
	Stack   core.StackID
	Trigger Trigger
	Actor   string // who asked, as audit shows it
	Commit  core.Commit
	Reason  string
	Options DeployOptions
	// SeenTree, when set, is stored with the decision: polling looks no more at this tree.
	SeenTree string
	Retry    bool // nobody asked: a deployment that failed is tried again
	Aim      Aim  // what is to be put in place, and where
	// Of and Attempt tell of a retry: the deployment that failed, and for which time it is tried now.
	Of      core.DeploymentID
	Attempt int
}

// Health says what a stack's containers show, apart from any deployment.
type Health struct {
	OK     bool
	Reason string // for people, when not OK
	Halted string // the compose service, when the reason is that a person stopped it through Berth
}

// JudgeContainers tells whether every container of a stack is as it should be. A
// container that exited with 0 has done its work; no container at all is not OK
// for a stack that was deployed.
func JudgeContainers(containers []ContainerState) Health {
	containers = Own(containers)
	if len(containers) == 0 {
		return Health{Reason: "no container of this stack runs on its worker"}
	}
	for _, c := range containers {
		switch {
		case c.Halted():
			return Health{Reason: HaltedReason(c.Service, ""), Halted: c.Service}
		case c.State == "running" && c.Health != "unhealthy":
		case c.State == "exited" && c.ExitCode == 0:
		case c.State == "running":
			return Health{Reason: fmt.Sprintf("compose service %s is unhealthy", c.Service)}
		case c.State == "exited":
			return Health{Reason: fmt.Sprintf("compose service %s exited with code %d", c.Service, c.ExitCode)}
		default:
			return Health{Reason: fmt.Sprintf("compose service %s is %s", c.Service, c.State)}
		}
	}
	return Health{OK: true}
}

// JudgeServices is JudgeContainers for a stack of which it is known what should run: Differences
// says what is missing or stopped, in the same words as of drift.
func JudgeServices(services []core.ComposeService, containers []ContainerState) Health {
	containers = Own(containers)
	if len(containers) == 0 {
		return JudgeContainers(containers)
	}
	for _, d := range Differences(services, containers, true) {
		if d.Kind == DifferenceMissing || d.Kind == DifferenceStopped {
			return Health{Reason: d.Text + "; sync the stack to put it right"}
		}
	}
	return JudgeContainers(containers)
}

// Elapsed returns whole milliseconds between two times, never negative.
func Elapsed(from, to time.Time) int64 { return max(0, to.Sub(from).Milliseconds()) }
