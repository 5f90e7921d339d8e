package handlers_test

import (
	"encoding/json"
	"html"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"berth/core"
	"berth/core/access"
	"berth/core/repositories"
)

// want plays a request, demands a status, and reads the answer.
func (s *stand) want(status int, key, method, path, body string) map[string]any {
	s.t.Helper()
	w := s.do(call{method: method, path: path, body: body, key: key})
	if w.Code != status {
		s.t.Fatalf("%s %s: %d, want %d: %s", method, path, w.Code, status, w.Body)
	}
	return decoded(s.t, w)
}

// wantProblem plays a request and demands a problem with a code whose detail says something.
func (s *stand) wantProblem(status int, code, says, key, method, path, body string) {
	s.t.Helper()
	if got := s.want(status, key, method, path, body); got["code"] != code || !strings.Contains(got["detail"].(string), says) {
		s.t.Errorf("%s %s: %v, want %s that says %q", method, path, got, code, says)
	}
}

func decoded(t testing.TB, w *httptest.ResponseRecorder) map[string]any {
	t.Helper()
	got := map[string]any{}
	if w.Body.Len() == 0 || !strings.Contains(w.Header().Get("Content-Type"), "json") {
		return got
	}
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatal(err, w.Body)
	}
	return got
}

// at finds a member of an answer by its path.
func at(v any, path ...any) any {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			v = v.(map[string]any)[step]
		case int:
			v = v.([]any)[step]
		}
	}
	return v
}

const (
	repositoriesPath = "/api/custom/repositories"
	keysPath         = "/api/custom/repository-keys"
)

