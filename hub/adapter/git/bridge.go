package git

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"io"
	"net"
	"strings"
	"sync"
	"time"

	"berth/hub/adapter/ssh"

	"github.com/go-git/go-git/v5/plumbing/format/pktline"
)

// bridge leads one conversation of a git process into a command on an SSH line: git speaks its own plain
// protocol to a port of this machine, and neither it nor anything that it starts sees a key. Whoever else
// finds the port lacks the name under which that one conversation is to be had.
type bridge struct {
	listener net.Listener
	name     string // of the repository, at random; it reaches git through its environment
	line     *ssh.Line
	path     string

	all     sync.WaitGroup
	mu      sync.Mutex
	closed  bool        // guarded by mu
	closers []io.Closer // of what is open; guarded by mu
}

// helloTime bounds how long who connects may take to say what is wanted.
const helloTime = 5 * time.Second

// openBridge makes a bridge into a line; ctx ends it, and so does close, which must be called.
func openBridge(ctx context.Context, line *ssh.Line, path string) (*bridge, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	b := &bridge{listener: listener, name: rand.Text(), line: line, path: path, closers: []io.Closer{listener}}
	b.all.Go(func() {
		defer context.AfterFunc(ctx, b.end)()
		b.serve()
	})
	return b, nil
}

// address is what git fetches from.
func (b *bridge) address() string { return "git://" + b.listener.Addr().String() + "/" + b.name }

// keep notes what must be closed for the bridge to end; false: it has ended already.
func (b *bridge) keep(c io.Closer) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		c.Close()
		return false
	}
	b.closers = append(b.closers, c)
	return true
}

func (b *bridge) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	for _, c := range b.closers {
		_ = c.Close() // both sides know by then how it went
	}
	b.closers = nil
}

// close ends the bridge and waits until nothing of it runs.
func (b *bridge) close() {
	b.end()
	b.all.Wait()
}

// serve waits for the one who knows the name, and listens to nobody after that.
func (b *bridge) serve() {
	for {
		conn, err := b.listener.Accept()
		if err != nil {
			return
		}
		if !b.keep(conn) {
			return
		}
		settings, ours := b.greeted(conn)
		if !ours {
			conn.Close()
			continue
		}
		b.listener.Close()
		b.carry(conn, settings)
		return
	}
}

// greeted reads what a git process says first: what it wants, and which protocol it would like.
func (b *bridge) greeted(conn net.Conn) (settings map[string]string, ours bool) {
	_ = conn.SetReadDeadline(time.Now().Add(helloTime))
	hello := pktline.NewScanner(io.LimitReader(conn, 1<<10))
	if !hello.Scan() {
		return nil, false
	}
	wanted, rest, _ := strings.Cut(string(hello.Bytes()), "\x00")
	if subtle.ConstantTimeCompare([]byte(wanted), []byte(uploadPack+" /"+b.name)) != 1 {
		return nil, false
	}
	_ = conn.SetReadDeadline(time.Time{})
	if strings.Contains(rest, "\x00version=2\x00") {
		settings = map[string]string{"GIT_PROTOCOL": "version=2"}
	}
	return settings, true
}

// carry lets both sides talk until one has nothing more to say.
func (b *bridge) carry(conn net.Conn, settings map[string]string) {
	defer conn.Close()
	c, err := b.line.Start(uploadPack, b.path, settings)
	if err != nil || !b.keep(c) {
		return // git sees the end of the connection, and says that it was hung up on
	}
	defer c.Close()
	b.all.Go(func() {
		_, _ = io.Copy(c.In, conn)
		_ = c.In.Close()
	})
	_, _ = io.Copy(conn, c.Out)
}
