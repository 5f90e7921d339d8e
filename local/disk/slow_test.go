package disk

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"berth/core/access"
	"berth/handlers/api"
	"berth/local/e2e/rig"
	"berth/local/kill"
)

// asking is how many requests come at once; in turn, each would wait for all before it.
const asking = 150

// answered is what came of one request.
type answered struct {
	status int
	retry  string // Retry-After
	text   string
	err    error
}

// send asks with a client of its own, so that nothing of one request is used by another.
func send(s *kill.Site, method, path string, body []byte) answered {
	request, err := http.NewRequest(method, s.URL()+path, bytes.NewReader(body))
	if err != nil {
		return answered{err: err}
	}
	request.Header.Set("X-Service-Api-Key", s.Key)
	if len(body) > 0 {
		request.Header.Set("Content-Type", "application/json")
	}
	client := http.Client{Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		return answered{err: err}
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return answered{response.StatusCode, response.Header.Get("Retry-After"), string(text), err}
}

// goroutines is how many the server has.
func goroutines(t *testing.T, s *kill.Site) int {
	t.Helper()
	a := send(s, http.MethodGet, "/metrics", nil)
	_, rest, found := strings.Cut(a.text, "\ngo_goroutines ")
	line, _, _ := strings.Cut(rest, "\n")
	n, err := strconv.Atoi(line)
	if a.status != http.StatusOK || !found || err != nil {
		t.Fatalf("no goroutines in %d %v: %s", a.status, a.err, a.text)
	}
	return n
}

// TestN12SlowDatabase: each commit takes five seconds. Who would have to wait for many of them is told to
// come again, nothing piles up, what only reads goes on, and what was answered is what is stored.
func TestN12SlowDatabase(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	before := goroutines(t, s)
	stop := inject(t, s, "fsync,fdatasync:delay_enter=5000000")
	answers := make([]answered, asking)
	var all sync.WaitGroup
	for i := range answers {
		body, err := json.Marshal(api.ServiceAccountRequest{Name: rig.Name(), Role: access.RoleViewer})
		if err != nil {
			t.Fatal(err)
		}
		all.Go(func() { answers[i] = send(s, http.MethodPost, "/api/custom/service-accounts", body) })
	}
	all.Wait()
	stored, told := 1, 0 // the rig made one
	for _, a := range answers {
		switch {
		case a.status == http.StatusCreated:
			stored++
		case a.status == http.StatusServiceUnavailable && a.retry != "" && strings.Contains(a.text, "store.busy"):
			told++
		default:
			t.Errorf("answered %d (Retry-After %q) %s %v", a.status, a.retry, a.text, a.err)
		}
	}
	if told == 0 {
		t.Error("nobody was told to come again")
	}
	if a := send(s, http.MethodGet, "/api/custom/service-accounts?limit=5", nil); a.status != http.StatusOK {
		t.Errorf("what only reads: %d %s %v", a.status, a.text, a.err)
	}
	rig.Until(t, patience, "what piled up is gone", func() (bool, string) {
		n := goroutines(t, s)
		return n < before+asking/3, fmt.Sprintf("%d goroutines, %d before", n, before)
	})
	stop()
	t.Logf("%d of %d were stored meanwhile, %d were told to come again", stored-1, asking, told)
	rig.Until(t, patience, "it serves again", func() (bool, string) {
		status, text := account(s)
		if status == http.StatusCreated {
			stored++
		}
		return status == http.StatusCreated, text
	})
	if err := s.Server.Stop(); err != nil {
		t.Fatal(err)
	}
	if got := accounts(t, s.DB()); got != stored {
		t.Errorf("%d accounts are stored, %d were acknowledged", got, stored)
	}
}