func TestRepositoryFromCreationToDeletion(t *testing.T) {
	s := newStand(t)
	key := s.admin()
	s.git.Commit("https://git.example.com/team/app", "main", map[string]string{"apps/web/compose.yaml": "services: {}\n", "job.yaml": "name: x\n", "logo": "\x00"})
	s.git.Protect("https://git.example.com/team/app", "deploy", "canary-password")

	credential := s.want(201, key, "POST", keysPath, `{"name":"git","type":"basic","host":"Git.Example.com","username":"deploy","password":"canary-password"}`)
	if credential["host"] != "git.example.com" || credential["password"] != nil || len(at(credential, "used_by").([]any)) != 0 {
		t.Errorf("the key is %v", credential)
	}
	keyID := credential["id"].(string)
	s.wantProblem(422, "credential.other_host", "git.example.com", key, "POST", repositoriesPath, `{"name":"app","url":"https://evil.example.com/a","credential_id":"`+keyID+`"}`)
	created := s.want(201, key, "POST", repositoriesPath, `{"name":"app","url":"https://git.example.com/team/app/","credential_id":"`+keyID+`"}`)
	if created["url"] != "https://git.example.com/team/app" || created["fetched_at"] != nil || created["asked_at"] == nil || created["branch"] != "" {
		t.Errorf("the repository is %v", created)
	}
	single := repositoriesPath + "/" + created["id"].(string)
	s.wantProblem(409, "repository.name_taken", "Another", key, "POST", repositoriesPath, `{"name":"app","url":"https://git.example.com/b"}`)
	s.wantProblem(409, "repository.not_fetched", "not fetched yet", key, "GET", single+"/files", "")
	s.wantProblem(409, "credential.in_use", "app", key, "DELETE", keysPath+"/"+keyID, "")
	if keys := s.want(200, key, "GET", keysPath, ""); at(keys, "items", 0, "used_by", 0, "name") != "app" {
		t.Errorf("the keys are %v", keys)
	}

	s.git.Protect("https://git.example.com/team/app", "", "")
	head := string(s.look(created["id"].(string)))
	if got := s.want(200, key, "GET", single, ""); got["head"] != head || got["fetched_at"] == nil || got["asked_at"] != nil {
		t.Errorf("after a look it is %v", got)
	}
	if got := s.want(200, key, "GET", single+"/discover", ""); at(got, "items", 0, "kind") != "job" || at(got, "items", 1, "path") != "apps/web" || at(got, "items", 1, "files", 0) != "compose.yaml" || got["commit"] != head {
		t.Errorf("discovered %v", got)
	}
	if got := s.want(200, key, "GET", single+"/files?path=apps", ""); got["type"] != "folder" || at(got, "entries", 0, "type") != "folder" || at(got, "entries", 0, "name") != "web" {
		t.Errorf("the folder is %v", got)
	}
	if got := s.want(200, key, "GET", single+"/files?path=apps/web/compose.yaml&ref="+head, ""); got["type"] != "file" || got["content"] != "services: {}\n" {
		t.Errorf("the file is %v", got)
	}
	s.wantProblem(422, "repository.not_text", "no text", key, "GET", single+"/files?path=logo", "")
	s.wantProblem(422, "repository.bad_commit", "full commit hash", key, "GET", single+"/files?ref=main", "")
	s.wantProblem(422, "git.path", "..", key, "GET", single+"/files?path=../x", "")
	if got := s.want(200, key, "GET", single+"/commits?limit=1", ""); at(got, "items", 0, "commit") != head || len(at(got, "items").([]any)) != 1 {
		t.Errorf("the commits are %v", got)
	}

	if got := s.want(202, key, "POST", single+"/sync", ""); got["asked_at"] == nil || got["asked_by"] == "" {
		t.Errorf("asked for a look it is %v", got)
	}
	if got := s.want(200, key, "PATCH", single, `{"branch":"next","credential_id":""}`); got["branch"] != "next" || got["head"] != "" || got["credential_id"] != "" || got["name"] != "app" {
		t.Errorf("edited it is %v", got)
	}
	s.wantProblem(422, "repository.invalid", "branch", key, "PATCH", single, `{"branch":"a b"}`)
	s.want(201, key, "POST", "/api/custom/stacks", `{"name":"web","repository_id":"`+created["id"].(string)+`","path":"apps/web"}`)
	s.wantProblem(409, "repository.in_use", "web", key, "DELETE", single, "")
	s.exec(`DELETE FROM stacks`)
	s.want(204, key, "DELETE", single, "")
	s.want(204, key, "DELETE", keysPath+"/"+keyID, "")
	s.wantProblem(404, "repository.not_found", "no such", key, "GET", single, "")
	if got := s.want(200, key, "GET", repositoriesPath, ""); len(at(got, "items").([]any)) != 0 || got["next"] != "" {
		t.Errorf("the list is %v", got)
	}
}

func TestRepositoryKeyIsTried(t *testing.T) {
	s := newStand(t)
	key := s.admin()
	s.git.Commit("https://git.example.com/a", "main", map[string]string{"a": "1"})
	s.git.Protect("https://git.example.com/a", "deploy", "canary-password")
	cases := map[string]struct {
		body string
		ok   bool
		code string
	}{
		"right password": {`{"url":"https://git.example.com/a","username":"deploy","password":"canary-password"}`, true, ""},
		"wrong password": {`{"url":"https://git.example.com/a","username":"deploy","password":"canary-wrong"}`, false, "git.credential_refused"},
		"nobody":         {`{"url":"https://git.example.com/a"}`, false, "git.credential_refused"},
		"no repository":  {`{"url":"https://git.example.com/none"}`, false, "git.repository_missing"},
	}
	for name, c := range cases {
		got := s.want(200, key, "POST", keysPath+"/test", c.body)
		if got["ok"] != c.ok || got["code"] != c.code || (got["message"] == "") != c.ok {
			t.Errorf("%s: %v", name, got)
		}
	}
	s.wantProblem(422, "credential.invalid_test", "url: ", key, "POST", keysPath+"/test", `{"url":"git://git.example.com/a"}`)
	s.wantProblem(404, "credential.not_found", "no such", key, "POST", keysPath+"/test", `{"url":"https://git.example.com/a","credential_id":"cred_none"}`)
}

