package journal

import (
	"bytes"
	"testing"
)

// FuzzScan feeds the reader damaged files: it never panics, never claims more than
// there is, and what it calls good reads the same again.
func FuzzScan(f *testing.F) {
	var whole bytes.Buffer
	whole.WriteString(magic)
	for _, r := range []record{receivedRecord(testEntry(1)), {Kind: kindStarted, ID: "cmd_a", Attempt: 1, Starts: 2}, {Kind: kindPruned, ID: "cmd_a", Attempt: 1}} {
		data, err := r.encode()
		if err != nil {
			f.Fatal(err)
		}
		whole.Write(data)
	}
	f.Add(whole.Bytes())
	f.Add(whole.Bytes()[:whole.Len()-3])
	f.Add([]byte(magic))
	f.Add([]byte("BERTHWJ1\xff\xff\xff\xff\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		first := newLedger()
		good, _ := scan(data, first.apply)
		if good < 0 || good > int64(len(data)) {
			t.Fatalf("good = %d of %d bytes", good, len(data))
		}
		second := newLedger()
		if again, torn := scan(data[:good], second.apply); again != good || (good > 0 && !torn) {
			t.Fatalf("the good part reads as %d (torn %v), want %d", again, torn, good)
		}
		if len(first.order) != len(second.order) || len(first.order) != len(first.entries) {
			t.Fatalf("%d entries at first, %d then", len(first.order), len(second.order))
		}
	})
}
