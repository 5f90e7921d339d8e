package allinone_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// embedded runs a server on SQLite below dir until the test has ended, and returns when its ports are open.
func embedded(t *testing.T, dir, key string, more map[string]string) *program {
	t.Helper()
	environment := map[string]string{"SECRET_KEY": key, "DATA_DIR": dir, "BACKUP_INTERVAL": "0s"}
	maps.Copy(environment, more)
	p := begin(t, environment)
	p.opens()
	return p
}

const (
	bootstrap  = "a-token-for-the-first-administrator"
	adminMail  = "ada@example.org"
	adminWords = "correct horse battery staple"
)

// person is a browser that is signed in.
type person struct {
	p    *program
	http *http.Client
}

func (p *program) person() *person {
	p.t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		p.t.Fatal(err)
	}
	return &person{p, &http.Client{Jar: jar, Timeout: time.Minute}}
}

func (b *person) ask(status int, method, path, body string) map[string]any {
	b.p.t.Helper()
	kind := "application/json"
	if strings.HasSuffix(path, "/upload") {
		kind = "application/octet-stream"
	}
	answer := b.raw(status, method, path, kind, []byte(body))
	var decoded map[string]any
	if len(answer) > 0 {
		if err := json.Unmarshal(answer, &decoded); err != nil {
			b.p.t.Fatalf("%s %s: %v: %s", method, path, err, answer)
		}
	}
	return decoded
}

func (b *person) raw(status int, method, path, kind string, body []byte) []byte {
	b.p.t.Helper()
	request, err := http.NewRequest(method, "http://"+b.p.http+"/api/custom"+path, bytes.NewReader(body))
	if err != nil {
		b.p.t.Fatal(err)
	}
	if len(body) > 0 {
		request.Header.Set("Content-Type", kind)
	}
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	response, err := b.http.Do(request)
	if err != nil {
		b.p.t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != status {
		b.p.t.Fatalf("%s %s: %d, want %d: %s %v\n%s", method, path, response.StatusCode, status, answer, err, b.p.log)
	}
	return answer
}

func (b *person) setUp() {
	b.ask(201, "POST", "/setup", fmt.Sprintf(`{"bootstrap_token":%q,"email":%q,"password":%q,"name":"Ada"}`, bootstrap, adminMail, adminWords))
	b.signIn()
}

func (b *person) signIn() {
	b.ask(200, "POST", "/login", fmt.Sprintf(`{"email":%q,"password":%q}`, adminMail, adminWords))
}

func (b *person) add(name, value string) {
	b.ask(201, "POST", "/variables", fmt.Sprintf(`{"scope":"global","name":%q,"value":%q,"secret":true}`, name, value))
}

// names are the variables that there are.
func (b *person) names() string {
	var names []string
	for _, item := range b.ask(200, "GET", "/variables?scope=global", "")["items"].([]any) {
		names = append(names, item.(map[string]any)["name"].(string))
	}
	return strings.Join(names, " ")
}

func TestABackupIsRestoredOnTheRunningServer(t *testing.T) {
	p := embedded(t, t.TempDir(), freshKey(), nil)
	ada := p.person()
	ada.setUp()
	ada.add("BEFORE", "kept")
	name := ada.ask(201, "POST", "/backups", "")["name"].(string)
	ada.add("LATER", "lost with the restore")
	before := ada.ask(202, "POST", "/backups/"+name+"/restore", "")["before"].(string)
	p.opens()
	ada.ask(401, "GET", "/me", "") // everybody has to sign in again
	ada.signIn()
	if got := ada.names(); got != "BEFORE" {
		t.Errorf("there are the variables %s\n%s", got, p.log)
	}
	ada.ask(202, "POST", "/backups/"+before+"/restore", "")
	p.opens()
	ada.signIn()
	if got := ada.names(); got != "BEFORE LATER" {
		t.Errorf("of the backup before the restore come the variables %s\n%s", got, p.log)
	}
	ada.add("AGAIN", "the server works")
}

func TestABackupMovesToAnEmptyMachine(t *testing.T) {
	key := freshKey()
	p := embedded(t, t.TempDir(), key, nil)
	ada := p.person()
	ada.setUp()
	ada.add("MOVED", "along")
	name := ada.ask(201, "POST", "/backups", "")["name"].(string)
	archive := ada.raw(200, "GET", "/backups/"+name, "", nil)
	if err := p.end(); err != nil {
		t.Fatal(err)
	}

	other := embedded(t, t.TempDir(), freshKey(), nil).person()
	other.setUp()
	if got := string(other.raw(409, "POST", "/backups/upload", "application/octet-stream", archive)); !strings.Contains(got, "check value") {
		t.Errorf("under another key it says %s", got)
	}

	there := embedded(t, t.TempDir(), key, nil)
	bob := there.person()
	bob.setUp()
	brought := bob.ask(201, "POST", "/backups/upload", string(archive))["name"].(string)
	archive[len(archive)/2] ^= 1
	bob.ask(422, "POST", "/backups/upload", string(archive))
	bob.ask(202, "POST", "/backups/"+brought+"/restore", "")
	there.opens()
	bob.signIn()
	if got := bob.names(); got != "MOVED" {
		t.Errorf("there are the variables %s\n%s", got, there.log)
	}
}

func TestWhatCannotBeOpenedIsPutBack(t *testing.T) {
	dir, key := t.TempDir(), freshKey()
	p := embedded(t, dir, key, nil)
	ada := p.person()
	ada.setUp()
	ada.add("KEPT", "whatever comes")
	if err := p.end(); err != nil {
		t.Fatal(err)
	}
	db := filepath.Join(dir, "db_data")
	for path, content := range map[string]string{
		filepath.Join(db, ".restored", "berth.db"): "no database at all",
		filepath.Join(db, "restore.json"):          fmt.Sprintf(`{"backup":"x","before":"y","asker":"ada","phase":"ready","roots":[{"dir":%q,"new":".restored","old":".replaced","names":["berth.db","berth.db-wal","berth.db-shm"]}]}`, db),
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p = embedded(t, dir, key, nil)
	ada = p.person()
	ada.signIn()
	if got := ada.names(); got != "KEPT" {
		t.Errorf("there are the variables %s\n%s", got, p.log)
	}
	if !strings.Contains(p.log.String(), "is in place again") {
		t.Errorf("nobody is told:\n%s", p.log)
	}
	if _, err := os.Stat(filepath.Join(db, "restore.json")); !os.IsNotExist(err) {
		t.Error("the restore is not over")
	}
}

// TestBackupsAreLookedAfter: what makes them by schedule tells of them as soon as the server is up.
func TestBackupsAreLookedAfter(t *testing.T) {
	p := embedded(t, t.TempDir(), freshKey(), nil)
	ada := p.person()
	ada.setUp()
	account := ada.ask(201, "POST", "/service-accounts", `{"name":"scraper","role":"monitoring"}`)["id"].(string)
	key := ada.ask(201, "POST", "/service-accounts/"+account+"/keys", `{"name":"k","expires_at":null}`)["key"].(string)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for began := time.Now(); ; <-tick.C {
		request, err := http.NewRequest("GET", "http://"+p.http+"/metrics", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("X-Service-Api-Key", key)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err == nil && strings.Contains(string(text), `berth_backups_kept{reason="schedule"} 0`) {
			return
		}
		if time.Since(began) > wait {
			t.Fatalf("the metrics do not tell of backups: %v\n%s", err, p.log)
		}
	}
}
