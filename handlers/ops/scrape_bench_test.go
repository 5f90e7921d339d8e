package ops_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/metrics"
	"berth/handlers/ops"
	"berth/hub/adapter/promtext"
)

// BenchmarkScrape asks for the metrics of so many workers over HTTP, and for the same bytes from a
// handler that has them in memory: the least that an HTTP server can do.
func BenchmarkScrape(b *testing.B) {
	for _, workers := range []int{1, 1000} {
		board := metrics.NewBoard(metrics.Config{Version: "1", Validator: promtext.Validator{}, Clock: time.Now,
			Process: func() metrics.Process { return metrics.Process{} }})
		for i := range workers {
			id := core.WorkerID(core.NewID(core.PrefixWorker, time.Unix(int64(i), 0)))
			board.Workers.Connected(id, fmt.Sprint("host-", i))
			board.Workers.Put(id, metrics.Snapshot{Text: reported(i)})
		}
		for _, encoding := range []string{"identity", "gzip"} {
			server := httptest.NewServer(ops.Metrics(board))
			var held bytes.Buffer
			fetch(b, server.URL, encoding, &held)
			body := held.Bytes()
			floor := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", strconv.Itoa(len(body)))
				_, _ = w.Write(body)
			}))
			for name, url := range map[string]string{"floor": floor.URL, "scrape": server.URL} {
				b.Run(fmt.Sprintf("%d/%s/%s", workers, encoding, name), func(b *testing.B) {
					b.SetBytes(int64(len(body)))
					for b.Loop() {
						fetch(b, url, encoding, io.Discard)
					}
				})
			}
			server.Close()
			floor.Close()
		}
	}
}

// reported is what a worker says: 40 families of 5 series.
func reported(worker int) string {
	var text strings.Builder
	for family := range 40 {
		fmt.Fprintf(&text, "# TYPE x_%d gauge\n", family)
		for i := range 5 {
			fmt.Fprintf(&text, "x_%d{stack=\"stack-%d\"} %d\n", family, i, worker*i)
		}
	}
	return text.String()
}

func fetch(b *testing.B, url, encoding string, to io.Writer) {
	b.Helper()
	ask, err := http.NewRequestWithContext(b.Context(), http.MethodGet, url, nil)
	if err != nil {
		b.Fatal(err)
	}
	ask.Header.Set("Accept-Encoding", encoding)
	answer, err := http.DefaultClient.Do(ask)
	if err != nil {
		b.Fatal(err)
	}
	defer answer.Body.Close()
	if _, err := io.Copy(to, answer.Body); err != nil || answer.StatusCode != http.StatusOK {
		b.Fatal(answer.Status, err)
	}
}
