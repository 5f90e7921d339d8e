package wire

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"berth/core/fault"
)

var update = flag.Bool("update", false, "write the frames in testdata anew: only for a deliberate change of the protocol")

func TestEveryMessageHasItsGoldenFrame(t *testing.T) {
	all := samples()
	if len(all) != len(kinds) {
		t.Fatalf("%d samples for %d messages", len(all), len(kinds))
	}
	for _, k := range kinds {
		msg := all[k.name]
		frame, err := Encode(msg)
		if err != nil {
			t.Errorf("%s: %v", k.name, err)
			continue
		}
		file := filepath.Join("testdata", "frames", k.name)
		if *update {
			if err := os.WriteFile(file, append(frame, '\n'), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		golden, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		golden = bytes.TrimSuffix(golden, []byte("\n"))
		if !bytes.Equal(frame, golden) {
			t.Errorf("%s is encoded as\n%s\nand was\n%s", k.name, frame, golden)
		}
		decoded, err := Decode(golden)
		if err != nil || !reflect.DeepEqual(decoded, msg) {
			t.Errorf("%s is decoded as\n%+v, %v\nwant\n%+v", k.name, decoded, err, msg)
		}
	}
}

func TestGoldenFrameCoversEveryField(t *testing.T) {
	for name, msg := range samples() {
		v := reflect.ValueOf(msg)
		for i := range v.NumField() {
			field := v.Type().Field(i).Name
			optional := name == "command" && (field == "Teardown" || field == "Run") || name == "blob_chunk" && field == "Error"
			if v.Field(i).IsZero() && !optional {
				t.Errorf("the sample of %s leaves %s empty, so its name is not pinned", name, field)
			}
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	id := string(sampleID)
	cases := map[string]struct {
		frame string
		code  string
	}{
		"nothing":                       {"", CodeMalformed},
		"a name alone":                  {"bye", CodeMalformed},
		"a name and a space":            {"bye ", CodeMalformed},
		"no name":                       {` {"reason":""}`, CodeMalformed},
		"a list":                        {`bye []`, CodeMalformed},
		"null":                          {`bye null`, CodeMalformed},
		"two spaces":                    {`bye  {}`, CodeMalformed},
		"JSON that ends early":          {`bye {"reason":"x`, CodeMalformed},
		"trailing data":                 {`bye {"reason":"x"} {}`, CodeMalformed},
		"a wrong type":                  {`bye {"reason":7}`, CodeMalformed},
		"a number that overflows":       {`heartbeat_ack {"number":18446744073709551616}`, CodeMalformed},
		"a negative number":             {`heartbeat_ack {"number":-1}`, CodeMalformed},
		"bytes that are not UTF-8":      {"bye {\"reason\":\"\xff\"}", CodeMalformed},
		"base64 that is none":           {`blob_chunk {"digest":"` + digest + `","data":"*"}`, CodeMalformed},
		"deep nesting":                  {`bye {"x":` + strings.Repeat("[", 33) + strings.Repeat("]", 33) + `}`, CodeMalformed},
		"very deep nesting":             {`bye {"x":` + strings.Repeat("[", 500_000), CodeMalformed},
		"300,000 empty objects":         {`observed {"stacks":[` + strings.Repeat("{},", 300_000) + `{}]}`, CodeMalformed},
		"an unknown message":            {`shutdown {}`, CodeUnknownMessage},
		"a name in capitals":            {`Bye {}`, CodeUnknownMessage},
		"an endless name":               {strings.Repeat("a", 1000) + ` {}`, CodeMalformed},
		"over the limit":                {`bye {"reason":"` + strings.Repeat("x", MaxFrame) + `"}`, CodeFrameTooLarge},
		"a field over its limit":        {`bye {"reason":"` + strings.Repeat("x", MaxText+1) + `"}`, CodeFrameTooLarge},
		"a sequence number beyond 2^53": {`event {"id":"` + id + `","attempt":1,"number":9223372036854775808}`, CodeInvalid},
		"attempt zero":                  {`accepted {"id":"` + id + `"}`, CodeInvalid},
		"an id of another kind":         {`accepted {"id":"` + string(sampleStack) + `","attempt":1}`, CodeInvalid},
		"NUL in a text":                 {`bye {"reason":"\u0000"}`, CodeInvalid},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			msg, err := Decode([]byte(c.frame))
			if fault.CodeOf(err) != c.code || !Violation(err) {
				t.Fatalf("Decode = %v, %v; want %s", msg, err, c.code)
			}
			if len(err.Error()) > 2000 {
				t.Fatalf("the error repeats the frame: %d bytes", len(err.Error()))
			}
		})
	}
}

func TestUnknownFieldsAreIgnored(t *testing.T) {
	msg, err := Decode([]byte(`bye {"later":{"a":[1,2,{}]},"reason":"x","retry_seconds":1}`))
	if want := (Bye{Reason: "x", RetrySeconds: 1}); err != nil || msg != any(want) {
		t.Fatalf("Decode = %+v, %v; want %+v", msg, err, want)
	}
}

func TestBracketsAndCommasInTextAreNoValues(t *testing.T) {
	text := strings.Repeat(`[{,"\`, 20_000)
	frame, err := Encode(Snapshot{Text: text})
	if err != nil {
		t.Fatal(err)
	}
	if msg, err := Decode(frame); err != nil || !reflect.DeepEqual(msg, any(Snapshot{Text: text})) {
		t.Fatalf("the text did not survive: %v", err)
	}
}

func TestLargestPartsFitAFrame(t *testing.T) {
	for name, msg := range map[string]any{
		"a log chunk of control characters": Event{ID: sampleID, Attempt: 1, Number: 1, Log: strings.Repeat("\x1b", MaxLogChunk)},
		"a reply":                           Reply{ID: 1, Data: strings.Repeat("\x07", MaxLogChunk)},
		"a blob chunk":                      BlobChunk{Digest: digest, Data: bytes.Repeat([]byte{255}, MaxBlobChunk)},
		"a full journal":                    Hello{Version: "1", Hostname: "h", OS: "o", Arch: "a", Journal: fullJournal()},
	} {
		if err := FitsFrame(msg); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func fullJournal() []JournalEntry {
	entries := make([]JournalEntry, MaxJournal)
	for i := range entries {
		entries[i] = JournalEntry{sampleID, maxAttempt, JournalReceived}
	}
	return entries
}

func TestEncodeRefusesWhatIsNoMessage(t *testing.T) {
	for name, msg := range map[string]any{"nil": nil, "a pointer": &Bye{}, "text": "bye", "an HTTP body": sampleEnrol()} {
		if _, err := Encode(msg); fault.CodeOf(err) != CodeUnknownMessage {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A megabyte of empty objects must not decode to hundreds.
func TestDecodingCostIsBounded(t *testing.T) {
	frame := []byte(`observed {"stacks":[{"containers":[` + strings.Repeat("{},", maxMarks/2-10) + `{}]}]}`)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := Decode(frame)
	runtime.ReadMemStats(&after)
	if fault.CodeOf(err) != CodeInvalid {
		t.Fatalf("Decode = %v; the frame should pass the scan and fail by its values", err)
	}
	if cost := after.TotalAlloc - before.TotalAlloc; cost > 48<<20 {
		t.Errorf("decoding %d bytes allocated %d", len(frame), cost)
	}
}
