package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"berth/core/seal"
)

// state is what is known of a server at one time.
type state struct {
	memory     memory
	goroutines int64
	bytes      int64 // of a plain scrape
}

// state looks at memory first: a scrape needs some.
func (t *thousands) state(ctx context.Context) (s state, err error) {
	if s.memory, err = memoryOf(t.pid()); err != nil {
		return s, err
	}
	var text strings.Builder
	one := newScraper(t.site.url()+"/metrics", t.client.Key)
	defer one.close()
	if _, s.bytes, err = one.scrape(ctx, "identity", &text); err != nil {
		return s, err
	}
	_, rest, found := strings.Cut(text.String(), "\ngo_goroutines ")
	line, _, _ := strings.Cut(rest, "\n")
	if s.goroutines, err = strconv.ParseInt(line, 10, 64); !found || err != nil {
		return s, fmt.Errorf("the scrape has no go_goroutines: %w", err)
	}
	return s, nil
}

// rest measures the server while its workers only say how they are.
func (t *thousands) rest(ctx context.Context, _ []seal.Token) ([]figure, error) {
	t.b.say("settling for %v, then watching for %v", settled, idleTime)
	if err := pause(ctx, settled); err != nil {
		return nil, err
	}
	var before, after crowdAnswer
	if err := t.crowd.ask(crowdQuestion{}, &before); err != nil {
		return nil, err
	}
	began := time.Now()
	from, err := processorTime(t.pid())
	if err != nil {
		return nil, err
	}
	if err := pause(ctx, idleTime); err != nil {
		return nil, err
	}
	to, err := processorTime(t.pid())
	if err != nil {
		return nil, err
	}
	percent := 100 * float64(to-from) / float64(time.Since(began))
	if err := t.crowd.ask(crowdQuestion{}, &after); err != nil {
		return nil, err
	}
	full, err := t.state(ctx)
	if err != nil {
		return nil, err
	}
	snapshots := max(after.Sent.Snapshots-before.Sent.Snapshots, 1)
	return append([]figure{
		{name: "  at rest: processor time of the server", result: fmt.Sprintf("%.2f %% of a core", percent), goal: fmt.Sprintf("under %g %%", restGoal), met: percent < restGoal},
		{name: "  snapshots in that minute", result: fmt.Sprintf("%d of %d bytes, whole %d", snapshots, (after.Sent.Bytes-before.Sent.Bytes)/snapshots, after.Sent.Whole)},
	}, t.held(full)...), nil
}

// held tells what the server holds for each worker. A worker's snapshot is what the scrape has more because
// of it: the text that is kept, with the labels that the server adds.
func (t *thousands) held(full state) []figure {
	n := int64(t.n)
	each, snapshot := (full.memory.resident-t.empty.memory.resident)/n, (full.bytes-t.empty.bytes)/n
	above := each - snapshot
	return []figure{
		{name: "  memory of the server", result: full.memory.String() + ", without workers " + t.empty.memory.String()},
		{name: "  for each worker; its snapshot in the scrape", result: fmt.Sprintf("%s; %s", kilobytes(each), kilobytes(snapshot))},
		{name: "  for each worker, above its snapshot", result: kilobytes(above), goal: "at most " + kilobytes(perWorkerGoal), met: above <= perWorkerGoal},
		{name: "  goroutines for each worker", result: fmt.Sprintf("%.2f", float64(full.goroutines-t.empty.goroutines)/float64(n))},
	}
}

// kilobytes shows bytes in KiB.
func kilobytes(bytes int64) string { return fmt.Sprintf("%.1f KiB", float64(bytes)/1024) }

func (t *thousands) scraped(ctx context.Context, _ []seal.Token) ([]figure, error) {
	t.b.say("scraping")
	s, err := t.b.scrapes(ctx, t.server)
	if err != nil {
		return nil, err
	}
	after, err := memoryOf(t.pid())
	return append(s.figures("scrape"), figure{name: "  memory of the server after the scrapes", result: after.String()}), err
}

// scrapedBesideMute scrapes while one worker has a link and neither reads nor writes.
func (t *thousands) scrapedBesideMute(ctx context.Context, tokens []seal.Token) ([]figure, error) {
	t.b.say("scraping beside a worker that never answers")
	if err := t.bring(ctx, tokens[t.n:], true); err != nil {
		return nil, err
	}
	s, err := t.b.scrapes(ctx, t.server)
	if err != nil {
		return nil, err
	}
	return s.figures("beside a mute worker"), nil
}
