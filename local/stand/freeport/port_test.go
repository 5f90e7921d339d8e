package freeport

import (
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestNobodyGetsAPortTwice: neither this process nor another one that asks at the same time, and
// a server that was stopped gets it again.
func TestNobodyGetsAPortTwice(t *testing.T) {
	if os.Getenv("TAKE_PORTS") != "" {
		for range 300 {
			os.Stdout.WriteString(take(t) + "\n")
		}
		os.Stdin.Read(make([]byte, 1)) // they are this process's until it ends
		os.Exit(0)
	}
	seen := map[string]bool{}
	add := func(port string) {
		if seen[port] {
			t.Errorf("%s was given twice", port)
		}
		seen[port] = true
	}
	other := exec.Command(os.Args[0], "-test.run=^TestNobodyGetsAPortTwice$")
	other.Env = append(os.Environ(), "TAKE_PORTS=1")
	stay, err := other.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out := &strings.Builder{}
	other.Stdout, other.Stderr = out, os.Stderr
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	for range 300 {
		add(take(t))
	}
	stay.Close()
	if err := other.Wait(); err != nil {
		t.Fatal(err)
	}
	theirs := strings.Fields(out.String())
	if len(theirs) != 300 {
		t.Fatalf("the other process got %d ports", len(theirs))
	}
	for _, port := range theirs {
		add(port)
	}
	for port := range seen {
		for range 2 {
			l, err := net.Listen("tcp", ":"+port)
			if err != nil {
				t.Fatal(err)
			}
			l.Close()
		}
		break
	}
}

func take(t *testing.T) string {
	t.Helper()
	port, err := Take()
	if err != nil {
		t.Fatal(err)
	}
	return port
}
