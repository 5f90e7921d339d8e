package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net/http"
	"path/filepath"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/handlers/api"
	"berth/handlers/endpoint"
	"berth/local/stand/apiclient"
	"berth/local/stand/freeport"
)

// server is a program of Berth in a process of its own, with data and ports of its own.
type server struct {
	*child
	client *apiclient.Client
	site   site
}

// site is what stays the same when a server is started again.
type site struct {
	dir           string
	port, tlsPort string
	key           string // SECRET_KEY
	bootstrap     string
}

func (b *bench) newSite(name string) (site, error) {
	port, err := freeport.Take()
	if err != nil {
		return site{}, err
	}
	tlsPort, err := freeport.Take()
	if err != nil {
		return site{}, err
	}
	key := make([]byte, 32)
	rand.Read(key)
	return site{dir: filepath.Join(b.dir, name), port: port, tlsPort: tlsPort, key: hex.EncodeToString(key), bootstrap: rand.Text()}, nil
}

func (s site) url() string       { return "http://127.0.0.1:" + s.port }
func (s site) workerURL() string { return "https://127.0.0.1:" + s.tlsPort }
func (s site) database() string  { return filepath.Join(s.dir, "db_data") }

func (s site) environment() []string {
	return []string{"SECRET_KEY=" + s.key, "BOOTSTRAP_TOKEN=" + s.bootstrap, "DATA_DIR=" + s.dir, "APP_URL=" + s.url(),
		"PORT=" + s.port, "TLS_WORKER_PORT=" + s.tlsPort}
}

// startLocal starts local and returns it once it is ready, with the time that took.
func (b *bench) startLocal(ctx context.Context, s site, env ...string) (*server, time.Duration, error) {
	program, err := b.program(ctx, "local")
	if err != nil {
		return nil, 0, err
	}
	c, err := apiclient.New(s.url(), patience, nil)
	if err != nil {
		return nil, 0, err
	}
	process, err := b.start(program, append(s.environment(), env...)...)
	if err != nil {
		return nil, 0, err
	}
	srv := &server{child: process, client: c, site: s}
	err = until(ctx, time.Minute, time.Millisecond, "being ready", func(ctx context.Context) (bool, error) {
		status, _, err := c.Send(ctx, http.MethodGet, "/readyz", nil)
		return err == nil && status == http.StatusOK, process.alive()
	})
	took := time.Since(process.started)
	if err != nil {
		return nil, 0, fmt.Errorf("%w; %w", err, process.stop())
	}
	return srv, took, nil
}

// setUp makes the first administrator and a service account, whose key is used from here on.
func (s *server) setUp(ctx context.Context) error {
	return s.setUpFor(ctx, api.LoginRequest{Email: "bench@example.com", Password: rand.Text()})
}

// setUpFor is setUp with an administrator who can sign in again.
func (s *server) setUpFor(ctx context.Context, admin api.LoginRequest) error {
	if _, err := post[struct{}](ctx, s.client, "/api/custom/setup", api.SetupRequest{BootstrapToken: s.site.bootstrap, Email: admin.Email, Password: admin.Password, Name: "Bench"}); err != nil {
		return err
	}
	if _, err := post[struct{}](ctx, s.client, "/api/custom/login", admin); err != nil {
		return err
	}
	account, err := post[struct{ ID core.ServiceAccountID }](ctx, s.client, "/api/custom/service-accounts", api.ServiceAccountRequest{Name: "bench", Role: access.RoleAdmin})
	if err != nil {
		return err
	}
	key, err := post[api.IssuedKey](ctx, s.client, "/api/custom/service-accounts/"+string(account.ID)+"/keys", api.APIKeyRequest{Name: "bench"})
	s.client.Key = key.Key
	return err
}

// workersOnline waits until n workers have a link.
func (s *server) workersOnline(ctx context.Context, n int) error {
	return until(ctx, time.Minute, 50*time.Millisecond, "the worker's connection", func(ctx context.Context) (bool, error) {
		list, err := get[endpoint.Items[api.WorkerAnswer]](ctx, s.client, "/api/custom/workers?online=true")
		return len(list.Items) >= n, err
	})
}

// addRepository adds one of the Git host's repositories and waits for its first fetch.
func (s *server) addRepository(ctx context.Context, b *bench, name string) (core.RepositoryID, error) {
	r, err := post[api.RepositoryAnswer](ctx, s.client, "/api/custom/repositories", api.CreateRepositoryRequest{Name: name, URL: b.git.url + b.git.Path(name), Branch: "main"})
	if err != nil {
		return "", err
	}
	return r.ID, until(ctx, time.Minute, 50*time.Millisecond, "the first fetch", func(ctx context.Context) (bool, error) {
		r, err := get[api.RepositoryAnswer](ctx, s.client, "/api/custom/repositories/"+string(r.ID))
		if err == nil && r.Error != "" {
			err = fmt.Errorf("repository: %s", r.Error)
		}
		return r.Head != "", err
	})
}
