package postgres

import (
	"crypto/x509"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"berth/core/fault"

	"github.com/jackc/pgx/v5/pgconn"
)

func TestNobodyReadsAlongUnasked(t *testing.T) {
	t.Setenv("PGHOST", "")
	t.Setenv("PGSSLMODE", "")
	for address, want := range map[string]string{
		"postgres://u:p@db.example/b":                                  "checked",
		"postgres://u:p@db.example/b?sslmode=verify-full":              "checked",
		"postgres://u:p@db.example/b?sslmode=require":                  "encrypted",
		"postgres://u:p@db.example/b?sslmode=disable":                  "plain",
		"postgres://u:p@db.example/b?sslmode=prefer":                   "refused",
		"postgres://u:p@db.example/b?sslmode=allow":                    "refused",
		"postgres://u:p@127.0.0.1,db.example/b?sslmode=prefer":         "refused",
		"postgres:///b?host=db.example&sslmode=prefer":                 "refused",
		"postgres://u:p@192.168.0.7/b":                                 "checked",
		"postgres://u:p@localhost/b?sslmode=disable":                   "plain",
		"postgres://u:p@127.0.0.1:6432/b?sslmode=disable":              "plain",
		"postgres://u:p@[::1]/b?sslmode=disable":                       "plain",
		"postgresql:///b?host=/run/postgresql":                         "plain",
		"postgres://u:p@localhost/b?sslmode=verify-full":               "checked",
		"postgres://u:p@db.example,db2.example:5433/b?sslmode=require": "encrypted",
	} {
		cfg, err := parse(address, Server())
		if want == "refused" {
			if fault.CodeOf(err) != "store.address" || !strings.Contains(err.Error(), "sslmode=verify-full") {
				t.Errorf("%s: %v", address, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", address, err)
			continue
		}
		got := "plain"
		switch {
		case cfg.TLSConfig == nil:
		case cfg.TLSConfig.InsecureSkipVerify && cfg.TLSConfig.VerifyPeerCertificate == nil:
			got = "encrypted"
		default:
			got = "checked"
		}
		for _, f := range cfg.Fallbacks {
			if (f.TLSConfig == nil) != (cfg.TLSConfig == nil) {
				t.Errorf("%s: what is encrypted at first falls back to what is not", address)
			}
		}
		if got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}

func TestAnAddressIsNeverRepeated(t *testing.T) {
	for _, address := range []string{
		"postgres://u:canary@db.example:99999/b", "postgres://u:canary@db.example/b?sslmode=often", "mysql://u:canary@db/b", "canary",
		"postgres://u:canary@db.example/b?sslrootcert=/canary/none&sslmode=verify-ca", "postgres://u:can%ary@db/b", "postgres://u:canary@db/b?sslmode=prefer",
	} {
		_, err := parse(address, Server())
		if fault.CodeOf(err) != "store.address" || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// TestFilesOfAnAddressAreLookedAt before a connection is tried.
func TestFilesOfAnAddressAreLookedAt(t *testing.T) {
	dir := t.TempDir()
	nothing := filepath.Join(dir, "nothing.pem")
	if err := os.WriteFile(nothing, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	for query, says := range map[string]string{
		"sslrootcert=" + dir + "/none.pem":                              "the file that sslrootcert names does not exist",
		"sslrootcert=" + dir:                                            "the file that sslrootcert names cannot be read",
		"sslrootcert=" + nothing:                                        "the file that sslrootcert names holds nothing in PEM form",
		"sslcert=" + dir + "/none.pem&sslkey=" + dir + "/none.pem":      "the file that sslcert names does not exist",
		"sslmode=verify-full&sslkey=" + dir + "/none&connect_timeout=5": "the file that sslkey names does not exist",
	} {
		for _, host := range []string{"db.example", "localhost"} {
			if err := Check("postgres://u:canary@" + host + "/b?" + query); fault.CodeOf(err) != "store.address" || !strings.Contains(fault.PublicOf(err), says) || strings.Contains(err.Error(), "canary") {
				t.Errorf("%s, %s: %v", host, query, err)
			}
		}
	}
	if named, err := Place("postgres://u:p@db.example/b?sslrootcert=system"); err != nil || named != "the database b at db.example:5432" {
		t.Errorf("the system's authorities: %q, %v", named, err)
	}
}

// TestWhyAConnectionFailsOnTheWay: what comes from the network and from TLS is told apart.
func TestWhyAConnectionFailsOnTheWay(t *testing.T) {
	for name, c := range map[string]struct {
		err        error
		code, says string
	}{
		"a name that is not known": {&net.DNSError{Err: "no such host", Name: "db.example", IsNotFound: true}, "store.away", "does not find a host of that name"},
		"nobody listens":           {&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, "store.away", "Check that the server runs"},
		"another host's paper":     {x509.HostnameError{Certificate: &x509.Certificate{DNSNames: []string{"other.example"}}, Host: "db.example"}, "store.unsuitable", "made out to another name"},
		"an unknown authority":     {x509.UnknownAuthorityError{}, "store.unsuitable", "sslrootcert=FILE"},
		"not let in":               {&pgconn.PgError{Code: "28000"}, "store.unsuitable", "pg_hba.conf"},
		"another password":         {&pgconn.PgError{Code: "28P01"}, "store.unsuitable", "percent-encoded there, such as / as %2F"},
		"may not connect":          {&pgconn.PgError{Code: "42501"}, "store.unsuitable", "database's owner"},
	} {
		f := meaning("the database b at db.example:5432", fmt.Errorf("connect: %w", &unreachable{fmt.Errorf("dial: %w", c.err)}))
		if f == nil || f.Code != c.code || !strings.Contains(f.Public, c.says) || !strings.HasPrefix(f.Public, "The database b at db.example:5432 ") || strings.Contains(f.Public, "%!") {
			t.Errorf("%s: %v", name, f)
		}
	}
}
