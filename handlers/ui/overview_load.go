package ui

import (
	"context"
	"fmt"
	"slices"
	"time"

	"berth/core"
	"berth/core/fleet"
)

// FleetLoader tells how busy hosts are by their newest readings; of the busiest and of those whose disk is nearly full at
// most limit.
type FleetLoader interface {
	FleetLoad(ctx context.Context, now time.Time, limit int) (fleet.Load, error)
}

// loadPicture is how busy the hosts of the fleet are.
type loadPicture struct {
	Text    string // the columns in words; empty: there are none
	Width   int
	Height  int
	Top     int
	Columns []column // hosts by how busy their processors are, in tenths; none for a small fleet
	Lines   []loadLine
}

// loadLine is how busy one host is.
type loadLine struct {
	Name, Href string
	Tone       string
	CPU        int    // thousandths
	Text       string // the bar in words
	Words      string
}

const busiest = 5 // of a fleet that is not listed whole

// putLoad draws how busy hosts are, and puts those whose disk is nearly full among what needs somebody.
func (o *overview) putLoad(page *overviewPage) error {
	limit := overviewWorkers
	if page.Fleet.Longest {
		limit = busiest
	}
	load, err := o.reader.FleetLoad(o.ctx, o.now, limit)
	if err != nil {
		return err
	}
	var ids []core.WorkerID
	for _, r := range append(slices.Clone(load.Full), load.Busiest...) {
		ids = append(ids, r.Worker)
	}
	found, err := o.reader.WorkersNamed(o.ctx, ids)
	known := map[core.WorkerID]fleet.Worker{}
	for _, w := range found {
		known[w.ID] = w
	}
	for _, r := range load.Full {
		if w, there := known[r.Worker]; there {
			page.Needs = append(page.Needs, fullNeed(w, r, o.now))
		}
	}
	if page.Fleet.Longest {
		page.Load = loadOf(load)
	}
	for _, r := range load.Busiest {
		if w, there := known[r.Worker]; there {
			page.Load.Lines = append(page.Load.Lines, loadLineOf(w, r))
		}
	}
	return err
}

// fullNeed is about a host whose disk has little room left.
func fullNeed(w fleet.Worker, r fleet.Reading, now time.Time) need {
	return need{Tone: "warn", Icon: "alert", Kind: "Worker", Name: w.Label(), Href: workerHref(w.ID), Since: at(r.At, now), Action: "See its host", ActionHref: workerHref(w.ID),
		Why: fmt.Sprintf("The disk of its host is %s full: %s. Images that are pulled soon have no room there. Remove what is not used, as with docker system prune, or enlarge the disk.",
			percent(int(r.Disk>>10), int(max(r.DiskTotal>>10, 1))), partWords(r.Disk, r.DiskTotal))}
}

// loadOf draws a fleet that is too large for a line each.
func loadOf(load fleet.Load) loadPicture {
	p := loadPicture{Width: len(load.Bands) * columnStep, Height: columnHeight}
	total := load.Total()
	if total == 0 {
		return p
	}
	busy, most := 0, 0
	for i, n := range load.Bands {
		most = max(most, n)
		if i >= 8 {
			busy += n
		}
	}
	p.Top = max(most, leastTop)
	for i, n := range load.Bands {
		c := column{X: i * columnStep, Title: fmt.Sprintf("%d to %d %% busy: %s", 10*i, 10*i+10, hosts(n))}
		if n > 0 {
			h := max(columnHeight*n/p.Top, partLeast)
			c.Parts = []part{{Y: columnHeight - h, H: h, Tone: map[bool]string{true: "warn", false: "busy"}[i >= 8]}}
		}
		p.Columns = append(p.Columns, c)
	}
	p.Text = fmt.Sprintf("How busy the processors of hosts are: of %s, %d at more than 80 %%.", hosts(total), busy)
	return p
}

func hosts(n int) string {
	if n == 1 {
		return "1 host"
	}
	return fmt.Sprintf("%d hosts", n)
}

func loadLineOf(w fleet.Worker, r fleet.Reading) loadLine {
	l := loadLine{Name: w.Label(), Href: workerHref(w.ID), Tone: "busy", CPU: r.CPU, Words: fmt.Sprintf("CPU %d %%", (r.CPU+5)/10)}
	if r.CPU >= 800 {
		l.Tone = "warn"
	}
	for _, of := range []struct {
		name  string
		share int
	}{{"memory", fleet.Share(r.Memory, r.MemoryTotal)}, {"disk", fleet.Share(r.Disk, r.DiskTotal)}} {
		if of.share != fleet.Unread {
			l.Words += fmt.Sprintf(", %s %d %%", of.name, (of.share+5)/10)
		}
	}
	l.Text = l.Name + ": " + l.Words
	return l
}
