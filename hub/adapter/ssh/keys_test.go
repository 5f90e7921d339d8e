package ssh

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"berth/core/fault"
	"berth/core/secrets"
	"berth/local/stand/sshhost"
)

// made is the text of a private key that ssh-keygen makes, and its public half.
func made(t *testing.T, kind, passphrase string) (private, public string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "key")
	if err := sshhost.MakeKey(path, kind, passphrase); err != nil {
		t.Fatal(err)
	}
	return content(t, path), content(t, path+".pub")
}

func content(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestKeysOfEachTypeAreRead(t *testing.T) {
	for _, kind := range []string{"ed25519", "ecdsa-256", "ecdsa-384", "ecdsa-521", "rsa-2048"} {
		for name, passphrase := range map[string]string{"open": "", "with a passphrase": "correct horse"} {
			t.Run(kind+" "+name, func(t *testing.T) {
				private, public := made(t, kind, passphrase)
				got, err := Keys{}.Read(secrets.NewValue("\r\n "+strings.ReplaceAll(private, "\n", "\r\n")+"\n"), secrets.NewValue(passphrase), "My key for: bücher")
				if err != nil {
					t.Fatal(err)
				}
				if want := strings.Join(strings.Fields(public)[:2], " ") + " My-key-for--b-cher"; got.Public != want {
					t.Errorf("public half %q, want %q", got.Public, want)
				}
				again, err := Keys{}.Read(got.Private, secrets.Value{}, "My key for: bücher")
				if err != nil || again.Public != got.Public {
					t.Errorf("what is kept does not read: %v", err)
				}
			})
		}
	}
}

func TestOtherFormsOfKeys(t *testing.T) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (Keys{}).Read(secrets.NewValue(string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))), secrets.Value{}, ""); err != nil {
		t.Errorf("PKCS #8: %v", err)
	}
}

func TestKeysThatAreRefused(t *testing.T) {
	open, public := made(t, "ed25519", "")
	locked, _ := made(t, "ed25519", "hunter2")
	weak, _ := made(t, "rsa-1024", "")
	path := filepath.Join(t.TempDir(), "key")
	if err := sshhost.MakeKey(path, "ed25519", "hunter2", "-a", "2000"); err != nil {
		t.Fatal(err)
	}
	costly := content(t, path)
	cases := map[string]struct {
		private, passphrase, code, says string
	}{
		"nothing":                     {" ", "", "ssh_key.unreadable", "BEGIN"},
		"a password":                  {"hunter2", "", "ssh_key.unreadable", "BEGIN"},
		"a public key":                {public, "", "ssh_key.unreadable", "public key"},
		"PuTTY's form":                {"PuTTY-User-Key-File-3: ssh-ed25519\n", "", "ssh_key.unreadable", "PuTTY"},
		"PKCS #8 with a passphrase":   {"-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n", "", "ssh_key.unreadable", "ssh-keygen -p"},
		"half a key":                  {open[:len(open)/2], "", "ssh_key.unreadable", "BEGIN"},
		"a damaged key":               {strings.Replace(open, "AAAA", "ABAA", 2), "", "ssh_key.unreadable", "damaged"},
		"a certificate":               {"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "", "ssh_key.unreadable", "not known"},
		"no passphrase for it":        {locked, "", "ssh_key.passphrase", "protected"},
		"another passphrase":          {locked, "hunter3", "ssh_key.passphrase", "does not open"},
		"a passphrase that costs all": {costly, "hunter2", "ssh_key.passphrase", "rounds"},
		"a short rsa key":             {weak, "", "ssh_key.weak", "1024"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := Keys{}.Read(secrets.NewValue(c.private), secrets.NewValue(c.passphrase), "")
			if fault.CodeOf(err) != c.code || !strings.Contains(fault.PublicOf(err), c.says) {
				t.Fatalf("got %v, want %s that says %q", err, c.code, c.says)
			}
			if strings.Contains(err.Error(), "hunter") || strings.Contains(err.Error(), "AAAAB3") {
				t.Errorf("%v shows what was pasted", err)
			}
		})
	}
}

func TestNewKeysDiffer(t *testing.T) {
	one, err := Keys{}.New("a")
	if err != nil {
		t.Fatal(err)
	}
	two, err := Keys{}.New("a")
	if err != nil {
		t.Fatal(err)
	}
	if one.Public == two.Public || one.Private.Reveal() == two.Private.Reveal() || !strings.HasPrefix(one.Public, "ssh-ed25519 ") {
		t.Errorf("%q and %q", one.Public, two.Public)
	}
	if read, err := (Keys{}).Read(one.Private, secrets.Value{}, "a"); err != nil || read.Public != one.Public {
		t.Errorf("a made key does not read: %v", err)
	}
}

func FuzzKeys(f *testing.F) {
	f.Add("-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n", "x")
	f.Fuzz(func(t *testing.T, private, passphrase string) {
		key, err := Keys{}.Read(secrets.NewValue(private), secrets.NewValue(passphrase), "c")
		if err != nil {
			if fault.KindOf(err) != fault.Invalid {
				t.Errorf("%v", err)
			}
			return
		}
		if _, err := (Keys{}).Read(key.Private, secrets.Value{}, "c"); err != nil {
			t.Errorf("what is kept does not read: %v", err)
		}
	})
}
