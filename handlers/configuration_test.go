package handlers_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"berth/core/access"
)

// file sends a file of a configuration and returns the answer, which it holds against the document.
func (p *players) file(status int, path, text string) map[string]any {
	p.t.Helper()
	w := p.s.do(call{method: "POST", path: "/api/custom/configuration" + path, key: p.key, body: text, header: http.Header{"Content-Type": {"application/yaml"}}})
	if w.Code != status {
		p.t.Fatalf("%s of %.60q: %d, want %d: %s", path, text, w.Code, status, w.Body)
	}
	if status < 300 {
		p.played["postConfiguration"+map[bool]string{true: "Plan", false: "Apply"}[strings.HasPrefix(path, "/plan")]] = true
	}
	return objectIn(w)
}

func (p *players) playConfiguration() {
	p.t.Helper()
	p.play(200, "GET", "/api/custom/configuration", "")
	const variable = "version: 1\nvariables:\n  - name: OF_A_FILE\n    value: x\n"
	plan := p.file(200, "/plan", variable)
	p.file(200, "/apply?fingerprint="+plan["fingerprint"].(string), variable)
	p.file(409, "/apply?fingerprint="+plan["fingerprint"].(string), variable)
	p.file(409, "/apply?prune=true", variable)
	p.file(422, "/plan?prune=perhaps", variable)
	p.file(422, "/plan", "version: 1\nvariables: 7\n")
	p.file(413, "/plan", "version: 1\n#"+strings.Repeat("x", 4<<20))
}

func TestTheFileOfAnInstallationIsForAdministratorsAndHoldsNoSecret(t *testing.T) {
	s := newStand(t)
	s.found()
	_, admin := s.key(s.account(access.RoleAdmin), 0)
	_, operator := s.key(s.account(access.RoleOperator), 0)
	if w := s.do(call{method: "GET", path: "/api/custom/configuration", key: operator}); w.Code != http.StatusForbidden {
		t.Errorf("an operator gets %d", w.Code)
	}
	if w := s.do(call{method: "POST", path: "/api/custom/configuration/plan", key: admin, body: "{}"}); w.Code != http.StatusUnsupportedMediaType {
		t.Errorf("JSON: %d", w.Code)
	}
	if w := s.do(call{method: "POST", path: "/api/custom/variables", key: admin, body: `{"scope":"global","name":"A","value":"hunter2","secret":true}`}); w.Code != http.StatusCreated {
		t.Fatal(w.Body)
	}
	w := s.do(call{method: "GET", path: "/api/custom/configuration", key: admin})
	file := w.Body.String()
	if w.Code != http.StatusOK || strings.Contains(file, "hunter2") || !strings.Contains(file, "  - name: A\n    secret: internal\n") || !strings.Contains(file, "  - email: admin@example.org\n    role: admin\n") {
		t.Errorf("%d:\n%s", w.Code, file)
	}
	if w.Header().Get("Content-Disposition") != `attachment; filename="berth.yaml"` {
		t.Errorf("it comes with %v", w.Header())
	}
	answer := objectIn(s.do(call{method: "POST", path: "/api/custom/configuration/apply", key: admin, body: file, header: http.Header{"Content-Type": {"application/yaml"}}}))
	if answer["changed"] != 0.0 || answer["failed"] != 0.0 {
		t.Errorf("applied where it came from it did %v", answer)
	}
	var acts []string
	rows, err := s.raw.Query(`SELECT action FROM audit_events WHERE action LIKE 'configuration.%' ORDER BY id`)
	s.must(err)
	defer rows.Close()
	for rows.Next() {
		var act string
		s.must(rows.Scan(&act))
		acts = append(acts, act)
	}
	s.must(rows.Err())
	if !slices.Equal(acts, []string{"configuration.apply"}) {
		t.Errorf("audit has %q", acts)
	}
}

func TestAFileIsPlannedAndAppliedOnPages(t *testing.T) {
	s := newStand(t)
	u := s.found()
	session := s.session(u)
	post := func(path, body string) (int, string) {
		header := http.Header{"Content-Type": {"multipart/form-data; boundary=b0"}, "Sec-Fetch-Site": {"same-origin"}, "Accept": {"text/html"}}
		w := s.do(call{method: "POST", path: path, session: session, body: body, header: header})
		return w.Code, w.Body.String()
	}
	part := func(name, value string) string {
		return "--b0\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n"
	}
	const file = "version: 1\r\nvariables:\r\n  - name: TZ\r\n    value: UTC\r\n  - name: KEY\r\n    secret: internal\r\n"
	chosen := "--b0\r\nContent-Disposition: form-data; name=\"file\"; filename=\"berth.yaml\"\r\nContent-Type: application/yaml\r\n\r\n" + file + "\r\n"
	code, body := post("/configuration/plan", chosen+part("text", "")+"--b0--\r\n")
	if code != http.StatusOK || !strings.Contains(body, "2 to be made, 0 to be changed") || !strings.Contains(body, "KEY") || !strings.Contains(body, "What no file can bring") {
		t.Fatalf("%d: %s", code, body)
	}
	_, after, _ := strings.Cut(body, `name="fingerprint" value="`)
	print, _, _ := strings.Cut(after, `"`)
	if code, body := post("/configuration/apply", part("text", file)+part("fingerprint", print)+"--b0--\r\n"); code != http.StatusOK || !strings.Contains(body, "2 made, changed or deleted.") {
		t.Errorf("%d: %s", code, body)
	}
	if n := s.count(`SELECT count(*) FROM variables`); n != 2 {
		t.Errorf("there are %d variables", n)
	}
	code, body = post("/configuration/apply", part("text", file)+part("fingerprint", print)+"--b0--\r\n")
	if code != http.StatusConflict || !strings.Contains(body, "has changed since the plan was made") || !strings.Contains(body, "name: TZ") {
		t.Errorf("%d: %s", code, body)
	}
	code, body = post("/configuration/plan", part("prune", "on")+part("text", "version: 1\nvariables: []\n")+"--b0--\r\n")
	if code != http.StatusOK || !strings.Contains(body, "2 to be deleted for good") || !strings.Contains(body, "is-danger") {
		t.Errorf("%d: %s", code, body)
	}
	code, body = post("/configuration/plan", part("text", "version: 1\nvariable: []\nstacks: 1\n")+"--b0--\r\n")
	if code != http.StatusUnprocessableEntity || !strings.Contains(body, "line 2") || !strings.Contains(body, "line 3") {
		t.Errorf("%d: %s", code, body)
	}
}
