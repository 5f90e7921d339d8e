package handlers_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"

	"berth/core/access"
	"berth/core/backups"
	"berth/core/fault"
	"berth/handlers"
)

const backupLimit = 1000 // bytes of an archive that is uploaded

// shelf keeps archives that are texts in memory. What begins with "an archive" is whole.
type shelf struct {
	s        *stand
	contents map[string]string
	salt     byte
	broken   error
	away     map[string]string // contents of copies off site
	standing backups.Standing
}

func (s *stand) backupsDeps() handlers.BackupsDeps {
	s.shelf = &shelf{s: s, contents: map[string]string{}, away: map[string]string{}}
	desk := backups.NewDesk(s.shelf, s.store, backupLimit, func() { s.restarts++ }).Seeing(&looker{})
	return handlers.BackupsDeps{Desk: desk, Limit: desk.Limit(), Now: s.now}
}

func (k *shelf) backup(name string) backups.Backup {
	at, why, err := backups.ParseName(name)
	k.s.must(err)
	content, here := k.contents[name]
	copied, away := k.away[name]
	return backups.Backup{Name: name, Size: int64(len(max(content, copied))), Here: here, Checked: here, Away: away, Head: backups.Head{Format: 1, Version: "test", Schema: 1, MadeAt: at, Reason: why}}
}

func (k *shelf) put(why backups.Reason, content string) backups.Backup {
	k.salt++
	name := backups.Name(k.s.now(), why, [3]byte{0, 0, k.salt})
	k.contents[name] = content
	return k.backup(name)
}

func (k *shelf) All(context.Context) ([]backups.Backup, error) {
	all := []backups.Backup{}
	for name := range k.contents {
		all = append(all, k.backup(name))
	}
	for name := range k.away {
		if k.find(name) != nil {
			all = append(all, k.backup(name))
		}
	}
	return backups.Newest(all), k.broken
}

func (k *shelf) Make(_ context.Context, why backups.Reason) (backups.Backup, error) {
	if k.broken != nil {
		return backups.Backup{}, k.broken
	}
	return k.put(why, "an archive"), nil
}

func (k *shelf) find(name string) error {
	if _, found := k.contents[name]; !found {
		return backups.NotFound()
	}
	return nil
}

type opened struct{ *bytes.Reader }

func (opened) Close() error { return nil }

func (k *shelf) Get(_ context.Context, name string) (io.ReadSeekCloser, backups.Backup, error) {
	if err := k.find(name); err != nil {
		return nil, backups.Backup{}, err
	}
	return opened{bytes.NewReader([]byte(k.contents[name]))}, k.backup(name), nil
}

func (k *shelf) Take(_ context.Context, from io.Reader, limit int64) (backups.Backup, error) {
	content, err := io.ReadAll(io.LimitReader(from, limit+1))
	switch {
	case err != nil:
		return backups.Backup{}, err
	case int64(len(content)) > limit:
		return backups.Backup{}, backups.TooLarge(limit)
	case !bytes.HasPrefix(content, []byte("an archive")):
		return backups.Backup{}, backups.Damaged("it is none")
	}
	return k.put(backups.Uploaded, string(content)), nil
}

func (k *shelf) Delete(_ context.Context, name string, hereOnly bool) error {
	err := k.find(name)
	delete(k.contents, name)
	if _, away := k.away[name]; away && !hereOnly {
		delete(k.away, name)
		err = nil
	}
	return err
}

func (k *shelf) Standing(context.Context) (backups.Standing, error) { return k.standing, nil }

func (k *shelf) Rehearse(ctx context.Context) (backups.Rehearsal, error) {
	all, err := k.All(ctx)
	if err == nil && len(all) == 0 {
		err = fault.New(fault.NotFound, "backup.none", "There is none.")
	}
	if err != nil {
		return backups.Rehearsal{}, err
	}
	k.standing.Tried = backups.Rehearsal{Name: all[0].Name, At: k.s.now(), Took: time.Second}
	return k.standing.Tried, nil
}

func (k *shelf) Fetch(_ context.Context, name string) (backups.Backup, error) {
	if content, away := k.away[name]; away {
		k.contents[name] = content
	}
	if err := k.find(name); err != nil {
		return backups.Backup{}, err
	}
	return k.backup(name), nil
}

func (k *shelf) Prepare(ctx context.Context, name, _ string, note func() error) (backups.Backup, error) {
	if err := k.find(name); err != nil {
		return backups.Backup{}, err
	}
	before, err := k.Make(ctx, backups.BeforeRestore)
	if err == nil {
		err = note()
	}
	return before, err
}

