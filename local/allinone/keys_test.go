package allinone_test

import (
	"fmt"
	"testing"
	"time"

	"berth/local/stand/pgserver"
)

// dataKeys is what is told of the data keys.
type dataKeys struct {
	number   int // of them
	complete bool
	renewed  int
	damaged  string // where, of how many
}

func (b *person) keys() dataKeys {
	b.p.t.Helper()
	answer := b.ask(200, "GET", "/keys", "")
	found := dataKeys{number: len(answer["keys"].([]any)), complete: answer["complete"].(bool), damaged: "0 []"}
	if pass, there := answer["pass"].(map[string]any); there {
		found.renewed = int(pass["renewed"].(float64))
		found.damaged = fmt.Sprint(pass["damaged"], " ", pass["damaged_in"])
	}
	return found
}

// sealed waits until everything is sealed with the newest of so many keys.
func (b *person) sealed(number int) dataKeys {
	b.p.t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for began := time.Now(); ; <-tick.C {
		now := b.keys()
		if now.complete && now.number == number {
			if now.damaged != "0 []" {
				b.p.t.Fatalf("no key opens %s\n%s", now.damaged, b.p.log)
			}
			return now
		}
		if time.Since(began) > wait {
			b.p.t.Fatalf("it is %+v, want %d keys and all done\n%s", now, number, b.p.log)
		}
	}
}

// TestABackupMadeWhileTheDataKeyChangesIsRestored: it has the keys of its values, whatever keys there were since, and what was
// left to do when it was made is done afterwards.
func TestABackupMadeWhileTheDataKeyChangesIsRestored(t *testing.T) {
	p := embedded(t, t.TempDir(), freshKey(), nil)
	ada := p.person()
	ada.setUp()
	for i := range 5 {
		ada.add(fmt.Sprintf("S%d", i), "sealed with the first key")
	}
	ada.ask(202, "POST", "/keys/rotate", "")
	ada.add("S5", "sealed with the second key")
	name := ada.ask(201, "POST", "/backups", "")["name"].(string)
	ada.ask(409, "POST", "/keys/rotate", "")
	ada.sealed(2)
	ada.ask(202, "POST", "/keys/rotate", "")
	ada.add("S6", "sealed with a key that the backup does not have")
	ada.ask(202, "POST", "/backups/"+name+"/restore", "")
	p.opens()
	ada.signIn()
	if now := ada.sealed(2); now.renewed < 5 {
		t.Errorf("%+v: what was sealed with the first key was not sealed anew", now)
	}
	ada.ask(202, "POST", "/keys/rotate", "")
	if now := ada.sealed(3); now.renewed < 6 {
		t.Errorf("after another key: %+v", now)
	}
	if got := ada.names(); got != "S0 S1 S2 S3 S4 S5" {
		t.Errorf("there are the variables %s", got)
	}
}

// TestTheDataKeyChangesUnderSeveralServers: what one that does not know of the key yet has sealed is opened by all, one that
// starts meanwhile has the key, and a server that starts with another SECRET_KEY meanwhile takes none away.
func TestTheDataKeyChangesUnderSeveralServers(t *testing.T) {
	address, key := pgserver.URL(t), freshKey()
	first := start(t, address, key)
	second := start(t, address, key)
	ada := first.person()
	ada.setUp()
	there := &person{second, ada.http} // one session, at the other server
	ada.add("OLD", "sealed with the first key")
	ada.ask(202, "POST", "/keys/rotate", "")
	there.add("MEANWHILE", "sealed with whatever key the other server knows")
	third := start(t, address, key)
	(&person{third, ada.http}).add("LATER", "sealed by a server that started meanwhile")
	there.sealed(2)

	there.ask(202, "POST", "/keys/rotate", "") // it has the ring as it is stored, not as it was when it started
	anew := freshKey()
	fourth := start(t, address, anew, "SECRET_KEY_PREVIOUS", key)
	last := &person{fourth, ada.http}
	last.add("NEW", "sealed under another SECRET_KEY")
	for _, before := range []*program{first, second, third} { // those with the SECRET_KEY before
		if err := before.end(); err != nil {
			t.Error(err)
		}
	}
	last.sealed(3)
	last.ask(202, "POST", "/keys/rotate", "")
	last.sealed(4)
}
