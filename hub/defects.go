package hub

import (
	"runtime/debug"
	"sync"
	"time"
)

// maxPanics is how often in a row a defect may stop work on one item before that is set aside.
const maxPanics = 3

// asideFor is how long an item that was set aside is left alone, unless somebody asks for it.
const asideFor = time.Hour

// defects counts how often work on items ran into a defect of this program.
type defects struct {
	mu    sync.Mutex
	found map[any]finding // guarded by mu
}

type finding struct {
	times int // in a row
	last  time.Time
}

// note records how work on an item went; it reports whether that was once too often.
func (d *defects) note(item any, panicked bool, now time.Time) (tooOften bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !panicked {
		delete(d.found, item)
		return false
	}
	f := finding{times: d.found[item].times + 1, last: now}
	d.found[item] = f
	return f.times >= maxPanics
}

// aside reports whether an item is to be left alone now.
func (d *defects) aside(item any, now time.Time) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	f := d.found[item]
	return f.times >= maxPanics && now.Sub(f.last) < asideFor
}

// attempt works on one item. A defect stops only that; when it did so too often in a row,
// giveUp is called for the item.
func (h *Hub) attempt(item any, work, giveUp func()) {
	panicked := h.safely(item, work)
	if h.defects.note(item, panicked, h.opts.Now()) {
		h.safely(item, giveUp)
	}
}

// safely keeps one bad item from stopping the others; it reports whether fn panicked.
func (h *Hub) safely(item any, fn func()) (panicked bool) {
	defer func() {
		if problem := recover(); problem != nil {
			panicked = true
			h.log.Error("a defect stopped work on one item; the others go on", "item", item, "panic", problem, "stack", string(debug.Stack()))
		}
	}()
	fn()
	return false
}