func TestSSHKeyFromMakingToRotation(t *testing.T) {
	s := newStand(t)
	key := s.admin()
	made := s.want(201, key, "POST", keysPath, `{"name":"deploy","type":"ssh","host":"git.example.com","generate":true}`)
	id, public := made["id"].(string), made["public_key"].(string)
	if !strings.HasPrefix(public, "ssh-ed25519 AAAA") || !strings.HasSuffix(public, " deploy") || made["changed_at"] != nil {
		t.Errorf("made %v", made)
	}
	if again := s.want(200, key, "GET", keysPath+"/"+id, ""); again["public_key"] != public {
		t.Errorf("read again: %v", again)
	}
	s.wantProblem(422, "repository.invalid", "credential_id", key, "POST", repositoriesPath, `{"url":"git@git.example.com:team/app.git","name":"app"}`)
	s.wantProblem(422, "credential.other_type", "SSH key", key, "POST", repositoriesPath, `{"url":"https://git.example.com/team/app.git","name":"app","credential_id":"`+id+`"}`)
	s.wantProblem(422, "credential.other_host", "git.example.com:2222", key, "POST", repositoriesPath, `{"url":"ssh://git@git.example.com:2222/a","name":"app","credential_id":"`+id+`"}`)
	repository := s.want(201, key, "POST", repositoriesPath, `{"url":"git@git.example.com:team/app.git","name":"app","credential_id":"`+id+`"}`)
	if repository["url"] != "ssh://git@git.example.com/team/app.git" {
		t.Errorf("added %v", repository)
	}
	s.wantProblem(409, "credential.in_use", "app", key, "DELETE", keysPath+"/"+id, "")
	rotated := s.want(200, key, "PATCH", keysPath+"/"+id, `{"generate":true}`)
	if rotated["public_key"] == public || rotated["changed_at"] == nil || rotated["name"] != "deploy" {
		t.Errorf("rotated %v", rotated)
	}
	for code, body := range map[string]string{
		"credential.invalid":  `{"generate":true,"private_key":"x"}`,
		"ssh_key.unreadable":  `{"private_key":"canary-of-a-key"}`,
		"ssh_key.unreadable ": `{"private_key":"ssh-ed25519 AAAA canary"}`,
		"credential.invalid ": `{"password":"canary"}`,
	} {
		got := s.want(422, key, "PATCH", keysPath+"/"+id, body)
		if got["code"] != strings.TrimSpace(code) || strings.Contains(got["detail"].(string), "canary") {
			t.Errorf("%s: %v", body, got)
		}
	}
}

func TestSSHHostIsScannedAndAccepted(t *testing.T) {
	s := newStand(t)
	s.sshHosts = sshHosts{"git.example.com:22": oneHostKey}
	key := s.admin()
	scan := `{"host":"Git.Example.com","port":22}`
	first := s.want(200, key, "POST", keysPath+"/keyscan", scan)
	if at(first, "keys", 0, "fingerprint") == "" || first["same"] != false || at(first, "accepted", "accepted_at") != nil {
		t.Errorf("scanned %v", first)
	}
	accept := `{"host":"git.example.com","port":22,"keys":[{"type":"ssh-ed25519","key":"` + oneHostKey + `"}]}`
	s.want(200, key, "PUT", keysPath+"/hosts", accept)
	if same := s.want(200, key, "POST", keysPath+"/keyscan", scan); same["same"] != true {
		t.Errorf("scanned %v", same)
	}
	s.sshHosts["git.example.com:22"] = anotherHostKey
	if changed := s.want(200, key, "POST", keysPath+"/keyscan", scan); changed["same"] != false ||
		at(changed, "accepted", "keys", 0, "fingerprint") != at(first, "keys", 0, "fingerprint") || at(changed, "keys", 0, "fingerprint") == at(first, "keys", 0, "fingerprint") {
		t.Errorf("scanned %v", changed)
	}
	list := s.want(200, key, "GET", keysPath+"/hosts", "")
	if at(list, "items", 0, "address") != "git.example.com:22" {
		t.Errorf("listed %v", list)
	}
	for says, body := range map[string]string{
		"keys":    `{"host":"git.example.com","port":22,"keys":[]}`,
		"keys[0]": `{"host":"git.example.com","port":22,"keys":[{"type":"ssh-rsa","key":"` + oneHostKey + `"}]}`,
		"port":    `{"host":"git.example.com","port":70000,"keys":[{"type":"ssh-ed25519","key":"` + oneHostKey + `"}]}`,
		"host":    `{"host":"-oProxyCommand=x","port":22,"keys":[{"type":"ssh-ed25519","key":"` + oneHostKey + `"}]}`,
	} {
		s.wantProblem(422, "ssh_host.invalid", says, key, "PUT", keysPath+"/hosts", body)
	}
	for _, body := range []string{`{"host":"git.example.com","port":0}`, `{"host":"git.example.com","port":-1}`, `{"host":"a b","port":22}`} {
		s.wantProblem(422, "ssh_host.invalid", "", key, "POST", keysPath+"/keyscan", body)
	}
	s.wantProblem(503, "ssh_host.unreachable", "nobody", key, "POST", keysPath+"/keyscan", `{"host":"none.example.com","port":22}`)
	s.want(204, key, "DELETE", keysPath+"/hosts/git.example.com:22", "")
	s.wantProblem(404, "ssh_host.not_found", "No keys", key, "DELETE", keysPath+"/hosts/git.example.com:22", "")
}

