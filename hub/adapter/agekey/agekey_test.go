package agekey_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"berth/hub/adapter/agekey"

	"filippo.io/age"
)

// TestPairsFitAndDiffer: what is encrypted for the public key, the private one opens and another does not.
func TestPairsFitAndDiffer(t *testing.T) {
	first, err := agekey.Maker{}.NewKeyPair()
	if err != nil {
		t.Fatal(err)
	}
	second, err := agekey.Maker{}.NewKeyPair()
	if err != nil {
		t.Fatal(err)
	}
	if first.Public == second.Public || first.Private.Reveal() == second.Private.Reveal() {
		t.Fatal("two pairs are the same")
	}
	if !strings.HasPrefix(first.Public, "age1") || !strings.HasPrefix(first.Private.Reveal(), "AGE-SECRET-KEY-1") {
		t.Errorf("the public key is %s", first.Public)
	}
	recipient, err := age.ParseX25519Recipient(first.Public)
	if err != nil {
		t.Fatal(err)
	}
	var sealed bytes.Buffer
	w, err := age.Encrypt(&sealed, recipient)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, "content"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	open := func(private string) (string, error) {
		identity, err := age.ParseX25519Identity(private)
		if err != nil {
			t.Fatal(err)
		}
		r, err := age.Decrypt(bytes.NewReader(sealed.Bytes()), identity)
		if err != nil {
			return "", err
		}
		content, err := io.ReadAll(r)
		return string(content), err
	}
	if content, err := open(first.Private.Reveal()); content != "content" || err != nil {
		t.Errorf("it opens as %q, %v", content, err)
	}
	if _, err := open(second.Private.Reveal()); err == nil {
		t.Error("another pair opens it")
	}
}
