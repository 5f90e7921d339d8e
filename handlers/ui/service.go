package ui

import (
	"context"
	"slices"
	"strings"
	"time"

	"berth/core/fault"
	"berth/core/stacks"
)

// serviceLine is a compose service of a stack, as last observed.
type serviceLine struct {
	Name       string
	Image      string // that it should run; empty: not known
	LogsHref   string
	ActHref    string // + /start, /stop or /restart
	Running    bool   // something of it runs: it can be stopped
	Containers []containerLine
	Usage      []usageLine // empty: it is not known
}

type containerLine struct {
	Name     string
	Badge    badge
	Image    string
	Ports    []string
	Up       moment // since when it runs; empty when it does not
	Exit     int    // code of one that exited
	Exited   bool
	Restarts int
	Old      int // the revision that it was made for, when that is not the current one
}

// currentRevision reads what is in place of a stack; nothing when nothing is, or when it is not kept
// any more.
func currentRevision(ctx context.Context, reader RevisionFinder, s stacks.Stack) (stacks.Revision, error) {
	if s.Revision == 0 {
		return stacks.Revision{}, nil
	}
	revision, err := reader.Revision(ctx, s.ID, s.Revision)
	if fault.Is(err, fault.NotFound) {
		return stacks.Revision{}, nil
	}
	return revision, err
}

// servicesOf joins what the current revision wants with what was observed.
func servicesOf(current stacks.Revision, s stacks.Stack, now time.Time) []serviceLine {
	byName := map[string]*serviceLine{}
	line := func(name string) *serviceLine {
		if byName[name] == nil {
			base := serviceHref(s, name)
			byName[name] = &serviceLine{Name: name, ActHref: base, LogsHref: base + "/logs"}
		}
		return byName[name]
	}
	for _, wanted := range current.Services {
		line(wanted.Name).Image = wanted.Image
	}
	for _, c := range s.Containers {
		l := line(c.Service)
		l.Running = l.Running || c.State == "running" || c.State == "restarting"
		l.Containers = append(l.Containers, containerOf(c, s.Revision, now))
	}
	lines := make([]serviceLine, 0, len(byName))
	for _, l := range byName {
		lines = append(lines, *l)
	}
	slices.SortFunc(lines, func(a, b serviceLine) int { return strings.Compare(a.Name, b.Name) })
	return lines
}

func containerOf(c stacks.ContainerState, current int, now time.Time) containerLine {
	line := containerLine{Name: c.Container, Badge: containerBadge(c), Image: c.Image, Ports: c.Ports, Restarts: c.RestartCount,
		Exited: c.State == "exited", Exit: c.ExitCode}
	if c.State == "running" {
		line.Up = at(c.StartedAt, now)
	}
	if current > 0 && c.Revision > 0 && c.Revision < current {
		line.Old = c.Revision
	}
	return line
}

// hasService reports whether a stack has a compose service of this name, running or wanted.
func hasService(ctx context.Context, reader StackReader, s stacks.Stack, name string) (bool, error) {
	current, err := currentRevision(ctx, reader, s)
	return slices.ContainsFunc(servicesOf(current, s, time.Time{}), func(l serviceLine) bool { return l.Name == name }), err
}
