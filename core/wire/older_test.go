package wire

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// The frames in testdata/older are what both ends of an earlier release wrote, byte for byte: its golden frames. They
// are never written anew.

func TestWhatAnOlderReleaseSaysIsUnderstood(t *testing.T) {
	files, err := filepath.Glob("testdata/older/*")
	if err != nil || len(files) != len(kinds) {
		t.Fatalf("%d frames of the older release, %v", len(files), err)
	}
	for _, file := range files {
		frame, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		msg, err := Decode(bytes.TrimSuffix(frame, []byte("\n")))
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if name := nameOf(msg); name != filepath.Base(file) {
			t.Errorf("%s is read as %s", file, name)
		}
		if _, err := Encode(msg); err != nil {
			t.Errorf("%s cannot be said again: %v", file, err)
		}
	}
}

// TestWhatAnOlderWorkerCannotDoIsNotAskedOfIt: what it does not say of itself is not there.
func TestWhatAnOlderWorkerCannotDoIsNotAskedOfIt(t *testing.T) {
	frame, err := os.ReadFile("testdata/older/hello")
	if err != nil {
		t.Fatal(err)
	}
	msg, err := Decode(bytes.TrimSuffix(frame, []byte("\n")))
	if err != nil {
		t.Fatal(err)
	}
	if hello := msg.(Hello); hello.Runs || hello.Judges || hello.LogTimes || hello.Hostname != "edge-1" || len(hello.Journal) == 0 {
		t.Errorf("it says %+v", hello)
	}
	frame, err = os.ReadFile("testdata/older/request")
	if err != nil {
		t.Fatal(err)
	}
	if msg, err = Decode(bytes.TrimSuffix(frame, []byte("\n"))); err != nil || msg.(Request).Times {
		t.Errorf("the hub asks %+v, %v", msg, err)
	}
	frame, err = os.ReadFile("testdata/older/welcome")
	if err != nil {
		t.Fatal(err)
	}
	if msg, err = Decode(bytes.TrimSuffix(frame, []byte("\n"))); err != nil || msg.(Welcome).Changes {
		t.Errorf("the hub says %+v, %v", msg, err)
	}
}

func TestWhatANewerReleaseAddsIsIgnored(t *testing.T) {
	for name, msg := range samples() {
		frame, err := Encode(msg)
		if err != nil {
			t.Fatal(err)
		}
		newer := bytes.Replace(frame, []byte("{"), []byte(`{"of_a_newer_release":{"a":[1,{"b":null}]},`), 1)
		got, err := Decode(bytes.Replace(newer, []byte(",}"), []byte("}"), 1))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if again, err := Encode(got); err != nil || !bytes.Equal(again, frame) {
			t.Errorf("%s became\n%s\nand was\n%s, %v", name, again, frame, err)
		}
	}
}
