package ui

import (
	"bytes"
	"context"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"berth/core/fault"
	"berth/core/stacks"
	"berth/core/wire"
	"berth/handlers/endpoint"
)

// ServiceLogger reads the log of a compose service from the stack's worker.
type ServiceLogger interface {
	// Logs writes the last lines to w and, when they are to be followed, new ones until ctx ends.
	Logs(ctx context.Context, s stacks.Stack, service string, ask stacks.LogAsk, w io.Writer) error
}

const (
	maxShownLog = 2 << 20  // bytes of a log on a page: its end
	maxSavedLog = 16 << 20 // of one that is saved
	maxLogLine  = 64 << 10 // bytes of one line that is followed; a longer one is broken
)

// tails are how many lines from the end a page offers to show.
var tails = []int{100, 200, 1000, 5000}

const defaultTail = 200

type serviceLogsPage struct {
	Stack      string
	Service    string
	Others     []tab // the log of each compose service of the stack; empty: it has this one alone
	Tail       choice
	Search     exact  // only lines that hold it
	Sought     string // the same, to be looked at
	Lines      []logLine
	NoTimes    bool   // the worker does not tell them
	Hidden     bool   // they are there, and nobody wants to see them
	Of         int    // lines that were searched; 0: none were
	Trouble    string // why there is nothing to show
	FollowHref string
	SaveHref   string // the end of the log as a file
	SaveAs     string
}

var serviceLogsView = newView[serviceLogsPage]("service_logs.html")

// ServiceLogs shows the end of a compose service's log.
func ServiceLogs(reader StackReader, logger ServiceLogger) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		s, service, err := serviceIn(r, reader)
		if err != nil {
			return err
		}
		tail := tailIn(r)
		search := r.URL.Query().Get("q")
		page := serviceLogsPage{Stack: s.Name, Service: service, Tail: tailChoice(tail), Search: exact(search), Sought: search, Hidden: timesHidden(r),
			FollowHref: followHref(s, service, tail, search),
			SaveHref:   saveHref(s, service, timesHidden(r)), SaveAs: s.Name + "-" + service + ".log"}
		if page.Others, err = logTabs(r, reader, s, service); err != nil {
			return err
		}
		status := http.StatusOK
		log := shownLog(r.Context())
		if err := readLog(r.Context(), logger, s, service, stacks.LogAsk{Tail: tail, Times: true}, log.begin); err != nil {
			c, ours := complain(r, err)
			if !ours {
				return err
			}
			status, page.Trouble = c.Status, c.general()
			c.when(w)
		}
		found := log.lines()
		if search != "" {
			page.Of, found = len(found), thoseHolding(found, search)
		}
		page.Lines, page.NoTimes = logLines(r.Context(), found), !log.timed
		f := newFrame(r, inStacks, "Log of "+service+" in "+s.Name, stackTrail(s)...)
		return serviceLogsView.write(w, r, status, f, page)
	})
}

// logTabs lead from one log of a stack to the others, which are read and searched in the same way.
func logTabs(r *http.Request, reader StackReader, s stacks.Stack, shown string) ([]tab, error) {
	current, err := currentRevision(r.Context(), reader, s)
	var tabs []tab
	for _, l := range servicesOf(current, s, time.Time{}) {
		tabs = append(tabs, tab{Word: l.Name, Href: withQuery(l.LogsHref, r.URL.Query()), Current: l.Name == shown})
	}
	if len(tabs) < 2 {
		return nil, err
	}
	return tabs, err
}

// timesHidden reads ?times=: those of a log are shown unless it is "off".
func timesHidden(r *http.Request) bool { return r.URL.Query().Get("times") == "off" }

func saveHref(s stacks.Stack, service string, hidden bool) string {
	path := serviceHref(s, service) + "/logs/file"
	if hidden {
		path = withQuery(path, url.Values{"times": {"off"}})
	}
	return path
}

func followHref(s stacks.Stack, service string, tail int, search string) string {
	q := url.Values{"tail": {strconv.Itoa(tail)}}
	if search != "" {
		q.Set("q", search)
	}
	return withQuery(serviceHref(s, service)+"/logs/follow", q)
}

// FollowServiceLogs sends a compose service's log as plain text, safe to look at, until the
// browser goes; where the host cannot stream, what there is. Each line begins with its time, which is empty where nobody
// tells it, and a space. Only the script asks for it.
func FollowServiceLogs(reader StackReader, logger ServiceLogger) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		s, service, err := serviceIn(r, reader)
		if err != nil {
			return err
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		if _, whole := endpoint.Room(r.Context()); whole {
			return wholeServiceLog(w, r, s, service, logger)
		}
		out := &safeLines{search: r.URL.Query().Get("q"), w: w, flush: http.NewResponseController(w).Flush}
		err = readLog(r.Context(), logger, s, service, stacks.LogAsk{Tail: tailIn(r), Follow: true, Times: true}, out.begin)
		if out.began || r.Context().Err() != nil {
			return nil // the answer is under way; that it ends is all that can be said
		}
		return err
	})
}

