// Package sshhost is OpenSSH's own server as a stand-in for a Git host: real host keys, real logins, and
// git-upload-pack as the command. Each connection gets a server process of its own, as from inetd, which
// reads keys and settings anew: so both can change while the address stays.
//
// It runs as whoever runs the test, and lets that user in alone. Start with Open.
package sshhost

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Options say how a Host differs from a plain one.
type Options struct {
	KeyTypes []string // of host keys, as ssh-keygen -t takes them; empty: ed25519
	NoV2     bool     // the server takes no GIT_PROTOCOL, as most are set up
	Home     string   // where commands start; empty: the user's home folder
	Address  string   // to listen on; empty: a free port of 127.0.0.1
}

// Host is an SSH server.
type Host struct {
	User string // who may log in
	Addr string // host:port

	opts     Options
	program  string
	dir      string
	listener net.Listener
	stop     context.CancelFunc
	all      sync.WaitGroup

	mu          sync.Mutex
	connections int // ever; guarded by mu
}

// Open starts a host that keeps its keys in dir. Nobody may log in yet.
func Open(dir string, opts Options) (*Host, error) {
	program, err := sshd()
	if err != nil {
		return nil, err
	}
	who, err := user.Current()
	if err != nil {
		return nil, err
	}
	h := &Host{User: who.Username, opts: opts, program: program, dir: dir}
	if len(h.opts.KeyTypes) == 0 {
		h.opts.KeyTypes = []string{"ed25519"}
	}
	if err := h.Authorize(); err != nil {
		return nil, err
	}
	if err := h.ChangeKeys(h.opts.KeyTypes...); err != nil {
		return nil, err
	}
	address := opts.Address
	if address == "" {
		address = "127.0.0.1:0"
	}
	if h.listener, err = net.Listen("tcp", address); err != nil {
		return nil, err
	}
	h.Addr = h.listener.Addr().String()
	ctx, stop := context.WithCancel(context.Background())
	h.stop = stop
	h.all.Go(func() { h.serve(ctx) })
	return h, nil
}

// sshd finds the server, which Debian keeps off the PATH, and the folder that it wants to exist when root runs it.
func sshd() (string, error) {
	if os.Geteuid() == 0 {
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
			return "", err
		}
	}
	if path, err := exec.LookPath("sshd"); err == nil {
		return filepath.Abs(path) // it starts itself anew, and wants to know from where
	}
	const usual = "/usr/sbin/sshd"
	if _, err := os.Stat(usual); err != nil {
		return "", errors.New("the command sshd is missing; install the package openssh-server")
	}
	return usual, nil
}

// Authorize lets those in who have one of these public keys, and nobody else.
func (h *Host) Authorize(public ...string) error {
	var lines strings.Builder
	for _, key := range public {
		if h.opts.Home != "" {
			fmt.Fprintf(&lines, "command=\"export HOME='%[1]s' && cd '%[1]s' && exec sh -c \\\"$SSH_ORIGINAL_COMMAND\\\"\" ", h.opts.Home)
		}
		lines.WriteString(strings.TrimSpace(key) + "\n")
	}
	return os.WriteFile(filepath.Join(h.dir, "authorized_keys"), []byte(lines.String()), 0o600)
}

// ChangeKeys gives the host new keys of these types, in place of those it has.
func (h *Host) ChangeKeys(types ...string) error {
	config := []string{"AuthorizedKeysFile " + filepath.Join(h.dir, "authorized_keys"), "StrictModes no", "UsePAM no", "PidFile none",
		"PasswordAuthentication no", "KbdInteractiveAuthentication no", "PermitRootLogin prohibit-password", "PrintMotd no", "LogLevel VERBOSE"}
	if !h.opts.NoV2 {
		config = append(config, "AcceptEnv GIT_PROTOCOL")
	}
	for _, kind := range types {
		path := filepath.Join(h.dir, "host_"+kind)
		_, _ = os.Remove(path), os.Remove(path+".pub")
		if err := MakeKey(path, kind, ""); err != nil {
			return err
		}
		config = append(config, "HostKey "+path)
	}
	h.mu.Lock()
	h.opts.KeyTypes = types
	h.mu.Unlock()
	return os.WriteFile(filepath.Join(h.dir, "config"), []byte(strings.Join(config, "\n")+"\n"), 0o600)
}

// MakeKey has ssh-keygen make a key pair in path and path.pub. kind is a type, with the bits after a dash where
// the type has several: rsa-2048. more is further arguments of ssh-keygen.
func MakeKey(path, kind, passphrase string, more ...string) error {
	args := append([]string{"-q", "-C", "", "-N", passphrase, "-f", path}, more...)
	kind, bits, found := strings.Cut(kind, "-")
	if args = append(args, "-t", kind); found {
		args = append(args, "-b", bits)
	}
	if out, err := exec.Command("ssh-keygen", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("ssh-keygen: %w: %s", err, out)
	}
	return nil
}

// HostKeys returns the host's public keys, each as "ssh-ed25519 AAAA…".
func (h *Host) HostKeys() ([]string, error) {
	h.mu.Lock()
	types := h.opts.KeyTypes
	h.mu.Unlock()
	var lines []string
	for _, kind := range types {
		text, err := os.ReadFile(filepath.Join(h.dir, "host_"+kind+".pub"))
		if err != nil {
			return nil, err
		}
		lines = append(lines, strings.Join(strings.Fields(string(text))[:2], " "))
	}
	return lines, nil
}

// Fingerprint returns what ssh-keygen calls the host's key of a type.
func (h *Host) Fingerprint(kind string) (string, error) {
	out, err := exec.Command("ssh-keygen", "-l", "-f", filepath.Join(h.dir, "host_"+kind+".pub")).Output()
	if err != nil {
		return "", err
	}
	return strings.Fields(string(out))[1], nil
}

// URL returns the address of a repository that is in a folder.
func (h *Host) URL(dir string) string { return "ssh://" + h.User + "@" + h.Addr + dir }

// Connections returns how many there were.
func (h *Host) Connections() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.connections
}

// Close ends the host and every connection.
func (h *Host) Close() error {
	h.stop()
	err := h.listener.Close()
	h.all.Wait()
	return err
}

func (h *Host) serve(ctx context.Context) {
	for {
		conn, err := h.listener.Accept()
		if err != nil {
			return
		}
		h.mu.Lock()
		h.connections++
		h.mu.Unlock()
		h.all.Go(func() {
			defer conn.Close()
			_ = h.login(ctx, conn.(*net.TCPConn)) // refused ones are what tests want, too
		})
	}
}

// login runs a server for one connection.
func (h *Host) login(ctx context.Context, conn *net.TCPConn) error {
	socket, err := conn.File()
	if err != nil {
		return err
	}
	defer socket.Close()
	cmd := exec.CommandContext(ctx, h.program, "-i", "-e", "-f", filepath.Join(h.dir, "config"))
	cmd.Stdin, cmd.Stdout = socket, socket
	cmd.WaitDelay = time.Second
	return cmd.Run()
}
