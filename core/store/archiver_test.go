package store_test

import (
	"testing"
	"time"

	"berth/core/backups"
	"berth/core/store"
)

func TestReadArchiver(t *testing.T) {
	at := func(s int64) time.Time { return time.Unix(s, 0).UTC() }
	for text, want := range map[string]backups.OfDatabase{
		"15.8|off|0|0":              {Version: "15.8"},
		"15.8|on|1700000000|0":      {Version: "15.8", Archiving: true, Archived: at(1_700_000_000)},
		"16.1|always|0|1700000000":  {Version: "16.1", Archiving: true, Failed: at(1_700_000_000)},
		"17|on|1700000000|17000001": {Version: "17", Archiving: true, Archived: at(1_700_000_000), Failed: at(17_000_001)},
	} {
		var got backups.OfDatabase
		if err := store.ReadArchiver(text, &got); err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "15|on|1", "15|on|x|0", "15|on|0|x"} {
		if err := store.ReadArchiver(text, &backups.OfDatabase{}); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}
