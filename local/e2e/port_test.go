package e2e_test

import (
	"bufio"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"berth/core/wire"
	"berth/hub/adapter/websocket"
	"berth/local/e2e/rig"
)

// TestWorkerPortServesNothingElse asks the worker port for what other ports serve.
func TestWorkerPortServesNothingElse(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{})
	port := "https://127.0.0.1:" + s.Port
	strangers := http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{TLSClientConfig: stranger(t)},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	t.Cleanup(strangers.CloseIdleConnections)
	for _, path := range []string{"/", "/metrics", "/healthz", "/readyz", "/version", "/login", "/setup", "/api/custom/stacks", "/api/custom/metrics", "/api/custom/openapi.json", "/debug/pprof/", "//", "/..%2f"} {
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodOptions} {
			request, err := http.NewRequest(method, port+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("X-Service-Api-Key", s.Client.Key)
			answer, err := strangers.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
			if answer.StatusCode != http.StatusNotFound {
				t.Errorf("%s %s answers %d", method, path, answer.StatusCode)
			}
		}
	}
	withoutKey := http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	if answer, err := withoutKey.Get(port + wire.LinkPath); err == nil {
		answer.Body.Close()
		t.Errorf("whoever shows no key gets an answer: %d", answer.StatusCode)
	}
	for method, path := range map[string]string{http.MethodPost: wire.EnrolPath, http.MethodGet: wire.LinkPath} {
		request, _ := http.NewRequest(method, port+path, strings.NewReader("{}"))
		answer, err := strangers.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s %s without key and token answers %d", method, path, answer.StatusCode)
		}
		// The other way round: PORT does not serve workers.
		if got := s.Ask(method, path, nil).Status; got != http.StatusNotFound && got != http.StatusMethodNotAllowed {
			t.Errorf("PORT answers %s %s with %d", method, path, got)
		}
	}
}

func TestWorkerPortSpeaksTLS13Alone(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{})
	address := "127.0.0.1:" + s.Port
	for version, want := range map[uint16]bool{tls.VersionTLS10: false, tls.VersionTLS11: false, tls.VersionTLS12: false, tls.VersionTLS13: true} {
		config := stranger(t)
		config.MinVersion, config.MaxVersion = version, version
		conn, err := tls.Dial("tcp", address, config)
		if (err == nil) != want {
			t.Errorf("%s: %v", tls.VersionName(version), err)
		}
		if err == nil {
			if got := conn.ConnectionState().NegotiatedProtocol; got == "h2" {
				t.Errorf("the port offers %s, which cannot be upgraded", got)
			}
			conn.Close()
		}
	}
	if status := plainStatus(t, address); status != http.StatusBadRequest {
		t.Errorf("HTTP without TLS answers %d", status)
	}
}

// stranger shows a key, as workers do, but one that nobody knows.
func stranger(t *testing.T) *tls.Config {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := websocket.ClientCertificate(key, "stranger")
	if err != nil {
		t.Fatal(err)
	}
	return &tls.Config{InsecureSkipVerify: true, Certificates: []tls.Certificate{certificate}}
}

// plainStatus asks a port without TLS and returns the status of the answer.
func plainStatus(t *testing.T, address string) int {
	t.Helper()
	conn, err := net.DialTimeout("tcp", address, 5*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(10 * time.Second))
	fmt.Fprintf(conn, "GET / HTTP/1.1\r\nHost: %s\r\n\r\n", address)
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	return answer.StatusCode
}
