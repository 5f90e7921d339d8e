package faultynet

import (
	"net"
	"net/netip"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestAnOutpostLosesPackets proves that what is said to be lost is: a program there reaches this
// host, is cut off by a loss of everything, and leaves nothing behind.
func TestAnOutpostLosesPackets(t *testing.T) {
	var name string
	t.Run("while there is one", func(t *testing.T) {
		o := NewOutpost(t)
		name = o.way
		said := make(chan string, 2)
		listener, err := net.Listen("tcp", o.Address+":0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { listener.Close() })
		go func() {
			for {
				conn, err := listener.Accept()
				if err != nil {
					return
				}
				said <- conn.RemoteAddr().String()
				conn.Close()
			}
		}()
		host, port, err := net.SplitHostPort(listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		reach := func() *exec.Cmd { // bash opens the connection by itself
			return o.Command([]string{"PATH=/usr/bin:/bin"}, "timeout", "100", "bash", "-c", "exec 3<>/dev/tcp/"+host+"/"+port)
		}
		if err := reach().Run(); err != nil {
			t.Fatal("nothing is lost, and yet:", err)
		}
		if from := <-said; strings.HasPrefix(from, o.Address+":") {
			t.Errorf("it comes from %s, which is this host", from)
		}
		o.Lose(100)
		trying := reach()
		if err := trying.Start(); err != nil {
			t.Fatal(err)
		}
		for end := time.Now().Add(time.Minute); o.Lost(Up) == 0; {
			if time.Now().After(end) {
				t.Fatal("nothing was lost")
			}
		}
		if len(said) > 0 || o.Lost(Down) != 0 {
			t.Errorf("%d connections came through, %d packets were lost on the way down", len(said), o.Lost(Down))
		}
		o.Lose(0)
		if err := trying.Wait(); err != nil { // the kernel tries again
			t.Error("nothing is lost any more, and yet:", err)
		}
	})
	out, err := exec.Command("ip", "netns", "list").CombinedOutput()
	if err != nil || strings.Contains(string(out), name) {
		t.Errorf("what is left: %s %v", out, err)
	}
}

func TestAddressesThatAreInUseAreLeftAlone(t *testing.T) {
	own := func(text string) []net.Addr {
		ip, network, err := net.ParseCIDR(text)
		if err != nil {
			t.Fatal(err)
		}
		return []net.Addr{&net.IPNet{IP: ip, Mask: network.Mask}}
	}
	for address, want := range map[string]bool{"198.18.0.9/30": true, "198.18.0.13/30": true, "198.18.0.1/30": false, "198.18.0.17/30": false, "198.0.0.1/8": true, "fe80::1/64": false} {
		if got := inUse(blockNo(1), own(address)); got != want {
			t.Errorf("%s uses the second block: %v", address, got)
		}
	}
	if last := blockNo(blocks - 1).Addr(); last != netip.MustParseAddr("198.19.255.248") {
		t.Errorf("the last block begins at %v", last)
	}
}
