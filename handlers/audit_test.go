package handlers_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"berth/core/access"
	"berth/handlers/api"
)

// audited records so many events of a resource by somebody with a name that a spreadsheet would take for a formula.
func (s *stand) audited(n int) {
	for i := range n {
		who := access.Principal{Kind: access.KindUser, Name: "=cmd|' /C calc'!A0", Address: "192.0.2.7"}
		s.must(s.store.RecordEvent(s.t.Context(), who.Audit("audit_test.made", "thing", fmt.Sprintf("+%d", i))))
	}
}

func TestTheAuditIsExportedWhole(t *testing.T) {
	s := newStand(t)
	const n = 1201 // more than two pages
	s.audited(n)
	key := s.admin()
	get := func(query string) string {
		w := s.do(call{method: http.MethodGet, path: "/api/custom/audit-events/export?" + query, key: key})
		if w.Code != http.StatusOK || !strings.Contains(w.Header().Get("Content-Disposition"), "berth-audit.") {
			t.Fatalf("%s: %d %s", query, w.Code, w.Body)
		}
		return w.Body.String()
	}
	rows, err := csv.NewReader(strings.NewReader(get("resource=thing"))).ReadAll()
	s.must(err)
	if len(rows) != n+1 || rows[0][0] != "id" || rows[1][8] != fmt.Sprintf("'+%d", n-1) || rows[n][8] != "'+0" || rows[1][4] != "'=cmd|' /C calc'!A0" {
		t.Errorf("the table has %d rows, the first is %q", len(rows), rows[:min(2, len(rows))])
	}
	lines := strings.Split(strings.TrimSpace(get("resource=thing&format=jsonl")), "\n")
	var last api.AuditEventAnswer
	s.must(json.Unmarshal([]byte(lines[len(lines)-1]), &last))
	if len(lines) != n || last.Detail != "+0" || last.Actor != "=cmd|' /C calc'!A0" || last.Result != access.Done {
		t.Errorf("%d lines, the last is %+v", len(lines), last)
	}
	if got := strings.Count(get("action=audit_test.none"), "\n"); got != 1 {
		t.Errorf("what fits nothing has %d lines", got)
	}
}

func TestAnExportFitsTheHost(t *testing.T) {
	s := newStand(t)
	s.audited(40)
	key := s.admin()
	s.whole(4000)
	for query, want := range map[string]int{"resource=thing": http.StatusRequestEntityTooLarge, "resource=thing&format=jsonl": http.StatusRequestEntityTooLarge, "resource=none": http.StatusOK} {
		w := s.do(call{method: http.MethodGet, path: "/api/custom/audit-events/export?" + query, key: key})
		if w.Code != want || want != http.StatusOK && (!strings.Contains(w.Body.String(), "audit.too_much") || w.Header().Get("Content-Disposition") != "") {
			t.Errorf("%s: %d %v %s", query, w.Code, w.Header(), w.Body)
		}
	}
}

func TestTheAuditIsNarrowed(t *testing.T) {
	s := newStand(t)
	s.audited(3)
	key := s.admin()
	for query, want := range map[string]struct {
		status int
		text   string
	}{
		"action=audit_test.made&limit=2":                 {200, `"next":"aud_`},
		"actor=" + url.QueryEscape("=cmd|' /C calc'!A0"): {200, `"detail":"+2"`},
		"actor=nobody":                             {200, `"items":[]`},
		"result=refused&resource=thing":            {200, `"items":[]`},
		"resource=thing&from=2000-01-01T00:00:00Z": {200, `"detail":"+0"`},
		"resource=thing&to=2000-01-01T00:00:00Z":   {200, `"items":[]`},
		"from=yesterday&to=2026-01-01":             {422, `"path":"from"`},
		"to=2026-01-01":                            {422, `"path":"to"`},
		"result=perhaps":                           {422, `done, refused, failed`},
		"who=ada":                                  {400, `query.unknown`},
		"actor=ada&from=2026-01-01T00:00:00%2B02:00&limit=501": {422, `"path":"limit"`},
	} {
		w := s.do(call{method: http.MethodGet, path: "/api/custom/audit-events?" + query, key: key})
		if w.Code != want.status || !strings.Contains(w.Body.String(), want.text) {
			t.Errorf("%s: %d %s, want %d with %s", query, w.Code, w.Body, want.status, want.text)
		}
	}
}

func TestThePageOfTheAudit(t *testing.T) {
	s := newStand(t)
	s.audited(51)
	s.found()
	session := s.session(s.user(access.RoleAdmin))
	get := func(path string) string {
		w := s.browse(session, path)
		if w.Code != http.StatusOK {
			t.Fatalf("%s: %d %s", path, w.Code, w.Body)
		}
		return w.Body.String()
	}
	first := get("/audit-events?resource=thing")
	for _, want := range []string{"audit test: made", "&#43;50", "=cmd|&#39; /C calc&#39;!A0", "192.0.2.7", "after=aud_", "/api/custom/audit-events/export?format=csv&amp;resource=thing"} {
		if !strings.Contains(first, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if !slices.ContainsFunc(strings.Split(get("/audit-events"), "\n"), func(line string) bool { return strings.Contains(line, `value="audit_test.made"`) }) {
		t.Error("what was done is not offered to choose from")
	}
}

// TestTheAuditTellsWhichKey: an account has two keys while one follows the other, and whoever finds one abused asks what
// was done with that one.
func TestTheAuditTellsWhichKey(t *testing.T) {
	s := newStand(t)
	account := s.account(access.RoleAdmin)
	old, oldText := s.key(account, 0)
	new, newText := s.key(account, 0)
	for name, text := range map[string]string{"by-old": oldText, "by-new": newText} {
		if w := s.do(call{method: http.MethodPost, path: "/api/custom/service-accounts", body: `{"name":"` + name + `","role":"viewer"}`, key: text}); w.Code != http.StatusCreated {
			t.Fatalf("%s: %d %s", name, w.Code, w.Body)
		}
	}
	reader := s.admin()
	ask := func(query string) []api.AuditEventAnswer {
		w := s.do(call{method: http.MethodGet, path: "/api/custom/audit-events?action=service_account.create&" + query, key: reader})
		return decode[struct{ Items []api.AuditEventAnswer }](t, w).Items
	}
	for id, text := range map[string]string{string(old.ID): "by-old", string(new.ID): "by-new"} {
		got := ask("actor=" + id)
		if len(got) != 1 || got[0].KeyID != id || got[0].ActorID != string(account.ID) || !strings.Contains(got[0].Detail, text) {
			t.Errorf("with %s was done %+v", id, got)
		}
	}
	if got := ask("actor=" + string(account.ID)); len(got) != 2 {
		t.Errorf("the account did %+v", got)
	}
	w := s.do(call{method: http.MethodGet, path: "/api/custom/audit-events/export?actor=" + string(old.ID), key: reader})
	if rows, err := csv.NewReader(w.Body).ReadAll(); err != nil || len(rows) != 2 || rows[0][10] != "key_id" || rows[1][10] != string(old.ID) {
		t.Errorf("the table is %q, %v", rows, err)
	}
	session := s.session(s.user(access.RoleAdmin))
	if page := s.browse(session, "/audit-events?actor="+string(old.ID)).Body.String(); !strings.Contains(page, "/audit-events?actor="+string(old.ID)) || strings.Contains(page, string(new.ID)) {
		t.Error("the page does not tell the key, or tells of another")
	}
}
