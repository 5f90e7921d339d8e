package keys_test

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/keys"
	"berth/core/seal"
)

// installation is what is stored, in memory, with a ring that was opened from it.
type installation struct {
	t    *testing.T
	key  seal.SecretKey
	ring *seal.Ring
	at   time.Time

	rows    []seal.WrappedKey
	audited []access.AuditEvent
	values  []keys.Envelope
	pass    keys.Pass
	passes  int // that were stored
	before  func(keys.Envelope)
	err     error
	told    keys.Pass
}

func install(t *testing.T, values ...string) *installation {
	t.Helper()
	ring, err := seal.NewRing(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	in := &installation{t: t, key: secretKey(t, 1), ring: ring, at: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)}
	if in.rows, err = ring.Wrap(in.key); err != nil {
		t.Fatal(err)
	}
	for i, value := range values {
		in.values = append(in.values, in.sealed(ring, core.VariableID(fmt.Sprintf("var_%d", i)), value))
	}
	return in
}

func (in *installation) sealed(ring *seal.Ring, row core.VariableID, value string) keys.Envelope {
	in.t.Helper()
	place := seal.Place{Table: "variables", Row: string(row), Column: "sealed"}
	sealed, err := ring.Seal(place, []byte(value))
	if err != nil {
		in.t.Fatal(err)
	}
	return keys.Envelope{Row: string(row), Place: place, Sealed: sealed}
}

func (in *installation) now() time.Time {
	in.at = in.at.Add(time.Second)
	return in.at
}

func (in *installation) KeyRing(context.Context) ([]seal.WrappedKey, error) {
	return slices.Clone(in.rows), in.err
}

func (in *installation) DataKeys(context.Context) (all []keys.DataKey, _ error) {
	for _, r := range in.rows {
		all = append(all, keys.DataKey{Number: r.Number, Active: r.Active})
	}
	return all, in.err
}

func (in *installation) SaveKeyRing(_ context.Context, was, rows []seal.WrappedKey, check []byte, e access.AuditEvent) error {
	if len(was) != len(in.rows) || len(check) == 0 {
		return fault.New(fault.Conflict, "key.ring_changed", "")
	}
	in.rows, in.audited = rows, append(in.audited, e)
	return nil
}

func (in *installation) Envelopes(_ context.Context, after keys.Cursor, limit int) (all []keys.Envelope, next keys.Cursor, end bool, err error) {
	from := after.Column // this memory counts rows in it
	to := min(from+min(limit, 3), len(in.values))
	return slices.Clone(in.values[from:to]), keys.Cursor{Column: to}, to == len(in.values), in.err
}

func (in *installation) Reseal(_ context.Context, was keys.Envelope, now seal.Sealed) (bool, error) {
	if in.before != nil {
		in.before(was)
	}
	for i, e := range in.values {
		if e.Row == was.Row && string(e.Sealed) == string(was.Sealed) {
			in.values[i].Sealed = now
			return true, in.err
		}
	}
	return false, in.err
}

func (in *installation) LastPass(context.Context) (keys.Pass, error) { return in.pass, in.err }

func (in *installation) SavePass(_ context.Context, p keys.Pass) error {
	in.pass, in.passes = p, in.passes+1
	return in.err
}

func (in *installation) KnowKeys(_ int, p keys.Pass) { in.told = p }

func (in *installation) UnknowKeys() { in.told = keys.Pass{} }

func (in *installation) rotate() {
	in.t.Helper()
	if _, err := keys.NewDesk(in, in.ring, in.key, in.now).Rotate(in.t.Context(), access.System); err != nil {
		in.t.Fatal(err)
	}
}

// opens sees that every value opens, and with what key it is sealed.
func (in *installation) opens(key uint32, values ...string) {
	in.t.Helper()
	ring, err := seal.OpenRing(in.key, in.rows) // as another process would
	if err != nil {
		in.t.Fatal(err)
	}
	for i, want := range values {
		text, err := ring.Open(in.values[i].Place, in.values[i].Sealed)
		if err != nil || string(text) != want {
			in.t.Errorf("%s is %q, %v; want %q", in.values[i].Row, text, err, want)
		}
		if stale := ring.Stale(in.values[i].Sealed); stale != (ring.Active() != key) {
			in.t.Errorf("%s is stale: %v", in.values[i].Row, stale)
		}
	}
}

