package sops

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"berth/core/fault"
	"berth/core/repositories"
	"berth/core/secrets"

	"filippo.io/age"
	"filippo.io/age/armor"
	"github.com/getsops/sops/v3"
	"github.com/getsops/sops/v3/aes"
	sopsage "github.com/getsops/sops/v3/age"
	"github.com/getsops/sops/v3/stores"
	"go.yaml.in/yaml/v3"
)

// wroteAs is the release of sops whose form is written; it is that of the library.
const wroteAs = "3.13.3"

// indent is how far sops indents.
const indent = 4

var _ repositories.FileCipher = Files{}

// errEncrypt hides what a library says: it may hold a value.
var errEncrypt = errors.New("sops: the values cannot be encrypted")

// Encrypt returns the file that holds values, for the owner of a public key. Names are in order.
func (Files) Encrypt(values map[string]secrets.Value, public string) ([]byte, error) {
	if len(values) > maxKeys {
		return nil, tooLarge("names", len(values), maxKeys)
	}
	var branch sops.TreeBranch
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if name == stores.SopsMetadataKey || strings.HasSuffix(name, sops.DefaultUnencryptedSuffix) {
			return nil, fault.BadFields("sops.invalid", []fault.Field{{Path: "values." + name,
				Problem: fmt.Sprintf("sops keeps the name %s for itself, and leaves what ends in %s in clear; choose another", stores.SopsMetadataKey, sops.DefaultUnencryptedSuffix)}})
		}
		branch = append(branch, sops.TreeItem{Key: name, Value: values[name].Reveal()})
	}
	key := make([]byte, dataKeySize)
	rand.Read(key) // it never fails
	sealed, err := wrap(key, public)
	if err != nil {
		return nil, err
	}
	tree := sops.Tree{Branches: sops.TreeBranches{branch}, Metadata: sops.Metadata{
		Version: wroteAs, LastModified: time.Now().UTC(), UnencryptedSuffix: sops.DefaultUnencryptedSuffix,
		KeyGroups: []sops.KeyGroup{{&sopsage.MasterKey{Recipient: public, EncryptedKey: sealed}}}}}
	if err := sealTree(&tree, key); err != nil {
		return nil, err
	}
	content, err := emit(tree)
	if err == nil && len(content) > MaxFile {
		err = tooLarge("bytes", len(content), MaxFile)
	}
	return content, err
}

// wrap encrypts the key of the values for a public key.
func wrap(key []byte, public string) (string, error) {
	recipient, err := age.ParseX25519Recipient(public)
	if err != nil {
		return "", fmt.Errorf("sops: the repository's public key is none: %w", err)
	}
	var sealed bytes.Buffer
	armored := armor.NewWriter(&sealed)
	w, err := age.Encrypt(armored, recipient)
	if err == nil {
		_, err = w.Write(key)
	}
	if err == nil {
		err = errors.Join(w.Close(), armored.Close())
	}
	if err != nil {
		return "", errEncrypt
	}
	return sealed.String(), nil
}

// sealTree encrypts the values of a tree in place, and sets its MAC.
func sealTree(tree *sops.Tree, key []byte) error {
	cipher := aes.NewCipher()
	mac, err := tree.Encrypt(key, cipher)
	if err == nil {
		tree.Metadata.MessageAuthenticationCode, err = cipher.Encrypt(mac, key, tree.Metadata.LastModified.Format(time.RFC3339))
	}
	if err != nil {
		return errEncrypt
	}
	return nil
}

// emit writes an encrypted tree.
func emit(tree sops.Tree) ([]byte, error) {
	branches, err := stores.SerializeMetadata(tree, stores.MetadataOpts{Flatten: stores.MetadataFlattenNone})
	if err != nil {
		return nil, errEncrypt
	}
	root, err := node(branches[0])
	if err != nil {
		return nil, errEncrypt
	}
	var content bytes.Buffer
	encoder := yaml.NewEncoder(&content)
	encoder.SetIndent(indent)
	if err := errors.Join(encoder.Encode(root), encoder.Close()); err != nil {
		return nil, errEncrypt
	}
	return content.Bytes(), nil
}

// node turns a part of a tree into YAML.
func node(value any) (*yaml.Node, error) {
	n := &yaml.Node{}
	switch value := value.(type) {
	case sops.TreeBranch:
		n.Kind = yaml.MappingNode
		for _, item := range value {
			key, err := node(item.Key)
			if err != nil {
				return nil, err
			}
			child, err := node(item.Value)
			if err != nil {
				return nil, err
			}
			n.Content = append(n.Content, key, child)
		}
	case []any:
		n.Kind = yaml.SequenceNode
		for _, item := range value {
			child, err := node(item)
			if err != nil {
				return nil, err
			}
			n.Content = append(n.Content, child)
		}
	default:
		return n, n.Encode(value)
	}
	return n, nil
}
