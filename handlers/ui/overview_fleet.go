package ui

import (
	"context"
	"fmt"

	"berth/core"
	"berth/core/fleet"
)

// FleetReader looks at the fleet as a whole, however large it is.
type FleetReader interface {
	// Presence counts the workers that are not revoked by whether they are there.
	Presence(ctx context.Context) (fleet.Presence, error)
	// AwayWorkers returns workers that were there and left, those first that left first; with missed only
	// those that have stacks.
	AwayWorkers(ctx context.Context, missed bool, limit int) ([]fleet.Worker, error)
}

const (
	overviewWorkers = 12 // a fleet of so many is listed whole
	overviewAway    = 8  // of a larger one those that are offline longest
)

// fleetPicture is the fleet as a line of shares, and the workers of it that are worth a line.
type fleetPicture struct {
	Text     string // the picture in words
	Total    int
	Online   int
	Segments []segment
	Longest  bool // the lines are those that are offline longest, not all
	Lines    []workerLine
	More     int // that are offline too, when not all are listed
}

// fleetOf draws a fleet.
func fleetOf(p fleet.Presence) fleetPicture {
	picture := fleetPicture{Total: p.Total(), Online: p.Online, Longest: p.Total() > overviewWorkers}
	picture.Segments = sharesOf([]segment{
		{Word: "Offline", Tone: "bad", Icon: "cross", Href: "/workers?online=false", Count: p.Away},
		{Word: "Not known", Tone: "warn", Icon: "question", Href: "/workers?online=false", Count: p.Unheard},
		{Word: "Online", Tone: "ok", Icon: "check", Href: "/workers?online=true", Count: p.Online},
		{Word: "Never connected", Tone: "idle", Icon: "circle", Href: "/workers?online=false", Count: p.Never},
	})
	picture.Text = fmt.Sprintf("%d workers: %s.", p.Total(), segmentsInWords(picture.Segments))
	switch {
	case p.Total() != 1:
	case p.Online == 1:
		picture.Text = "The one worker is online."
	case p.Unheard == 1:
		picture.Text = "Whether the one worker is there is not known."
	case p.Away == 1:
		picture.Text = "The one worker is offline."
	default:
		picture.Text = "The one worker has never connected."
	}
	return picture
}

func (o *overview) putFleet(page *overviewPage, workers WorkerLister) error {
	page.Fleet = fleetOf(o.presence)
	var all []fleet.Worker
	var err error
	if page.Fleet.Longest {
		all, err = o.reader.AwayWorkers(o.ctx, false, overviewAway)
		page.Fleet.More = max(0, o.presence.Away-len(all))
	} else {
		no := false
		var list core.List[fleet.Worker]
		list, err = workers.Workers(o.ctx, fleet.Filter{Revoked: &no}, core.Page{Limit: overviewWorkers})
		all = list.Items
	}
	for _, w := range all {
		page.Fleet.Lines = append(page.Fleet.Lines, workerOf(w, o.now))
	}
	return err
}
