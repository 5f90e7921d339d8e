package workerport

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"berth/core/fault"
	"berth/core/seal"
	"berth/core/store"
	"berth/hub/adapter/sqlite"
	"berth/hub/adapter/websocket"
)

func openStore(t *testing.T) (*store.Store, *seal.Ring) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if err := db.Migrate(t.Context(), time.Now()); err != nil {
		t.Fatal(err)
	}
	ring, err := seal.NewRing(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return store.New(db, time.Now), ring
}

func TestTheIdentityIsMadeOnce(t *testing.T) {
	st, ring := openStore(t)
	pins := make([]seal.Pin, 8)
	var all sync.WaitGroup
	for i := range pins {
		all.Go(func() {
			identity, err := KeptIdentity(t.Context(), st, ring, []string{"berth.example", "127.0.0.1"}, time.Now())
			if err != nil || !identity.Pinned {
				t.Errorf("%v, pinned %v", err, identity.Pinned)
			}
			pins[i] = identity.Pin
		})
	}
	all.Wait()
	for _, pin := range pins {
		if pin != pins[0] || pin == (seal.Pin{}) {
			t.Errorf("the pins differ: %x", pins)
			break
		}
	}
	public, sealed, err := st.SealedSetting(t.Context(), settingName)
	if err != nil {
		t.Fatal(err)
	}
	if block, _ := pem.Decode([]byte(public)); block == nil || block.Type != "CERTIFICATE" {
		t.Errorf("public is %q", public)
	}
	if block, _ := pem.Decode(sealed); block != nil {
		t.Error("the key is stored in the clear")
	}
	other, err := seal.NewRing(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := KeptIdentity(t.Context(), st, other, nil, time.Now()); err == nil {
		t.Error("another key ring opened the key")
	}
	if pin, pinned, err := (Identity{Pin: pins[0], Pinned: true}).KeyPin(context.Background()); pin != pins[0] || !pinned || err != nil {
		t.Errorf("KeyPin is %x, %v, %v", pin, pinned, err)
	}
}

// files writes a pair of PEM files.
func files(t *testing.T, certificate, key []byte) (certFile, keyFile string) {
	t.Helper()
	dir := t.TempDir()
	certFile, keyFile = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for name, content := range map[string][]byte{certFile: certificate, keyFile: key} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return certFile, keyFile
}

// authority signs a certificate for berth.example through an intermediate, as public
// authorities do.
func authority(t *testing.T) (chain, key []byte, roots *x509.CertPool) {
	t.Helper()
	sign := func(name string, parent *x509.Certificate, by *ecdsa.PrivateKey) (*x509.Certificate, *ecdsa.PrivateKey) {
		fresh, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		template := &x509.Certificate{SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour),
			NotAfter: time.Now().Add(time.Hour), IsCA: name != "berth.example", BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign}
		if !template.IsCA {
			template.DNSNames, template.ExtKeyUsage = []string{name}, []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
		}
		if parent == nil {
			parent, by = template, fresh
		}
		der, err := x509.CreateCertificate(rand.Reader, template, parent, fresh.Public(), by)
		if err != nil {
			t.Fatal(err)
		}
		made, err := x509.ParseCertificate(der)
		if err != nil {
			t.Fatal(err)
		}
		return made, fresh
	}
	root, rootKey := sign("root", nil, nil)
	between, betweenKey := sign("intermediate", root, rootKey)
	leaf, leafKey := sign("berth.example", between, betweenKey)
	for _, c := range []*x509.Certificate{leaf, between} {
		chain = append(chain, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw})...)
	}
	der, err := x509.MarshalPKCS8PrivateKey(leafKey)
	if err != nil {
		t.Fatal(err)
	}
	roots = x509.NewCertPool()
	roots.AddCert(root)
	return chain, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), roots
}

func TestGivenCertificatesArePinnedUnlessTheirAuthorityIsTrusted(t *testing.T) {
	chain, key, roots := authority(t)
	certFile, keyFile := files(t, chain, key)
	for name, c := range map[string]struct {
		trust  x509.VerifyOptions
		pinned bool
	}{
		"a trusted authority":                     {x509.VerifyOptions{Roots: roots, DNSName: "berth.example"}, false},
		"a trusted authority, another name":       {x509.VerifyOptions{Roots: roots, DNSName: "other.example"}, true},
		"an authority that nobody knows":          {x509.VerifyOptions{Roots: x509.NewCertPool(), DNSName: "berth.example"}, true},
		"a trusted authority, but it has expired": {x509.VerifyOptions{Roots: roots, DNSName: "berth.example", CurrentTime: time.Now().AddDate(1, 0, 0)}, true},
	} {
		t.Run(name, func(t *testing.T) {
			identity, err := givenIdentity(certFile, keyFile, c.trust)
			if err != nil || identity.Pinned != c.pinned || identity.Pin == (seal.Pin{}) {
				t.Errorf("pinned %v, %v; want %v", identity.Pinned, err, c.pinned)
			}
		})
	}
	own, ownKey, err := websocket.SelfSigned([]string{"berth.example"}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	certFile, keyFile = files(t, own, ownKey)
	if identity, err := GivenIdentity(certFile, keyFile, "berth.example", time.Now()); err != nil || !identity.Pinned {
		t.Errorf("a self-signed one: pinned %v, %v", identity.Pinned, err)
	}
}

func TestBadFilesAreNamed(t *testing.T) {
	chain, key, _ := authority(t)
	_, otherKey, _ := authority(t)
	certFile, keyFile := files(t, chain, key)
	_, wrongKey := files(t, chain, otherKey)
	garbage, _ := files(t, []byte("garbage"), key)
	for name, pair := range map[string][2]string{
		"no certificate":        {certFile + ".missing", keyFile},
		"no key":                {certFile, keyFile + ".missing"},
		"another key":           {certFile, wrongKey},
		"no certificate inside": {garbage, keyFile},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := GivenIdentity(pair[0], pair[1], "berth.example", time.Now())
			if !fault.Is(err, fault.Invalid) || fault.CodeOf(err) != "worker_port.certificate" {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestHostsAreNamedByWhatTheyOwn(t *testing.T) {
	for remote, want := range map[string]string{
		"192.0.2.7:1234":                  "192.0.2.7",
		"[::ffff:192.0.2.7]:1234":         "192.0.2.7",
		"[2001:db8:1:2:3:4:5:6]:1234":     "2001:db8:1:2::/64",
		"[2001:db8:1:2:ffff::1]:99":       "2001:db8:1:2::/64",
		"[fe80::1%eth0]:1234":             "fe80::/64",
		"something that is no IP address": "something that is no IP address",
	} {
		if got := hostOf(remote); got != want {
			t.Errorf("%s is %s, want %s", remote, got, want)
		}
	}
}