func secretKey(t *testing.T, b byte) seal.SecretKey {
	t.Helper()
	key, err := seal.ParseSecretKey(fmt.Sprintf("%x", sha256.Sum256([]byte{b})))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func TestEverythingIsSealedAnew(t *testing.T) {
	values := []string{"a", "b", "", "d", "e", "f", "g"}
	in := install(t, values...)
	mac := in.ring.MAC(seal.PurposeSession, []byte("x"))
	r := keys.NewRenewal(in, in.ring, in, in.now)
	if made, err := r.Due(t.Context()); made || err != nil || in.passes != 0 {
		t.Errorf("with one key there is a pass: %v, %v", made, err)
	}
	in.rotate()
	if made, err := r.Due(t.Context()); !made || err != nil {
		t.Errorf("Due = %v, %v", made, err)
	}
	in.opens(2, values...)
	if p := in.pass; !p.Complete(2) || p.Values != 7 || p.Renewed != 7 || p.Lost != 0 || in.told.Renewed != 7 {
		t.Errorf("the pass is %+v, told was %+v", p, in.told)
	}
	r.Leave()
	if in.told.Values != 0 {
		t.Errorf("what is told stays: %+v", in.told)
	}
	if string(in.ring.MAC(seal.PurposeSession, []byte("x"))) != string(mac) {
		t.Error("sessions and API keys do not survive")
	}
	if made, _ := r.Due(t.Context()); made {
		t.Error("there is a second pass at once")
	}
	in.at = in.at.Add(2 * time.Hour)
	in.values[3] = in.sealed(install(t).ring, "x", "") // what is damaged
	if made, err := r.Due(t.Context()); !made || err != nil || in.pass.Renewed != 0 {
		t.Errorf("after an hour: %v, %v, %+v", made, err, in.pass)
	}
}

// TestWhatAnotherProcessStoresMeanwhile is left to it, and found by the next pass.
func TestWhatAnotherProcessStoresMeanwhile(t *testing.T) {
	in := install(t, "a", "b", "c")
	old, err := seal.OpenRing(in.key, in.rows) // of a process that does not know of the new key yet
	if err != nil {
		t.Fatal(err)
	}
	in.rotate()
	in.before = func(e keys.Envelope) {
		if e.Row == "var_1" {
			in.values[1] = in.sealed(old, "var_1", "changed")
			in.before = nil
		}
	}
	r := keys.NewRenewal(in, in.ring, in, in.now)
	for _, want := range []keys.Pass{{Renewed: 2, Moved: 1}, {Renewed: 1}} {
		if made, err := r.Due(t.Context()); !made || err != nil || in.pass.Renewed != want.Renewed || in.pass.Moved != want.Moved {
			t.Errorf("the pass: %v, %v, %+v", made, err, in.pass)
		}
	}
	in.opens(2, "a", "changed", "c")
}

// TestDamagedValuesStopNothing and are named, as many as there is room for.
func TestDamagedValuesStopNothing(t *testing.T) {
	in := install(t)
	elsewhere := install(t).ring
	for i := range keys.MaxDamaged + 5 {
		in.values = append(in.values, in.sealed(elsewhere, core.VariableID(fmt.Sprintf("var_%d", i)), "lost"))
	}
	in.values = append(in.values, keys.Envelope{Row: "var_x", Sealed: seal.Sealed("no envelope")})
	in.values = append(in.values, in.sealed(in.ring, "var_good", "good"))
	in.rotate()
	if _, err := keys.NewRenewal(in, in.ring, in, in.now).Due(t.Context()); err != nil {
		t.Fatal(err)
	}
	if p := in.pass; !p.Complete(2) || p.Renewed != 1 || p.Lost != keys.MaxDamaged+6 || len(p.Damaged) != keys.MaxDamaged || p.Damaged[0] != "variables.sealed of var_0" {
		t.Errorf("the pass is %+v", p)
	}
}

// TestAPassThatWasInterruptedBeginsAnew, also in another process.
func TestAPassThatWasInterruptedBeginsAnew(t *testing.T) {
	in := install(t, "a", "b", "c", "d")
	in.rotate()
	in.before = func(e keys.Envelope) {
		if e.Row == "var_2" {
			in.err = errors.New("the disk is full")
		}
	}
	r := keys.NewRenewal(in, in.ring, in, in.now)
	if _, err := r.Due(t.Context()); err == nil || in.pass.Complete(2) {
		t.Errorf("%v, %+v", err, in.pass)
	}
	in.err, in.before = nil, nil
	for name, r := range map[string]*keys.Renewal{"the same": r, "another": keys.NewRenewal(in, in.ring, in, in.now)} {
		t.Run(name, func(t *testing.T) {
			in.pass.EndedAt = time.Time{}
			if made, err := r.Due(t.Context()); !made || err != nil || !in.pass.Complete(2) {
				t.Errorf("%v, %v, %+v", made, err, in.pass)
			}
			in.opens(2, "a", "b", "c", "d")
		})
	}
}

func TestRotate(t *testing.T) {
	in := install(t, "a")
	desk := keys.NewDesk(in, in.ring, in.key, in.now)
	s, err := desk.Rotate(t.Context(), access.System)
	if err != nil || s.Active() != 2 || len(s.Keys) != 2 || s.Complete() || in.ring.Active() != 2 || s.CheckValue != in.key.CheckValue() {
		t.Errorf("Rotate = %+v, %v", s, err)
	}
	if len(in.audited) != 1 || in.audited[0].Action != "data_key.create" || in.audited[0].Resource != "2" {
		t.Errorf("audited is %+v", in.audited)
	}
	if _, err := desk.Rotate(t.Context(), access.System); fault.CodeOf(err) != "key.rotating" {
		t.Errorf("a second at once: %v", err)
	}
	if _, err := keys.NewRenewal(in, in.ring, in, in.now).Due(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s, err := desk.Rotate(t.Context(), access.System); err != nil || s.Active() != 3 {
		t.Errorf("afterwards: %+v, %v", s, err)
	}
	other := keys.NewDesk(in, in.ring, secretKey(t, 9), in.now)
	in.pass = keys.Pass{Key: 3, EndedAt: in.at}
	if _, err := other.Rotate(t.Context(), access.System); fault.CodeOf(err) != "key.changing" || in.ring.Active() != 3 {
		t.Errorf("with another SECRET_KEY: %v", err)
	}
}

// TestAProcessLearnsOfAKey that another has added.
func TestAProcessLearnsOfAKey(t *testing.T) {
	in := install(t, "a")
	other, err := seal.OpenRing(in.key, in.rows)
	if err != nil {
		t.Fatal(err)
	}
	f := keys.Fetcher{Store: in, Key: in.key}
	f.Follow(other)
	in.rotate()
	e := in.sealed(in.ring, "var_1", "fresh")
	if text, err := other.Open(e.Place, e.Sealed); err != nil || string(text) != "fresh" || other.Active() != 2 {
		t.Errorf("Open = %q, %v; key %d is active", text, err, other.Active())
	}
}
