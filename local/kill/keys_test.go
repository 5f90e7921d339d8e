package kill

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"berth/core/seal"
	"berth/handlers/api"
)

const sealedValues = 40

// whileRenewing draws where a server dies that starts, is given another data key, and seals everything anew.
func whileRenewing(n int, random *rand.Rand) Point {
	calls := []most{{"pwrite64", 200}, {"fsync", 60}, {"write", 80}, {"pwrite64", 60}, {"fcntl", 400}, {"pread64", 60}, {"pwrite64", 120}, {"fdatasync", 60}}
	c := calls[n%len(calls)]
	return Point{c.call, 1 + random.IntN(c.n)}
}

// The server dies while it changes its data key and seals everything anew, in each third round while SECRET_KEY
// changes at the same start. Afterwards the ring is the old or the new one, and every value opens with it.
func TestKilledWhileTheDataKeyChanges(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(12, 0))
	s := New(t)
	s.RunServer()
	s.SetUp()
	for i := range sealedValues {
		s.Must(http.MethodPost, "/api/custom/variables", api.CreateVariableRequest{Scope: "global", Name: fmt.Sprintf("KEPT_%d", i), Value: fmt.Sprintf("value %d", i), Secret: true}, nil)
	}
	added, before := 0, 1
	for n := range points(t, 6, "KILL_KEY_POINTS") {
		s.kill(s.Server)
		at := whileRenewing(n, random)
		old := s.SecretKey
		if n%3 == 2 {
			s.SecretKey, s.Previous = NewKey(), old
		}
		if s.StartServer(at); s.Ready() {
			s.Ask(http.MethodPost, "/api/custom/keys/rotate", nil, nil)
			s.untilRenewed()
		}
		s.kill(s.Server)
		s.Previous = ""
		if s.StartServer(Point{}); !s.Ready() { // it died before the new SECRET_KEY was in
			s.SecretKey = old
			s.RunServer()
		}
		keys := s.opensAll(at)
		if keys < before || keys > before+1 {
			t.Fatalf("seed 12, %v: the ring has %d keys after %d", at, keys, before)
		}
		added, before = added+keys-before, keys
		if !s.untilRenewed() {
			t.Fatalf("seed 12, %v: values are not sealed anew: %+v\n%s", at, get[api.KeysAnswer](s, "/api/custom/keys"), s.logs())
		}
		s.opensAll(at)
		if stale := s.query(fmt.Sprintf("SELECT count(*) FROM variables WHERE substr(hex(sealed), 1, 10) <> '01%08X'", keys)); stale != "0" {
			t.Fatalf("seed 12, %v: %s values are sealed with an older key than %d", at, stale, keys)
		}
	}
	t.Logf("seed 12: a data key was there after %d deaths", added)
	if added == 0 {
		t.Error("no data key was ever added")
	}
}

// untilRenewed waits until everything is sealed with the active key; false when the server has died before.
func (s *Site) untilRenewed() bool {
	s.T.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); {
		var answer api.KeysAnswer
		if _, err := s.Ask(http.MethodGet, "/api/custom/keys", nil, &answer); err == nil && answer.Complete && (answer.Pass == nil || answer.Pass.Damaged == 0) {
			return true
		}
		select {
		case <-s.Server.Ended():
			return false
		case <-time.After(50 * time.Millisecond):
		}
	}
	return false
}

// opensAll opens every variable as it is stored with the ring as it is stored, and returns how many keys that has.
func (s *Site) opensAll(at Point) (keys int) {
	s.T.Helper()
	key, err := seal.ParseSecretKey(s.SecretKey)
	if err != nil {
		s.T.Fatal(err)
	}
	db := s.open("ro")
	defer db.Close()
	var rows []seal.WrappedKey
	stored, err := db.Query(`SELECT number, wrapped, active FROM key_ring ORDER BY number`)
	if err != nil {
		s.T.Fatal(err)
	}
	for stored.Next() {
		var k seal.WrappedKey
		if err := stored.Scan(&k.Number, &k.Wrapped, &k.Active); err != nil {
			s.T.Fatal(err)
		}
		rows = append(rows, k)
	}
	stored.Close()
	ring, err := seal.OpenRing(key, rows)
	if err != nil {
		s.T.Fatalf("%v: %v\n%s", at, err, s.logs())
	}
	values, err := db.Query(`SELECT id, name, sealed FROM variables`)
	if err != nil {
		s.T.Fatal(err)
	}
	defer values.Close()
	count := 0
	for ; values.Next(); count++ {
		var id, name string
		var sealed seal.Sealed
		if err := values.Scan(&id, &name, &sealed); err != nil {
			s.T.Fatal(err)
		}
		text, err := ring.Open(seal.Place{Table: "variables", Row: id, Column: "sealed"}, sealed)
		if err != nil || "KEPT_"+string(text[len("value "):]) != name {
			s.T.Fatalf("%v: %s is %q, %v\n%s", at, name, text, err, s.logs())
		}
	}
	if count != sealedValues {
		s.T.Fatalf("%v: there are %d values\n%s", at, count, s.logs())
	}
	return ring.Len()
}
