package backups

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"berth/core/backups"
	"berth/core/fault"
)

// attic is a storage in memory. It is used by one goroutine at a time.
type attic struct {
	kept   map[string][]byte
	broken error
	puts   int
}

func (a *attic) List(context.Context) (all []backups.Copy, err error) {
	for _, name := range slices.Sorted(maps.Keys(a.kept)) {
		all = append(all, backups.Copy{Name: name, Size: int64(len(a.kept[name]))})
	}
	return all, a.broken
}

func (a *attic) Put(_ context.Context, name string, size int64, content io.ReaderAt) error {
	a.puts++
	text, err := io.ReadAll(io.NewSectionReader(content, 0, size))
	if err = errors.Join(err, a.broken); err == nil {
		a.kept[name] = text
	}
	return err
}

func (a *attic) Get(_ context.Context, name string) (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(a.kept[name])), a.broken
}

func (a *attic) Delete(_ context.Context, name string) error {
	if a.broken == nil {
		delete(a.kept, name)
	}
	return a.broken
}

func (a *attic) Test(context.Context) error { return a.broken }

// withAttic is a yard with a storage that keeps so many of each kind.
func withAttic(t *testing.T, keep int) (*yard, *attic, *backups.Offsite) {
	y, a := newYard(t), &attic{kept: map[string][]byte{}}
	place := &backups.Offsite{Storage: a, Keep: backups.Keep{Newest: keep}, Version: 1}
	y.o.Offsite = func(context.Context) (backups.Offsite, error) { return *place, nil }
	y.open()
	return y, a, place
}

var unreachable = fault.New(fault.Unavailable, "storage.unreachable", "it does not answer")

func TestWhatIsNewIsCopiedAndWhatIsOverGoes(t *testing.T) {
	y, a, _ := withAttic(t, 2)
	var names []string
	for range 4 {
		names = append(names, y.made(backups.BySchedule).Name)
		y.now = y.now.Add(time.Hour)
		y.offsiteRound(t.Context())
		y.offsiteRound(t.Context())
	}
	byHand := y.made(backups.ByHand).Name
	y.offsiteRound(t.Context())
	if got, want := slices.Sorted(maps.Keys(a.kept)), []string{names[2], names[3], byHand}; !slices.Equal(got, want) || a.puts != 5 {
		t.Errorf("after %d uploads the copies are %v, want %v", a.puts, got, want)
	}
	for _, b := range y.all() {
		if b.Away != slices.Contains([]string{names[2], names[3], byHand}, b.Name) || !b.Here {
			t.Errorf("%s is here: %t, away: %t", b.Name, b.Here, b.Away)
		}
	}
	if s := y.meter.standing; !s.On || s.Problem != "" || s.Copies != 3 || s.Size == 0 || !s.Newest.Equal(y.now) || y.meter.copied[true] != 5 || y.meter.copied[false] != 0 {
		t.Errorf("it stands at %+v, counted %v", s, y.meter.copied)
	}
}

func TestWhatIsGoneHereIsListedAndFetched(t *testing.T) {
	y, a, _ := withAttic(t, 9)
	b := y.made(backups.ByHand)
	y.offsiteRound(t.Context())
	if err := y.Delete(t.Context(), b.Name, true); err != nil {
		t.Fatal(err)
	}
	if all := y.all(); len(all) != 1 || all[0].Here || !all[0].Away || all[0].Size != b.Size || all[0].Head.Reason != backups.ByHand {
		t.Fatalf("there is %+v", all)
	}
	if _, _, err := y.Get(t.Context(), b.Name); fault.CodeOf(err) != "backup.away" {
		t.Errorf("Get = %v", err)
	}
	for range 2 { // the second time it is here
		if got, err := y.Fetch(t.Context(), b.Name); err != nil || got.Size != b.Size || got.Head.Version != "1.0" {
			t.Errorf("Fetch = %+v, %v", got, err)
		}
	}
	if err := y.Delete(t.Context(), b.Name, false); err != nil || len(y.all()) > 0 || len(a.kept) > 0 {
		t.Errorf("Delete = %v, there is %v, away %d", err, y.all(), len(a.kept))
	}
}

