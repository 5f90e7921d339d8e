package worker

import (
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"berth/hub/worker/durable"
)

const keyFile = "worker.key"

// Identity returns the worker's own key, and makes it, once, when there is none in
// dataDir. The hub binds the worker's token to it: whoever loses the file has to
// register the worker again with a new token.
func Identity(dataDir string) (ed25519.PrivateKey, error) {
	if err := os.MkdirAll(dataDir, 0o700); err != nil {
		return nil, fmt.Errorf("make the worker's data directory: %w", err)
	}
	root, err := os.OpenRoot(dataDir)
	if err != nil {
		return nil, fmt.Errorf("open the worker's data directory: %w", err)
	}
	defer root.Close()
	text, err := root.ReadFile(keyFile)
	if errors.Is(err, fs.ErrNotExist) {
		return makeIdentity(root)
	}
	if err != nil {
		return nil, fmt.Errorf("read the worker's key: %w", err)
	}
	key, err := parseIdentity(text)
	if err != nil {
		return nil, fmt.Errorf("the worker's key in %s cannot be used (%w); restore the file, or remove it and register this worker with a new token",
			filepath.Join(dataDir, keyFile), err)
	}
	return key, root.Chmod(keyFile, 0o600)
}

func makeIdentity(root *os.Root) (ed25519.PrivateKey, error) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make the worker's key: %w", err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("encode the worker's key: %w", err)
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
	if err := durable.Write(root, keyFile, text, 0o600); err != nil {
		return nil, fmt.Errorf("store the worker's key: %w", err)
	}
	return key, nil
}

func parseIdentity(text []byte) (ed25519.PrivateKey, error) {
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errors.New("it is not PEM")
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	key, ok := parsed.(ed25519.PrivateKey)
	if !ok {
		return nil, errors.New("it is not an Ed25519 key")
	}
	return key, nil
}

// digestKey derives the key of the digests of secret content that stand in labels, and of
// traits that stand in portraits. It never leaves this host, so the digests tell nothing to who reads
// them.
func digestKey(identity ed25519.PrivateKey) ([]byte, error) {
	return hkdf.Key(sha256.New, identity.Seed(), nil, "berth worker content digest v1", 32)
}

// selfOf names a worker by its key, for the labels of what it makes on an engine that others may use too.
func selfOf(identity ed25519.PrivateKey) string {
	sum := sha256.Sum256(identity.Public().(ed25519.PublicKey))
	return hex.EncodeToString(sum[:16])
}
