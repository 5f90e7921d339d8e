package repositories

import (
	"fmt"

	"berth/core/fault"
	"berth/core/secrets"
)

// SSHKey is a key pair for SSH.
type SSHKey struct {
	Public  string        // as authorized_keys has it: type, key and a comment
	Private secrets.Value // OpenSSH's form, without passphrase
}

// SSHKeys reads and makes key pairs for SSH; hub/adapter/ssh does.
type SSHKeys interface {
	// Read returns the key pair of a private key in OpenSSH's form or PEM. Invalid "ssh_key.unreadable",
	// "ssh_key.passphrase" when the passphrase is missing or wrong, "ssh_key.weak". None shows any of the key.
	Read(private, passphrase secrets.Value, comment string) (SSHKey, error)
	// New makes an ed25519 key pair.
	New(comment string) (SSHKey, error)
}

// SSHSecret is where the private key of a credential comes from: one that is given, or one that is made.
type SSHSecret struct {
	Private    secrets.Value // OpenSSH's form or PEM
	Passphrase secrets.Value // of Private; empty: it has none
	Generate   bool          // make one, instead of Private
}

// given reports whether anything of it was said.
func (s SSHSecret) given() bool { return s.Generate || !s.Private.Empty() || !s.Passphrase.Empty() }

// check complains about what needs no reading of the key.
func (s SSHSecret) check() []fault.Field {
	switch {
	case s.Generate && (!s.Private.Empty() || !s.Passphrase.Empty()):
		return []fault.Field{{Path: "generate", Problem: "give a private key or have one made, not both"}}
	case !s.Generate && s.Private.Empty():
		return []fault.Field{{Path: "private_key", Problem: "paste a private key in OpenSSH's or PEM form, or have one made here"}}
	case len(s.Private.Reveal()) > maxPrivateKey:
		return []fault.Field{{Path: "private_key", Problem: fmt.Sprintf("at most %d bytes; a private key has fewer", maxPrivateKey)}}
	case len(s.Passphrase.Reveal()) > maxPassword:
		return []fault.Field{{Path: "passphrase", Problem: fmt.Sprintf("at most %d bytes", maxPassword)}}
	}
	return nil
}

// read returns the key pair that the secret stands for.
func (s SSHSecret) read(keys SSHKeys, comment string) (SSHKey, error) {
	if s.Generate {
		return keys.New(comment)
	}
	return keys.Read(s.Private, s.Passphrase, comment)
}
