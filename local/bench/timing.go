package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"time"

	"berth/core/access"
	"berth/core/fault"
	"berth/core/identity"
	"berth/core/seal"
	"berth/core/secrets"
	"berth/core/store"
	"berth/handlers/guard"
	"berth/hub/adapter/sqlite"
)

// How often each question of a pair is asked. A password takes a tenth of a second of work.
const (
	timedKeys      = 2000
	timedPasswords = 300
)

// measureTiming sees whether the time that a refusal takes tells what somebody may not know: whether an account
// is there, and whether an API key's id is. Questions are asked in turns, on the embedded database.
func measureTiming(ctx context.Context, b *bench) (figures []figure, err error) {
	db, err := sqlite.Open(ctx, filepath.Join(b.dir, "timing"), nil)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := db.Migrate(ctx, time.Now()); err != nil {
		return nil, err
	}
	g := &guesser{start: time.Now()}
	if err := g.furnish(ctx, store.New(db, g.now)); err != nil {
		return nil, err
	}
	for _, c := range []struct {
		name   string
		times  int
		guess  func(ctx context.Context, known bool) error
		warmed int
	}{
		{"wrong password: account there, none there", timedPasswords, g.password, 3},
		{"wrong API key: its id there, not there", timedKeys, g.key, 100},
	} {
		there, none, err := g.inTurns(ctx, c.times, c.warmed, c.guess)
		if err != nil {
			return nil, err
		}
		p := mannWhitney(there, none)
		figures = append(figures,
			figure{name: c.name + ", p50", result: fmt.Sprintf("%s, %s", ms(median(there)), ms(median(none)))},
			figure{name: fmt.Sprintf("  chance of such a difference by accident (%d each)", c.times), result: fmt.Sprintf("%.3f", p), goal: "above 0.01", met: p > 0.01})
	}
	return figures, nil
}

// guesser asks for what is there and for what is not.
type guesser struct {
	start time.Time
	tries int

	signIn *identity.SignIn
	door   http.Handler // for which a key is wanted
	email  string
	forged string // a key whose id is there
}

// now is an hour later with each try, so that nobody is slowed down.
func (g *guesser) now() time.Time { return g.start.Add(time.Duration(g.tries) * time.Hour) }

func (g *guesser) furnish(ctx context.Context, kept *store.Store) error {
	ring, err := seal.NewRing(rand.Reader)
	if err != nil {
		return err
	}
	passwords := identity.NewPasswords(identity.Rounds)
	g.email = "ada@example.org"
	admin, err := identity.NewSetUp(kept, passwords, secrets.NewValue("bootstrap"), g.now).Create(ctx, access.Anonymous("192.0.2.1"),
		identity.FirstAdministrator{BootstrapToken: secrets.NewValue("bootstrap"), Email: g.email, Password: secrets.NewValue(rand.Text()), Name: "Ada"})
	if err != nil {
		return err
	}
	accounts := identity.NewAccounts(kept, ring, g.now)
	account, err := accounts.Create(ctx, admin.Principal(""), "bench", access.RoleViewer)
	if err != nil {
		return err
	}
	key, _, err := accounts.IssueKey(ctx, admin.Principal(""), account.ID, "bench", time.Time{})
	if err != nil {
		return err
	}
	g.signIn, g.forged = identity.NewSignIn(kept, passwords, ring, g.now), string(key.ID)
	guarded, err := guard.New(guard.Config{AppURL: &url.URL{Scheme: "http", Host: "berth.test"}, Doorkeeper: identity.NewDoorkeeper(kept, ring, g.now), Clock: g.now, Log: slog.New(slog.DiscardHandler)})
	if err == nil {
		g.door = guarded.Outer(guarded.Admit(guard.Rule{Capability: access.View, Surface: guard.API}, http.NotFoundHandler()))
	}
	return err
}

func (g *guesser) password(ctx context.Context, known bool) error {
	email := g.email
	if !known {
		email = "eve@example.org"
	}
	_, err := g.signIn.Open(ctx, access.Anonymous("192.0.2.9"), email, secrets.NewValue("a wrong password"))
	return mustFail(err, "auth.failed")
}

func (g *guesser) key(ctx context.Context, known bool) error {
	id := g.forged
	if !known {
		id = g.forged[:len(g.forged)-4] + "0000"
	}
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/api/custom/stacks", nil)
	r.Header.Set(guard.KeyHeader, seal.NewToken(seal.TokenAPIKey, id).Reveal())
	w := httptest.NewRecorder()
	g.door.ServeHTTP(w, r)
	if w.Code != http.StatusUnauthorized {
		return fmt.Errorf("a guess was answered %d: %s", w.Code, w.Body)
	}
	return nil
}

// mustFail is an error unless err has this code.
func mustFail(err error, code string) error {
	if fault.CodeOf(err) != code {
		return fmt.Errorf("a guess ended with %v, not with %s", err, code)
	}
	return nil
}

// inTurns asks both questions so often, in an order that changes each time.
func (g *guesser) inTurns(ctx context.Context, times, warmed int, guess func(context.Context, bool) error) (there, none []time.Duration, err error) {
	for i := range times + warmed {
		for turn := range 2 {
			known := (i+turn)%2 == 0
			g.tries++
			began := time.Now()
			if err := guess(ctx, known); err != nil {
				return nil, nil, err
			}
			took := time.Since(began)
			switch {
			case i < warmed:
			case known:
				there = append(there, took)
			default:
				none = append(none, took)
			}
		}
	}
	return there, none, nil
}
