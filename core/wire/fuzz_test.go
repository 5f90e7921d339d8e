package wire

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"berth/core/fault"
)

// FuzzDecode: no bytes crash the decoder; what it accepts is within the limits, travels
// in one direction at least, and says the same after one more trip.
func FuzzDecode(f *testing.F) {
	golden, _ := filepath.Glob("testdata/frames/*")
	if len(golden) != len(kinds) {
		f.Fatalf("%d golden frames for %d messages", len(golden), len(kinds))
	}
	for _, file := range golden {
		frame, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(frame)
	}
	run, err := Encode(sampleRun())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(run)
	for _, frame := range []string{"bye {}", "bye null", ` {}`, `event {"id":"cmd_","phase":{}}`, `observed {"stacks":[{"containers":[{"changed":[""]}]}]}`,
		`hello {"engine":"\n"}`, `result {"service":"\u0000","lines":"a\n"}`, `result {"events":9007199254740993}`, `result {"events":-1}`,
		`event {"log_to":"\u0007"}`, `result {"exit_code":-1}`, `command {"kind":"run","run":{}}`} {
		f.Add([]byte(frame))
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		msg, err := Decode(frame)
		if err != nil {
			if !Violation(err) {
				t.Fatalf("%v is no violation", err)
			}
			return
		}
		if !FromWorker(msg) && !FromHub(msg) {
			t.Fatalf("nobody may send %#v", msg)
		}
		again, err := Encode(msg)
		if fault.Is(err, fault.TooLarge) {
			return // escapes that the peer left out can take it over the limit
		}
		if err != nil {
			t.Fatalf("accepted, but cannot be sent: %v", err)
		}
		twice, err := Decode(again)
		if err != nil {
			t.Fatal(err)
		}
		last, err := Encode(twice)
		if err != nil || !reflect.DeepEqual(again, last) {
			t.Fatalf("changes with every trip:\n%s\n%s (%v)", again, last, err)
		}
	})
}
