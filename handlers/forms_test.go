package handlers_test

import (
	"cmp"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"slices"
	"strings"
	"testing"

	"berth/core/access"
	"berth/handlers"
	"berth/handlers/guard"
)

// TestAFormThatIsRefusedKeepsWhatWasTyped fills in every form of every page, with what it refuses and on a server that
// can store nothing. What comes back is the same form with every word, option and tick in it and without a secret; the
// field that was wrong is marked and says why. What there is to fill in is read out of the pages; the table of routes says
// whether a form was left out.
func TestAFormThatIsRefusedKeepsWhatWasTyped(t *testing.T) {
	f := newFiller(t)
	f.s.answered = f.heard
	f.s.browse("", "/setup")
	f.s.answered = nil
	p := f.s.players(t)
	p.playAll(func() {
		f.s.answered = f.heard
		f.visitMore()
		p.playPages()
		f.s.answered = nil
	})
	f.everyFormWasMet()
	t.Logf("%d forms were sent %d times and refused %d times", len(f.met), f.sent, f.refused)
}

// filler fills forms in while the pages are played.
type filler struct {
	t          *testing.T
	s          *stand
	table      *http.ServeMux
	rows       map[string]bool // forms of the table: "POST /stacks"
	begin, end func()          // the server can store nothing between them
	met        map[string]bool // forms that were filled in, by row and fields
	metRow     map[string]bool
	refusedRow map[string]bool
	takes      map[string]taking // by row and field
	said       map[string]bool
	busy       bool
	sent       int
	refused    int
}

func newFiller(t *testing.T) *filler {
	f := &filler{t: t, s: newStand(t), table: http.NewServeMux(), rows: map[string]bool{}, met: map[string]bool{}, metRow: map[string]bool{}, refusedRow: map[string]bool{},
		takes: map[string]taking{}, said: map[string]bool{}}
	f.s.deps.UI.Live = linked{}
	f.s.build()
	f.begin, f.end = f.s.refusing()
	for _, r := range handlers.Routes(f.s.deps) {
		f.table.Handle(r.Method+" "+r.Pattern, http.NotFoundHandler())
		f.rows[r.Method+" "+r.Pattern] = r.Surface == guard.Page && r.Method == http.MethodPost
	}
	return f
}

// visitMore shows pages with forms that the plays of the pages meet only without: folders that were not added yet, and a
// person without a second factor and without single sign-on.
func (f *filler) visitMore() {
	f.t.Helper()
	back := f.s.remember()
	defer back()
	f.s.git.Commit("https://git.example.com/team/fresh", "main", map[string]string{"fresh/compose.yaml": "services: {}\n", "job/job.yaml": "name: x\n"})
	session := f.s.session(f.s.user(access.RoleAdmin))
	w := f.s.submit(session, "/repositories", url.Values{"url": {"https://git.example.com/team/fresh"}, "branch": {"main"}})
	id, _, _ := strings.Cut(path.Base(w.Header().Get("Location")), "?")
	f.s.look(id)
	for _, page := range []string{"/repositories/" + id + "/add", "/profile", "/profile/second-factor"} {
		f.s.browse(session, page)
	}
}

// heard fills in the forms of a page that was shown.
func (f *filler) heard(c call, w *httptest.ResponseRecorder) {
	if f.busy || w.Code >= 300 || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
		return
	}
	f.busy = true
	defer func() { f.busy = false }()
	page := newPageOf(c.path, w.Body.String())
	var back func()
	for _, b := range page.forms() {
		row := f.row(b)
		f.metRow[row] = true
		names := row
		for _, own := range b.fields {
			names += " " + own.name
		}
		if f.met[names] || !b.typed() {
			continue
		}
		f.met[names] = true
		if back == nil {
			back = f.s.remember()
		}
		for _, button := range b.sentBy() {
			f.fill(c, b, button, back)
		}
	}
}

// sentBy are the buttons of a form, each of which may do something of its own.
func (b blank) sentBy() []field {
	if len(b.buttons) == 0 {
		return []field{{options: []string{"", ""}}}
	}
	return b.buttons
}

// row is the row of the table that a form is sent to.
func (f *filler) row(b blank) string {
	to, err := url.Parse(b.action)
	f.s.must(err)
	_, row := f.table.Handler(&http.Request{Method: b.method, Host: "berth.test", URL: to})
	return row
}

// fill sends a form as people would who are wrong in one field after the other, and to a server that can store nothing.
func (f *filler) fill(c call, b blank, button field, back func()) {
	f.t.Helper()
	if to := button.options[0]; to != "" {
		b.action = newPageOf(c.path, "").address(to)
	}
	b.method = cmp.Or(button.options[1], b.method)
	row := f.row(b)
	if b.method == http.MethodPost {
		f.begin()
		f.judge(c, b.fill(), button, "", "on a full disk")
		back()
	}
	for _, own := range b.fields {
		if !own.typed() || own.ticks() || own.kind == "select" {
			continue
		}
		key := row + " " + own.name
		for _, one := range b.variants() {
			for _, wrong := range wrongs(own) {
				f.takes[key] = max(f.takes[key], f.judge(c, one.with(own.name, wrong), button, own.name, fmt.Sprintf("with %s %.40q", own.name, wrong)))
				back()
			}
			if f.takes[key] == marked {
				break
			}
		}
	}
}

