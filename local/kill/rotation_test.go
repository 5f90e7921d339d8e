package kill

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
	"time"

	"berth/core"
	"berth/core/keys"
	"berth/core/seal"
	"berth/core/store"
	"berth/handlers/api"
	"berth/hub/adapter/sqlite"
)

// secretsWritten is how many secrets are sealed anew by each change: more than are read at once.
const secretsWritten = 150

// whileRotating draws where a server dies that seals everything anew, with its database alone at work.
func whileRotating(n int, random *rand.Rand) Point {
	calls := []most{{"pwrite64", 300}, {"fsync", 90}, {"fcntl", 500}, {"pwrite64", 100}, {"write", 40}, {"fsync", 30}, {"pread64", 60}}
	c := calls[n%len(calls)]
	return Point{c.call, 1 + random.IntN(c.n)}
}

// Secrets are variables whose values are sealed, and what was said about each.
type Secrets struct {
	*Site
	ids  []core.VariableID
	may  map[core.VariableID][]string // values that it may have: the last that was accepted, and those without an answer since
	Said int                          // values that were accepted
}

// newSecrets makes secrets.
func newSecrets(s *Site, n int) *Secrets {
	s.T.Helper()
	all := &Secrets{Site: s, may: map[core.VariableID][]string{}}
	for i := range n {
		var made api.VariableAnswer
		s.Must(http.MethodPost, "/api/custom/variables", api.CreateVariableRequest{Scope: "global", Name: fmt.Sprintf("S%d", i), Value: fmt.Sprintf("first %d", i), Secret: true}, &made)
		all.ids = append(all.ids, made.ID)
		all.may[made.ID] = []string{fmt.Sprintf("first %d", i)}
	}
	return all
}

// change gives secrets other values until ctx ends.
func (all *Secrets) change(ctx context.Context, random *rand.Rand) {
	for n := 0; ctx.Err() == nil; n++ {
		id := all.ids[random.IntN(len(all.ids))]
		value := fmt.Sprintf("%s %d", id, random.Int64())
		all.may[id] = append(all.may[id], value)
		if _, err := all.Ask(http.MethodPatch, "/api/custom/variables/"+string(id), api.UpdateVariableRequest{Value: &value}, nil); err == nil {
			all.may[id] = []string{value}
			all.Said++
		}
		select {
		case <-ctx.Done():
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// rotated is what is stored of data keys.
type rotated struct {
	keys  int
	stale int // values that are sealed with an older key than the active one
	all   int
}

// check opens every value that is stored as a server would that starts now, with nothing running.
func (all *Secrets) check(at Point) (found rotated) {
	t := all.T
	t.Helper()
	db, err := sqlite.Open(t.Context(), all.DB(), func(error) {})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	st := store.New(db, time.Now)
	ring := all.ring(st, at)
	seen := 0
	for cursor, end := (keys.Cursor{}), false; !end; {
		var some []keys.Envelope
		if some, cursor, end, err = st.Envelopes(t.Context(), cursor, 100); err != nil {
			t.Fatal(err)
		}
		for _, e := range some {
			text, err := ring.Open(e.Place, e.Sealed)
			if err != nil {
				t.Fatalf("%v: %s.%s of %s: %v", at, e.Place.Table, e.Place.Column, e.Row, err)
			}
			if ring.Stale(e.Sealed) {
				found.stale++
			}
			if may, secret := all.may[core.VariableID(e.Row)]; secret && e.Place.Table == "variables" {
				seen++
				if !slices.Contains(may, string(text)) {
					t.Fatalf("%v: the secret %s is %q, it was told to be one of %q", at, e.Row, text, may)
				}
				all.may[core.VariableID(e.Row)] = []string{string(text)}
			}
			found.all++
		}
	}
	if seen != len(all.ids) || found.all <= seen {
		t.Fatalf("%v: %d secrets of %d are there, and %d other values", at, seen, len(all.ids), found.all-seen)
	}
	found.keys = ring.Len()
	return found
}

// ring opens the ring that is stored: whole, with its check, and each of its keys told of by the audit.
func (all *Secrets) ring(st *store.Store, at Point) *seal.Ring {
	t := all.T
	t.Helper()
	rows, err := st.KeyRing(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	key, err := seal.ParseSecretKey(all.SecretKey)
	if err != nil {
		t.Fatal(err)
	}
	ring, err := seal.OpenRing(key, rows)
	if err != nil {
		t.Fatalf("%v: the ring of %d keys: %v", at, len(rows), err)
	}
	proof, err := st.KeyCheck(t.Context())
	if err == nil {
		err = ring.OpenCheck(proof)
	}
	audited := all.query("SELECT count(*) FROM audit_events WHERE action = 'data_key.create'")
	if err != nil || int(ring.Active()) != len(rows) || audited != fmt.Sprint(len(rows)-1) {
		t.Fatalf("%v: of %d keys number %d is active, %s are audited: %v", at, len(rows), ring.Active(), audited, err)
	}
	return ring
}

// rotate asks for another data key, and reports whether that was accepted.
func (s *Site) rotate() bool {
	status, err := s.Ask(http.MethodPost, "/api/custom/keys/rotate", nil, nil)
	return err == nil && status == http.StatusAccepted
}

// The server dies while everything is sealed anew and others write just that, and again in the start after that. Afterwards the key is there or is not, every value opens and is the last that was accepted, and a server that is
// left alone seals the rest. The API key that asks stays valid throughout.
func TestKilledWhileOthersWriteWhatIsSealedAnew(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(13, 0))
	s := New(t)
	s.RunServer()
	s.SetUp()
	all := newSecrets(s, secretsWritten)
	last, died, midway, added := rotated{keys: 1}, 0, 0, 0
	for n := range points(t, 4, "KILL_KEY_POINTS") {
		at, asked := whileRotating(n, random), false
		if n%4 != 3 { // it dies in the midst of the values rather than when the key is added
			asked = s.rotate()
			s.kill(s.Server)
			s.StartServer(at)
		} else {
			s.kill(s.Server)
			s.StartServer(at)
			asked = s.Ready() && s.rotate()
		}
		ctx, stop := context.WithCancel(t.Context())
		written := make(chan struct{})
		go func() {
			defer close(written)
			all.change(ctx, random)
		}()
		if !s.untilRenewed() {
			died++
		}
		s.kill(s.Server)
		stop()
		<-written
		now := all.check(at)
		if now.keys < last.keys || now.keys > last.keys+1 || asked && now.keys == last.keys {
			t.Fatalf("seed 13, %v: there were %d keys, there are %d; another was accepted: %t", at, last.keys, now.keys, asked)
		}
		if now.stale > 0 && now.stale < now.all-5 {
			midway++
		}
		if n%3 == 2 { // it dies again where it goes on
			at = whileRotating(n/3+1, random)
			s.StartServer(at)
			if s.Ready() {
				s.untilRenewed()
			}
			s.kill(s.Server)
			all.check(at)
		}
		s.RunServer()
		if !s.untilRenewed() {
			t.Fatalf("seed 13, %v: what is left is not sealed anew\n%s", at, s.logs())
		}
		added += now.keys - last.keys
		last = now
	}
	s.kill(s.Server)
	if end := all.check(Point{}); end.stale > 0 {
		t.Errorf("seed 13: %d of %d values are sealed with an older key at the end", end.stale, end.all)
	}
	t.Logf("seed 13: %d deaths before everything was sealed anew, %d of them with some values of each key; %d keys added, %d values accepted meanwhile", died, midway, added, all.Said)
	if midway == 0 || all.Said == 0 {
		t.Error("it never died between two values, or nobody wrote")
	}
}
