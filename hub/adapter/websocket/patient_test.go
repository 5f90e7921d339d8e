package websocket

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"berth/core/wire"
	"berth/hub/link"
)

// patientListener accepts what a worker port does.
type patientListener struct{ net.Listener }

// Accept implements net.Listener.
func (l patientListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return NewPatient(conn), nil
}

// dribble stands between a worker and a port and passes single bytes on to the port.
func dribble(t *testing.T, to string) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		from, err := listener.Accept()
		if err != nil {
			return
		}
		defer from.Close()
		port, err := net.Dial("tcp", to)
		if err != nil {
			return
		}
		go func() {
			defer port.Close()
			_, _ = io.CopyBuffer(struct{ io.Writer }{port}, struct{ io.Reader }{from}, make([]byte, 1))
		}()
		_, _ = io.Copy(from, port)
	}()
	return listener.Addr().String()
}

// readPatiently reads as a link does.
func readPatiently(c *conn) ([]byte, error) {
	for {
		frame, err := c.ReadBegun()
		if !errors.Is(err, link.ErrNothing) {
			return frame, err
		}
		if err := c.Wait(); err != nil {
			return nil, err
		}
	}
}

// TestFramesThatArriveByTheByteArriveWhole reads through TLS, whose records break off at every byte.
func TestFramesThatArriveByTheByteArriveWhole(t *testing.T) {
	accepted, release := make(chan *conn), make(chan struct{})
	p := openPort(t, portOptions{accept: acceptInto(accepted, release)})
	o := p.worker(t)
	o.Server = "https://" + dribble(t, p.Listener.Addr().String())
	client := dial(t, o)
	server := until(t, accepted)
	defer close(release)
	for _, size := range []int{0, 1, 126, 3000, 0, 700} {
		want := bytes.Repeat([]byte{byte(size)}, size)
		written := make(chan error, 1)
		go func() { written <- client.WriteFrame(want) }()
		if got, err := readPatiently(server); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%d bytes: got %d, %v", size, len(got), err)
		}
		if err := until(t, written); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFramesThatArriveTogetherAreAllRead: what TLS holds already is not waited for.
func TestFramesThatArriveTogetherAreAllRead(t *testing.T) {
	server, client := ends(t)
	const many = 40
	together := bytes.Repeat(frame(fin|2, 300, make([]byte, 300)), many) // in one write, so in one record
	if _, err := client.raw.Write(together); err != nil {
		t.Fatal(err)
	}
	for i := range many {
		if got, err := readPatiently(server); err != nil || len(got) != 300 {
			t.Fatalf("frame %d: %d bytes, %v", i, len(got), err)
		}
	}
	if _, err := server.ReadBegun(); !errors.Is(err, link.ErrNothing) {
		t.Errorf("after the last frame: %v", err)
	}
}

func TestWaitingEnds(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(server, client *conn)
		want error
	}{
		"the time is over":     {func(server, _ *conn) { server.SetReadDeadline(time.Now().Add(-time.Second)) }, os.ErrDeadlineExceeded},
		"the worker closes":    {func(_, client *conn) { client.Close() }, io.EOF},
		"this side closes":     {func(server, _ *conn) { server.Close() }, net.ErrClosed},
		"a frame is too large": {func(_, client *conn) { client.raw.Write(frame(fin|2, wire.MaxFrame+1, nil)) }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			server, client := ends(t)
			read := make(chan error, 1)
			go func() {
				_, err := readPatiently(server)
				read <- err
			}()
			c.end(server, client)
			if err := until(t, read); err == nil || c.want != nil && !errors.Is(err, c.want) || c.want == nil && !wire.Violation(err) {
				t.Errorf("reading ended with %v, want %v", err, c.want)
			}
		})
	}
}
