package handlers_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"berth/core/repositories"
)

const variablesPath = "/api/custom/variables"

// stackNamed makes a repository and a stack of it, and returns the stack's identifier.
func (s *stand) stackNamed(key, name string) string {
	s.t.Helper()
	repository := s.want(201, key, "POST", repositoriesPath, `{"name":"of `+name+`","url":"https://git.example.com/a"}`)
	stack := s.want(201, key, "POST", "/api/custom/stacks", `{"name":"`+name+`","repository_id":"`+repository["id"].(string)+`","path":"apps"}`)
	return stack["id"].(string)
}

func TestVariableFromCreationToDeletion(t *testing.T) {
	s := newStand(t)
	key := s.admin()
	stack := s.stackNamed(key, "web")
	in := `"scope":"stack","scope_id":"` + stack + `"`
	plain := s.want(201, key, "POST", variablesPath, `{`+in+`,"name":"KEY","value":"one\n two's\r\n$x"}`)
	if plain["value"] != "one\n two's\r\n$x" || plain["secret"] != false || plain["secret_provider"] != "" || plain["has_value"] != true || plain["scope_id"] != stack {
		t.Errorf("the variable is %v", plain)
	}
	secret := s.want(201, key, "POST", variablesPath, `{`+in+`,"name":"HELD","value":"canary-held","secret":true}`)
	if _, shown := secret["value"]; shown || secret["secret_provider"] != "internal" || secret["has_value"] != true {
		t.Errorf("the secret is %v", secret)
	}
	held := variablesPath + "/" + secret["id"].(string)
	s.wantProblem(409, "variable.name_taken", "already", key, "POST", variablesPath, `{`+in+`,"name":"KEY"}`)
	s.wantProblem(422, "variable.provider_disabled", "vault", key, "POST", variablesPath, `{`+in+`,"name":"V","secret":true,"secret_provider":"vault","reference":"kv/data/a#b"}`)
	s.wantProblem(422, "variable.invalid", "name", key, "POST", variablesPath, `{`+in+`,"name":"1"}`)
	s.wantProblem(409, "variable.provider_locked", "Delete the variable", key, "PATCH", held, `{"secret_provider":"vault"}`)
	s.wantProblem(409, "variable.secret_locked", "plain variable", key, "PATCH", held, `{"secret":false}`)
	if got := s.want(200, key, "PATCH", held, `{"value":""}`); got["updated_at"] != secret["updated_at"] || got["has_value"] != true {
		t.Errorf("an empty value made %v", got)
	}
	if got := s.want(200, key, "PATCH", variablesPath+"/"+plain["id"].(string), `{"value":"","name":"EMPTY"}`); got["value"] != "" || got["name"] != "EMPTY" || got["has_value"] != false {
		t.Errorf("an edit made %v", got)
	}
	if got := s.want(200, key, "GET", variablesPath+"?scope=stack&scope_id="+stack, ""); len(at(got, "items").([]any)) != 2 {
		t.Errorf("the list is %v", got)
	}
	if got := s.want(200, key, "GET", variablesPath+"?scope=global", ""); len(at(got, "items").([]any)) != 0 {
		t.Errorf("the list is %v", got)
	}
	s.wantProblem(422, "query.invalid", "scope: must be one of global, stack, job", key, "GET", variablesPath+"?scope=host", "")
	s.want(204, key, "DELETE", held, "")
	s.wantProblem(404, "variable.not_found", "no such", key, "DELETE", held, "")
}

func TestVariablesAsText(t *testing.T) {
	s := newStand(t)
	key := s.admin()
	s.want(201, key, "POST", variablesPath, `{"scope":"global","name":"HELD","value":"canary-held","secret":true}`)
	got := s.want(200, key, "POST", variablesPath+"/import", `{"scope":"global","text":"A=1\nHELD=\nB='x\ny'\n"}`)
	if got["created"] != 2.0 || got["updated"] != 0.0 || got["unchanged"] != 1.0 {
		t.Errorf("the import did %v", got)
	}
	s.wantProblem(422, "variable.invalid_text", "line 2: the quote", key, "POST", variablesPath+"/import", `{"scope":"global","text":"C=1\nD='x\n"}`)
	w := s.do(call{method: "GET", path: variablesPath + "/export?scope=global", key: key})
	const want = "A=1\nB='x\ny'\n# secret: its value is not exported\nHELD=\n"
	if w.Code != 200 || w.Body.String() != want || w.Header().Get("Content-Type") != "text/plain; charset=utf-8" || !strings.Contains(w.Header().Get("Content-Disposition"), "attachment") {
		t.Errorf("the export is %d %q %v", w.Code, w.Body, w.Header())
	}
	s.wantProblem(422, "variable.invalid", "scope", key, "GET", variablesPath+"/export", "")
}

