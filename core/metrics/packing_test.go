package metrics_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"berth/core/metrics"
)

// wide is a snapshot with as many series of one family as make its part worth compressing.
func wide(number int) string {
	var text strings.Builder
	text.WriteString("# TYPE x gauge\n")
	for i := range 100 {
		fmt.Fprintf(&text, "x{series=\"a label that is rather long, of series %d\"} %d\n", i, number)
	}
	return text.String()
}

// TestWhatIsCompressedCountsAsKept: pieces that are kept compressed take room of what may be kept, and give
// it back with what they were made of, whatever becomes of that.
func TestWhatIsCompressedCountsAsKept(t *testing.T) {
	b, at := board()
	counted := func(when string, some bool) {
		t.Helper()
		_, pieces := b.Workers.Kept()
		if found := b.Workers.Found(); pieces != found || (pieces > 0) != some {
			t.Errorf("%s: %d bytes are counted and %d are there", when, pieces, found)
		}
	}
	zip := func() {
		t.Helper()
		if err := b.All(t.Context(), metrics.Format{Gzip: true}, io.Discard); err != nil {
			t.Fatal(err)
		}
	}
	const workers = 40
	for i := range workers {
		b.Workers.Connected(id(i), "host")
		b.Workers.Put(id(i), metrics.Snapshot{Text: wide(i)})
		if i%7 == 0 {
			zip() // chunks are cut in two later
		}
	}
	counted("at first", true)
	for range 3 {
		at.pass(time.Minute)
		for i := range workers {
			b.Workers.Heard(id(i), time.Millisecond)
			b.Workers.Put(id(i), metrics.Snapshot{Text: wide(i + 1000)})
		}
		zip()
		counted("after changes", true)
	}
	for i := range workers {
		b.Workers.Left(id(i))
	}
	counted("after all have left", false)
}

// TestCompressedPiecesStayWithinTheLimit: what does not fit is compressed anew by each scrape, and shown all the same.
func TestCompressedPiecesStayWithinTheLimit(t *testing.T) {
	b, at := board()
	const limit = 200 << 10
	b.Workers.Limit(limit)
	for i := range 60 {
		b.Workers.Connected(id(i), "host")
		b.Workers.Put(id(i), metrics.Snapshot{Text: wide(i)})
		at.pass(time.Second)
		var zipped strings.Builder
		if err := b.All(t.Context(), metrics.Format{Gzip: true}, &zipped); err != nil {
			t.Fatal(err)
		}
		text, pieces := b.Workers.Kept()
		if text+pieces > limit {
			t.Fatalf("%d bytes of text and %d compressed are kept; %d may be", text, pieces, limit)
		}
		if i == 59 {
			shown := zipped.String()
			if metrics.Compressed([]byte(shown)) {
				shown = unzip(t, []byte(shown))
			}
			if strings.Count(shown, "\nx{") != strings.Count(scrape(t, b), "\nx{") || pieces == 0 {
				t.Errorf("compressed it is another exposition, with %d bytes kept", pieces)
			}
		}
	}
}
