package realvault

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"testing"
	"time"
)

// Answer is what the server says, as far as tests need it.
type Answer struct {
	Status int
	Errors []string
	Data   map[string]any
	Auth   struct {
		Token string `json:"client_token"`
	}
	Keys      []string `json:"keys_base64"`
	RootToken string   `json:"root_token"`
	Sealed    bool
}

// Ask sends a request with the root token; path is below /v1/.
func (s *Server) Ask(method, path string, body any) (Answer, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return Answer{}, err
	}
	at := url.URL{Path: "/v1/" + path}
	r, err := http.NewRequest(method, s.URL+at.EscapedPath(), bytes.NewReader(text))
	if err != nil {
		return Answer{}, err
	}
	r.Header.Set("X-Vault-Token", s.Root)
	client := http.Client{Timeout: starting}
	reply, err := client.Do(r)
	if err != nil {
		return Answer{}, err
	}
	defer reply.Body.Close()
	said, err := io.ReadAll(reply.Body)
	answer := Answer{Status: reply.StatusCode}
	if err == nil && len(said) > 0 {
		err = json.Unmarshal(said, &answer)
	}
	return answer, err
}

// Must asks for what has to succeed.
func (s *Server) Must(t *testing.T, method, path string, body any) Answer {
	t.Helper()
	answer, err := s.Ask(method, path, body)
	if err != nil || answer.Status >= 300 {
		t.Fatalf("%s %s: %d %v, %v", method, path, answer.Status, answer.Errors, err)
	}
	return answer
}

// open initialises and unseals a server that was just started, and waits until it leads.
func (s *Server) open() error {
	var made Answer
	err := s.Eventually(starting, func() (err error) {
		made, err = s.Ask(http.MethodPut, "sys/init", map[string]int{"secret_shares": 1, "secret_threshold": 1})
		if err == nil && len(made.Keys) != 1 {
			err = fmt.Errorf("it was not initialised: %d %v", made.Status, made.Errors)
		}
		return err
	})
	if err != nil {
		return err
	}
	s.Root, s.key = made.RootToken, made.Keys[0]
	return s.unseal()
}

func (s *Server) unseal() error {
	answer, err := s.Ask(http.MethodPut, "sys/unseal", map[string]string{"key": s.key})
	if err != nil || answer.Sealed {
		return fmt.Errorf("it was not unsealed: %d %v, %w", answer.Status, answer.Errors, err)
	}
	return s.Eventually(starting, func() error {
		answer, err := s.Ask(http.MethodGet, "sys/health", nil)
		if err == nil && answer.Status != http.StatusOK {
			err = fmt.Errorf("its health is %d", answer.Status)
		}
		return err
	})
}

// Unseal opens a sealed server.
func (s *Server) Unseal(t *testing.T) {
	t.Helper()
	if err := s.unseal(); err != nil {
		t.Fatal(err)
	}
}

// Token makes a token of a policy that is made for it, in the server's language for policies.
func (s *Server) Token(t *testing.T, policy string, options map[string]any) string {
	t.Helper()
	name := fmt.Sprint("policy-", time.Now().UnixNano())
	s.Must(t, http.MethodPut, "sys/policies/acl/"+name, map[string]string{"policy": policy})
	asked := map[string]any{"policies": []string{name}}
	for option, value := range options {
		asked[option] = value
	}
	return s.Must(t, http.MethodPost, "auth/token/create", asked).Auth.Token
}
