package outbox

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"berth/core/wire"
	"berth/hub/worker/journal"
)

// Bounds of what waits, in bytes, and of how long it may.
const (
	chunkBytes  = 32 << 10  // one Event.Log; half of what is allowed, for slow links
	feedBytes   = 512 << 10 // waiting chunks of one command
	maxLine     = 16 << 10  // a longer line is cut
	tailBytes   = 256 << 10 // sent chunks of one command that are kept to be sent again
	tailEvents  = 1024      // sent events, likewise
	maxFinished = 16        // feeds of commands that have ended
	flushAfter  = 100 * time.Millisecond
)

// Feed is what one command has to tell. Its methods may be called from any goroutine
// and never block on a link.
type Feed struct {
	box *Box
	key journal.Key

	// Guarded by box.mu.
	base     uint64 // the number before that of the first event
	number   uint64 // of the last event
	waiting  []wire.Event
	bytes    int             // of log text in waiting
	chunk    strings.Builder // lines that are not an event yet
	since    time.Time       // of the first line in chunk
	logTo    string          // how far the log of a container is told with chunk; empty: no line in it is a container's
	tells    bool            // lines of a container were told
	rewound  func()          // called when lines are to be told again; nil: nobody tells now
	later    *string         // how far a container's log was told before what is told next; nil: it just goes on
	room     chan struct{}   // closed when there is room again, or what was told is to be told again; nil: nobody waits for it
	lost     int             // lines that were dropped before what waits
	flying   *wire.Event     // handed out and not sent yet
	told     int             // how many lost lines flying tells of
	finished bool
	emptied  bool         // that all of it was sent has been told
	sent     []wire.Event // the last ones, as they were sent
	kept     int          // bytes of log text in sent
}

// Line adds text to the log, one line or several.
func (f *Feed) Line(text string) {
	f.box.mu.Lock()
	defer f.box.mu.Unlock()
	if f.logTo != "" {
		f.seal() // a container's lines may have to be told again, these cannot be
	}
	f.lines(text)
}

func (f *Feed) lines(text string) {
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		f.add(cut(strings.TrimSuffix(line, "\r")))
	}
	f.box.ring()
}

// Started tells that the container of a run was started, and how long ago. The lines before it go first.
func (f *Feed) Started(ago time.Duration) {
	f.box.mu.Lock()
	defer f.box.mu.Unlock()
	f.seal()
	f.push(wire.Event{Started: true, RanMS: ago.Milliseconds()})
	f.box.ring()
}

// Phase tells that a phase changed. The lines before it go first.
func (f *Feed) Phase(p wire.PhaseEvent) {
	f.box.mu.Lock()
	defer f.box.mu.Unlock()
	f.seal()
	f.push(wire.Event{Phase: &p})
	f.box.ring()
}

// Last returns the number of the last event, with the lines so far as a part of it.
func (f *Feed) Last() uint64 {
	f.box.mu.Lock()
	defer f.box.mu.Unlock()
	f.seal()
	return f.number
}

// Finish says that nothing more comes. What waits is sent without delay. It reports false, and does nothing, when
// lines of a container are still to be told: see Later.
func (f *Feed) Finish() bool {
	f.box.mu.Lock()
	defer f.box.mu.Unlock()
	if f.later != nil {
		return false
	}
	f.seal()
	f.finished = true
	f.box.boundFinished()
	f.box.ring()
	return true
}

// Drop forgets the feed and what waits in it.
func (f *Feed) Drop() {
	f.box.mu.Lock()
	defer f.box.mu.Unlock()
	f.box.remove(f)
	f.box.ring()
}

func (f *Feed) add(line string) {
	if f.chunk.Len() > 0 && f.chunk.Len()+len(line)+1 > chunkBytes {
		f.seal()
	}
	if f.chunk.Len() == 0 {
		f.since = time.Now()
	}
	f.chunk.WriteString(line)
	f.chunk.WriteByte('\n')
}

// seal makes an event of the lines so far.
func (f *Feed) seal() {
	if f.chunk.Len() == 0 {
		return
	}
	text := f.chunk.String()
	f.chunk.Reset()
	f.push(wire.Event{Log: text, LogTo: f.logTo})
	f.logTo = ""
	f.bytes += len(text)
	for f.bytes > feedBytes && f.dropOldest() {
	}
}

