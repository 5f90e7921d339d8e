package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/seal"
	"berth/core/secrets"
	"berth/core/store"
	"berth/core/variables"
	"berth/hub/adapter/manager"
	"berth/hub/adapter/outbound"
	"berth/hub/adapter/sqlite"
	"berth/hub/adapter/vault"
	"berth/local/stand/managerstand"
	"berth/local/stand/vaultstand"
)

const (
	secretReferences = 100
	secretLatency    = 2 * time.Millisecond // of a backend's answer, beside what it works
)

// shelf is a provider with references that it can resolve.
type shelf struct {
	name string
	refs []secrets.Ref
	open func() (secrets.Provider, func(), error) // a new one, as after a start, and how it ends
}

// measureSecrets resolves references of each provider: with a new client, whose connections and tokens are still
// to come, and again with the same one.
func measureSecrets(ctx context.Context, b *bench) (figures []figure, err error) {
	kept, err := internalShelf(ctx, filepath.Join(b.dir, "secrets"))
	if err != nil {
		return nil, err
	}
	shelves := []shelf{kept}
	for _, spread := range []struct {
		how    string
		places int
	}{{"each by itself", secretReferences}, {"in tens", secretReferences / 10}, {"all in one place", 1}} {
		v, closeVault, err := vaultShelf("vault, "+spread.how, spread.places)
		if err != nil {
			return nil, err
		}
		defer closeVault()
		m, closeManager, err := managerShelf("manager, "+spread.how, spread.places)
		if err != nil {
			return nil, err
		}
		defer closeManager()
		shelves = append(shelves, v, m)
	}
	for _, s := range shelves {
		var cold, warm []time.Duration
		for range b.runs {
			first, again, err := s.resolve(ctx)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", s.name, err)
			}
			cold, warm = append(cold, first), append(warm, again)
		}
		figures = append(figures, figure{name: s.name + ", cold", result: spread(cold)}, figure{name: s.name + ", warm", result: spread(warm)})
	}
	return figures, nil
}

// resolve resolves all references twice.
func (s shelf) resolve(ctx context.Context) (cold, warm time.Duration, err error) {
	provider, end, err := s.open()
	if err != nil {
		return 0, 0, err
	}
	defer end()
	for _, took := range []*time.Duration{&cold, &warm} {
		began := time.Now()
		values, err := provider.Resolve(ctx, s.refs)
		*took = time.Since(began)
		if err != nil || len(values) != len(s.refs) {
			return 0, 0, errors.Join(err, fmt.Errorf("%d of %d references were resolved", len(values), len(s.refs)))
		}
	}
	return cold, warm, nil
}

// internalShelf seals variables in an SQLite database; a new provider has the database to open.
func internalShelf(ctx context.Context, dir string) (shelf, error) {
	s := shelf{name: "internal"}
	ring, err := seal.NewRing(rand.Reader)
	if err != nil {
		return s, err
	}
	db, err := sqlite.Open(ctx, dir, nil)
	if err != nil {
		return s, err
	}
	err = db.Migrate(ctx, time.Now())
	kept := store.New(db, time.Now)
	for i := 0; i < secretReferences && err == nil; i++ {
		var sealed seal.Sealed
		id := core.VariableID(core.NewID(core.PrefixVariable, time.Now()))
		if sealed, err = ring.Seal(variables.Place(id), []byte(secretValue(i))); err == nil {
			v := variables.Variable{ID: id, Owner: variables.Owner{Scope: variables.ScopeGlobal}, Name: fmt.Sprint("V", i), Secret: true, Provider: secrets.Internal}
			_, err = kept.AddVariable(ctx, variables.Stored{Variable: v, Sealed: sealed}, access.Principal{Kind: access.KindUser, ID: "bench"}.Audit("variable.create", string(id), ""))
			s.refs = append(s.refs, secrets.Ref{Variable: v.Name, Provider: secrets.Internal, Reference: string(id)})
		}
	}
	s.open = func() (secrets.Provider, func(), error) {
		db, err := sqlite.Open(ctx, dir, nil)
		if err != nil {
			return nil, nil, err
		}
		return variables.NewInternalProvider(store.New(db, time.Now), ring), func() { db.Close() }, nil
	}
	return s, errors.Join(err, db.Close())
}

// vaultShelf spreads the references over so many paths.
func vaultShelf(name string, paths int) (shelf, func(), error) {
	const token = "bench"
	server := vaultstand.New()
	server.Latency = secretLatency
	server.Issue(token, vaultstand.Token{Renewable: true, TTL: time.Hour})
	s := shelf{name: name}
	for path := range paths {
		fields := map[string]any{}
		for i := path; i < secretReferences; i += paths {
			fields[fmt.Sprint("F", i)] = secretValue(i)
			s.refs = append(s.refs, secrets.Ref{Variable: fmt.Sprint("V", i), Provider: secrets.Vault, Reference: fmt.Sprintf("kv/data/app/%d#F%d", path, i)})
		}
		server.Put("kv", fmt.Sprint("app/", path), fields)
	}
	address, end, err := serveHere(server)
	s.open = func() (secrets.Provider, func(), error) {
		client, err := vault.New(vault.Settings{Address: address, Token: secrets.NewValue(token)}, outbound.Options{})
		if err != nil {
			return nil, nil, err
		}
		return client, client.Close, nil
	}
	return s, end, err
}

// managerShelf spreads the references over so many folders.
func managerShelf(name string, folders int) (shelf, func(), error) {
	server := managerstand.New()
	server.Latency = secretLatency
	server.Identity("bench", "bench")
	server.Project("p1", managerstand.Project{Name: "bench", Environments: []string{"prod"}})
	s := shelf{name: name}
	for i := range secretReferences {
		folder, name := fmt.Sprint("app", i%folders), fmt.Sprint("S", i)
		server.Put("p1", "prod", folder, managerstand.Secret{Name: name, Value: secretValue(i)})
		s.refs = append(s.refs, secrets.Ref{Variable: fmt.Sprint("V", i), Provider: secrets.Manager, Reference: "p1/prod/" + folder + "#" + name})
	}
	address, end, err := serveHere(server)
	s.open = func() (secrets.Provider, func(), error) {
		client, err := manager.New(manager.Settings{SiteURL: address, ClientID: "bench", ClientSecret: secrets.NewValue("bench")}, outbound.Options{})
		if err != nil {
			return nil, nil, err
		}
		return client, client.Close, nil
	}
	return s, end, err
}

func secretValue(i int) string {
	return fmt.Sprintf("a secret value of the usual length, number %d", i)
}

// serveHere serves a stand-in on a free port of this host.
func serveHere(handler http.Handler) (address string, end func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", func() {}, err
	}
	server := &http.Server{Handler: handler}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.Serve(listener) // it ends with http.ErrServerClosed, by end
	}()
	return "http://" + listener.Addr().String(), func() {
		_ = server.Close() // what it has is closed
		<-ended
	}, nil
}
