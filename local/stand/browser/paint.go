package browser

import (
	"context"
	"fmt"
	"time"

	"github.com/chromedp/chromedp"
)

// largestPaint notes when the largest thing that the page shows was painted.
const largestPaint = `(window.largestPaint = 0, new PerformanceObserver((list) => { for (const e of list.getEntries()) window.largestPaint = e.startTime }).observe({ type: "largest-contentful-paint", buffered: true }), true)`

// LargestPaint is how long after the page was asked for the largest thing on it was painted.
func (b *Browser) LargestPaint() time.Duration {
	b.t.Helper()
	Ask[bool](b, largestPaint)
	b.Until("the largest paint", `window.largestPaint > 0`)
	return time.Duration(Ask[float64](b, `window.largestPaint`) * float64(time.Millisecond))
}

// Transferred is how many bytes the page took over the network, with all that it loads.
func (b *Browser) Transferred() int64 {
	b.t.Helper()
	return Ask[int64](b, `performance.getEntries().filter((e) => "transferSize" in e).reduce((sum, e) => sum + e.transferSize, 0)`)
}

// Until waits for a condition in the page.
func (b *Browser) Until(what, condition string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		if holds, err := chromedp.Run(ctx, chromedp.Evaluate[bool](condition)); err == nil && holds {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			b.t.Fatal(fmt.Sprintf("waited in vain for %s", what))
		}
	}
}