// variants are the form as it is, and with each other option of its selects.
func (b blank) variants() []blank {
	all := []blank{b}
	for i, f := range b.fields {
		if f.kind != "select" {
			continue
		}
		for _, other := range f.options {
			if other != f.value {
				one := b
				one.fields = slices.Clone(b.fields)
				one.fields[i].value = other
				all = append(all, one)
			}
		}
	}
	return all
}

// taking is what came of what was wrong in a field, the better the higher.
type taking int

const (
	tookAll taking = iota // nothing that was tried was refused
	unnamed               // the form was refused, and what is wrong was said elsewhere
	marked                // the field was marked, with a text that says why
)

// judge sends a form and looks at what comes back; wrong is the field that is. It tells whether that is
// said where it is.
func (f *filler) judge(c call, b blank, button field, wrong, how string) taking {
	f.t.Helper()
	row := f.row(b)
	b = b.hide(row)
	f.sent++
	w := f.send(c, b, button)
	where := fmt.Sprintf("%s %s, answered %d", row, how, w.Code)
	if strings.Contains(w.Body.String(), canary) {
		f.complain(where + ": shows a secret that was typed")
	}
	if w.Code == http.StatusSeeOther {
		return tookAll
	}
	page := newPageOf(c.path, w.Body.String())
	again, found := f.same(page, b, row)
	if w.Code >= 400 {
		f.refused++
		f.refusedRow[row] = true
		if !found {
			f.complain(where + ": the form is lost")
			return unnamed
		}
		f.tells(where, page, again)
	}
	if found && w.Code != http.StatusCreated {
		f.keeps(where, row, b, again, changedBy[button.name])
	}
	own, _ := again.find(field{name: wrong})
	switch {
	case w.Code < 400:
		return tookAll
	case own.invalid && own.problem && len(strings.Fields(own.beneath)) >= 3:
		return marked
	}
	return unnamed
}

// send sends a form as a browser does.
func (f *filler) send(c call, b blank, button field) *httptest.ResponseRecorder {
	v := b.sent(button)
	header := http.Header{"Accept": {"text/html"}}
	if cookie := c.header.Get("Cookie"); cookie != "" {
		header.Set("Cookie", cookie)
	}
	if b.method != http.MethodPost {
		to, _, _ := strings.Cut(b.action, "?")
		return f.s.do(call{method: http.MethodGet, path: to + "?" + v.Encode(), session: c.session, header: header})
	}
	header.Set("Content-Type", "application/x-www-form-urlencoded")
	header.Set("Sec-Fetch-Site", "same-origin")
	return f.s.do(call{method: http.MethodPost, path: b.action, body: v.Encode(), session: c.session, header: header, client: fmt.Sprintf("198.51.%d.%d", f.sent/250, f.sent%250+1)})
}

// same finds the form that was sent in the page that came back.
func (f *filler) same(page pageOf, b blank, row string) (blank, bool) {
	for _, again := range page.forms() {
		rows := []string{f.row(again)}
		for _, button := range again.buttons {
			if to := button.options[0]; to != "" {
				rows = append(rows, f.row(blank{method: cmp.Or(button.options[1], again.method), action: page.address(to)}))
			}
		}
		if slices.Contains(rows, row) && again.typed() {
			return again, true
		}
	}
	return blank{}, false
}

// keeps demands that everything that was typed stands in the form again, and no secret.
func (f *filler) keeps(where, row string, b, again blank, changed []string) {
	f.t.Helper()
	for _, own := range b.fields {
		got, found := again.find(own)
		switch {
		case own.kind == "file" || own.name == "" || slices.Contains(changed, own.name):
		case !found && partly[row] != "":
		case !found:
			f.complain(fmt.Sprintf("%s: the field %s is lost", where, own.name))
		case own.secret:
			if got.value != "" {
				f.complain(fmt.Sprintf("%s: the secret field %s comes back with %q", where, own.name, got.value))
			}
		case follows(row, own.name):
		case own.ticks() && got.on != own.on, !own.ticks() && got.value != own.value:
			f.complain(fmt.Sprintf("%s: the field %s was %.60q %t and comes back as %.60q %t", where, own.name, own.value, own.on, got.value, got.on))
		}
	}
}

