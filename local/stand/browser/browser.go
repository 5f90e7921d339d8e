package browser

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	logs "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// patience is how long one command of the browser may take.
const patience = 60 * time.Second

// networkChanged is what the browser says of what it breaks off because the host got or lost a network.
const networkChanged = "net::ERR_NETWORK_CHANGED"

// T is what a browser needs of a test. Fatal and Fatalf do not return.
type T interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Cleanup(func())
}

// Browser is one Chromium with one page. It is for one goroutine.
type Browser struct {
	t   T
	ctx context.Context

	mu       sync.Mutex
	troubles []string // console errors, refused content, failed requests; guarded by mu
}

// Open starts a browser for which host, such as "berth.test", is at address. It ends with the test.
func Open(t T, host, address string) *Browser {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath("/usr/bin/chromium"), chromedp.Flag("headless", true), chromedp.Flag("no-sandbox", true),
		chromedp.Flag("disable-gpu", true), chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
		chromedp.Flag("host-resolver-rules", "MAP "+host+" "+address),
		chromedp.Flag("unsafely-treat-insecure-origin-as-secure", "http://"+host)) // as localhost is
	allocator, end := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, endPage := chromedp.NewContext(allocator)
	t.Cleanup(func() { endPage(); end() })
	b := &Browser{t: t, ctx: ctx}
	// The browser lives as long as the context of the first thing that it does.
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(1280, 900)); err != nil {
		t.Fatal("the browser does not start: ", err)
	}
	if err := chromedp.Listen(ctx, b.notice); err != nil {
		t.Fatal(err)
	}
	return b
}

// notice writes down what a page must not do.
func (b *Browser) notice(event any) {
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		b.complain("exception: " + e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning {
			b.complain(fmt.Sprintf("console %s: %v", e.Type, e.Args))
		}
	case *logs.EventEntryAdded:
		// What is said about answers is judged below, by their status.
		if e.Entry.Level == logs.EntryLevelError && !strings.HasPrefix(e.Entry.Text, "Failed to load resource") {
			b.complain("log: " + e.Entry.Text + " " + e.Entry.URL)
		}
	case *network.EventLoadingFailed:
		if e.ErrorText != "net::ERR_ABORTED" && e.ErrorText != networkChanged { // a page that was left while it asked something
			b.complain("request failed: " + e.ErrorText + " " + string(e.BlockedReason))
		}
	case *network.EventResponseReceived:
		if e.Response.Status >= 400 && e.Type != network.ResourceTypeDocument { // documents are judged by who opens them
			b.complain(fmt.Sprintf("status %d of %s", e.Response.Status, e.Response.URL))
		}
	}
}

func (b *Browser) complain(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.troubles = append(b.troubles, text)
}

// Troubles returns what the browser complained about since it was asked last.
func (b *Browser) Troubles() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	found := b.troubles
	b.troubles = nil
	return found
}

// SetCookie makes the browser send a cookie to an address; an empty value drops it.
func (b *Browser) SetCookie(to, name, value string) {
	b.t.Helper()
	if value == "" {
		call(b, network.ClearBrowserCookies, cdp.Empty{})
		return
	}
	call(b, network.SetCookie, network.SetCookieParams{Name: name, Value: value, URL: to})
}

// Open loads a page and waits until it is whole.
func (b *Browser) Open(address string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	for {
		err := chromedp.Do(ctx, chromedp.Navigate(address))
		if err == nil {
			return
		}
		if !strings.Contains(err.Error(), networkChanged) {
			b.t.Fatalf("open %s: %v", address, err)
		}
	}
}

func ask[T any](b *Browser, expression string) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// call runs one command of the browser's protocol.
func call[P, R any](b *Browser, command cdp.Command[P, R], params P) R {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	result, err := chromedp.Run(ctx, chromedp.Action[R](func(ctx context.Context, t *chromedp.Target) (R, error) { return cdp.Call(ctx, t, command, params) }))
	if err != nil {
		b.t.Fatal(err)
	}
	return result
}
