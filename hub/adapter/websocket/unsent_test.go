package websocket

import (
	"crypto/tls"
	"net"
	"syscall"
	"testing"
)

func TestTheKernelHoldsLittle(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := boundUnsent(tls.Client(conn, &tls.Config{})); err != nil {
		t.Fatal(err)
	}
	raw, err := conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	got := 0
	if err := raw.Control(func(fd uintptr) { got, err = syscall.GetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpNotsentLowat) }); err != nil {
		t.Fatal(err)
	}
	if err != nil || got != maxUnsent {
		t.Errorf("the bound is %d, %v", got, err)
	}
	a, b := net.Pipe()
	defer a.Close()
	defer b.Close()
	if boundUnsent(a) == nil {
		t.Error("a pipe has a bound")
	}
}
