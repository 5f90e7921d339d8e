package hubclient

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/hubcall"
	"berth/core/hubs"
	"berth/core/seal"
	"berth/core/stacks"
	"berth/core/wire"
)

// hints are the calls that nobody waits for.
var hints = map[hubcall.Op]bool{hubcall.Nudge: true, hubcall.Wake: true, hubcall.Arrived: true, hubcall.Revoked: true, hubcall.RunEnded: true}

// calls are all that there are, as the source has them.
func calls(t *testing.T) (all []hubcall.Op) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../../../core/hubcall/op.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if kind, ok := spec.Type.(*ast.Ident); ok && kind.Name == "Op" {
			text, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, hubcall.Op(text))
		}
		return false
	})
	return all
}

func TestEveryCallSaysWhatTheAbsenceOfTheHubMeans(t *testing.T) {
	all := calls(t)
	if len(all) < 18 {
		t.Fatalf("only %d calls were found", len(all))
	}
	for _, op := range all {
		if text := withoutHub[op]; (text == "") != hints[op] {
			t.Errorf("%s: says %q, and is a hint: %t", op, text, hints[op])
		}
	}
	for op := range withoutHub {
		err := none(op, fault.New(fault.Unavailable, "hub.away", "No hub runs on this database."))
		text := fault.PublicOf(err)
		if fault.CodeOf(err) != "hub.away" || !fault.Is(err, fault.Unavailable) || !strings.HasPrefix(text, "No hub runs on this database. "+withoutHub[op]) {
			t.Errorf("%s: %v", op, err)
		}
		for _, setting := range []string{"HUB_URL", "DATABASE_URL", "%!"} { // which whoever reads this cannot know
			if strings.Contains(text, setting) {
				t.Errorf("%s: it says %s: %s", op, setting, text)
			}
		}
	}
	offline := fault.New(fault.Unavailable, "worker.offline", "It is offline.")
	if err := none(hubcall.Act, offline); !errors.Is(err, offline) || fault.PublicOf(err) != "It is offline." {
		t.Errorf("another fault became %v", err)
	}
}

// oneHub is a directory with one hub, or with a fault.
type oneHub struct {
	Directory
	hub hubs.Hub
	err error
}

func (o *oneHub) HubOfWorker(context.Context, core.WorkerID) (hubs.Hub, error) { return o.hub, o.err }

// TestWhatIsAskedOfAHubThatGoesIsNotSaidToBeDoneLater stops a compose service while no hub is known, while
// it cannot be reached, and while it falls silent in the middle.
func TestWhatIsAskedOfAHubThatGoesIsNotSaidToBeDoneLater(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	t.Cleanup(server.Close)
	there := hubs.Hub{URL: server.URL, Pin: seal.PinOf(server.Certificate().RawSubjectPublicKeyInfo)}
	for name, c := range map[string]struct {
		at   oneHub
		says string
	}{
		"none is known":           {oneHub{err: fault.New(fault.Unavailable, "hub.away", "No hub runs on this database.")}, "No hub runs on this database. Nothing was done"},
		"it cannot be reached":    {oneHub{hub: hubs.Hub{URL: "https://127.0.0.1:1"}}, "The hub does not answer. Nothing was done"},
		"it shows another key":    {oneHub{hub: hubs.Hub{URL: server.URL}}, "The hub does not answer. Nothing was done"},
		"it falls silent at once": {oneHub{hub: there}, "The hub does not answer. Whether the compose service was touched is not known"},
	} {
		t.Run(name, func(t *testing.T) {
			client := New(Options{Key: hubcall.NewKey([]byte("subkey"), time.Now), Directory: &c.at, Now: time.Now})
			t.Cleanup(client.Close)
			for range 2 { // the second is told at once
				err := client.Act(t.Context(), stacks.Stack{ID: "stk_1", Worker: "wrk_1"}, "web", wire.RequestStop)
				text := fault.PublicOf(err)
				if fault.CodeOf(err) != "hub.away" || !strings.HasPrefix(text, c.says) || !strings.Contains(text, "nothing is kept for later") {
					t.Errorf("got %q (%v)", text, err)
				}
				c.says = strings.Replace(c.says, "Whether the compose service was touched is not known", "Nothing was done", 1)
			}
		})
	}
}
