package ui

import (
	"time"

	"berth/core/keys"
)

func sampleDataKeys(p keys.Pass) keysPage {
	s := keys.Status{CheckValue: "3fa0c1", Keys: []keys.DataKey{{Number: 1, CreatedAt: before(9000 * time.Hour)}, {Number: 2, Active: true, CreatedAt: before(time.Hour)}}, Pass: p}
	if p.BeganAt.IsZero() {
		s.Keys = s.Keys[:1]
		s.Keys[0].Active = true
	}
	return newKeysPage(s, sampleClock)
}

func sampleClock() time.Time { return before(0) }
