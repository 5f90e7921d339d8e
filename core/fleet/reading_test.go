package fleet

import (
	"testing"
	"time"
)

func TestSlotsComeAgainAfterADay(t *testing.T) {
	at := time.Date(2026, 3, 4, 5, 7, 30, 0, time.UTC)
	seen := map[int]bool{}
	for i := range Readings {
		seen[Slot(at.Add(time.Duration(i)*ReadingEvery))] = true
	}
	if len(seen) != Readings || Slot(at) != Slot(at.Add(ReadingsFor)) || Slot(at) != Slot(at.Add(2*time.Minute)) {
		t.Errorf("%d slots in a day; %d, %d a day later", len(seen), Slot(at), Slot(at.Add(ReadingsFor)))
	}
}

func TestSharesOfWhatIsNotKnownAreNotKnown(t *testing.T) {
	for name, c := range map[string]struct {
		used, total int64
		want        int
	}{
		"a quarter":       {25, 100, 250},
		"nothing of much": {0, 100, 0},
		"more than all":   {120, 100, 1000},
		"all unknown":     {Unread, Unread, Unread},
		"of nothing":      {0, 0, Unread},
		"used unknown":    {Unread, 100, Unread},
	} {
		if got := Share(c.used, c.total); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}
