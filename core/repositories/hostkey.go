package repositories

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"berth/core/fault"
)

// HostKey is a public key by which an SSH host is known.
type HostKey struct {
	Type string `json:"type"` // ssh-ed25519, ecdsa-sha2-nistp256, ssh-rsa, …
	Key  string `json:"key"`  // its bytes in base64, as known_hosts has them
}

// Line returns the key as core.GitSource carries it.
func (k HostKey) Line() string { return k.Type + " " + k.Key }

// Fingerprint returns what people compare: SHA256:… as ssh-keygen -l shows it.
func (k HostKey) Fingerprint() string {
	blob, _ := base64.StdEncoding.DecodeString(k.Key) // checked when it was accepted
	sum := sha256.Sum256(blob)
	return "SHA256:" + base64.RawStdEncoding.EncodeToString(sum[:])
}

// hostKeyTypes are those that are asked for and accepted.
var hostKeyTypes = []string{"ssh-ed25519", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521", "ssh-rsa"}

// valid reports whether the bytes are of a key of that type.
func (k HostKey) valid() bool {
	blob, err := base64.StdEncoding.Strict().DecodeString(k.Key)
	if err != nil || len(blob) < 4 || len(blob) > 4096 || !slices.Contains(hostKeyTypes, k.Type) {
		return false
	}
	name := int64(binary.BigEndian.Uint32(blob))
	return name < int64(len(blob)-4) && string(blob[4:4+name]) == k.Type
}

// SSHHost is an SSH host with the keys that somebody accepted for it.
type SSHHost struct {
	Address    string // host:port, in lower case; the port is always said
	Keys       []HostKey
	AcceptedAt time.Time
	AcceptedBy string
}

// maxHostKeys is how many keys one host may have.
const maxHostKeys = 16

// SSHAddress returns host:port of an SSH host as SSHHost has it. Invalid "ssh_host.invalid".
func SSHAddress(host string, port int) (string, error) {
	var bad []fault.Field
	host = strings.Trim(boundHost(host), "[]")
	if strings.ContainsFunc(host, unprintable) || !validHost(host) {
		bad = append(bad, fault.Field{Path: "host", Problem: "the host name or IP address of the Git host, such as git.example.com; without ssh://, user and path"})
	}
	if port < 1 || port > 65535 {
		bad = append(bad, fault.Field{Path: "port", Problem: "must be from 1 to 65535; SSH's own is 22"})
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return host + ":" + strconv.Itoa(port), fault.BadFields("ssh_host.invalid", bad)
}

// sshAddressOf returns the host of an address over SSH as SSHHost has it.
func sshAddressOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return withPort(u)
}

// check complains about keys that are none.
func (h SSHHost) check() error {
	var bad []fault.Field
	if len(h.Keys) == 0 || len(h.Keys) > maxHostKeys {
		bad = append(bad, fault.Field{Path: "keys", Problem: fmt.Sprintf("give 1 to %d host keys, as a scan shows them", maxHostKeys)})
	}
	for i, k := range h.Keys {
		if !k.valid() {
			bad = append(bad, fault.Field{Path: fmt.Sprintf("keys[%d]", i), Problem: "must be one of " + strings.Join(hostKeyTypes, ", ") + " with its key in base64"})
		}
	}
	return fault.BadFields("ssh_host.invalid", bad)
}

// HostScanner asks an SSH host for its keys of every type. Invalid "ssh_host.…", Forbidden
// "git.private_address", Unavailable "ssh_host.unreachable". It takes at most 5 s and proves itself to nobody.
type HostScanner interface {
	ScanHost(ctx context.Context, address string) ([]HostKey, error)
}
