package runtimeapi_test

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"berth/core/config"
	"berth/local/stand/gateway"
	"berth/local/stand/pgserver"
	"berth/local/stand/runtimeapi"
)

// program is the function as it is shipped, built once for all tests.
var program string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "function-")
	if err != nil {
		panic(err)
	}
	program = filepath.Join(dir, "bootstrap")
	build := exec.Command("go", "build", "-tags", "lambda.norpc", "-trimpath", "-ldflags", "-s -w -X main.version=built", "-o", program, "berth/handlers/cmd/function")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "the function was not built: %v\n%s", err, out)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

const (
	origin    = "https://berth.test"
	bootstrap = "a bootstrap token of this test"
	password  = "correct horse battery"
)

// site is a database as a hub leaves it, and what a function on it is given.
type site struct {
	t        *testing.T
	database string // its name on the shared server
	address  string // DATABASE_URL
	key      string // SECRET_KEY
}

func newSite(t *testing.T) *site {
	t.Helper()
	server := pgserver.Shared(t)
	key := make([]byte, 32)
	rand.Read(key)
	s := &site{t: t, database: server.Database(t, "template0"), key: hex.EncodeToString(key)}
	s.address = server.TCP(s.database)
	if err := runtimeapi.Prepare(t.Context(), s.address, s.key); err != nil {
		t.Fatal(err)
	}
	return s
}

// function runs the program with this form of events and further variables.
func (s *site) function(form config.EventForm, timeout time.Duration, env ...string) *runtimeapi.Host {
	s.t.Helper()
	h, err := runtimeapi.Open(runtimeapi.Options{Program: program, Timeout: timeout, Env: append([]string{
		"SECRET_KEY=" + s.key, "DATABASE_URL=" + s.address, "APP_URL=" + origin, "BERTH_EVENT=" + string(form), "BOOTSTRAP_TOKEN=" + bootstrap}, env...)})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		if err := h.Close(); err != nil {
			s.t.Error(err)
		}
		if s.t.Failed() {
			s.t.Logf("the function wrote:\n%s", h.Log())
		}
	})
	return h
}

// patient is far above what anything takes on a machine where everything else runs too.
const patient = 2 * time.Minute

// client asks a function through a gateway, as a browser would: it keeps cookies.
type client struct {
	t       *testing.T
	gateway *gateway.Gateway
	cookie  string
	key     string
}

func (s *site) client(form config.EventForm, h *runtimeapi.Host) *client {
	return &client{t: s.t, gateway: &gateway.Gateway{Form: form, Invoke: h.Invoke}}
}

// ask plays a request and demands a status.
func (c *client) ask(status int, method, path, body string, header ...string) (*http.Response, string) {
	c.t.Helper()
	answer, text, err := c.try(method, path, body, header...)
	if err != nil {
		c.t.Fatalf("%s %s: %v", method, path, err)
	}
	if answer.StatusCode != status {
		c.t.Fatalf("%s %s: %d, want %d: %.500s", method, path, answer.StatusCode, status, text)
	}
	return answer, text
}

func (c *client) try(method, path, body string, header ...string) (*http.Response, string, error) {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), method, origin+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if c.cookie != "" {
		r.Header.Set("Cookie", c.cookie)
	}
	if c.key != "" {
		r.Header.Set("X-Service-Api-Key", c.key)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	answer, err := c.gateway.RoundTrip(r)
	if err != nil {
		return nil, "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	for _, cookie := range answer.Cookies() {
		c.cookie = cookie.Name + "=" + cookie.Value
	}
	return answer, string(text), nil
}

// found makes the first administrator and signs in.
func (c *client) found() {
	c.t.Helper()
	c.ask(201, "POST", "/api/custom/setup", `{"bootstrap_token":"`+bootstrap+`","email":"admin@example.org","password":"`+password+`","name":"Ada"}`)
	c.signIn()
}

func (c *client) signIn() {
	c.t.Helper()
	c.ask(200, "POST", "/api/custom/login", `{"email":"admin@example.org","password":"`+password+`"}`)
}
