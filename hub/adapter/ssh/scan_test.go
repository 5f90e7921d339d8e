package ssh

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"berth/core/fault"
	"berth/core/repositories"
	"berth/local/stand/sshhost"
)

var loopback = Reach{Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}

func host(t *testing.T, opts sshhost.Options) *sshhost.Host {
	t.Helper()
	h, err := sshhost.Open(t.TempDir(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}

// TestScanShowsEveryKey compares with what ssh-keygen made and calls its fingerprints.
func TestScanShowsEveryKey(t *testing.T) {
	kinds := []string{"ed25519", "ecdsa-256", "rsa-2048"}
	h := host(t, sshhost.Options{KeyTypes: kinds})
	want, err := h.HostKeys()
	if err != nil {
		t.Fatal(err)
	}
	got, err := loopback.ScanHost(t.Context(), h.Addr)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, key := range got {
		lines = append(lines, key.Line())
	}
	if !slices.Equal(lines, want) {
		t.Errorf("scanned\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
	for i, kind := range kinds {
		print, err := h.Fingerprint(kind)
		if err != nil || got[i].Fingerprint() != print {
			t.Errorf("%s: %s, want %s, %v", kind, got[i].Fingerprint(), print, err)
		}
	}
}

// A13: what is no public host is refused before a byte is sent, whatever leads there.
func TestScanRefusesWhereItMayNotGo(t *testing.T) {
	h := host(t, sshhost.Options{})
	_, port, _ := net.SplitHostPort(h.Addr)
	for _, target := range []string{"127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "[::]", "127.1.2.3", "10.0.0.1", "169.254.169.254",
		"[fe80::1]", "[fd00:ec2::254]", "224.0.0.1", "255.255.255.255", "[64:ff9b::7f00:1]", "[2002:7f00:1::1]"} {
		_, err := Reach{}.ScanHost(t.Context(), target+":"+port)
		if fault.CodeOf(err) != "git.private_address" || !fault.Is(err, fault.Forbidden) || !strings.Contains(fault.PublicOf(err), "ALLOWED_PRIVATE_IP_RANGES") {
			t.Errorf("%s: %v", target, err)
		}
	}
	if n := h.Connections(); n != 0 {
		t.Errorf("%d connections were made", n)
	}
	for _, address := range []string{"127.0.0.1:0", "127.0.0.1:-1", "127.0.0.1:70000"} {
		if _, err := loopback.ScanHost(t.Context(), address); fault.CodeOf(err) != "ssh_host.unreachable" {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// A13: a name that leads to a public address when it is judged and to a private one when it is dialled gains nothing.
func TestScanJudgesTheAddressThatIsDialled(t *testing.T) {
	h := host(t, sshhost.Options{})
	_, port, _ := net.SplitHostPort(h.Addr)
	asked := &atomic.Int32{}
	resolver := &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go answerName(theirs, func() [4]byte {
			asked.Add(1)
			return [4]byte{127, 0, 0, 1}
		})
		return ours, nil
	}}
	_, err := Reach{Resolver: resolver}.ScanHost(t.Context(), "rebinding.example:"+port)
	if fault.CodeOf(err) != "git.private_address" || !strings.Contains(fault.PublicOf(err), "127.0.0.1") {
		t.Errorf("got %v", err)
	}
	if asked.Load() == 0 || h.Connections() != 0 {
		t.Errorf("the name was asked for %d times, and %d connections were made", asked.Load(), h.Connections())
	}
}

// answerName is a name server on a stream: every question for an IPv4 address gets one, others get none.
func answerName(conn net.Conn, address func() [4]byte) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	for {
		var length uint16
		if binary.Read(in, binary.BigEndian, &length) != nil {
			return
		}
		question := make([]byte, length)
		if _, err := io.ReadFull(in, question); err != nil {
			return
		}
		end := 12
		for question[end] != 0 {
			end += int(question[end]) + 1
		}
		end += 5
		answer := slices.Concat(question[:2], []byte{0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0}, question[12:end])
		if question[end-3] == 1 { // A
			ip := address()
			answer[7] = 1
			answer = slices.Concat(answer, []byte{0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4}, ip[:])
		}
		_, _ = conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...))
	}
}

// A13: a host that says little, or too much, or nothing holds a scan up for five seconds at most.
func TestScanEnds(t *testing.T) {
	cases := map[string]struct {
		say  func(net.Conn)
		says string
	}{
		"a host that says nothing":          {func(net.Conn) {}, "within 5 seconds"},
		"a host that drips lines for ever":  {drip, "within 5 seconds"},
		"a host that speaks something else": {func(c net.Conn) { fmt.Fprint(c, "220 mail ready\r\n"); c.Close() }, "does not speak SSH"},
		"a host that hangs up":              {func(c net.Conn) { c.Close() }, "does not speak SSH"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			var all sync.WaitGroup
			t.Cleanup(all.Wait)
			var open sync.Map
			t.Cleanup(func() {
				l.Close()
				open.Range(func(conn, _ any) bool { conn.(net.Conn).Close(); return true })
			})
			all.Go(func() {
				for {
					conn, err := l.Accept()
					if err != nil {
						return
					}
					open.Store(conn, true)
					all.Go(func() { c.say(conn) })
				}
			})
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			_, err = loopback.ScanHost(ctx, l.Addr().String())
			if fault.CodeOf(err) != "ssh_host.unreachable" || !strings.Contains(fault.PublicOf(err), c.says) || ctx.Err() != nil {
				t.Errorf("got %v, want that it says %q", err, c.says)
			}
		})
	}
}

func drip(c net.Conn) {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for range tick.C {
		if _, err := fmt.Fprint(c, "hello\r\n"); err != nil {
			return
		}
	}
}

func TestScanOfNobody(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	_, err = loopback.ScanHost(t.Context(), l.Addr().String())
	if fault.CodeOf(err) != "ssh_host.unreachable" || !strings.Contains(fault.PublicOf(err), "no connection") {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := loopback.ScanHost(ctx, l.Addr().String()); fault.CodeOf(err) != "ssh_host.unreachable" {
		t.Errorf("got %v", err)
	}
}

var _ repositories.HostScanner = loopback
