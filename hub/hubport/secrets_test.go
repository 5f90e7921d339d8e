package hubport_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"berth/core"
	"berth/core/fault"
	"berth/core/hubcall"
	"berth/core/repositories"
	"berth/core/seal"
	"berth/core/secrets"
)

// Provided implements hubport.SecretsFiles.
func (s *stand) Provided(_ context.Context, r repositories.Repository, folder string) (repositories.Provided, error) {
	return repositories.Provided{Available: true, File: string(r.ID) + " " + folder, Names: []string{"A"}, Problem: "p"}, s.problem
}

// Encrypt implements hubport.SecretsFiles.
func (s *stand) Encrypt(_ context.Context, id core.RepositoryID, values map[string]secrets.Value) ([]byte, error) {
	text := string(id)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		text += " " + name + "=" + values[name].Reveal()
	}
	return []byte(text), s.problem
}

func TestSecretsFilesAreWrittenAndToldByTheHub(t *testing.T) {
	s := open(t)
	got, err := s.Client.Provided(t.Context(), repositories.Repository{ID: "rep_1"}, "app")
	if err != nil || !got.Available || got.File != "rep_1 app" || !slices.Equal(got.Names, []string{"A"}) || got.Problem != "p" {
		t.Errorf("%+v, %v", got, err)
	}
	value := "<canary> & \"more\"\n" + strings.Repeat("long ", 10_000)
	content, err := s.Client.Encrypt(t.Context(), "rep_1", map[string]secrets.Value{"B": secrets.NewValue("two"), "A": secrets.NewValue(value)})
	if err != nil || string(content) != "rep_1 A="+value+" B=two" {
		t.Errorf("%d bytes, %v", len(content), err)
	}
	s.problem = fault.New(fault.Conflict, "repository.no_key", "It has none yet.")
	if _, err := s.Client.Encrypt(t.Context(), "rep_1", map[string]secrets.Value{"A": secrets.NewValue("x")}); fault.CodeOf(err) != "repository.no_key" {
		t.Errorf("the hub's refusal came as %v", err)
	}
	if _, err := s.Client.Encrypt(t.Context(), "rep_1", nil); fault.CodeOf(err) != "sops.invalid" {
		t.Errorf("no values: %v", err)
	}
	// As large as the API takes.
	s.problem = nil
	many := map[string]secrets.Value{}
	for i := range 15 {
		many[strings.Repeat("N", i+1)] = secrets.NewValue(strings.Repeat("\"", 60<<10))
	}
	if content, err := s.Client.Encrypt(t.Context(), "rep_1", many); err != nil || len(content) < 15*60<<10 {
		t.Errorf("%d bytes, %v", len(content), err)
	}
}

// TestValuesTravelSealed: what is not sealed, by whoever has the key of calls, is not taken.
func TestValuesTravelSealed(t *testing.T) {
	s := open(t)
	body, err := json.Marshal(hubcall.ToEncrypt{Repository: "rep_1", Values: seal.Sealed("canary, in clear")})
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	t.Cleanup(client.CloseIdleConnections)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+hubcall.Prefix+string(hubcall.EncryptFile), bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set(hubcall.Header, s.key.Prove(hubcall.EncryptFile, body))
	w, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Body.Close()
	text, err := io.ReadAll(w.Body)
	if told := w.Trailer.Get(hubcall.FaultTrailer); err != nil || len(text) > 0 || !strings.Contains(told, "hub_call.malformed") || strings.Contains(told, "canary") {
		t.Errorf("it answers %q and %q, %v", text, told, err)
	}
}
