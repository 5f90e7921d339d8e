package repositories

import (
	"context"
	"slices"

	"berth/core"
	"berth/core/access"
)

// ScannedHost is what an SSH host shows now, beside what was accepted for it before.
type ScannedHost struct {
	Address  string
	Keys     []HostKey
	Accepted SSHHost // without keys: nobody accepted any
}

// Known reports whether a key is one of those that were accepted.
func (h SSHHost) Known(key HostKey) bool { return slices.Contains(h.Keys, key) }

// Same reports whether each key that the host shows was accepted.
func (s ScannedHost) Same() bool {
	return !slices.ContainsFunc(s.Keys, func(k HostKey) bool { return !s.Accepted.Known(k) })
}

// ScanHost asks an SSH host for its keys. Nothing is stored: somebody compares the fingerprints with those
// that the host's owner tells, and accepts. Faults are SSHAddress's and HostScanner's.
func (d *Desk) ScanHost(ctx context.Context, host string, port int) (ScannedHost, error) {
	address, err := SSHAddress(host, port)
	if err != nil {
		return ScannedHost{}, err
	}
	keys, err := d.scanner.ScanHost(ctx, address)
	if err != nil {
		return ScannedHost{}, err
	}
	accepted, err := d.store.SSHHost(ctx, address)
	return ScannedHost{Address: address, Keys: keys, Accepted: accepted}, err
}

// AcceptHost stores the keys by which an SSH host is known from now on, in place of those before.
// Invalid "ssh_host.invalid".
func (d *Desk) AcceptHost(ctx context.Context, host string, port int, keys []HostKey, by access.Principal) (SSHHost, error) {
	address, err := SSHAddress(host, port)
	if err != nil {
		return SSHHost{}, err
	}
	h := SSHHost{Address: address, Keys: keys, AcceptedAt: d.now(), AcceptedBy: by.Name}
	if err := h.check(); err != nil {
		return SSHHost{}, err
	}
	return h, d.then(d.store.AcceptSSHHost(ctx, h, by))
}

// Hosts returns SSH hosts by address with the keys that were accepted.
func (d *Desk) Hosts(ctx context.Context, p core.Page) (core.List[SSHHost], error) {
	return d.store.SSHHostList(ctx, p)
}

// ForgetHost removes an SSH host's keys; repositories there are not read until somebody accepts some again.
// NotFound "ssh_host.not_found".
func (d *Desk) ForgetHost(ctx context.Context, address string, by access.Principal) error {
	return d.store.ForgetSSHHost(ctx, address, by)
}
