package ssh

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"

	"berth/core/fault"
	"berth/core/repositories"
	"berth/core/secrets"

	"golang.org/x/crypto/ssh"
)

// Keys implements repositories.SSHKeys. It has no state.
type Keys struct{}

var _ repositories.SSHKeys = Keys{}

// Bounds of RSA keys, in bits, and of the work that a passphrase costs.
const (
	minRSA    = 2048
	maxRSA    = 16384
	maxRounds = 1024 // ssh-keygen takes 16 or 24 unless it is told otherwise
)

// New implements repositories.SSHKeys.
func (Keys) New(comment string) (repositories.SSHKey, error) {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return repositories.SSHKey{}, fmt.Errorf("make an SSH key: %w", err)
	}
	return pair(private, comment)
}

// Read implements repositories.SSHKeys.
func (Keys) Read(private, passphrase secrets.Value, comment string) (repositories.SSHKey, error) {
	text := strings.TrimSpace(strings.ReplaceAll(private.Reveal(), "\r", "")) + "\n"
	block, _ := pem.Decode([]byte(text))
	if problem := shapeProblem(text, block); problem != "" {
		return repositories.SSHKey{}, unreadable(problem, nil)
	}
	key, err := ssh.ParseRawPrivateKey([]byte(text))
	var locked *ssh.PassphraseMissingError
	if errors.As(err, &locked) {
		key, err = unlock(text, block, passphrase)
	}
	var public *fault.Error
	switch {
	case errors.As(err, &public):
		return repositories.SSHKey{}, public
	case err != nil:
		return repositories.SSHKey{}, unreadable("it is damaged, or of a kind that is not known; ed25519, ecdsa and rsa keys are, and ssh-keygen -t ed25519 makes one", err)
	}
	if err := strong(key); err != nil {
		return repositories.SSHKey{}, err
	}
	return pair(key, comment)
}

// shapeProblem judges the text before anything reads the key in it.
func shapeProblem(text string, block *pem.Block) string {
	switch {
	case strings.HasPrefix(text, "PuTTY-User-Key-File"):
		return "it is in PuTTY's form; export it as an OpenSSH key with PuTTYgen"
	case strings.HasPrefix(text, "ssh-"), strings.HasPrefix(text, "ecdsa-"), strings.HasPrefix(text, "---- BEGIN SSH2 PUBLIC"),
		block != nil && strings.HasSuffix(block.Type, "PUBLIC KEY"):
		return "it is a public key; paste the private one, which is in the file without .pub"
	case block == nil:
		return "it has no -----BEGIN … PRIVATE KEY----- and -----END … PRIVATE KEY----- lines, or what is between them is incomplete"
	case block.Type == "ENCRYPTED PRIVATE KEY":
		return "its passphrase protects it in PKCS #8's way, which is not read; rewrite a copy with ssh-keygen -p -f FILE, and paste that"
	}
	return ""
}

func unreadable(problem string, cause error) error {
	return &fault.Error{Kind: fault.Invalid, Code: "ssh_key.unreadable", Public: "The private key cannot be used: " + problem + ".",
		Fields: []fault.Field{{Path: "private_key", Problem: problem}}, Cause: cause}
}

// unlock opens a key that has a passphrase.
func unlock(text string, block *pem.Block, passphrase secrets.Value) (any, error) {
	wrong := func(problem string) error {
		return fault.BadFields("ssh_key.passphrase", []fault.Field{{Path: "passphrase", Problem: problem}})
	}
	switch {
	case passphrase.Empty():
		return nil, wrong("the private key is protected by a passphrase; give it, and the key is kept sealed without it")
	case rounds(block.Bytes) > maxRounds:
		return nil, wrong(fmt.Sprintf("it takes more than %d rounds to open the key; rewrite a copy with ssh-keygen -p -a 64 -f FILE, and paste that", maxRounds))
	}
	key, err := ssh.ParseRawPrivateKeyWithPassphrase([]byte(text), []byte(passphrase.Reveal()))
	if errors.Is(err, x509.IncorrectPasswordError) {
		return nil, wrong("it does not open the private key")
	}
	return key, err
}

// rounds returns how often OpenSSH's form of a key turns its passphrase over; 0: it is another form.
func rounds(content []byte) uint32 {
	content, found := bytes.CutPrefix(content, []byte("openssh-key-v1\x00"))
	var head struct {
		Cipher, KDF string
		Options     string
		Rest        []byte `ssh:"rest"`
	}
	var options struct {
		Salt   string
		Rounds uint32
	}
	if !found || ssh.Unmarshal(content, &head) != nil || ssh.Unmarshal([]byte(head.Options), &options) != nil {
		return 0
	}
	return options.Rounds
}

// strong refuses keys that protect too little, and such as cost too much.
func strong(key any) error {
	weak := func(problem string) error {
		return fault.BadFields("ssh_key.weak", []fault.Field{{Path: "private_key", Problem: problem + "; ssh-keygen -t ed25519 makes a good one"}})
	}
	switch key := key.(type) {
	case ed25519.PrivateKey, *ed25519.PrivateKey, *ecdsa.PrivateKey:
		return nil
	case *rsa.PrivateKey:
		if bits := key.N.BitLen(); bits < minRSA || bits > maxRSA {
			return weak(fmt.Sprintf("an rsa key has %d to %d bits, and this one has %d", minRSA, maxRSA, bits))
		}
		return nil
	}
	return weak("it is neither an ed25519, nor an ecdsa, nor an rsa key")
}

// pair writes a key pair in the forms in which it is kept.
func pair(key any, comment string) (repositories.SSHKey, error) {
	comment = plain(comment)
	signer, err := ssh.NewSignerFromKey(key)
	if err != nil {
		return repositories.SSHKey{}, unreadable("it is of a kind that SSH does not know", err)
	}
	block, err := ssh.MarshalPrivateKey(key, comment)
	if err != nil {
		return repositories.SSHKey{}, unreadable("it is of a kind that SSH does not know", err)
	}
	line := strings.TrimSpace(string(ssh.MarshalAuthorizedKey(signer.PublicKey())) + " ")
	return repositories.SSHKey{Public: strings.TrimSpace(line + " " + comment), Private: secrets.NewValue(string(pem.EncodeToMemory(block)))}, nil
}

// plain makes a name fit the comment of a key.
func plain(name string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._@+-", r) {
			return r
		}
		return '-'
	}, name), "-")
}
