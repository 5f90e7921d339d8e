package config_test

import (
	"strings"
	"testing"

	"berth/core/config"
)

// TestAHubByItself needs what a server needs, a database that others reach, and no worker inside.
func TestAHubByItself(t *testing.T) {
	for name, c := range map[string]struct {
		given environment
		want  []string // "NAME: part of the reason"
	}{
		"as it should be":         {environment{"DATABASE_URL": "postgres://db.test/berth"}, nil},
		"without a database":      {nil, []string{"DATABASE_URL: needs a PostgreSQL database"}},
		"with a bad one":          {environment{"DATABASE_URL": "sqlite:berth"}, []string{"DATABASE_URL: postgres://"}},
		"with a worker":           {environment{"DATABASE_URL": "postgres://db.test/berth", "LOCAL_WORKER": "true"}, []string{"LOCAL_WORKER: only local runs a worker inside"}},
		"without a right port":    {environment{"DATABASE_URL": "postgres://db.test/berth", "TLS_WORKER_PORT": "0"}, []string{"TLS_WORKER_PORT: from 1"}},
		"with a worker and alone": {environment{"LOCAL_WORKER": "true"}, []string{"DATABASE_URL: is not set", "LOCAL_WORKER: beside the hub"}},
	} {
		e := environment{"SECRET_KEY": secretKey}
		for name, value := range c.given {
			e[name] = value
		}
		_, problems, _ := config.LoadHub(e.lookup, e.environ())
		if len(problems) != len(c.want) {
			t.Errorf("%s: %v, want %q", name, problems, c.want)
			continue
		}
		for i, want := range c.want {
			variable, part, _ := strings.Cut(want, ": ")
			if problems[i].Name != variable || !strings.Contains(problems[i].Reason, part) {
				t.Errorf("%s: %v, want %q", name, problems[i], want)
			}
		}
	}
}
