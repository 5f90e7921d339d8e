package postgres

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"berth/core/fault"
	"berth/core/store"
	"berth/local/stand/pgserver"
)

// TestNothingIsLeftInASession, so that a pooler may lend each transaction another connection.
func TestNothingIsLeftInASession(t *testing.T) {
	s := pgserver.Shared(t)
	name := s.Database(t, "template0")
	db, err := Open(t.Context(), s.URL(name), Function())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Migrate(t.Context(), epoch); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := second(names(t, db)); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		if err := db.Write(t.Context(), func(tx *store.Tx) error {
			inside, err := store.Texts(tx, `SELECT current_setting('statement_timeout') || ' ' || current_setting('lock_timeout') || ' ' || current_setting('idle_in_transaction_session_timeout')`)
			if err != nil || !slices.Equal(inside, []string{"30s 10s 10s"}) {
				t.Errorf("limits are %q, %v", inside, err)
			}
			left, err := store.Texts(tx, `SELECT name FROM pg_prepared_statements UNION ALL SELECT name FROM pg_cursors WHERE is_holdable
				UNION ALL SELECT name FROM pg_settings WHERE source = 'session' AND name LIKE '%timeout' AND setting <> boot_val AND name NOT IN ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout')
				UNION ALL SELECT 'an advisory lock' FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()`)
			if err != nil || len(left) != 0 {
				t.Errorf("left are %q, %v", left, err)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
}

// certificate makes a self-signed certificate for an address, and its key.
func certificate(t *testing.T, ip string) (cert, key string) {
	t.Helper()
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "postgres"}, IPAddresses: []net.IP{net.ParseIP(ip)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &secret.PublicKey, secret)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := x509.MarshalPKCS8PrivateKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: plain}))
}

func TestTLS(t *testing.T) {
	cert, key := certificate(t, "127.0.0.1")
	s := pgserver.New(t, pgserver.Options{Settings: map[string]string{"ssl": "on"}, Files: map[string]string{"server.crt": cert, "server.key": key}})
	address := s.TCP(s.Database(t, "template0"))
	authority := filepath.Join(t.TempDir(), "authority.pem")
	if err := os.WriteFile(authority, []byte(cert), 0o600); err != nil {
		t.Fatal(err)
	}
	const encrypted = `SELECT ssl::text FROM pg_stat_ssl WHERE pid = pg_backend_pid()`
	for options, want := range map[string]string{
		"?sslmode=verify-full&sslrootcert=" + authority: "true",
		"?sslmode=require": "true",
		"?sslmode=disable": "false",
	} {
		got := []string{}
		if err := openAt(t, address+options).Read(t.Context(), func(tx *store.Tx) (err error) {
			got, err = store.Texts(tx, encrypted)
			return err
		}); err != nil || got[0] != want {
			t.Errorf("%s: encrypted is %q, want %s: %v", options, got, want, err)
		}
	}
	_, err := Open(t.Context(), address+"?sslmode=verify-full", Server())
	if fault.CodeOf(err) != "store.unsuitable" || !strings.Contains(fault.PublicOf(err), "sslrootcert=FILE") {
		t.Errorf("a certificate of nobody known: %v", err)
	}
}
