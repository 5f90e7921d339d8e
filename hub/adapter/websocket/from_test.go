package websocket

import (
	"net"
	"net/netip"
	"testing"

	"berth/core/wire"
)

func TestDialComesFromTheAddressThatWasAskedFor(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	came := make(chan string, 1)
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			came <- err.Error()
			return
		}
		came <- conn.RemoteAddr().String()
		conn.Close() // it is no worker port
	}()
	_, _, err = Dial(t.Context(), DialOptions{Server: "https://" + listener.Addr().String(), From: netip.MustParseAddr("127.0.0.7"),
		Enrol: wire.Enrol{Protocol: wire.ProtocolVersion, Hostname: "edge", Version: "1", OS: "linux", Arch: "amd64"}})
	if err == nil {
		t.Error("it took a stranger for a worker port")
	}
	if from := netip.MustParseAddrPort(<-came); from.Addr() != netip.MustParseAddr("127.0.0.7") {
		t.Errorf("it came from %v", from)
	}
}
