package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"berth/core/config"
	"berth/handlers/api"
	"berth/hub/adapter/postgres"
	"berth/local/stand/gateway"
	"berth/local/stand/pgserver"
	"berth/local/stand/runtimeapi"
)

// Goals of the program on its host.
const (
	firstGoal = 50 * time.Millisecond // from the start of its process to its first answer
	sizeGoal  = 30e6                  // bytes of the stripped program
)

// onHost measures the real program on a stand-in for its host.
func (b *bench) onHost(ctx context.Context) (figures []figure, err error) {
	program, err := b.program(ctx, "handlers/cmd/function")
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(program)
	if err != nil {
		return nil, err
	}
	figures = []figure{{name: "program function, stripped", result: megabytes(info.Size()), goal: "below " + megabytes(sizeGoal), met: info.Size() < sizeGoal}}
	dir, err := os.MkdirTemp("", "bench-postgres-") // the server runs as another user, who may not enter the bench's
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	database, err := pgserver.Open(dir, pgserver.Options{})
	if err != nil {
		return nil, err
	}
	defer database.Kill()
	s, err := b.newSite("function")
	if err != nil {
		return nil, err
	}
	if err := errors.Join(database.Exec("postgres", "CREATE DATABASE bench TEMPLATE template0"), runtimeapi.Prepare(ctx, database.TCP("bench"), s.key)); err != nil {
		return nil, err
	}
	for _, form := range config.EventForms {
		some, err := b.invocations(ctx, form, runtimeapi.Options{Program: program, Env: []string{"SECRET_KEY=" + s.key, "DATABASE_URL=" + database.TCP("bench"),
			"APP_URL=https://berth.example.com", "BERTH_EVENT=" + string(form), "BOOTSTRAP_TOKEN=" + s.bootstrap, "LOG_LEVEL=warn"}}, s, database.TCP("bench"))
		if err != nil {
			return nil, err
		}
		figures = append(figures, some...)
	}
	return figures, nil
}

// invocations measures cold starts and warm invocations with one form of events.
func (b *bench) invocations(ctx context.Context, form config.EventForm, o runtimeapi.Options, s site, database string) (figures []figure, err error) {
	b.say("function with events of %s", form)
	var first, asked, connected []time.Duration
	for range b.runs {
		alone, err := connecting(ctx, database)
		if err != nil {
			return nil, err
		}
		connected = append(connected, alone)
		done, err := cold(ctx, form, o)
		if err != nil {
			return nil, err
		}
		first, asked = append(first, done.Took), append(asked, done.Init)
	}
	host, err := runtimeapi.Open(o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, host.Close()) }()
	cookie, err := signedIn(ctx, form, host, s)
	if err != nil {
		return nil, err
	}
	var light, full []time.Duration
	for range b.runs * 50 {
		for path, took := range map[string]*[]time.Duration{"/version": &light, "/api/custom/me": &full} {
			done, err := ask(ctx, form, host, http.MethodGet, path, "", cookie)
			if err != nil {
				return nil, err
			}
			*took = append(*took, done.Took)
		}
	}
	m, err := memoryOf(host.Pid())
	return []figure{
		{name: string(form) + ": start of the process to its first answer (/readyz)", result: spread(first), goal: "below " + ms(firstGoal), met: median(first) < firstGoal},
		{name: "  of that until it asked for the event", result: spread(asked)},
		{name: "  for comparison: a connection to this database, in turns", result: spread(connected)},
		{name: "  whole invocation, warm: /version", result: us(median(light))},
		{name: "  whole invocation, warm: /me with a session", result: us(median(full))},
		{name: "  memory afterwards", result: m.String()},
	}, err
}

// connecting opens the database once and returns how long that took.
func connecting(ctx context.Context, database string) (time.Duration, error) {
	began := time.Now()
	db, err := postgres.Open(ctx, database, postgres.Function())
	took := time.Since(began)
	if err == nil {
		err = db.Close()
	}
	return took, err
}

// cold starts an instance for one event.
func cold(ctx context.Context, form config.EventForm, o runtimeapi.Options) (done runtimeapi.Invocation, err error) {
	host, err := runtimeapi.Open(o)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, host.Close()) }()
	return ask(ctx, form, host, http.MethodGet, "/readyz", "", "")
}

// ask plays a request that must succeed.
func ask(ctx context.Context, form config.EventForm, host *runtimeapi.Host, method, path, body, cookie string) (done runtimeapi.Invocation, err error) {
	answer, done, err := play(ctx, form, host, method, path, body, cookie)
	if err == nil && answer.StatusCode >= 300 {
		text, _ := io.ReadAll(answer.Body) // said in the error
		err = fmt.Errorf("%s %s: %s: %s", method, path, answer.Status, text)
	}
	return done, err
}

func play(ctx context.Context, form config.EventForm, host *runtimeapi.Host, method, path, body, cookie string) (answer *http.Response, done runtimeapi.Invocation, err error) {
	r, err := http.NewRequestWithContext(ctx, method, "https://berth.example.com"+path, strings.NewReader(body))
	if err != nil {
		return nil, done, err
	}
	r.Header.Set("Cookie", cookie)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	g := &gateway.Gateway{Form: form}
	event, err := g.Event(r)
	if err != nil {
		return nil, done, err
	}
	if done, err = host.Do(ctx, event); err != nil {
		return nil, done, fmt.Errorf("%w; the function wrote: %s", err, host.Log())
	}
	answer, err = g.Response(r, done.Answer)
	return answer, done, err
}

// signedIn makes the first administrator, unless there is one, and returns a session's cookie.
func signedIn(ctx context.Context, form config.EventForm, host *runtimeapi.Host, s site) (string, error) {
	const mail, password = "bench@example.com", "a password of this bench"
	setup, err := json.Marshal(api.SetupRequest{BootstrapToken: s.bootstrap, Email: mail, Password: password, Name: "Bench"})
	if err != nil {
		return "", err
	}
	if answer, _, err := play(ctx, form, host, http.MethodPost, "/api/custom/setup", string(setup), ""); err != nil || answer.StatusCode != http.StatusCreated && answer.StatusCode != http.StatusConflict {
		return "", fmt.Errorf("set-up: %v, %w", answer, err)
	}
	login, err := json.Marshal(api.LoginRequest{Email: mail, Password: password})
	if err != nil {
		return "", err
	}
	answer, _, err := play(ctx, form, host, http.MethodPost, "/api/custom/login", string(login), "")
	if err != nil {
		return "", err
	}
	for _, c := range answer.Cookies() {
		return c.Name + "=" + c.Value, nil
	}
	return "", fmt.Errorf("signing in was answered %s", answer.Status)
}
