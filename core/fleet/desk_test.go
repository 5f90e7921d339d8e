package fleet_test

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/fleet"
	"berth/core/seal"
	"berth/core/store"
	"berth/core/wire"
	"berth/hub/adapter/sqlite"
)

// room is a desk on a real database, with a clock that tests turn.
type room struct {
	*fleet.Desk
	db     *store.DB
	store  *store.Store
	at     time.Time
	cuts   int
	pinned bool
}

var pin = seal.PinOf([]byte("the worker port's key"))

func (r *room) Revoked(core.WorkerID) { r.cuts++ }

func open(t *testing.T) *room {
	t.Helper()
	db, err := sqlite.Open(t.Context(), t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	r := &room{at: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), pinned: true, db: db}
	if err := db.Migrate(t.Context(), r.at); err != nil {
		t.Fatal(err)
	}
	ring, err := seal.NewRing(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	now := func() time.Time { return r.at }
	r.store = store.New(db, now)
	port := fleet.WorkerPort{AppURL: "https://berth.example:8090", Port: 8443,
		Pin: func(context.Context) (seal.Pin, bool, error) { return pin, r.pinned, nil }}
	r.Desk = fleet.NewDesk(r.store, ring, r, now, port)
	return r
}

var admin = access.Principal{Kind: access.KindUser, ID: "usr_1", Name: "ada@example.org", Role: access.RoleAdmin}

func (r *room) issue(t *testing.T) fleet.Issued {
	t.Helper()
	issued, err := r.Issue(t.Context(), admin, fleet.TokenAsk{Name: "web"})
	if err != nil {
		t.Fatal(err)
	}
	return issued
}

func proof(text, key string) fleet.Proof {
	return fleet.Proof{Token: text, Key: seal.PinOf([]byte(key)), Address: "192.0.2.7"}
}

var enrol = wire.Enrol{Protocol: 1, Hostname: "web-1", Tags: []string{"eu"}, Version: "1.0", OS: "linux", Arch: "amd64"}

func wantFault(t *testing.T, err error, kind fault.Kind, code string) {
	t.Helper()
	if !fault.Is(err, kind) || fault.CodeOf(err) != code {
		t.Errorf("got %v, want %s %s", err, kind, code)
	}
}

func TestIssueTellsHowToStartAndKeepsNoText(t *testing.T) {
	r := open(t)
	issued := r.issue(t)
	text := issued.Secret.Reveal()
	if want := "SERVER_URL=https://berth.example:8443 WORKER_TOKEN=" + text + " berth-worker"; issued.Command() != want {
		t.Errorf("command is %q, want %q", issued.Command(), want)
	}
	if compose := issued.Compose(); !strings.Contains(compose, "WORKER_TOKEN: "+text+"\n") || !strings.Contains(compose, "SERVER_URL: https://berth.example:8443\n") {
		t.Errorf("Compose file lacks token or address:\n%s", compose)
	}
	if compose := issued.Compose(); strings.ContainsRune(compose, '\t') || !strings.Contains(compose, "- /var/lib/berth-worker:/var/lib/berth-worker\n") {
		t.Errorf("the worker's data must be at one path inside and outside:\n%s", compose)
	}
	parsed, err := seal.ParseToken(text)
	if err != nil {
		t.Fatal(err)
	}
	if got, pinned := parsed.Pin(); !pinned || got != pin {
		t.Errorf("the token carries pin %x, %v", got, pinned)
	}
	if !issued.Token.ExpiresAt.Equal(r.at.Add(fleet.DefaultExpiry)) {
		t.Errorf("expires at %v", issued.Token.ExpiresAt)
	}
	r.pinned = false
	plain, err := seal.ParseToken(r.issue(t).Secret.Reveal())
	if err != nil {
		t.Fatal(err)
	}
	if _, pinned := plain.Pin(); pinned {
		t.Error("a token for a certificate of an authority must carry no pin")
	}
}

func TestIssueRefusesBadAsks(t *testing.T) {
	r := open(t)
	for name, c := range map[string]struct {
		ask  fleet.TokenAsk
		path string
	}{
		"expiry too short":     {fleet.TokenAsk{ExpiresIn: time.Second}, "expires_in"},
		"expiry negative":      {fleet.TokenAsk{ExpiresIn: -time.Hour}, "expires_in"},
		"expiry too long":      {fleet.TokenAsk{ExpiresIn: fleet.MaxExpiry + time.Second}, "expires_in"},
		"name too long":        {fleet.TokenAsk{Name: strings.Repeat("x", 101)}, "name"},
		"name with a new line": {fleet.TokenAsk{Name: "a\nb"}, "name"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := r.Issue(t.Context(), admin, c.ask)
			wantFault(t, err, fault.Invalid, "worker.invalid_token")
			if err != nil && !strings.Contains(err.Error(), c.path+":") {
				t.Errorf("%v does not name %s", err, c.path)
			}
		})
	}
}