func (f *Feed) push(e wire.Event) {
	f.number++
	e.ID, e.Attempt, e.Number = f.key.ID, f.key.Attempt, f.number
	f.waiting = append(f.waiting, e)
}

// dropOldest drops the oldest log text; phases stay.
func (f *Feed) dropOldest() bool {
	for i, e := range f.waiting {
		if e.Log != "" {
			f.lost += strings.Count(e.Log, "\n")
			f.bytes -= len(e.Log)
			f.waiting = append(f.waiting[:i], f.waiting[i+1:]...)
			f.box.dropped++
			return true
		}
	}
	return false
}

// due returns when the feed has something to send; ok is false when it has nothing.
func (f *Feed) due() (at time.Time, ok bool) {
	switch {
	case len(f.waiting) > 0:
		return time.Time{}, true
	case f.chunk.Len() > 0:
		return f.since.Add(flushAfter), true
	}
	return time.Time{}, false
}

// take hands out the oldest event, with a mark where lines are missing before it.
func (f *Feed) take() wire.Event {
	if len(f.waiting) == 0 {
		f.seal()
	}
	e := f.waiting[0]
	f.waiting = f.waiting[1:]
	f.bytes -= len(e.Log)
	if f.bytes < feedBytes/2 {
		f.makeRoom()
	}
	f.flying = &e
	if f.lost == 0 || e.Log == "" {
		return e
	}
	f.told = f.lost
	marked := e
	marked.Log = lostMark(f.lost) + e.Log
	return marked
}

// landed ends a flight: the event was sent, or it goes back to where it came from.
func (f *Feed) landed(sent bool) {
	if sent {
		if f.told > 0 {
			f.flying.Log = lostMark(f.told) + f.flying.Log
		}
		f.lost -= f.told
		f.keep(*f.flying)
	} else {
		f.waiting = slices.Insert(f.waiting, 0, *f.flying)
		f.bytes += len(f.flying.Log)
	}
	f.flying, f.told = nil, 0
}

// keep holds what was sent for a hub that may not have it; the oldest goes, lines of a container first: they can be
// read again.
func (f *Feed) keep(e wire.Event) {
	f.sent, f.kept = append(f.sent, e), f.kept+len(e.Log)
	for f.kept > tailBytes || len(f.sent) > tailEvents {
		i := max(0, slices.IndexFunc(f.sent, ofContainer))
		f.kept -= len(f.sent[i].Log)
		f.sent = slices.Delete(f.sent, i, i+1)
	}
}

// again puts what was sent after an event back to what waits.
func (f *Feed) again(after uint64) {
	i := slices.IndexFunc(f.sent, func(e wire.Event) bool { return e.Number > after })
	if i < 0 {
		return
	}
	f.mark()
	for _, e := range f.sent[i:] {
		f.kept, f.bytes = f.kept-len(e.Log), f.bytes+len(e.Log)
	}
	f.waiting = append(slices.Clone(f.sent[i:]), f.waiting...)
	f.sent, f.emptied = f.sent[:i], false
}

// mark has the lines that are missing told of where they are missing: before what waits now.
func (f *Feed) mark() {
	if i := slices.IndexFunc(f.waiting, func(e wire.Event) bool { return e.Log != "" }); f.lost > 0 && i >= 0 {
		mark := lostMark(f.lost)
		f.waiting[i].Log, f.bytes, f.lost = mark+f.waiting[i].Log, f.bytes+len(mark), 0
	}
}

func lostMark(lines int) string {
	if lines == 1 {
		return "… 1 line is missing here: the link to the hub could not keep up …\n"
	}
	return fmt.Sprintf("… %d lines are missing here: the link to the hub could not keep up …\n", lines)
}

func (f *Feed) empty() bool {
	return len(f.waiting) == 0 && f.chunk.Len() == 0 && f.flying == nil
}

func cut(line string) string {
	if len(line) <= maxLine {
		return line
	}
	end := maxLine
	for end > 0 && !utf8.RuneStart(line[end]) {
		end--
	}
	return line[:end] + "…"
}
