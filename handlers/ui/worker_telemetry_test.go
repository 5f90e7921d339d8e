package ui

import (
	"strings"
	"testing"
	"time"

	"berth/core/fleet"
)

func TestTrendsSayWhatTheyShow(t *testing.T) {
	all := sampleReadings("wrk_1")
	drawn := trendsOf(all, sampleNow)
	if len(drawn) != 4 {
		t.Fatalf("%d trends", len(drawn))
	}
	for _, d := range drawn {
		if strings.Count(d.Line, "M") != 2 || strings.Count(d.Area, "Z") != 2 || d.Now == "" || !strings.Contains(d.Text, d.Now) || !strings.Contains(d.Text, d.Range) {
			t.Errorf("%s: %q, %q, %d pieces", d.Name, d.Now, d.Text, strings.Count(d.Line, "M"))
		}
	}
	if disk := drawn[2]; disk.Name != "Disk" || disk.Tone != "bad" || disk.Of != "106 GiB of 114 GiB" {
		t.Errorf("a disk that is nearly full: %s, %s, %s", disk.Name, disk.Tone, disk.Of)
	}
	if cpu := drawn[0]; cpu.Tone != "busy" || cpu.Of != "of 4 processors" {
		t.Errorf("processors: %+v", cpu)
	}
}

func TestWhatIsNotKnownOfAHostIsNotDrawn(t *testing.T) {
	one := fleet.Reading{At: before(time.Minute), CPU: 500, Load: fleet.Unread, CPUs: fleet.Unread, Memory: fleet.Unread, MemoryTotal: fleet.Unread, Disk: fleet.Unread, DiskTotal: fleet.Unread}
	drawn := trendsOf([]fleet.Reading{one}, sampleNow)
	if len(drawn) != 1 || drawn[0].Now != "50 %" || drawn[0].Line != "M287 50h1" || drawn[0].Area != "M287 50h1V100H287Z" {
		t.Errorf("one reading: %+v", drawn)
	}
	later := one
	later.At, later.CPU = sampleNow, fleet.Unread
	if drawn := trendsOf([]fleet.Reading{one, later}, sampleNow); drawn[0].Now != "" || strings.Contains(drawn[0].Text, "last 5") {
		t.Errorf("the newest is not known: %+v", drawn[0])
	}
	if drawn := trendsOf(nil, sampleNow); drawn != nil {
		t.Errorf("nothing: %+v", drawn)
	}
}
