package websocket

import (
	"errors"
	"io"
	"net"
	"os"
	"syscall"
)

// errNothing is what an eager Patient says when nothing has come. It is temporary for crypto/tls, which then goes
// on where it was, with what it has read so far of a record.
var errNothing net.Error = nothing{}

type nothing struct{}

func (nothing) Error() string   { return "nothing to read has come yet" }
func (nothing) Timeout() bool   { return false }
func (nothing) Temporary() bool { return true }

// Patient is a TCP connection below TLS whose reader can wait on little stack: a goroutine that waits inside
// crypto/tls takes four times as much, as long as the link lasts.
type Patient struct {
	net.Conn
	raw syscall.RawConn

	// Of the reader.
	eager bool // Read does not wait
	next  record
}

// NewPatient returns what conn is when it has no file descriptor: a connection on which nobody can wait so.
func NewPatient(conn net.Conn) net.Conn {
	with, is := conn.(syscall.Conn)
	if !is {
		return conn
	}
	raw, err := with.SyscallConn()
	if err != nil {
		return conn
	}
	return &Patient{Conn: conn, raw: raw}
}

// patientBelow returns the Patient that conn runs over; nil: there is none.
func patientBelow(conn net.Conn) *Patient {
	for {
		if patient, is := conn.(*Patient); is {
			return patient
		}
		over, is := conn.(interface{ NetConn() net.Conn })
		if !is {
			return nil
		}
		conn = over.NetConn()
	}
}

// NetConn returns the connection below.
func (p *Patient) NetConn() net.Conn { return p.Conn }

// Read reads no further than a TLS record's header, or its end, goes: crypto/tls would keep what is beyond in a
// buffer that is twice as large, for as long as the connection lasts. errNothing: p is eager and nothing has come.
func (p *Patient) Read(b []byte) (int, error) {
	read := p.Conn.Read
	if p.eager {
		read = p.readCome
	}
	n, err := read(b[:min(len(b), p.next.left())])
	p.next.pass(b[:n])
	return n, err
}

// readCome is Read for what has come: errNothing when nothing has.
func (p *Patient) readCome(b []byte) (n int, err error) {
	if waited := p.raw.Read(func(fd uintptr) bool {
		n, err = again(func() (int, error) { return syscall.Read(int(fd), b) })
		return true
	}); waited != nil {
		return 0, waited
	}
	switch {
	case errors.Is(err, syscall.EAGAIN):
		return 0, errNothing
	case err != nil:
		return 0, os.NewSyscallError("read", err)
	case n == 0:
		return 0, io.EOF
	}
	return n, nil
}

// wait returns when there is something to read, or what to say why not.
func (p *Patient) wait() error { return p.raw.Read(readable) }

// readable reports whether there are bytes to read, or an end.
func readable(fd uintptr) bool {
	var one [1]byte
	_, err := again(func() (int, error) {
		n, _, err := syscall.Recvfrom(int(fd), one[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		return n, err
	})
	return !errors.Is(err, syscall.EAGAIN)
}

// again makes a call of the system until no signal interrupts it.
func again(call func() (int, error)) (int, error) {
	for {
		if n, err := call(); err != syscall.EINTR {
			return n, err
		}
	}
}
