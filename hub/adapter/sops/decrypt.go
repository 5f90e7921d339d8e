package sops

import (
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"berth/core/repositories"
	"berth/core/secrets"

	"filippo.io/age"
	"filippo.io/age/armor"
	"github.com/getsops/sops/v3/aes"
	sopsage "github.com/getsops/sops/v3/age"
)

// dataKeySize is that of the key which the values are encrypted with, in bytes.
const dataKeySize = 32

// Decrypt returns the values of content by name, once its MAC was checked.
func (Files) Decrypt(content []byte, keys repositories.KeyPair) (values map[string]secrets.Value, err error) {
	f, err := parse(content)
	if err != nil {
		return nil, err
	}
	key, err := f.dataKey(keys)
	if err != nil {
		return nil, err
	}
	if err := f.open(key); err != nil {
		return nil, err
	}
	return f.values()
}

// dataKey opens the key of the values with the repository's private key.
func (f file) dataKey(keys repositories.KeyPair) ([]byte, error) {
	group, err := f.group()
	if err != nil {
		return nil, err
	}
	var recipients, others []string
	for _, k := range group {
		mine, isAge := k.(*sopsage.MasterKey)
		switch {
		case !isAge && !slices.Contains(others, k.TypeToIdentifier()):
			others = append(others, k.TypeToIdentifier())
		case isAge && strings.TrimSpace(mine.Recipient) == keys.Public:
			return unwrap(mine.EncryptedKey, keys)
		case isAge:
			recipients = append(recipients, shown(mine.Recipient))
		}
	}
	if len(recipients) == 0 {
		return nil, otherKeys(others)
	}
	return nil, otherRecipients(recipients, keys.Public)
}

func unwrap(sealed string, keys repositories.KeyPair) ([]byte, error) {
	identity, err := age.ParseX25519Identity(keys.Private.Reveal())
	if err != nil {
		return nil, notOpened(keys.Public)
	}
	r, err := age.Decrypt(armor.NewReader(strings.NewReader(sealed)), identity)
	if err != nil {
		return nil, notOpened(keys.Public)
	}
	key, err := io.ReadAll(io.LimitReader(r, dataKeySize+1))
	if err != nil || len(key) != dataKeySize {
		return nil, notOpened(keys.Public)
	}
	return key, nil
}

// open decrypts the tree in place and checks its MAC.
func (f file) open(key []byte) (err error) {
	clear := f.clear()
	if f.tree.Metadata.MACOnlyEncrypted && len(clear) > 0 {
		return unprotected(clear)
	}
	defer func() {
		if recover() != nil { // of a library, such as for types that it cannot remember
			err = errTampered
		}
	}()
	cipher := aes.NewCipher()
	mac, err := f.tree.Decrypt(key, cipher)
	if err != nil && len(clear) > 0 {
		return inClear(clear)
	}
	if err != nil {
		return errTampered
	}
	told, err := cipher.Decrypt(f.tree.Metadata.MessageAuthenticationCode, key, f.tree.Metadata.LastModified.Format(time.RFC3339))
	if err != nil || told != mac {
		return errTampered
	}
	return nil
}

// clear returns the names whose values are not encrypted, whether they should be or not.
func (f file) clear() (names []string) {
	for _, item := range f.tree.Branches[0] {
		name, isName := item.Key.(string)
		text, isText := item.Value.(string)
		if isName && (!isText || text != "" && !strings.HasPrefix(text, "ENC[")) {
			names = append(names, name)
		}
	}
	return names
}

// values returns what the decrypted tree holds.
func (f file) values() (map[string]secrets.Value, error) {
	values := make(map[string]secrets.Value, len(f.names))
	for _, item := range f.tree.Branches[0] {
		name, isName := item.Key.(string)
		if !isName {
			continue
		}
		text, ok := textOf(item.Value)
		if !ok {
			return nil, notFlat([]string{name})
		}
		values[name] = secrets.NewValue(text)
	}
	return values, nil
}

// textOf is a scalar as sops writes it.
func textOf(v any) (text string, ok bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case int:
		return strconv.Itoa(v), true
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), true
	case bool:
		return strconv.FormatBool(v), true
	case time.Time:
		return v.Format(time.RFC3339Nano), true
	}
	return "", false
}