// tells demands that a page that refuses says why, at the form or beside a field.
func (f *filler) tells(where string, page pageOf, again blank) {
	f.t.Helper()
	said := page.alerts()
	for _, own := range again.fields {
		if own.problem {
			said = append(said, own.beneath)
		}
	}
	if len(said) == 0 {
		f.complain(where + ": nothing says why")
	}
	for _, text := range said {
		if len(strings.Fields(text)) < 3 || !strings.ContainsAny(text[len(text)-1:], ".?") {
			f.complain(fmt.Sprintf("%s: %q is no sentence that helps", where, text))
		}
	}
}

// complain tells a complaint once.
func (f *filler) complain(complaint string) {
	f.t.Helper()
	if key := identifier.ReplaceAllString(complaint, ""); !f.said[key] {
		f.said[key] = true
		f.t.Error(complaint)
	}
}

// everyFormWasMet walks the table.
func (f *filler) everyFormWasMet() {
	f.t.Helper()
	for row, form := range f.rows {
		if form && !f.metRow[row] && notMet[row] == "" {
			f.t.Errorf("no page has a form for %s", row)
		}
	}
	for key, came := range f.takes {
		post := strings.HasPrefix(key, http.MethodPost)
		switch {
		case came == tookAll && post && takesAll[key] == "":
			f.t.Errorf("%s refuses nothing that was tried", key)
		case came == unnamed && unmarked[key] == "":
			f.t.Errorf("%s is refused, and never marked as what is wrong", key)
		case came != tookAll && takesAll[key] != "", came != unnamed && unmarked[key] != "":
			f.t.Errorf("%s is an exception, and none", key)
		}
	}
	for row := range notMet {
		if !f.rows[row] || f.metRow[row] {
			f.t.Errorf("%s is said to be met nowhere", row)
		}
	}
	if len(f.met) < 40 || f.refused < 100 {
		f.t.Errorf("only %d forms were met and %d refused: the walk is broken", len(f.met), f.refused)
	}
}

// follows reports whether a field may come back as something else than it was, because of what stands in others.
func follows(row, name string) bool {
	list, of := strings.CutSuffix(name, ".only")
	return implied[row+" "+name] != "" || of && strings.HasPrefix(list, "allow.") // what stands in a list limits to it, with the tick or without
}

// The exceptions, each with its reason.
var (
	// notMet are forms that no page shows while the pages are played.
	notMet = map[string]string{
		"POST /backups/{name}/fetch":                             hasButton,
		"POST /configuration/apply":                              "it sends the file on that the plan was made of",
		"POST /deployments/{id}/cancel":                          hasButton,
		"POST /first-steps":                                      hasButton,
		"POST /integrations/{slug}/delete":                       hasButton,
		"POST /jobs/{id}/folder":                                 hasButton,
		"POST /jobs/{id}/folder/remove":                          hasButton,
		"POST /jobs/{id}/resume":                                 hasButton,
		"POST /repositories/{id}/webhook/secret/previous/delete": hasButton,
		"POST /repository-keys/hosts/forget":                     hasButton,
		"POST /stacks/{id}/folder":                               hasButton,
		"POST /stacks/{id}/folder/remove":                        hasButton,
		"POST /stacks/{id}/resume":                               hasButton,
		"POST /users/{id}/second-factor":                         hasButton,
		"POST /workers/{id}/policy/delete":                       hasButton,
	}
	// unmarked are fields that are wrong in a way that is said of another, or of none.
	unmarked = map[string]string{
		"POST /login email":                    nobodyIsTold,
		"POST /login password":                 nobodyIsTold,
		"POST /login/code code":                nobodyIsTold,
		"POST /profile/second-factor password": "the code is judged first",
	}
	// takesAll are fields that take whatever is typed.
	takesAll = map[string]string{
		"POST /jobs/{id}/variables value":                 anyValue,
		"POST /jobs/{id}/variables/{variable} value":      anyValue,
		"POST /stacks/{id}/review/variables value NOBODY": anyValue,
		"POST /stacks/{id}/variables value":               anyValue,
		"POST /stacks/{id}/variables/{variable} value":    anyValue,
		"POST /variables/{variable} value":                anyValue,
		"POST /profile password":                          "it is asked for with another address alone",
		"POST /repository-keys/{id}/test url":             "that the host refuses is what was asked for",
	}

	// partly are forms that may be done in part, by row; what was done is not in them again.
	partly = map[string]string{
		"POST /repositories/{id}/add": "a folder that was added is not offered again",
	}
	// implied are fields that follow what was typed into others.
	implied = map[string]string{
		"POST /repositories credential_id":               "a user name or password that is typed makes a new key",
		"POST /repositories/{id}/settings credential_id": "a user name or password that is typed makes a new key",
	}

	// changedBy are fields that a button is there to change.
	changedBy = map[string][]string{"folder": {"path", "name"}}
)

const (
	hasButton = "there is a button and nothing to fill in"
	anyValue  = "a value is any bytes"

	nobodyIsTold = "who is not known is not told what of it is wrong"
)