func TestGlobalVariablesReachBoundStacks(t *testing.T) {
	s := newStand(t)
	key := s.admin()
	bound := "/api/custom/stacks/" + s.stackNamed(key, "web") + "/global-variables"
	id := s.want(201, key, "POST", variablesPath, `{"scope":"global","name":"G","value":"1"}`)["id"].(string)
	if got := s.want(200, key, "PUT", bound, `{"ids":["`+id+`"]}`); at(got, "items", 0, "name") != "G" {
		t.Errorf("bound %v", got)
	}
	if got := s.want(200, key, "GET", bound, ""); at(got, "items", 0, "id") != id {
		t.Errorf("bound %v", got)
	}
	s.wantProblem(422, "input.reference", "names no global", key, "PUT", bound, `{"ids":["var_none"]}`)
	if got := s.want(200, key, "PUT", bound, `{"ids":[]}`); len(at(got, "items").([]any)) != 0 {
		t.Errorf("bound %v", got)
	}
	s.wantProblem(404, "stack.not_found", "no such", key, "PUT", absent("/api/custom/stacks/{id}/global-variables"), `{"ids":[]}`)
}

// What a request holds in secret fields is in no answer, log line, audit event or plain column.
func TestSecretsOfRequestsGoNowhere(t *testing.T) {
	s := newStand(t)
	key := s.admin()
	var log bytes.Buffer
	s.deps.Guard.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	s.build()
	const canary = "canary-51c9e0b7"
	repository := string(repositories.TypeBasic)
	requests := []call{
		{method: "POST", path: keysPath, body: `{"name":"k","type":"` + repository + `","host":"git.example.com","username":"u","password":"` + canary + `"}`},
		{method: "POST", path: keysPath, body: `{"name":"k","type":"` + repository + `","host":"git.example.com","username":"u","password":"` + canary + `"}`},
		{method: "POST", path: keysPath, body: `{"name":"","type":"","host":"","username":"","password":"` + canary + `\n"}`},
		{method: "POST", path: keysPath + "/test", body: `{"url":"https://git.example.com/a","username":"u","password":"` + canary + `"}`},
		{method: "POST", path: repositoriesPath, body: `{"name":"a","url":"https://u:` + canary + `@git.example.com/a"}`},
		{method: "POST", path: variablesPath, body: `{"scope":"global","name":"S","value":"` + canary + `","secret":true}`},
		{method: "POST", path: variablesPath, body: `{"scope":"global","name":"S","value":"` + canary + `","secret":true}`},
		{method: "POST", path: variablesPath, body: `{"scope":"global","name":"1","value":"` + canary + `\u0000","secret":true}`},
		{method: "POST", path: variablesPath + "/import", body: `{"scope":"global","text":"S=` + canary + `\nT=` + canary + `","secret":true}`},
		{method: "POST", path: variablesPath + "/import", body: `{"scope":"global","text":"S='` + canary + `"}`},
		{method: "POST", path: variablesPath + "/import", body: `{"scope":"global","text":"` + canary + `\nS=1"}`},
		{method: "GET", path: variablesPath}, {method: "GET", path: variablesPath + "/export?scope=global"}, {method: "GET", path: keysPath},
	}
	for _, c := range requests {
		c.key = key
		if w := s.do(c); strings.Contains(w.Body.String(), canary) {
			t.Errorf("%s %s answered %s", c.method, c.path, w.Body)
		}
	}
	if strings.Contains(log.String(), canary) || !strings.Contains(log.String(), "variable.invalid_text") {
		t.Errorf("the log is %s", log.String())
	}
	for _, column := range []string{"SELECT count(*) FROM audit_events WHERE detail || resource || action LIKE ?",
		"SELECT count(*) FROM variables WHERE name || value || reference || coalesce(sealed, '') LIKE ?",
		"SELECT count(*) FROM credentials WHERE name || username || host || sealed LIKE ?",
		"SELECT count(*) FROM repositories WHERE name || url || error LIKE ?"} {
		if n := s.count(column, "%"+canary+"%"); n != 0 {
			t.Errorf("%s: %d", column, n)
		}
	}
	if n := s.count(`SELECT count(*) FROM variables WHERE sealed IS NOT NULL`); n != 2 {
		t.Errorf("%d secrets are stored, want 2", n)
	}
}
