package handlers_test

import (
	"html"
	"net/url"
	"strings"
	"testing"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/stacks"
)

// typedText returns what a text area of a page holds, as browsers read it.
func typedText(t *testing.T, page, id string) string {
	t.Helper()
	_, area, found := strings.Cut(page, `<textarea id="`+id+`"`)
	_, area, begun := strings.Cut(area, ">\n")
	area, _, ended := strings.Cut(area, "</textarea>")
	if !found || !begun || !ended {
		t.Fatalf("there is no text area %s", id)
	}
	return html.UnescapeString(area)
}

// crlf is what browsers make of the line ends of a text area when they send it.
func crlf(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n"), "\n", "\r\n")
}

// values are the plain values of a scope by name, as they are stored.
func (s *stand) values(scope string) map[string]string {
	s.t.Helper()
	rows, err := s.raw.Query(`SELECT name, value FROM variables WHERE scope_id = ? AND secret = 0`, scope)
	s.must(err)
	defer rows.Close()
	all := map[string]string{}
	for rows.Next() {
		var name, value string
		s.must(rows.Scan(&name, &value))
		all[name] = value
	}
	s.must(rows.Err())
	return all
}

func TestTextOfVariablesGoesThroughABrowserByteForByte(t *testing.T) {
	s := newStand(t)
	s.found()
	session := s.session(s.user(access.RoleOperator))
	_, stack := s.madeStack(session)
	list, id := stack+"/variables", strings.TrimPrefix(stack, "/stacks/")
	for name, value := range map[string]string{"PEM": "-----BEGIN-----\nMI'IB\n-----END-----\n", "QUOTED": "it's \"so\" $HOME `x` \\ # no", "EMPTY": "", "SPACES": "  a\tb  ", "DOS": "a\r\nb\\r\"$\r", "FIRST": "\n\nx"} {
		s.exec(`INSERT INTO variables (id, scope, scope_id, name, secret, provider, value, reference, created_at, updated_at) VALUES (?, 'stack', ?, ?, 0, '', ?, '', 1, 1)`, core.NewID(core.PrefixVariable, s.now()), id, name, value)
	}
	leadsTo(t, s.submit(session, list, url.Values{"name": {"TOKEN"}, "value": {"hunter2-canary"}, "secret": {"on"}}), list+"?said=variable-saved")
	before := s.values(id)
	text := typedText(t, s.browse(session, list+"/text").Body.String(), "f-text")
	if strings.Contains(text, "canary") || strings.Contains(text, "\r") || !strings.Contains(text, "\nTOKEN=\n") {
		t.Errorf("the text is %q", text)
	}
	leadsTo(t, s.submit(session, list+"/text", url.Values{"text": {crlf(text)}}), list+"?said=variables-saved")
	after := s.values(id)
	for name, value := range before {
		if after[name] != value {
			t.Errorf("%s became %q, was %q", name, after[name], value)
		}
	}
	if n := s.count(`SELECT count(*) FROM variables WHERE updated_at > 1 AND secret = 0`); n != 0 || len(after) != len(before) {
		t.Errorf("%d variables changed, %d are there", n, len(after))
	}
	leadsTo(t, s.submit(session, list+"/text", url.Values{"text": {crlf("PEM='a\nb'\nNEW=x\n")}, "secret": {"on"}}), list+"?said=variables-saved")
	if got := s.values(id); got["PEM"] != "a\nb" || s.count(`SELECT count(*) FROM variables WHERE name = 'NEW' AND sealed IS NOT NULL`) != 1 {
		t.Errorf("the text left %q", got)
	}
}

func TestTextThatIsWrongIsShownAgainAndNothingIsSaved(t *testing.T) {
	s := newStand(t)
	session := s.session(s.found())
	const text = "GOOD=1\n1BAD=2\nOPEN='x\nand more\n"
	w := s.submit(session, "/variables/text", url.Values{"text": {crlf(text)}, "secret": {"on"}})
	says(t, w, 422, "Line 3: the quote that begins its value is never closed.", `name="secret" value="on" checked`)
	if got := typedText(t, w.Body.String(), "f-text"); got != text {
		t.Errorf("the text came back as %q", got)
	}
	if n := s.count(`SELECT count(*) FROM variables`); n != 0 {
		t.Errorf("%d variables were saved", n)
	}
	says(t, s.submit(session, "/variables/text", url.Values{"text": {"A=1\nB=1\nA=2"}}), 422, "Line 3: A is there already, at line 1.")
}

