package websocket

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"time"
)

// SelfSigned makes a key pair (ECDSA P-256) and a certificate for the worker port that is
// valid for hosts, names or IP addresses, for ten years from a day before now. Both are
// PEM: the certificate to show, the key, PKCS #8, to keep secret and for ever, since
// worker tokens carry its pin.
func SelfSigned(hosts []string, now time.Time) (certPEM, keyPEM []byte, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, fmt.Errorf("make the key of the worker port: %w", err)
	}
	template := certificate("Berth worker port", now.AddDate(0, 0, -1), now.AddDate(10, 0, 0), x509.ExtKeyUsageServerAuth)
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	cert, err := sign(template, key)
	if err != nil {
		return nil, nil, err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, nil, fmt.Errorf("encode the key of the worker port: %w", err)
	}
	certPEM = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert})
	keyPEM = pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})
	return certPEM, keyPEM, nil
}

// ClientCertificate wraps a worker's own key into the certificate that it shows to the
// hub. name is for people who look at the connection; only the key counts, so the
// dates say "always" (RFC 5280, section 4.1.2.5).
func ClientCertificate(key ed25519.PrivateKey, name string) (tls.Certificate, error) {
	always := time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)
	cert, err := sign(certificate(name, time.Unix(0, 0), always, x509.ExtKeyUsageClientAuth), key)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.Certificate{Certificate: [][]byte{cert}, PrivateKey: key}, nil
}

func certificate(name string, from, to time.Time, use x509.ExtKeyUsage) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: name},
		NotBefore:             from,
		NotAfter:              to,
		KeyUsage:              x509.KeyUsageDigitalSignature,
		ExtKeyUsage:           []x509.ExtKeyUsage{use},
		BasicConstraintsValid: true,
	}
}

func sign(template *x509.Certificate, key crypto.Signer) ([]byte, error) {
	cert, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("sign the certificate %q: %w", template.Subject.CommonName, err)
	}
	return cert, nil
}