// bring uploads an archive and returns its name.
func (p *players) bring(status int, archive string) string {
	p.t.Helper()
	header := http.Header{"Content-Type": {"application/octet-stream"}}
	w := p.s.do(call{method: "POST", path: "/api/custom/backups/upload", key: p.key, body: archive, header: header})
	if w.Code != status {
		p.t.Fatalf("the upload of %.20q: %d, want %d: %s", archive, w.Code, status, w.Body)
	}
	if status < 300 {
		p.played["postBackupsUpload"] = true
	}
	name, _ := objectIn(w)["name"].(string)
	return name
}

// bringByForm uploads an archive as a browser does.
func (p *players) bringByForm() {
	p.t.Helper()
	const body = "--b0\r\nContent-Disposition: form-data; name=\"archive\"; filename=\"a.backup\"\r\nContent-Type: application/octet-stream\r\n\r\nan archive\r\n--b0--\r\n"
	header := http.Header{"Content-Type": {"multipart/form-data; boundary=b0"}, "Sec-Fetch-Site": {"same-origin"}, "Accept": {"text/html"}}
	if w := p.s.do(call{method: "POST", path: "/backups/upload", session: p.s.session(p.s.user(access.RoleAdmin)), body: body, header: header}); w.Code != http.StatusSeeOther {
		p.t.Fatalf("the upload by a form: %d: %s", w.Code, w.Body)
	}
}

func TestABackupFromItsMakingToItsEnd(t *testing.T) {
	s := newStand(t)
	s.found()
	_, key := s.key(s.account(access.RoleAdmin), 0)
	do := func(status int, method, path, body string) map[string]any {
		t.Helper()
		w := s.do(call{method: method, path: "/api/custom/backups" + path, key: key, body: body, header: http.Header{"Content-Type": {"application/octet-stream"}}})
		if w.Code != status {
			t.Fatalf("%s %s: %d, want %d: %s", method, path, w.Code, status, w.Body)
		}
		if path != "" && method == "GET" {
			return map[string]any{"content": w.Body.String(), "header": w.Header().Get("Content-Disposition")}
		}
		return objectIn(w)
	}
	made := do(201, "POST", "", "")
	name := made["name"].(string)
	if made["verified"] != true || made["size"] != float64(len("an archive")) || made["reason"] != "manual" {
		t.Errorf("made %v", made)
	}
	if got := do(200, "GET", "/"+name, ""); got["content"] != "an archive" || got["header"] != `attachment; filename="`+name+`"` {
		t.Errorf("downloaded %v", got)
	}
	brought := do(201, "POST", "/upload", "an archive of another place")["name"].(string)
	if got := do(202, "POST", "/"+brought+"/restore", ""); got["restoring"] != brought || !strings.Contains(got["before"].(string), "before-restore") || s.restarts != 1 {
		t.Errorf("restoring %v, %d restarts", got, s.restarts)
	}
	do(204, "DELETE", "/"+brought, "")
	do(404, "DELETE", "/"+brought, "")
	do(404, "GET", "/"+brought, "")
	do(404, "POST", "/"+brought+"/restore", "")
	if s.restarts != 1 {
		t.Error("the server began anew for a backup that is not there")
	}
	var acts string
	s.must(s.raw.QueryRow(`SELECT group_concat(action, ' ') FROM (SELECT action FROM audit_events WHERE action LIKE 'backup.%' ORDER BY rowid)`).Scan(&acts))
	if acts != "backup.create backup.download backup.upload backup.restore backup.delete" {
		t.Errorf("recorded were %s", acts)
	}
}

func TestACopyOffSiteIsListedFetchedAndDeleted(t *testing.T) {
	s := newStand(t)
	s.found()
	_, key := s.key(s.account(access.RoleAdmin), 0)
	do := func(status int, method, path string) map[string]any {
		t.Helper()
		w := s.do(call{method: method, path: "/api/custom/backups" + path, key: key})
		if w.Code != status {
			t.Fatalf("%s %s: %d, want %d: %s", method, path, w.Code, status, w.Body)
		}
		return objectIn(w)
	}
	name := backups.Name(s.now(), backups.BySchedule, [3]byte{9})
	s.shelf.away[name] = "an archive"
	s.shelf.standing = backups.Standing{On: true, Problem: "the bucket is gone", Since: s.now(), Copies: 1, Size: 10, Waiting: 2}
	where := func() string {
		t.Helper()
		all := do(200, "GET", "")["items"].([]any)
		if len(all) == 0 {
			return ""
		}
		return all[0].(map[string]any)["where"].(string)
	}
	if got := where(); got != "offsite" {
		t.Errorf("it is %s", got)
	}
	away := do(200, "GET", "")["offsite"].(map[string]any)
	if away["enabled"] != true || away["problem"] != "the bucket is gone" || away["copies"] != 1.0 || away["waiting"] != 2.0 || away["failing_since"] == nil || away["newest_at"] != nil {
		t.Errorf("of copies it says %v", away)
	}
	if got := do(200, "POST", "/"+name+"/fetch"); got["where"] != "both" || got["verified"] != true {
		t.Errorf("fetched %v", got)
	}
	do(204, "DELETE", "/"+name+"?where=here")
	if got := where(); got != "offsite" {
		t.Errorf("deleted here alone, it is %s", got)
	}
	do(204, "DELETE", "/"+name)
	if got := where(); got != "" {
		t.Errorf("deleted everywhere, it is %s", got)
	}
	do(404, "POST", "/"+name+"/fetch")
	session := s.session(s.user(access.RoleAdmin))
	viewer := s.session(s.user(access.RoleViewer))
	for who, c := range map[string]struct {
		session string
		told    bool
	}{"administrators are told on the overview": {session, true}, "viewers are not": {viewer, false}} {
		w := s.do(call{method: "GET", path: "/", session: c.session, header: http.Header{"Accept": {"text/html"}}})
		if w.Code != 200 || strings.Contains(w.Body.String(), "the bucket is gone") != c.told {
			t.Errorf("%s: %d %s", who, w.Code, w.Body)
		}
	}
}

