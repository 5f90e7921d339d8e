package ui

import (
	"cmp"
	"context"
	"net/url"
	"time"

	"berth/core/hubs"
)

// HubReader tells what is known of hubs.
type HubReader interface {
	// KnownHubs returns the hubs that are there, oldest first, and after them those that died and are remembered.
	KnownHubs(ctx context.Context) ([]hubs.Known, error)
}

// hubLine is a hub as administrators are shown it, beside the workers whose links it holds.
type hubLine struct {
	ID      string
	Name    string // host of its address
	Address string
	Badge   badge
	Leads   bool
	Up      bool
	Version string
	Workers int
	Since   moment // it began
	Seen    moment // it last gave the word that it is there
}

func hubLines(all []hubs.Known, now time.Time) []hubLine {
	lines := make([]hubLine, len(all))
	for i, h := range all {
		lines[i] = hubLine{ID: string(h.ID), Name: h.URL, Address: h.URL, Badge: badge{"ok", "check", "Up"}, Leads: h.Leads, Up: h.Up, Version: h.Version,
			Workers: h.Workers, Since: at(h.StartedAt, now), Seen: at(h.HeardAt, now)}
		if u, err := url.Parse(h.URL); err == nil {
			lines[i].Name = cmp.Or(u.Hostname(), h.URL)
		}
		if !h.Up {
			lines[i].Badge = badge{"bad", "cross", "Gone"}
		}
	}
	return lines
}
