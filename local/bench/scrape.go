package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// floorGoal is how much longer a scrape may take than the floor.
const floorGoal = 1.3

// encodings are the forms of an answer that are measured.
var encodings = []string{"identity", "gzip"}

// scraper asks one server over one connection that is kept, and discards what it reads.
type scraper struct {
	url, key string
	http     *http.Client
	buffer   []byte
}

func newScraper(url, key string) *scraper {
	return &scraper{url: url, key: key, buffer: make([]byte, 256<<10),
		http: &http.Client{Timeout: time.Minute, Transport: &http.Transport{DisableCompression: true, MaxConnsPerHost: 1}}}
}

// scrape returns how long an answer took until its last byte, which goes to copy unless that is nil.
func (s *scraper) scrape(ctx context.Context, encoding string, copied io.Writer) (took time.Duration, bytes int64, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url, nil)
	if err != nil {
		return 0, 0, err
	}
	request.Header.Set("Accept-Encoding", encoding)
	if s.key != "" {
		request.Header.Set("X-Service-Api-Key", s.key)
	}
	began := time.Now()
	response, err := s.http.Do(request)
	if err != nil {
		return 0, 0, err
	}
	defer response.Body.Close()
	for err == nil {
		var n int
		n, err = response.Body.Read(s.buffer)
		bytes += int64(n)
		if copied != nil {
			if _, err := copied.Write(s.buffer[:n]); err != nil {
				return 0, 0, err
			}
		}
	}
	took = time.Since(began)
	got := response.Header.Get("Content-Encoding")
	switch {
	case !errors.Is(err, io.EOF):
		return 0, 0, err
	case response.StatusCode != http.StatusOK:
		return 0, 0, fmt.Errorf("%s answered %s", s.url, response.Status)
	case got != "" && got != encoding: // what is small may come as it is
		return 0, 0, fmt.Errorf("%s was asked for %s and answered %q", s.url, encoding, got)
	}
	return took, bytes, nil
}

func (s *scraper) close() { s.http.CloseIdleConnections() }

// scrapes is what a series of scrapes took, by encoding, and the floor's in turns with them.
type scrapes struct {
	real, floor map[string][]time.Duration
	bytes       map[string]int64
}

// scrapes measures a server's scrape and the floor's in turns. The floor answers with what the server
// answered at first.
func (b *bench) scrapes(ctx context.Context, srv *server) (*scrapes, error) {
	real := newScraper(srv.site.url()+"/metrics", srv.client.Key)
	defer real.close()
	floor, err := b.startAide("aide-floor")
	if err != nil {
		return nil, err
	}
	s, err := b.inTurns(ctx, real, floor)
	return s, errors.Join(err, floor.end())
}

// way is who is asked, and where the time goes that it took.
type way struct {
	from *scraper
	to   map[string][]time.Duration
}

func (b *bench) inTurns(ctx context.Context, real *scraper, floor *aide) (*scrapes, error) {
	s := &scrapes{real: map[string][]time.Duration{}, floor: map[string][]time.Duration{}, bytes: map[string]int64{}}
	files := map[string]string{}
	for _, encoding := range encodings {
		var content bytes.Buffer
		_, n, err := real.scrape(ctx, encoding, &content)
		if err != nil {
			return nil, err
		}
		files[encoding], s.bytes[encoding] = filepath.Join(b.dir, "scrape-"+encoding), n
		if err := os.WriteFile(files[encoding], content.Bytes(), 0o600); err != nil {
			return nil, err
		}
	}
	var at floorAnswer
	if err := floor.ask(floorQuestion{files["identity"], files["gzip"]}, &at); err != nil {
		return nil, err
	}
	bare := newScraper(at.URL, "")
	defer bare.close()
	for i := range b.runs*scrapesEach + warmUp {
		if err := pause(ctx, between); err != nil {
			return nil, err
		}
		for _, encoding := range encodings {
			ways := []way{{real, s.real}, {bare, s.floor}}
			if i%2 == 1 { // whoever is asked after a pause finds the processor asleep
				slices.Reverse(ways)
			}
			for _, w := range ways {
				took, _, err := w.from.scrape(ctx, encoding, nil)
				if err != nil {
					return nil, err
				}
				if i >= warmUp {
					w.to[encoding] = append(w.to[encoding], took)
				}
			}
		}
	}
	return s, nil
}

const (
	scrapesEach = 20 // for each of the runs
	warmUp      = 3  // that do not count

	between = 50 * time.Millisecond // of two rounds: the server takes only so many requests of one key
)

// ratio is how much longer the median takes than the floor's.
func (s *scrapes) ratio(encoding string) float64 {
	return ratio(median(s.real[encoding]), median(s.floor[encoding]))
}

func (s *scrapes) figures(title string) []figure {
	var figures []figure
	for _, encoding := range encodings {
		real, floor, times := s.real[encoding], s.floor[encoding], s.ratio(encoding)
		figures = append(figures,
			figure{name: fmt.Sprintf("  %s, %s: p50, p99", title, encoding), result: fmt.Sprintf("%s, %s (%d bytes)", fine(percentile(real, 50)), fine(percentile(real, 99)), s.bytes[encoding])},
			figure{name: "    floor: p50, p99", result: fmt.Sprintf("%s, %s", fine(percentile(floor, 50)), fine(percentile(floor, 99)))},
			figure{name: "    ratio of the medians", result: fmt.Sprintf("%.2f", times), goal: fmt.Sprintf("at most %g", floorGoal), met: times <= floorGoal})
	}
	return figures
}

// fine shows a duration in milliseconds with two decimals.
func fine(d time.Duration) string {
	return fmt.Sprintf("%.2f ms", float64(d)/float64(time.Millisecond))
}