func TestABrowserBringsABackup(t *testing.T) {
	s := newStand(t)
	s.found()
	session := s.session(s.user(access.RoleAdmin))
	for name, c := range map[string]struct {
		field, file, content string
		status               int
		says                 string
	}{
		"a whole archive":         {"archive", "a.backup", "an archive", 303, ""},
		"no file was chosen":      {"archive", "", "", 422, "choose the archive"},
		"another field":           {"other", "a.backup", "an archive", 422, "choose the archive"},
		"something else":          {"archive", "a.txt", "a text", 422, "damaged"},
		"more than is ever taken": {"archive", "a.backup", "an archive " + strings.Repeat("x", backupLimit), 413, "BACKUP_UPLOAD_MAX_MB"},
	} {
		t.Run(name, func(t *testing.T) {
			var body bytes.Buffer
			form := multipart.NewWriter(&body)
			part, err := form.CreateFormFile(c.field, c.file)
			s.must(err)
			_, err = part.Write([]byte(c.content))
			s.must(errors.Join(err, form.Close()))
			w := s.do(call{method: "POST", path: "/backups/upload", session: session, body: body.String(),
				header: http.Header{"Content-Type": {form.FormDataContentType()}, "Sec-Fetch-Site": {"same-origin"}, "Accept": {"text/html"}}})
			if w.Code != c.status || !strings.Contains(w.Body.String(), c.says) {
				t.Errorf("%d, want %d with %q: %s", w.Code, c.status, c.says, w.Body)
			}
		})
	}
}

func TestWhereTheDataIsInPostgreSQLBackupsAreElsewhere(t *testing.T) {
	s := newStand(t)
	s.found()
	seen := &looker{d: backups.OfDatabase{Version: "15.8", Dumps: "/srv/backups", Problem: "Nothing shows that the database is backed up."}}
	s.deps.Backups.Desk = backups.NewDesk(nil, s.store, backupLimit, nil).Seeing(seen)
	s.deps.UI.Now = s.now
	s.build()
	_, key := s.key(s.account(access.RoleAdmin), 0)
	for _, c := range []call{{method: "GET", path: "/api/custom/backups"}, {method: "POST", path: "/api/custom/backups"}, {method: "DELETE", path: "/api/custom/backups/x"}} {
		c.key = key
		if w := s.do(c); w.Code != 409 || !strings.Contains(w.Body.String(), "pg_dump") {
			t.Errorf("%s %s: %d %s", c.method, c.path, w.Code, w.Body)
		}
	}
	session := s.session(s.user(access.RoleAdmin))
	says(t, s.browse(session, "/backups"), 200, "Nothing shows that the database is backed up.", "none in <code>/srv/backups</code>", "15.8")
	says(t, s.browse(session, "/"), 200, "Nothing shows that the database is backed up.")
	get := call{method: "GET", path: "/api/custom/backups/database", key: key}
	if w := s.do(get); w.Code != 200 || !strings.Contains(w.Body.String(), `"archived_at":null`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	seen.d = backups.OfDatabase{Version: "15.8", Archiving: true, Archived: s.now()}
	says(t, s.browse(session, "/backups"), 200, "looked for by the hub")
	if w := s.do(get); w.Code != 200 || strings.Contains(w.Body.String(), `"archived_at":null`) || !strings.Contains(w.Body.String(), `"problem":""`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// looker sees what it is told of a database's backups.
type looker struct{ d backups.OfDatabase }

func (l *looker) Look(context.Context) (backups.OfDatabase, error) { return l.d, nil }
