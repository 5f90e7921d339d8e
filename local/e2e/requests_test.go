package e2e_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"berth/core/access"
	"berth/local/e2e/rig"
)

func refusedRequests(t *testing.T, s *rig.Server) {
	const path = "/api/custom/stacks"
	good := `{"name": "x", "repository_id": "rep_none"`
	for sentence, c := range map[string]struct {
		body   string
		media  string
		status int
		code   string
	}{
		"no JSON at all":       {"hello", "", http.StatusBadRequest, "request."},
		"cut off":              {good, "", http.StatusBadRequest, "request."},
		"nothing":              {"", "", http.StatusBadRequest, "request."},
		"a list":               {"[]", "", http.StatusBadRequest, "request."},
		"something after it":   {good + `} {}`, "", http.StatusBadRequest, "request."},
		"an unknown field":     {good + `, "namee": "y"}`, "", http.StatusBadRequest, "request."},
		"a field given twice":  {good + `, "name": "y"}`, "", http.StatusBadRequest, "request."},
		"a wrong type":         {`{"name": 7}`, "", http.StatusBadRequest, "request.wrong_type"},
		"no UTF-8":             {"{\"name\": \"\xff\"}", "", http.StatusBadRequest, "request.not_utf8"},
		"too deep":             {strings.Repeat(`{"a":`, 200) + "1" + strings.Repeat("}", 200), "", http.StatusBadRequest, "request."},
		"too large":            {good + `, "path": "` + strings.Repeat("x", 2<<20) + `"}`, "", http.StatusRequestEntityTooLarge, "request.too_large"},
		"another media type":   {good + `}`, "text/plain", http.StatusUnsupportedMediaType, "request.media_type"},
		"values that are none": {`{"name": "Not A Name", "repository_id": "rep_none", "path": "../up"}`, "", http.StatusUnprocessableEntity, "stack.invalid"},
		"no such repository":   {good + `}`, "", http.StatusUnprocessableEntity, "input.reference"},
	} {
		client := s.Client
		client.Type = c.media
		problem := client.Problem(c.status, http.MethodPost, path, c.body)
		if !strings.HasPrefix(problem.Code, c.code) || problem.Detail == "" || problem.Status != c.status || strings.Contains(problem.Detail, "Not A Name") {
			t.Errorf("%s: %+v", sentence, problem)
		}
	}
	invalid := s.Client.Problem(http.StatusUnprocessableEntity, http.MethodPost, path, `{"name": "Not A Name", "repository_id": "rep_none", "path": "../up"}`)
	if len(invalid.Fields) != 2 || invalid.Fields[0].Path == invalid.Fields[1].Path {
		t.Errorf("the fields are %+v", invalid.Fields)
	}
	if answer := s.Ask(http.MethodPut, path, nil); answer.Status != http.StatusMethodNotAllowed || answer.Header.Get("Allow") == "" {
		t.Errorf("a method that the path does not have: %d %v", answer.Status, answer.Header)
	}
	if problem := s.Client.Problem(http.StatusNotFound, http.MethodGet, "/api/custom/no/such/path", nil); problem.Detail == "" {
		t.Errorf("a path that is none: %+v", problem)
	}
}

func keysEnd(t *testing.T, s *rig.Server) {
	const path = "/api/custom/stacks"
	status := func(key string) int { return s.Client.As(key).Ask(http.MethodGet, path, nil).Status }
	account := s.Account(access.RoleViewer)
	short, revoked, kept := s.IssueKey(account, time.Now().Add(10*time.Second)), s.IssueKey(account, time.Time{}), s.IssueKey(account, time.Now().Add(time.Hour))
	for _, key := range []string{short.Key, revoked.Key, kept.Key} {
		if got := status(key); got != http.StatusOK {
			t.Fatalf("a fresh key is answered %d", got)
		}
	}
	s.RevokeKey(account, revoked)
	if got := s.Client.As(revoked.Key).Problem(http.StatusUnauthorized, http.MethodGet, path, nil); got.Code == "" {
		t.Errorf("a revoked key: %+v", got)
	}
	rig.Until(t, rig.Soon, "the key has expired", func() (bool, string) { return status(short.Key) == http.StatusUnauthorized, "still good" })
	if got := status(kept.Key); got != http.StatusOK {
		t.Errorf("the other key is answered %d", got)
	}
	for sentence, key := range map[string]string{"no key": "", "half a key": kept.Key[:len(kept.Key)/2], "a changed key": kept.Key[:len(kept.Key)-1] + "_"} {
		if got := status(key); got != http.StatusUnauthorized {
			t.Errorf("%s is answered %d", sentence, got)
		}
	}
	if got := s.Client.As(kept.Key).Problem(http.StatusForbidden, http.MethodPost, path, "{}"); got.Code != "auth.forbidden" {
		t.Errorf("a viewer who adds a stack: %+v", got)
	}
	if got := s.Client.As("").Ask(http.MethodGet, path+"?api_key="+kept.Key, nil); got.Status != http.StatusUnauthorized {
		t.Errorf("a key in the query is answered %d", got.Status)
	}
}