func TestWhatIsFetchedIsRead(t *testing.T) {
	y, a, _ := withAttic(t, 9)
	b := y.made(backups.BySchedule)
	whole, err := os.ReadFile(filepath.Join(y.o.Dir, b.Name))
	if err != nil {
		t.Fatal(err)
	}
	other := backups.Name(y.now.Add(time.Hour), backups.BySchedule, [3]byte{1})
	for name, content := range map[string][]byte{
		other: whole, // an old one under a new name
		backups.Name(y.now, backups.ByHand, [3]byte{2}): whole[:len(whole)-1],
		backups.Name(y.now, backups.ByHand, [3]byte{3}): nil,
		backups.Name(y.now, backups.ByHand, [3]byte{4}): slices.Concat(whole, whole),
	} {
		a.kept = map[string][]byte{name: content}
		y.open()
		if _, err := y.Fetch(t.Context(), name); fault.CodeOf(err) != "backup.damaged" {
			t.Errorf("Fetch of %s = %v", name, err)
		}
		if names := y.names(); !slices.Equal(names, []string{b.Name}) {
			t.Errorf("there is %v", names)
		}
	}
	if _, err := y.Fetch(t.Context(), backups.Name(y.now, backups.ByHand, [3]byte{5})); !fault.Is(err, fault.NotFound) {
		t.Errorf("what is nowhere: %v", err)
	}
}

func TestWhenTheStorageFails(t *testing.T) {
	y, a, place := withAttic(t, 1)
	old := y.made(backups.BySchedule)
	y.offsiteRound(t.Context())
	y.now = y.now.Add(time.Hour)
	y.made(backups.BySchedule)
	failed := y.now
	a.broken = unreachable
	for range 2 {
		y.offsiteRound(t.Context())
		y.now = y.now.Add(time.Minute)
	}
	if s := y.meter.standing; !s.On || s.Problem != "it does not answer" || !s.Since.Equal(failed) || s.Copies != 1 || s.Waiting != 1 {
		t.Errorf("it stands at %+v", s)
	}
	if all := y.all(); len(all) != 2 || !all[1].Away {
		t.Errorf("what was known is forgotten: %+v", all)
	}
	if err := y.Delete(t.Context(), old.Name, false); fault.CodeOf(err) != "storage.unreachable" || len(y.all()) != 2 {
		t.Errorf("Delete = %v: what cannot be deleted there goes here", err)
	}
	a.broken = nil
	y.offsiteRound(t.Context())
	if s := y.meter.standing; s.Problem != "" || !s.Since.IsZero() || s.Waiting != 0 || s.Copies != 1 {
		t.Errorf("when it is well again: %+v", s)
	}
	*place = backups.Offsite{Version: 2}
	y.offsiteRound(t.Context())
	if s := y.meter.standing; s.On || s.Copies != 0 || len(a.kept) != 1 {
		t.Errorf("disabled: %+v, %d copies", s, len(a.kept))
	}
}

// TestACopyOfAnotherSizeIsMadeAgain: it is of an upload that a server took for whole.
func TestACopyOfAnotherSizeIsMadeAgain(t *testing.T) {
	y, a, _ := withAttic(t, 9)
	b := y.made(backups.ByHand)
	a.kept[b.Name] = []byte("half")
	y.offsiteRound(t.Context())
	if int64(len(a.kept[b.Name])) != b.Size {
		t.Errorf("the copy has %d bytes", len(a.kept[b.Name]))
	}
}

// TestAChangeOfSettingsIsSeenAtOnce, and the storage is not asked for each page.
func TestAChangeOfSettingsIsSeenAtOnce(t *testing.T) {
	y, a, place := withAttic(t, 9)
	if len(y.all()) > 0 {
		t.Fatal("there is something")
	}
	a.kept[backups.Name(y.now, backups.ByHand, [3]byte{1})] = []byte("x")
	if len(y.all()) > 0 {
		t.Error("the storage was asked again within seconds")
	}
	place.Version++
	if len(y.all()) != 1 {
		t.Error("what the other settings lead to is not listed")
	}
	a.kept = map[string][]byte{}
	y.now = y.now.Add(stale)
	if len(y.all()) > 0 {
		t.Error("what was found out long ago is not looked at again")
	}
}
