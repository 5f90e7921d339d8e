package workerport

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"time"

	"berth/core/fault"
	"berth/core/seal"
	"berth/hub/adapter/websocket"
)

// Identity is the key that the port shows, and how workers know it.
type Identity struct {
	Certificate tls.Certificate
	Pin         seal.Pin
	// Pinned says whether worker tokens carry Pin. They do, unless the certificate comes
	// from an authority that this host trusts: the keys of such certificates change with
	// each renewal, so workers check the authority instead.
	Pinned bool
}

// KeyPin is what fleet.WorkerPort asks for.
func (i Identity) KeyPin(context.Context) (seal.Pin, bool, error) { return i.Pin, i.Pinned, nil }

// IdentityStore keeps the key that was made.
type IdentityStore interface {
	// SealedSetting returns a setting. NotFound "setting.not_found".
	SealedSetting(ctx context.Context, name string) (public string, sealed seal.Sealed, err error)
	// AddSealedSetting stores a new one. Conflict "setting.exists".
	AddSealedSetting(ctx context.Context, name, public string, sealed seal.Sealed) error
}

// Ring seals the key that was made; *seal.Ring does.
type Ring interface {
	Seal(place seal.Place, plaintext []byte) (seal.Sealed, error)
	Open(place seal.Place, sealed seal.Sealed) ([]byte, error)
}

// settingName is where the certificate that was made is kept: public is the certificate,
// sealed the private key, both PEM.
const settingName = "worker_port_certificate"

var keyPlace = seal.Place{Table: "sealed_settings", Row: settingName, Column: "sealed"}

// KeptIdentity returns the identity that was made once for this installation, and makes it
// if there is none. hosts are names and addresses for the certificate; workers do not look
// at them, people may.
func KeptIdentity(ctx context.Context, store IdentityStore, ring Ring, hosts []string, now time.Time) (Identity, error) {
	public, sealed, err := store.SealedSetting(ctx, settingName)
	if fault.Is(err, fault.NotFound) {
		if err = makeIdentity(ctx, store, ring, hosts, now); err != nil {
			return Identity{}, err
		}
		public, sealed, err = store.SealedSetting(ctx, settingName)
	}
	if err != nil {
		return Identity{}, fmt.Errorf("read the worker port's certificate: %w", err)
	}
	key, err := ring.Open(keyPlace, sealed)
	if err != nil {
		return Identity{}, fmt.Errorf("open the worker port's key: %w", err)
	}
	cert, err := tls.X509KeyPair([]byte(public), key)
	if err != nil {
		return Identity{}, fmt.Errorf("read the worker port's certificate: %w", err)
	}
	return Identity{Certificate: cert, Pin: websocket.Pin(cert.Leaf), Pinned: true}, nil
}

// makeIdentity makes and stores a key. Another process that was faster has made it.
func makeIdentity(ctx context.Context, store IdentityStore, ring Ring, hosts []string, now time.Time) error {
	certificate, key, err := websocket.SelfSigned(hosts, now)
	if err != nil {
		return err
	}
	sealed, err := ring.Seal(keyPlace, key)
	if err != nil {
		return fmt.Errorf("seal the worker port's key: %w", err)
	}
	err = store.AddSealedSetting(ctx, settingName, string(certificate), sealed)
	if fault.Is(err, fault.Conflict) {
		return nil
	}
	return err
}

// GivenIdentity reads TLS_CERT_FILE and TLS_KEY_FILE. host is the one that workers dial.
// Invalid "worker_port.certificate" names what is wrong with the files.
func GivenIdentity(certFile, keyFile, host string, now time.Time) (Identity, error) {
	return givenIdentity(certFile, keyFile, x509.VerifyOptions{DNSName: host, CurrentTime: now})
}

func givenIdentity(certFile, keyFile string, trust x509.VerifyOptions) (Identity, error) {
	certificate, err := os.ReadFile(certFile)
	if err != nil {
		return Identity{}, badFile("TLS_CERT_FILE cannot be read", err)
	}
	key, err := os.ReadFile(keyFile)
	if err != nil {
		return Identity{}, badFile("TLS_KEY_FILE cannot be read", err)
	}
	cert, err := tls.X509KeyPair(certificate, key)
	if err != nil {
		return Identity{}, badFile("TLS_CERT_FILE and TLS_KEY_FILE are no certificate with its key, both PEM", err)
	}
	trust.Intermediates = x509.NewCertPool()
	for _, der := range cert.Certificate[1:] {
		if intermediate, err := x509.ParseCertificate(der); err == nil {
			trust.Intermediates.AddCert(intermediate)
		}
	}
	_, err = cert.Leaf.Verify(trust)
	return Identity{Certificate: cert, Pin: websocket.Pin(cert.Leaf), Pinned: err != nil}, nil
}

func badFile(what string, cause error) error {
	return fault.New(fault.Invalid, "worker_port.certificate", "%s. Correct the files, or leave both out to have a certificate made.", what).Because(cause)
}