func TestServerURLs(t *testing.T) {
	r := open(t)
	for app, want := range map[string]string{
		"http://localhost:8090": "https://localhost:9443",
		"https://[2001:db8::1]": "https://[2001:db8::1]:9443",
		"https://berth.example": "https://berth.example:9443",
	} {
		ring, err := seal.NewRing(rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		d := fleet.NewDesk(r.store, ring, r, func() time.Time { return r.at }, fleet.WorkerPort{AppURL: app, Port: 9443,
			Pin: func(context.Context) (seal.Pin, bool, error) { return pin, true, nil }})
		issued, err := d.Issue(t.Context(), admin, fleet.TokenAsk{})
		if err != nil || issued.ServerURL != want {
			t.Errorf("APP_URL %s gives %s, %v; want %s", app, issued.ServerURL, err, want)
		}
	}
}

func TestTheSameTokenAndKeyAreTheSameWorker(t *testing.T) {
	r := open(t)
	text := r.issue(t).Secret.Reveal()
	first, err := r.Enrol(t.Context(), proof(text, "key"), enrol)
	if err != nil {
		t.Fatal(err)
	}
	r.at = r.at.Add(30 * 24 * time.Hour) // the token's time for a first registration is over
	moved := enrol
	moved.Hostname, moved.Tags = "web-2", []string{"us", "eu"}
	again, err := r.Enrol(t.Context(), proof(" "+text+"\n", "key"), moved)
	if err != nil || again.ID != first.ID {
		t.Fatalf("got %s, %v; want %s", again.ID, err, first.ID)
	}
	stored, err := r.Worker(t.Context(), first.ID)
	if err != nil || stored.Hostname != "web-2" || strings.Join(stored.Tags, ",") != "eu,us" {
		t.Errorf("stored %+v, %v", stored, err)
	}
	if known, err := r.Authenticate(t.Context(), proof(text, "key")); err != nil || known.ID != first.ID {
		t.Errorf("authenticated as %s, %v", known.ID, err)
	}
}

func TestEnrolRefuses(t *testing.T) {
	cases := map[string]struct {
		proof func(t *testing.T, r *room) fleet.Proof
		kind  fault.Kind
		code  string
	}{
		"no token": {func(*testing.T, *room) fleet.Proof { return proof("", "key") }, fault.Unauthenticated, "worker.token_invalid"},
		"a damaged one": {func(t *testing.T, r *room) fleet.Proof {
			text := r.issue(t).Secret.Reveal()
			return proof(text[:len(text)-1], "key")
		}, fault.Unauthenticated, "worker.token_invalid"},
		"an API key": {func(*testing.T, *room) fleet.Proof {
			return proof(seal.NewToken(seal.TokenAPIKey, core.NewID(core.PrefixAPIKey, time.Now())).Reveal(), "key")
		}, fault.Unauthenticated, "worker.token_invalid"},
		"one that was never issued": {func(*testing.T, *room) fleet.Proof {
			return proof(seal.NewWorkerToken(core.NewID(core.PrefixWorkerToken, time.Now()), pin).Reveal(), "key")
		}, fault.Unauthenticated, "worker.token_invalid"},
		"the right id with another secret": {func(t *testing.T, r *room) fleet.Proof {
			return proof(seal.NewWorkerToken(string(r.issue(t).Token.ID), pin).Reveal(), "key")
		}, fault.Unauthenticated, "worker.token_invalid"},
		"expired before its first use": {func(t *testing.T, r *room) fleet.Proof {
			text := r.issue(t).Secret.Reveal()
			r.at = r.at.Add(fleet.DefaultExpiry)
			return proof(text, "key")
		}, fault.Unauthenticated, "worker.token_expired"},
		"another key": {func(t *testing.T, r *room) fleet.Proof {
			text := r.issue(t).Secret.Reveal()
			if _, err := r.Enrol(t.Context(), proof(text, "the first key"), enrol); err != nil {
				t.Fatal(err)
			}
			return proof(text, "key")
		}, fault.Forbidden, "worker.key_mismatch"},
		"a revoked worker": {func(t *testing.T, r *room) fleet.Proof {
			text := r.issue(t).Secret.Reveal()
			w, err := r.Enrol(t.Context(), proof(text, "key"), enrol)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := r.Revoke(t.Context(), admin, w.ID); err != nil || r.cuts != 1 {
				t.Fatalf("revoke: %v, %d links cut", err, r.cuts)
			}
			return proof(text, "key")
		}, fault.Forbidden, "worker.revoked"},
		"a deleted worker": {func(t *testing.T, r *room) fleet.Proof {
			text := r.issue(t).Secret.Reveal()
			w, err := r.Enrol(t.Context(), proof(text, "key"), enrol)
			if err != nil {
				t.Fatal(err)
			}
			if err := r.Delete(t.Context(), admin, w.ID); err != nil || r.cuts != 1 {
				t.Fatalf("delete: %v, %d links cut", err, r.cuts)
			}
			return proof(text, "key")
		}, fault.Unauthenticated, "worker.token_invalid"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			r := open(t)
			p := c.proof(t, r)
			_, err := r.Enrol(t.Context(), p, enrol)
			wantFault(t, err, c.kind, c.code)
			_, err = r.Authenticate(t.Context(), p)
			wantFault(t, err, c.kind, c.code)
			if p.Token != "" && err != nil && strings.Contains(err.Error(), strings.TrimSpace(p.Token)) {
				t.Errorf("the error shows the token: %v", err)
			}
		})
	}
}