// savedTail is how many lines a file of a log holds at most: as many as a worker is asked for at once.
const savedTail = wire.MaxTail

// SaveServiceLogs sends the end of a compose service's log as a file, byte for byte but for secrets, which never
// come this far. Each line has its time before it, unless ?times=off.
func SaveServiceLogs(reader StackReader, logger ServiceLogger) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		s, service, err := serviceIn(r, reader)
		if err != nil {
			return err
		}
		log := shownLog(r.Context())
		if _, whole := endpoint.Room(r.Context()); !whole {
			log.limit = maxSavedLog
		}
		if err := readLog(r.Context(), logger, s, service, stacks.LogAsk{Tail: savedTail, Times: !timesHidden(r)}, log.begin); err != nil {
			return err
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": s.Name + "-" + service + ".log"}))
		w.Write(log.end()) // a browser that has gone needs none
		return nil
	})
}

// wholeServiceLog sends the end of a log where the host cannot stream: the script asks for it
// again and again.
func wholeServiceLog(w http.ResponseWriter, r *http.Request, s stacks.Stack, service string, logger ServiceLogger) error {
	log := shownLog(r.Context())
	if err := readLog(r.Context(), logger, s, service, stacks.LogAsk{Tail: tailIn(r), Times: true}, log.begin); err != nil {
		return err
	}
	endpoint.SayUnstreamed(w)
	for _, line := range thoseHolding(log.lines(), r.URL.Query().Get("q")) {
		io.WriteString(w, line.forScript()) // a browser that has gone needs none
	}
	return nil
}

// shownLog keeps as much of a log as an answer has room for: its lines, and what must be
// escaped, take some too.
func shownLog(ctx context.Context) *endOf {
	log := &endOf{limit: maxShownLog}
	if room, whole := endpoint.Room(ctx); whole {
		log.limit = min(log.limit, room/2)
	}
	return log
}

// tailIn reads ?tail=; anything that is not offered is the default.
func tailIn(r *http.Request) int {
	tail, err := strconv.Atoi(r.URL.Query().Get("tail"))
	if err != nil || !slices.Contains(tails, tail) {
		return defaultTail
	}
	return tail
}

func tailChoice(current int) choice {
	c := choice{Name: "tail", Label: "Lines"}
	for _, n := range tails {
		c.Options = append(c.Options, option{exact(strconv.Itoa(n)), "last " + strconv.Itoa(n), n == current})
	}
	return c
}

// endOf keeps the last bytes of a log that is written to it.
type endOf struct {
	limit int
	kept  []byte
	cut   bool // what came first is not kept any more
	timed bool // its lines begin with their times
}

func (e *endOf) begin(timed bool) io.Writer {
	e.timed = timed
	return e
}

// Write implements io.Writer.
func (e *endOf) Write(p []byte) (int, error) {
	e.kept = append(e.kept, p...)
	if over := len(e.kept) - e.limit; over > e.limit/4 {
		e.kept = append(e.kept[:0], e.kept[over:]...)
		e.cut = true
	}
	return len(p), nil
}

// end is what was kept. It begins with a whole line where lines have times: half a time would be read as text.
func (e *endOf) end() []byte {
	over := max(0, len(e.kept)-e.limit)
	kept := e.kept[over:]
	if e.timed && (e.cut || over > 0) {
		kept = kept[bytes.IndexByte(kept, '\n')+1:]
	}
	return kept
}

func (e *endOf) lines() []serviceLogLine {
	text := string(e.end())
	if text = strings.TrimRight(text, "\n"); text == "" {
		return nil
	}
	return serviceLogLines(text, e.timed)
}

// safeLines passes whole lines on at once, each made safe to look at.
type safeLines struct {
	search string // only lines that hold it pass
	timed  bool   // they begin with their times
	w      io.Writer
	flush  func() error
	rest   []byte // begin of a line whose end has not come
	began  bool
}

func (l *safeLines) begin(timed bool) io.Writer {
	l.timed = timed
	return l
}

// Write implements io.Writer.
func (l *safeLines) Write(p []byte) (int, error) {
	l.rest = append(l.rest, p...)
	end := bytes.LastIndexByte(l.rest, '\n') + 1
	if end == 0 && len(l.rest) < maxLogLine {
		return len(p), nil
	}
	if end == 0 {
		end = len(l.rest)
	}
	var out strings.Builder
	for _, line := range thoseHolding(serviceLogLines(strings.TrimSuffix(string(l.rest[:end]), "\n"), l.timed), l.search) {
		out.WriteString(line.forScript())
	}
	l.rest = append(l.rest[:0], l.rest[end:]...)
	l.began = true
	if _, err := io.WriteString(l.w, out.String()); err != nil {
		return 0, err
	}
	if err := l.flush(); err != nil {
		return 0, fault.New(fault.Unavailable, "logs.no_stream", "This server cannot pass a log on as it comes. Read it page by page.").Because(err)
	}
	return len(p), nil
}
