package ssh

import (
	"context"
	"encoding/base64"
	"errors"
	"net"
	"sync"
	"time"

	"berth/core/fault"
	"berth/core/repositories"

	"golang.org/x/crypto/ssh"
)

// scanTime bounds a whole scan, whatever the host does.
const scanTime = 5 * time.Second

// version is what hosts are told to be talking to.
const version = "SSH-2.0-berth"

// kinds are the host keys that are known, the best first, each with the ways in which it may prove itself.
var kinds = []struct {
	name string
	by   []string
}{
	{ssh.KeyAlgoED25519, []string{ssh.KeyAlgoED25519}},
	{ssh.KeyAlgoECDSA256, []string{ssh.KeyAlgoECDSA256}},
	{ssh.KeyAlgoECDSA384, []string{ssh.KeyAlgoECDSA384}},
	{ssh.KeyAlgoECDSA521, []string{ssh.KeyAlgoECDSA521}},
	{ssh.KeyAlgoRSA, []string{ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256}},
}

// errSeen ends a conversation once the host has shown and proven its key.
var errSeen = errors.New("the host's key was seen")

// ScanHost implements repositories.HostScanner: one conversation for each kind of key, all at the same time,
// each of which ends before anything is said of us.
func (r Reach) ScanHost(ctx context.Context, address string) ([]repositories.HostKey, error) {
	limited, cancel := context.WithTimeout(ctx, scanTime)
	defer cancel()
	found, failed := make([]ssh.PublicKey, len(kinds)), make([]error, len(kinds))
	var all sync.WaitGroup
	for i, kind := range kinds {
		all.Go(func() { found[i], failed[i] = r.see(limited, address, kind.by) })
	}
	all.Wait()
	var keys []repositories.HostKey
	for _, key := range found {
		if key != nil {
			keys = append(keys, repositories.HostKey{Type: key.Type(), Key: base64.StdEncoding.EncodeToString(key.Marshal())})
		}
	}
	if len(keys) > 0 {
		return keys, nil
	}
	return nil, scanFailed(ctx, limited, address, failed)
}

// scanFailed says why no key was seen.
func scanFailed(ctx, limited context.Context, address string, failed []error) error {
	cause := errors.Join(failed...)
	var public *fault.Error
	var dns *net.DNSError
	var op *net.OpError
	var negotiation *ssh.AlgorithmNegotiationError
	why := "no connection came about; check host and port, and whether the server may reach it"
	switch {
	case errors.As(cause, &public):
		return public
	case ctx.Err() != nil:
		why = "the scan was given up before it ended"
	case limited.Err() != nil:
		why = "it did not answer as an SSH host within 5 seconds; check host and port"
	case errors.As(cause, &dns):
		why = "its name leads to no address; check the name"
	case errors.As(cause, &negotiation):
		why = "it has no key of a kind that is known (ed25519, ecdsa, rsa), or speaks an SSH that is too old to be safe"
	case !errors.As(cause, &op) || op.Op != "dial":
		why = "what answers there does not speak SSH; check the port"
	}
	return fault.New(fault.Unavailable, "ssh_host.unreachable", "The SSH host %s cannot be scanned: %s.", address, why).Because(cause)
}

// see returns the key that a host proves itself with in one of the given ways.
func (r Reach) see(ctx context.Context, address string, by []string) (seen ssh.PublicKey, err error) {
	conn, err := r.dial(ctx, address)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	_, _, _, err = ssh.NewClientConn(conn, address, &ssh.ClientConfig{User: "git", ClientVersion: version, HostKeyAlgorithms: by,
		HostKeyCallback: func(_ string, _ net.Addr, key ssh.PublicKey) error {
			seen = key
			return errSeen
		}})
	if seen != nil {
		return seen, nil
	}
	return nil, err
}
