package main

import (
	"context"
	"io"
	"slices"
	"time"

	"berth/core/seal"
)

// crowdQuestion is what the process of many workers is asked, with everything it is to do first.
type crowdQuestion struct {
	Bring  []string // tokens of workers to bring in, no more than atOnce of them on their way at a time
	Mute   bool     // these get a link, say once how they are, and then neither read nor write
	Runs   bool     // these take runs of jobs, and tell nothing else
	URL    string   // of the server
	Forget bool     // what came of attempts until now
	Tell   bool     // what came of attempts
}

// crowdAnswer is how the workers are.
type crowdAnswer struct {
	Online     int
	Runs       int             // that were started
	Twice      int             // of them, more than once
	Handshakes []time.Duration // from here on only when asked to tell
	Told       int
	Unanswered int
	Others     map[string]int
	Sent       sent
}

// crowd is many workers in one process.
type crowd struct {
	meeting  meeting
	runs     *lightRuns
	count    int
	problems chan error // of bringing them in
}

// crowdAide simulates workers until in ends.
func crowdAide(in io.Reader, out io.Writer) error {
	c := &crowd{runs: newLightRuns(), problems: make(chan error, 1)}
	return serveLines(in, out, func(ctx context.Context, q crowdQuestion) (crowdAnswer, error) {
		if q.Forget {
			c.meeting.begin()
		}
		if len(q.Bring) > 0 {
			first := c.count
			c.count += len(q.Bring)
			go func() {
				if err := c.bring(ctx, q, first); err != nil {
					c.problems <- err
				}
			}()
		}
		select {
		case err := <-c.problems:
			return crowdAnswer{}, err
		default:
			a := c.meeting.answer(q.Tell)
			a.Runs, a.Twice = c.runs.counts()
			return a, nil
		}
	})
}

// bring lets workers come; registration is slower than coming back, so they do not come all at once.
func (c *crowd) bring(ctx context.Context, q crowdQuestion, first int) error {
	before := c.meeting.now()
	for i, text := range q.Bring {
		token, err := seal.ParseToken(text)
		if err != nil {
			return err
		}
		w, err := newLightWorker(q.URL, token, first+i)
		if err != nil {
			return err
		}
		if q.Runs {
			w.runs = c.runs
		} else {
			w.report = &reporter{number: first + i, mute: q.Mute}
		}
		go w.run(ctx, &c.meeting)
		if err := c.meeting.reaches(ctx, before+i-atOnce, func() error { return nil }); err != nil {
			return err
		}
	}
	return nil
}

// answer says how many links there are and, when all is true, what came of attempts.
func (m *meeting) answer(all bool) crowdAnswer {
	m.mu.Lock()
	defer m.mu.Unlock()
	a := crowdAnswer{Online: m.online, Sent: m.sent}
	if all {
		a.Handshakes, a.Told, a.Unanswered, a.Others = slices.Clone(m.handshakes), m.told, m.unanswered, m.others
	}
	return a
}

// figures tell of a return that took so long.
func (a crowdAnswer) figures(name string, took time.Duration) []figure {
	m := &meeting{handshakes: a.Handshakes, told: a.Told, unanswered: a.Unanswered, others: a.Others}
	return m.figures(name, took)
}
