package websocket

import (
	"errors"
	"net"
	"syscall"
)

const (
	// maxUnsent is how many bytes the kernel may hold that are not on their way yet. Without a
	// bound it takes megabytes, and on a slow link whatever keeps the link alive waits behind them.
	maxUnsent = 16 << 10
	// tcpNotsentLowat is TCP_NOTSENT_LOWAT of Linux (tcp(7)).
	tcpNotsentLowat = 25
)

// boundUnsent sets maxUnsent on the TCP connection below conn. Where there is none, or the
// kernel does not know the option, only slow links are worse off: the error is for tests.
func boundUnsent(conn net.Conn) error {
	for {
		wrapped, is := conn.(interface{ NetConn() net.Conn })
		if !is {
			break
		}
		conn = wrapped.NetConn()
	}
	socket, is := conn.(syscall.Conn)
	if !is {
		return errors.New("no TCP connection")
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return err
	}
	var problem error
	err = raw.Control(func(fd uintptr) {
		problem = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpNotsentLowat, maxUnsent)
	})
	return errors.Join(err, problem)
}