func TestASecretIsPickedStepByStep(t *testing.T) {
	s := newStand(t)
	admin := s.session(s.found())
	session := s.session(s.user(access.RoleOperator))
	_, stack := s.madeStack(session)
	list := stack + "/variables"
	if page := s.browse(session, list).Body.String(); strings.Contains(page, "secret_provider=") {
		t.Error("a provider is offered that is not enabled")
	}
	says(t, s.browse(session, list+"/new?secret_provider=vault"), 409, "not enabled")
	s.enableVault(t, admin)
	says(t, s.browse(session, list), 200, list+"/new?secret_provider=vault")
	at := "/new?name=HELD&secret_provider=vault"
	leadsTo(t, s.submit(session, list, url.Values{"name": {"HELD"}, "secret_provider": {"vault"}}), list+at)
	for _, step := range []struct{ add, asks, next string }{
		{"", "Choose a mount", "mount=%2Fdb"},
		{"&mount=kv", "Choose a secret", "folder=kv%2Fdb&amp;mount=kv"},
		{"&folder=shop&mount=kv", "Choose a secret", "folder=kv%2Fshop%2Fdb&amp;mount=kv"},
		{"&mount=kv&path=shop%2Fdb", "Choose a field", "field=kv%2Fshop%2Fdb%2Fdb"},
	} {
		says(t, s.browse(session, list+at+step.add), 200, step.asks, step.next)
	}
	whole := url.Values{"secret_provider": {"vault"}, "mount": {"kv"}, "path": {"shop/db"}, "field": {"password"}}
	says(t, s.browse(session, list+"/new?"+whole.Encode()), 200, `name="field" value="password"`, "Add the variable")
	whole.Set("name", "1 bad")
	says(t, s.submit(session, list, whole), 422, `value="1 bad"`, "not beginning with a digit")
	whole.Set("name", "HELD")
	leadsTo(t, s.submit(session, list, whole), list+"?said=variable-saved")
	says(t, s.submit(session, list, whole), 409, "already")
	var id, reference string
	s.must(s.raw.QueryRow(`SELECT id, reference FROM variables WHERE name = 'HELD' AND secret = 1 AND provider = 'vault'`).Scan(&id, &reference))
	if reference != "kv/data/shop/db#password" {
		t.Errorf("the reference is %q", reference)
	}
	edit := s.browse(session, list+"/"+id)
	says(t, edit, 200, "mount kv, secret shop/db, field password")
	if strings.Contains(edit.Body.String(), `name="value"`) {
		t.Error("a value can be typed for a secret that is kept elsewhere")
	}
	leadsTo(t, s.submit(session, list+"/"+id, url.Values{"name": {"RENAMED"}}), list+"?said=variable-saved")
	says(t, s.submit(session, list, url.Values{"name": {"X"}, "secret_provider": {"manager"}, "project": {"p"}, "environment": {"prod"}, "secret_name": {"N"}}), 422, "cannot be chosen")
	says(t, s.submit(session, list, url.Values{"name": {"X"}, "secret_provider": {"vault"}, "mount": {"kv"}, "path": {"../x"}, "field": {"f"}}), 422, "may not have . or ..")
}

