package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"strconv"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"berth/local/stand/scripting"
)

func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"local": main}) }

func TestScripts(t *testing.T) {
	scripting.Run(t, "testdata/script", map[string]scripting.Command{"administrator": administrator, "get": get, "provider": provider, "signon": signon})
}

// administrator makes the first administrator and puts an API key of a service account
// into KEY.
func administrator(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: administrator")
	}
	jar, err := cookiejar.New(nil)
	ts.Check(err)
	client := &http.Client{Jar: jar, Timeout: 20 * time.Second}
	post := func(path string, body map[string]any, want int) (answer struct{ ID, Key string }) {
		text, err := json.Marshal(body)
		ts.Check(err)
		response, err := client.Post(ts.Getenv("APP_URL")+"/api/custom"+path, "application/json", bytes.NewReader(text))
		ts.Check(err)
		defer response.Body.Close()
		content, err := io.ReadAll(response.Body)
		ts.Check(err)
		if response.StatusCode != want {
			ts.Fatalf("POST %s: %d %s", path, response.StatusCode, content)
		}
		ts.Check(json.Unmarshal(content, &answer))
		return answer
	}
	const email, password = "admin@example.com", "a password for scripts"
	post("/setup", map[string]any{"bootstrap_token": ts.Getenv("BOOTSTRAP_TOKEN"), "email": email, "password": password, "name": "Admin"}, http.StatusCreated)
	post("/login", map[string]any{"email": email, "password": password}, http.StatusOK)
	account := post("/service-accounts", map[string]any{"name": "scripts", "role": "admin"}, http.StatusCreated)
	key := post("/service-accounts/"+account.ID+"/keys", map[string]any{"name": "scripts"}, http.StatusCreated)
	ts.Setenv("KEY", key.Key)
}

// get asks the server for a path with KEY, if there is one, and compares the status.
func get(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: get status path")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	request, err := http.NewRequest(http.MethodGet, ts.Getenv("APP_URL")+args[1], nil)
	ts.Check(err)
	if key := ts.Getenv("KEY"); key != "" {
		request.Header.Set("X-Service-Api-Key", key)
	}
	client := http.Client{Timeout: 20 * time.Second}
	response, err := client.Do(request)
	ts.Check(err)
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	ts.Check(err)
	fmt.Fprintf(ts.Stdout(), "%s", content)
	if response.StatusCode != want {
		ts.Fatalf("GET %s: %d, want %d: %s", args[1], response.StatusCode, want, content)
	}
}
