package ssh

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"

	"berth/core/fault"
	"berth/core/repositories"
	"berth/core/secrets"

	"golang.org/x/crypto/ssh"
)

// Line is a connection to an SSH host that has proven itself, and that knows who we are.
type Line struct{ client *ssh.Client }

// Login is where to connect, as whom, and what the host must prove itself with.
type Login struct {
	Address  string // host:port
	User     string
	Key      secrets.Value // private key in OpenSSH's form
	HostKeys []string      // accepted for Address, as core.GitSource has them
}

// ErrRefused is a host that does not take the key.
var ErrRefused = errors.New("the host refuses the key")

// Dial connects. Faults: Forbidden "git.private_address", Unauthenticated "git.host_key_unknown" and
// "git.host_key_changed"; other errors are ErrRefused or the network's. The context bounds Dial alone.
func (r Reach) Dial(ctx context.Context, l Login) (*Line, error) {
	signer, err := ssh.ParsePrivateKey([]byte(l.Key.Reveal()))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	accepted := acceptedKeys(l.HostKeys)
	line, err := r.open(ctx, l, signer, accepted, ways(accepted))
	var negotiation *ssh.AlgorithmNegotiationError
	if errors.As(err, &negotiation) && negotiation.What == "host key" {
		// It has none of the accepted kinds any more; what it has instead belongs into the message.
		line, err = r.open(ctx, l, signer, accepted, ways(nil))
	}
	return line, err
}

func (r Reach) open(ctx context.Context, l Login, signer ssh.Signer, accepted []ssh.PublicKey, by []string) (*Line, error) {
	conn, err := r.dial(ctx, l.Address)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	var doubt error
	c, channels, requests, err := ssh.NewClientConn(conn, l.Address, &ssh.ClientConfig{User: l.User, ClientVersion: version,
		Auth: []ssh.AuthMethod{ssh.PublicKeys(signer)}, HostKeyAlgorithms: by,
		HostKeyCallback: func(_ string, _ net.Addr, key ssh.PublicKey) error {
			doubt = judge(l.Address, key, accepted)
			return doubt
		}})
	if !stop() { // the context has ended, and the connection with it
		conn.Close()
		return nil, context.Cause(ctx)
	}
	if err == nil {
		return &Line{ssh.NewClient(c, channels, requests)}, nil
	}
	conn.Close()
	switch {
	case doubt != nil:
		return nil, doubt
	case strings.Contains(err.Error(), "unable to authenticate"):
		return nil, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	return nil, fmt.Errorf("ssh: %w", err)
}

// acceptedKeys reads host keys; one that cannot be read is not accepted.
func acceptedKeys(lines []string) []ssh.PublicKey {
	var keys []ssh.PublicKey
	for _, line := range lines {
		_, text, _ := strings.Cut(line, " ")
		blob, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			continue
		}
		if key, err := ssh.ParsePublicKey(blob); err == nil {
			keys = append(keys, key)
		}
	}
	return keys
}

// ways are how a host may prove itself: with the kinds of keys that were accepted, or with any kind without them.
func ways(accepted []ssh.PublicKey) []string {
	var by []string
	for _, kind := range kinds {
		if len(accepted) == 0 || slices.ContainsFunc(accepted, func(k ssh.PublicKey) bool { return k.Type() == kind.name }) {
			by = append(by, kind.by...)
		}
	}
	return by
}

// judge refuses a host whose key was not accepted.
func judge(address string, shown ssh.PublicKey, accepted []ssh.PublicKey) error {
	for _, key := range accepted {
		if string(key.Marshal()) == string(shown.Marshal()) {
			return nil
		}
	}
	what := shown.Type() + " " + ssh.FingerprintSHA256(shown)
	if len(accepted) == 0 {
		return fault.New(fault.Unauthenticated, "git.host_key_unknown",
			"Nobody has accepted a key of the SSH host %s yet, so nothing was sent to it. It shows %s: scan it under Settings, Repository Keys, SSH hosts, compare that with what the host's owner publishes, and accept it.", address, what)
	}
	known := make([]string, len(accepted))
	for i, key := range accepted {
		known[i] = key.Type() + " " + ssh.FingerprintSHA256(key)
	}
	return fault.New(fault.Unauthenticated, "git.host_key_changed",
		"The SSH host %s shows another key than was accepted, so nothing was sent to it and syncing has stopped; what runs stays as it is. It shows %s; accepted was %s. "+
			"If its owner confirms the new key, scan the host again under Settings, Repository Keys, SSH hosts, and accept it; if not, somebody may stand between.", address, what, strings.Join(known, ", "))
}

// Close ends the connection and what runs over it.
func (l *Line) Close() error { return l.client.Close() }

var _ repositories.HostScanner = Reach{}