func TestGlobalVariablesAreBoundToStacksOnTheirPage(t *testing.T) {
	s := newStand(t)
	s.found()
	session := s.session(s.user(access.RoleOperator))
	_, stack := s.madeStack(session)
	leadsTo(t, s.submit(session, "/variables", url.Values{"name": {"TZ"}, "value": {"UTC"}}), "/variables?said=variable-saved")
	var id string
	s.must(s.raw.QueryRow(`SELECT id FROM variables WHERE name = 'TZ'`).Scan(&id))
	one, tick := "/variables/"+id, "stack-"+strings.TrimPrefix(stack, "/stacks/")
	says(t, s.browse(session, one), 200, `name="`+tick+`" value="on">`)
	leadsTo(t, s.submit(session, one+"/reach", url.Values{tick: {"on"}}), "/variables?said=variable-reach")
	says(t, s.browse(session, one), 200, `name="`+tick+`" value="on" checked>`)
	says(t, s.browse(session, stack+"/variables"), 200, "TZ", "global")
	leadsTo(t, s.submit(session, stack+"/variables", url.Values{"name": {"TZ"}, "value": {"own"}}), stack+"/variables?said=variable-saved")
	says(t, s.browse(session, stack+"/variables"), 200, "<s><code>TZ</code></s>", "shadowed by this stack")
	leadsTo(t, s.submit(session, one+"/reach", url.Values{"offered": {tick}}), "/variables?said=variable-reach")
	if page := s.browse(session, stack+"/variables").Body.String(); strings.Contains(page, "shadowed by") {
		t.Error("the stack still gets it")
	}
	says(t, s.submit(session, one+"/reach", url.Values{"stack-stk_none": {"on"}}), 422)
	says(t, s.browse(session, stack+"/variables/"+id), 404)
	leadsTo(t, s.submit(session, one+"/delete", nil), "/variables?said=variable-gone")
	says(t, s.browse(session, "/variables"), 200, "no global variable yet")
}

func TestAStackShowsWhatItSeesOfVariables(t *testing.T) {
	s := newStand(t)
	s.found()
	session := s.session(s.user(access.RoleOperator))
	_, stack := s.madeStack(session)
	for _, name := range []string{"A", "TOKEN"} {
		leadsTo(t, s.submit(session, stack+"/variables", url.Values{"name": {name}, "value": {"x"}, "secret": {"on"}}), stack+"/variables?said=variable-saved")
	}
	says(t, s.browse(session, stack+"/variables"), 200, "secrets.yaml", "shadowed by secrets.yaml", "<bdi>web</bdi>", "NOBODY", stack+"/variables/new?name=NOBODY")
	says(t, s.browse(session, stack+"/variables/new?name=NOBODY"), 200, `value="NOBODY"`)
	viewer := s.browse(s.session(s.user(access.RoleViewer)), stack+"/variables")
	says(t, viewer, 200, "NOBODY")
	if strings.Contains(viewer.Body.String(), "/variables/new") {
		t.Error("a viewer is shown how to add a variable")
	}
	away := s.plans()
	away.lost = fault.New(fault.Unavailable, "hub.away", "No hub runs")
	s.deps.UI.Environment = away
	s.build()
	says(t, s.browse(session, stack+"/variables"), 200, "No hub runs. So it is not known", "not known")
}

func TestAStackSaysThatItRunsWithOlderSecrets(t *testing.T) {
	s := newStand(t)
	s.found()
	session := s.session(s.user(access.RoleOperator))
	_, stack := s.madeStack(session)
	id := strings.TrimPrefix(stack, "/stacks/")
	leadsTo(t, s.submit(session, stack+"/variables", url.Values{"name": {"TOKEN"}, "value": {"x"}, "secret": {"on"}}), stack+"/variables?said=variable-saved")
	s.exec(`INSERT INTO delivered (stack_id, revision, prints, rotation) VALUES (?, 1, '{}', '{"stale":["TOKEN"],"since":"2025-01-02T03:04:05Z"}')`, id)
	for _, page := range []string{stack, stack + "/variables"} {
		says(t, s.browse(session, page), 200, "runs with an older value of <code>TOKEN</code>", `action="`+stack+`/redeploy"`)
	}
	says(t, s.browse(session, stack+"/variables"), 200, "older value runs")
}

func TestAStackSaysThatSecretsWereNotToBeHad(t *testing.T) {
	s := newStand(t)
	admin := s.session(s.found())
	operator := s.session(s.user(access.RoleOperator))
	_, stack := s.madeStack(operator)
	id := core.StackID(strings.TrimPrefix(stack, "/stacks/"))
	s.submit(operator, stack+"/sync", nil)
	s.exec(`UPDATE deployments SET state = ?, error_code = 'secret.unresolved', error = 'provider vault: sealed; needed by TOKEN', finished_at = 1 WHERE stack_id = ?`, stacks.DeploymentFailed, id)
	says(t, s.browse(operator, stack), 200, "secret values could not be had", "needed by TOKEN", "administrators configure")
	says(t, s.browse(admin, stack), 200, `href="/integrations"`)
}