// TestChangedHostKeyOnThePages: the scan shows old and new with a form that accepts, and the repository's page leads there.
func TestChangedHostKeyOnThePages(t *testing.T) {
	s := newStand(t)
	s.sshHosts = sshHosts{"git.example.com:22": anotherHostKey}
	key, session := s.admin(), s.session(s.user(access.RoleOperator))
	s.want(200, key, "PUT", keysPath+"/hosts", `{"host":"git.example.com","port":22,"keys":[{"type":"ssh-ed25519","key":"`+oneHostKey+`"}]}`)
	made := s.want(201, key, "POST", keysPath, `{"name":"deploy","type":"ssh","host":"git.example.com","generate":true}`)
	repository := s.want(201, key, "POST", repositoriesPath, `{"url":"git@git.example.com:a.git","name":"app","credential_id":"`+made["id"].(string)+`"}`)["id"].(string)
	s.must(s.store.SetFetchError(t.Context(), core.RepositoryID(repository), "git.host_key_changed", "The SSH host shows another key.", s.now()))
	if page := s.browse(session, "/repositories/"+repository).Body.String(); !strings.Contains(page, "another key") || !strings.Contains(page, `href="/repository-keys/hosts"`) {
		t.Error("the repository's page does not lead to the SSH hosts")
	}
	was, is := repositories.HostKey{Type: "ssh-ed25519", Key: oneHostKey}, repositories.HostKey{Type: "ssh-ed25519", Key: anotherHostKey}
	page := s.submit(session, "/repository-keys/hosts/scan", url.Values{"host": {"git.example.com"}, "port": {"22"}}).Body.String()
	for _, text := range []string{html.EscapeString(was.Fingerprint()), html.EscapeString(is.Fingerprint()), "other keys than were accepted", `action="/repository-keys/hosts"`} {
		if !strings.Contains(page, text) && !strings.Contains(page, strings.ReplaceAll(text, "+", "&#43;")) {
			t.Errorf("the scan does not show %q", text)
		}
	}
	if w := s.submit(session, "/repository-keys/hosts", url.Values{"host": {"git.example.com"}, "port": {"22"}, "key": {is.Line()}}); w.Code != 303 {
		t.Fatalf("accepted: %d %s", w.Code, w.Body)
	}
	if r, err := s.store.Repository(t.Context(), core.RepositoryID(repository)); err != nil || r.AskedAt.IsZero() {
		t.Errorf("nobody looks at the repository: %+v, %v", r, err)
	}
	if host, err := s.store.SSHHost(t.Context(), "git.example.com:22"); err != nil || len(host.Keys) != 1 || host.Keys[0] != is {
		t.Errorf("accepted %+v, %v", host, err)
	}
}
