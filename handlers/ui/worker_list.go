package ui

import (
	"context"
	"net/http"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fleet"
	"berth/handlers/endpoint"
)

type workerListPage struct {
	Trouble string
	Search  exact
	Tag     string // that all of them have; empty: any
	AnyTag  string // address of those with any
	Online  exact  // as the address has it
	Tabs    []tab  // all, or those that are there, or not

	Narrowed bool // not all
	Lines    []workerLine
	More     string
	Hubs     []hubLine // for administrators, where there may be more than one
}

// WorkersReader tells of hubs, and how the hosts of workers are.
type WorkersReader interface {
	HubReader
	// NewestReadings returns how the hosts of these workers are, of those that were heard of lately.
	NewestReadings(ctx context.Context, ids []core.WorkerID, now time.Time) (map[core.WorkerID]fleet.Reading, error)
}

type workerLine struct {
	Name       string
	Href       string
	Badge      badge
	Tags       []tagLink
	Version    string
	Advice     string // what to do about its release; empty: nothing
	Platform   string
	Load       hostLoad
	Seen       moment // since when it is connected, when it left, or since when nobody knows
	Stacks     int
	StacksHref string
	Lasting    bool // it is as it is since then
	Revoked    bool
	RevokeHref string
	DeleteHref string
	PolicyHref string
}

var workerListView = newView[workerListPage]("worker_list.html")

// Workers lists workers in order of age, those that the address asks for or all, and for
// administrators the hubs that they are linked to.
func Workers(lister WorkerLister, reader WorkersReader, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		ask, err := partOf(r)
		if err != nil {
			return err
		}
		query := r.URL.Query()
		filter, tabs := workerFilter(r.URL)
		list, err := lister.Workers(r.Context(), filter, ask)
		if err != nil {
			return err
		}
		page := workerListPage{Search: exact(filter.Search), Tag: filter.Tag, AnyTag: withoutTag(r.URL), Online: exact(query.Get("online")), Tabs: tabs,
			Narrowed: !tabs[0].Current || filter.Search != "" || filter.Tag != "", More: following(r.URL, list.Next)}
		if endpoint.Principal(r.Context()).Can(access.Administer) {
			known, err := reader.KnownHubs(r.Context())
			if err != nil {
				return err
			}
			page.Hubs = hubLines(known, now())
		}
		ids := make([]core.WorkerID, len(list.Items))
		for i, worker := range list.Items {
			ids[i] = worker.ID
		}
		readings, err := reader.NewestReadings(r.Context(), ids, now())
		if err != nil {
			return err
		}
		for _, worker := range list.Items {
			line := workerOf(worker, now())
			if reading, there := readings[worker.ID]; there && worker.Online {
				line.Load = hostLoadOf(reading)
			}
			page.Lines = append(page.Lines, line)
		}
		return workerListView.write(w, r, http.StatusOK, newFrame(r, inWorkers, "Workers").following(false), page)
	})
}

func workerOf(worker fleet.Worker, now time.Time) workerLine {
	base := workerHref(worker.ID)
	line := workerLine{Name: worker.Label(), Href: base, Badge: workerBadge(worker), Tags: tagLinks(worker.Tags), Version: worker.Version, Advice: worker.Advice, Platform: worker.OS + "/" + worker.Arch,
		Stacks: worker.Stacks, StacksHref: "/stacks?worker=" + string(worker.ID), Lasting: worker.Online || worker.Unheard, Revoked: worker.Revoked,
		RevokeHref: base + "/revoke", DeleteHref: base + "/delete", PolicyHref: base + "/policy", Seen: at(worker.LeftAt, now)}
	switch {
	case worker.Online:
		line.Seen = at(worker.ConnectedAt, now)
	case worker.Unheard:
		line.Seen = at(worker.UnheardSince, now)
	}
	return line
}

// hostLoad is how much of a host is used, as shares in words; empty where it is not known.
type hostLoad struct {
	CPU, Memory, Disk hostShare
}

type hostShare struct {
	Text string
	Late bool // somebody has to look
}

func hostLoadOf(r fleet.Reading) hostLoad {
	return hostLoad{shareOf(r.CPU, 0), shareOf(fleet.Share(r.Memory, r.MemoryTotal), fullMemory), shareOf(fleet.Share(r.Disk, r.DiskTotal), fleet.FullDisk)}
}

// shareOf is a share in thousandths, of which somebody is needed from late on; 0: never.
func shareOf(share, late int) hostShare {
	if share == fleet.Unread {
		return hostShare{}
	}
	return hostShare{percentOf(share), late > 0 && share >= late}
}

// workerHref is the worker's own page.
func workerHref(id core.WorkerID) string { return "/workers/" + string(id) }

func workerBadge(worker fleet.Worker) badge {
	if worker.Revoked {
		return badge{"idle", "lock", "Revoked"}
	}
	return badgeOf(presenceBadges, worker.Presence())
}

// WorkerBarrer cuts workers off and removes them; see fleet.Desk.
type WorkerBarrer interface {
	WorkerFinder
	Revoke(ctx context.Context, by access.Principal, id core.WorkerID) (fleet.Worker, error)
	Delete(ctx context.Context, by access.Principal, id core.WorkerID) error
}
