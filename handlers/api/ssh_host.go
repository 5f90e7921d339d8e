package api

import (
	"context"
	"net/http"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/repositories"
	"berth/handlers/endpoint"
)

// SSHHostKey is a public key by which an SSH host is known.
type SSHHostKey struct {
	Type        string `json:"type"`        // ssh-ed25519, ecdsa-sha2-nistp256, ssh-rsa, …
	Key         string `json:"key"`         // in base64, as known_hosts has it
	Fingerprint string `json:"fingerprint"` // SHA256:…, as ssh-keygen -l shows it
}

// AcceptedHostKey is a public key that was compared and is to be accepted.
type AcceptedHostKey struct {
	Type string `json:"type" required:"yes"` // as a scan shows it
	Key  string `json:"key" required:"yes"`  // as a scan shows it
}

// SSHHostAnswer is an SSH host with the keys that were accepted for it.
type SSHHostAnswer struct {
	Address    string       `json:"address"` // host:port
	Keys       []SSHHostKey `json:"keys"`
	AcceptedAt *time.Time   `json:"accepted_at"` // null: nobody accepted any
	AcceptedBy string       `json:"accepted_by"`
}

// SSHHostScanner asks an SSH host for its keys.
type SSHHostScanner interface {
	// ScanHost takes at most 5 s and stores nothing.
	ScanHost(ctx context.Context, host string, port int) (repositories.ScannedHost, error)
}

// SSHHostKeeper keeps the keys that were accepted.
type SSHHostKeeper interface {
	Hosts(ctx context.Context, page core.Page) (core.List[repositories.SSHHost], error)
	AcceptHost(ctx context.Context, host string, port int, keys []repositories.HostKey, by access.Principal) (repositories.SSHHost, error)
	ForgetHost(ctx context.Context, address string, by access.Principal) error
}

func showHostKeys(keys []repositories.HostKey) []SSHHostKey {
	shown := []SSHHostKey{}
	for _, k := range keys {
		shown = append(shown, SSHHostKey{Type: k.Type, Key: k.Key, Fingerprint: k.Fingerprint()})
	}
	return shown
}

func showSSHHost(h repositories.SSHHost) SSHHostAnswer {
	answer := SSHHostAnswer{Address: h.Address, Keys: showHostKeys(h.Keys), AcceptedBy: h.AcceptedBy}
	if !h.AcceptedAt.IsZero() {
		answer.AcceptedAt = &h.AcceptedAt
	}
	return answer
}

// KeyscanRequest names an SSH host.
type KeyscanRequest struct {
	Host string `json:"host" required:"yes"` // name or IP address; private ones only within ALLOWED_PRIVATE_IP_RANGES
	Port int    `json:"port" required:"yes"` // SSH's own is 22
}

// KeyscanAnswer is what an SSH host shows now, beside what was accepted for it before.
type KeyscanAnswer struct {
	Address  string        `json:"address"` // host:port
	Keys     []SSHHostKey  `json:"keys"`
	Accepted SSHHostAnswer `json:"accepted"`
	Same     bool          `json:"same"` // each key that it shows was accepted
}

// Keyscan answers with an SSH host's keys of every type, for somebody to compare and accept.
func Keyscan(scanner SSHHostScanner) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		ask, err := endpoint.Decode[KeyscanRequest](r)
		if err != nil {
			return err
		}
		found, err := scanner.ScanHost(r.Context(), ask.Host, ask.Port)
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusOK, KeyscanAnswer{Address: found.Address, Keys: showHostKeys(found.Keys), Accepted: showSSHHost(found.Accepted), Same: found.Same()})
	})
}

// ListSSHHosts answers with a page of SSH hosts and the keys that were accepted.
func ListSSHHosts(keeper SSHHostKeeper) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		page, err := endpoint.PageOf(r)
		if err != nil {
			return err
		}
		list, err := keeper.Hosts(r.Context(), page)
		if err != nil {
			return err
		}
		return endpoint.List(w, list, showSSHHost)
	})
}

// AcceptSSHHostRequest is an SSH host with the keys by which it is to be known, in place of those before.
type AcceptSSHHostRequest struct {
	Host string            `json:"host" required:"yes"`
	Port int               `json:"port" required:"yes"`
	Keys []AcceptedHostKey `json:"keys" required:"yes"`
}

// AcceptSSHHost stores what an SSH host is known by. Repositories that had stopped at its key are looked at.
func AcceptSSHHost(keeper SSHHostKeeper) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		ask, err := endpoint.Decode[AcceptSSHHostRequest](r)
		if err != nil {
			return err
		}
		var keys []repositories.HostKey
		for _, k := range ask.Keys {
			keys = append(keys, repositories.HostKey{Type: k.Type, Key: k.Key})
		}
		host, err := keeper.AcceptHost(r.Context(), ask.Host, ask.Port, keys, endpoint.Principal(r.Context()))
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusOK, showSSHHost(host))
	})
}

// ForgetSSHHost removes an SSH host's keys: nothing is read from it until some are accepted again.
func ForgetSSHHost(keeper SSHHostKeeper) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		if err := keeper.ForgetHost(r.Context(), r.PathValue("address"), endpoint.Principal(r.Context())); err != nil {
			return err
		}
		return endpoint.NoContent(w)
	})
}