func TestALinkNeedsARegistration(t *testing.T) {
	r := open(t)
	_, err := r.Authenticate(t.Context(), proof(r.issue(t).Secret.Reveal(), "key"))
	wantFault(t, err, fault.Unauthenticated, "worker.not_enrolled")
}

func TestBadFactsBindNothing(t *testing.T) {
	r := open(t)
	text := r.issue(t).Secret.Reveal()
	bad := enrol
	bad.Tags = []string{"a b"}
	_, err := r.Enrol(t.Context(), proof(text, "key"), bad)
	wantFault(t, err, fault.Invalid, "worker.invalid")
	if _, err := r.Enrol(t.Context(), proof(text, "other key"), enrol); err != nil {
		t.Errorf("the token was spent by a refused registration: %v", err)
	}
}

// A6: many registrations at once with one token bind it to one key.
func TestParallelEnrolmentsHaveOneWinner(t *testing.T) {
	r := open(t)
	text := r.issue(t).Secret.Reveal()
	const asks = 200
	ids, errs := make([]core.WorkerID, asks), make([]error, asks)
	var wg sync.WaitGroup
	for i := range asks {
		wg.Go(func() {
			w, err := r.Enrol(t.Context(), proof(text, strings.Repeat("k", i+1)), enrol)
			ids[i], errs[i] = w.ID, err
		})
	}
	wg.Wait()
	winners := 0
	for i := range asks {
		switch {
		case errs[i] == nil:
			winners++
		case fault.CodeOf(errs[i]) != "worker.key_mismatch":
			t.Fatalf("ask %d: %v", i, errs[i])
		}
	}
	list, err := r.Workers(t.Context(), fleet.Filter{}, core.Page{Limit: 10})
	if err != nil || winners != 1 || len(list.Items) != 1 {
		t.Errorf("%d winners, %d workers, %v; want one of each", winners, len(list.Items), err)
	}
}

func TestConnectedRaisesTheEpochAndStoresFacts(t *testing.T) {
	r := open(t)
	w, err := r.Enrol(t.Context(), proof(r.issue(t).Secret.Reveal(), "key"), enrol)
	if err != nil {
		t.Fatal(err)
	}
	hello := wire.Hello{Version: "1.1", Hostname: "web-9", Tags: []string{}, OS: "linux", Arch: "amd64"}
	one, err := r.Connected(t.Context(), w.ID, hello)
	if err != nil {
		t.Fatal(err)
	}
	two, err := r.Connected(t.Context(), w.ID, hello)
	if err != nil || two <= one || one == 0 {
		t.Errorf("epochs %d, %d, %v", one, two, err)
	}
	if err := r.store.WorkerLeft(t.Context(), w.ID, one); err != nil {
		t.Fatal(err)
	}
	now, err := r.Worker(t.Context(), w.ID)
	if err != nil || !now.Online || now.Hostname != "web-9" || now.Version != "1.1" || len(now.Tags) != 0 {
		t.Errorf("an old link's end must not count: %+v, %v", now, err)
	}
	r.at = r.at.Add(-time.Hour) // a clock that was set back
	if err := r.store.WorkerLeft(t.Context(), w.ID, two); err != nil {
		t.Fatal(err)
	}
	if now, _ := r.Worker(t.Context(), w.ID); now.Online {
		t.Error("still online after its link ended")
	}
	if _, err := r.Connected(t.Context(), w.ID, hello); err != nil {
		t.Fatal(err)
	}
	if now, _ := r.Worker(t.Context(), w.ID); !now.Online {
		t.Error("not online after connecting again with the clock set back")
	}
	if err := r.store.AllWorkersLeft(t.Context()); err != nil {
		t.Fatal(err)
	}
	if now, _ := r.Worker(t.Context(), w.ID); now.Online {
		t.Error("online although the hub has just started")
	}
	_, err = r.Connected(t.Context(), "wrk_none", hello)
	wantFault(t, err, fault.NotFound, "worker.not_found")
	if _, err := r.Revoke(t.Context(), admin, w.ID); err != nil {
		t.Fatal(err)
	}
	_, err = r.Connected(t.Context(), w.ID, hello)
	wantFault(t, err, fault.Forbidden, "worker.revoked")
}

func TestPinFailureIsNotSwallowed(t *testing.T) {
	r := open(t)
	ring, err := seal.NewRing(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	away := errors.New("no certificate yet")
	d := fleet.NewDesk(r.store, ring, r, func() time.Time { return r.at }, fleet.WorkerPort{AppURL: "http://h", Port: 1,
		Pin: func(context.Context) (seal.Pin, bool, error) { return seal.Pin{}, false, away }})
	if _, err := d.Issue(t.Context(), admin, fleet.TokenAsk{}); !errors.Is(err, away) {
		t.Errorf("got %v", err)
	}
}
