package postgres

import (
	"strings"
	"testing"

	"berth/core/fault"
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
