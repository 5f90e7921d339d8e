package handlers_test

import (
	"net/http"
	"net/url"
	"path"
	"strings"

	"berth/core/access"
	"berth/handlers/endpoint"
)

// visit is one request of a browser: a page, or a form when there is one.
type visit struct {
	status     int
	path, form string
	made       string // what it leads to is called this from here on; empty: it leads to nothing new
}

// playPages plays every page and every form, while everything is there.
func (p *players) playPages() {
	p.t.Helper()
	p.name("spare key", "POST", keysPath, `{"name":"spare","type":"basic","host":"spare.example.com","username":"deploy","password":"x"}`)
	p.name("spare global", "POST", variablesPath, `{"scope":"global","name":"SPARE","value":"1"}`)
	p.name("spare account", "POST", "/api/custom/service-accounts", `{"name":"spare","role":"viewer"}`)
	p.name("spare account key", "POST", "/api/custom/service-accounts/{spare account}/keys", `{"name":"k","expires_at":null}`)
	fourth := p.s.worker("web-4")
	p.named["fourth worker"], p.named["worker token"] = string(fourth.ID), string(fourth.TokenID)
	p.named["person"] = string(p.s.user(access.RoleViewer).ID)
	p.named["open invitation"] = p.play(201, "POST", "/api/custom/users/invite", `{"email":"open@example.org","role":"viewer"}`)["id"].(string)
	p.named["invited"] = tokenOf(p.play(201, "POST", "/api/custom/users/invite", `{"email":"invited@example.org","role":"admin"}`))
	p.named["reset person"] = string(p.s.user(access.RoleViewer).ID)
	p.named["resetting"] = tokenOf(p.play(201, "POST", "/api/custom/users/{reset person}/reset", ""))
	session, key, own := p.session, p.key, p.s.user(access.RoleAdmin)
	p.named["recovery code"] = p.s.guard(own)
	coded := p.s.user(access.RoleViewer)
	p.named["coded"], p.named["coded recovery"], p.named["ticket"] = coded.Email, p.s.guard(coded), p.s.ticket(coded)
	guarded := p.s.user(access.RoleViewer)
	p.s.guard(guarded)
	p.named["guarded"], p.named["factor secret"] = string(guarded.ID), strings.Repeat("A", 32)
	p.named["factor code"] = p.s.code(p.named["factor secret"], 0)
	p.key, p.session, p.named["own email"] = "", p.s.sessionWith(own, p.s.code(strings.Repeat("A", 32), 0)), own.Email
	p.s.must(p.s.store.LinkProvider(p.t.Context(), own.Principal(""), providerIssuer, "own"))
	for _, v := range pageVisits {
		p.visit(v)
	}
	p.bringByForm()
	p.session, p.key = session, key
}

// visit plays a request of a browser and demands a status.
func (p *players) visit(v visit) {
	p.t.Helper()
	c := call{method: http.MethodGet, path: p.fill(v.path), session: p.session, header: http.Header{"Accept": {"text/html"}}}
	if v.form != "" {
		c.method, c.body = http.MethodPost, p.fill(v.form)
		c.header.Set("Content-Type", "application/x-www-form-urlencoded")
		c.header.Set("Sec-Fetch-Site", "same-origin")
	}
	if p.named["trip"] != "" {
		c.header.Set("Cookie", endpoint.TripCookie+"="+p.named["trip"]+"; "+endpoint.SessionCookie+"="+p.session)
	}
	w := p.s.do(c)
	if to, err := url.Parse(w.Header().Get("Location")); err == nil && tripIn(w).Value != "" {
		p.named["trip"], p.named["state"] = tripIn(w).Value, to.Query().Get("state")
	}
	if p.refusedAway != nil && saysAway(w) {
		return
	}
	if w.Code != v.status {
		p.t.Fatalf("%s %s %s: %d, want %d: %s", c.method, v.path, v.form, w.Code, v.status, w.Body)
	}
	if v.made != "" {
		to, _, _ := strings.Cut(w.Header().Get("Location"), "?")
		p.named[v.made] = path.Base(to)
	}
	if next := sessionIn(w); next != "" {
		p.session = next
	}
}

// pageVisits are played in this order.
var pageVisits = []visit{
	{200, "/", "", ""},
	{303, "/first-steps", "hide=1", ""},
	{303, "/first-steps", "hide=", ""},
	{200, "/assets/x/berth.css", "", ""},
	{200, "/assets/x/berth.js", "", ""},
	{200, "/assets/x/palette.js", "", ""},
	{200, "/design", "", ""},
	{200, "/search", "", ""},
	{200, "/search?q=sync+a", "", ""},
	{404, "/assets/x/nothing", "", ""},
	{303, "/setup", "", ""},
	{409, "/setup", "bootstrap_token=x&email=a@example.org&password=correct+horse+battery", ""},
	{200, "/api/custom/docs", "", ""},
	{200, "/api/custom/docs/style.css", "", ""},

	{200, "/repositories", "", ""},
	{200, "/repositories/new", "", ""},
	{200, "/git-hosts/github/new?key={git key}&organization=acme&repository=acme%2Fshop", "", ""},
	{409, "/git-hosts/gitlab/new", "", ""},
	{303, "/repositories", "name=other&url=https%3A%2F%2Fgit.example.com%2Fteam%2Fapp&branch=main", "other repository"},
	{422, "/repositories", "name=&url=ftp%3A%2F%2Fx", ""},
	{200, "/repositories/{repository}", "", ""},
	{200, "/repositories/{repository}/commits", "", ""},
	{200, "/repositories/{repository}/files", "", ""},
	{303, "/repositories/{repository}/sync", "x=1", ""},
	{200, "/repositories/{repository}/add", "", ""},
	{422, "/repositories/{repository}/add", "x=1", ""},
	{422, "/repositories/{repository}/add", "pick=stack+web&name+stack+web=Not+A+Name", ""},
	{200, "/repositories/{repository}/following", "", ""},
	{422, "/repositories/{repository}/following", "follow.what=stacks&follow.folders=a%2F%2Fb", ""},
	{303, "/repositories/{repository}/following", "follow.what=stacks&follow.folders=apps%2F*&auto_sync=on", ""},
	{200, "/repositories/{repository}/secrets", "", ""},
	{200, "/repositories/{repository}/secrets", "text=TOKEN%3Dx%0AKEY%3D%27a%0Ab%27", ""},
	{422, "/repositories/{repository}/secrets", "text=TOKEN%3D%27x", ""},
	{201, "/repositories/{repository}/webhook/secret", "x=1", ""},
	{303, "/repositories/{repository}/webhook/secret/previous/delete", "x=1", ""},
	{303, "/repositories/{repository}/webhook/deliveries/{delivery}/replay", "x=1", ""},
	{200, "/repositories/{repository}/webhook", "", ""},
	{303, "/repositories/{repository}/webhook/off", "x=1", ""},
	{200, "/repositories/{repository}/rotate-key", "", ""},
	{303, "/repositories/{repository}/rotate-key", "x=1", ""},
	{200, "/repositories/{other repository}/settings", "", ""},
	{303, "/repositories/{other repository}/settings", "name=another&url=https%3A%2F%2Fgit.example.com%2Fteam%2Fapp&branch=main", ""},
	{200, "/repositories/{other repository}/delete", "", ""},
	{303, "/repositories/{repository}/add", "pick=job+jobs%2Fmany&name+job+jobs%2Fmany=many", ""},
	{409, "/repositories/{repository}/delete", "x=1", ""},
	{303, "/repositories/{other repository}/delete", "x=1", ""},
	{200, "/repository-keys", "", ""},
	{200, "/repository-keys/{git key}/delete", "", ""},
	{409, "/repository-keys/{credential}/delete", "x=1", ""},
	{303, "/repository-keys/{spare key}/delete", "x=1", ""},
	{200, "/repository-keys/new", "", ""},
	{303, "/repository-keys", "name=web&kind=basic&host=git.example.com&username=u&password=x", "web key"},
	{422, "/repository-keys", "name=web2&kind=pasted&host=git.example.com&private_key=x", ""},
	{200, "/repository-keys/{web key}", "", ""},
	{303, "/repository-keys/{web key}", "name=web&username=u&password=y", ""},
	{200, "/repository-keys/{web key}/test", "url=https%3A%2F%2Fgit.example.com%2Fteam%2Fapp", ""},
	{200, "/repository-keys/{ssh key}", "", ""},
	{200, "/repository-keys/hosts", "", ""},
	{200, "/repository-keys/hosts/scan", "host=git.example.com&port=22", ""},
	{422, "/repository-keys/hosts/scan", "host=git.example.com&port=0", ""},
	{303, "/repository-keys/hosts", "host=git.example.com&port=22&key=ssh-ed25519+" + oneHostKey, ""},
	{303, "/repository-keys/hosts/forget", "address=git.example.com%3A22", ""},

	{200, "/stacks", "", ""},
	{200, "/stacks?search=w%25b+%26", "", ""},
	{303, "/stacks/new?repository_id={repository}", "", ""},
	{200, "/stacks/new?path=web&repository={repository}", "", ""},
	{303, "/stacks", "repository_id={repository}&path=web&name=third&worker_tags=eu", "third stack"},
	{422, "/stacks", "repository_id={repository}&path=web&name=Not+valid", ""},
	{200, "/stacks/{third stack}/review", "", ""},
	{303, "/stacks/{third stack}/review/variables", "name=NOBODY&value+NOBODY=1", ""},
	{303, "/stacks/{third stack}/review", "auto_sync=on", ""},
	{200, "/stacks/{third stack}/settings", "", ""},
	{303, "/stacks/{third stack}/settings", "name=third&path=web&worker_tags=eu&auto_sync=on", ""},
	{409, "/stacks/{stack}/settings", "name=web&auto_sync=on", ""},
	{303, "/stacks/{third stack}/folder", "path=web", ""},
	{303, "/stacks", "repository_id={repository}&path=web&name=fourth&worker_tags=eu", "fourth stack"},
	{303, "/stacks/{fourth stack}/folder/remove", "x=1", ""},
	{200, "/stacks/{third stack}/delete", "", ""},
	{303, "/stacks/{third stack}/delete", "x=1", ""},
	{200, "/stacks/{stack}", "", ""},
	{303, "/stacks/{stack}/sync", "x=1", ""},
	{200, "/stacks/{stack}/redeploy", "", ""},
	{303, "/stacks/{stack}/redeploy", "recreate_containers=on", ""},
	{200, "/stacks/{stack}/plan", "", ""},
	{200, "/stacks/{stack}/transfer", "", ""},
	{303, "/stacks/{stack}/transfer", "worker_id={third worker}", ""},
	{303, "/stacks/{stack}/pause", "x=1", ""},
	{303, "/stacks/{stack}/resume", "x=1", ""},
	{200, "/stacks/bulk?do=sync&stack={stack}", "", ""},
	{200, "/stacks/bulk?do=pause&all=on&q=w", "", ""},
	{422, "/stacks/bulk?do=burn", "", ""},
	{303, "/stacks/bulk", "do=pause&stack={stack}", ""},
	{303, "/stacks/bulk", "do=resume&stack={stack}&stack=stk_gone", ""},
	{200, "/stacks/bulk/done?do=resume&stack={stack}%3A%3A&stack=stk_gone%3A%3Astack.not_found", "", ""},
	{200, "/stacks/{stack}/variables", "", ""},
	{303, "/stacks/{stack}/variables", "name=COLOUR&value=blue", ""},
	{200, "/stacks/{stack}/variables/new?name=FRESH", "", ""},
	{303, "/stacks/{stack}/variables", "name=FRESH&secret_provider=vault", ""},
	{422, "/stacks/{stack}/variables", "name=1&value=blue", ""},
	{200, "/stacks/{stack}/variables/text", "", ""},
	{422, "/stacks/{stack}/variables/text", "text=A%3D%27x", ""},
	{303, "/stacks/{stack}/variables/text", "text=A%3D1%0D%0ACOLOUR%3D%27red%0D%0A%27", ""},
	{200, "/stacks/{stack}/variables/{secret}", "", ""},
	{303, "/stacks/{stack}/variables/{secret}", "name=TOKEN&value=y&secret=on", ""},
	{303, "/stacks/{stack}/variables/{secret}/delete", "x=1", ""},
	{200, "/stacks/{stack}/services/app/logs", "", ""},
	{200, "/stacks/{stack}/services/app/logs/follow?tail=100", "", ""},
	{200, "/stacks/{stack}/services/app/logs?tail=100&q=a", "", ""},
	{200, "/stacks/{stack}/services/app/logs?times=off", "", ""},
	{200, "/stacks/{stack}/services/app/logs/file", "", ""},
	{200, "/stacks/{stack}/services/app/logs/file?times=off", "", ""},
	{303, "/stacks/{stack}/services/app/start", "x=1", ""},
	{303, "/stacks/{stack}/services/app/stop", "x=1", ""},
	{303, "/stacks/{stack}/services/app/restart", "x=1", ""},
	{200, "/stacks/{stack}/revisions", "", ""},
	{200, "/stacks/{stack}/revisions/1", "", ""},
	{200, "/stacks/{stack}/revisions/1/diff", "", ""},
	{200, "/stacks/{stack}/revisions/1/rollback", "", ""},
	{303, "/stacks/{stack}/revisions/1/rollback", "x=1", "open deployment"},
	{200, "/deployments", "", ""},
	{200, "/deployments/{deployment}", "", ""},
	{200, "/deployments/{deployment}?q=pull&times=clock", "", ""},
	{200, "/deployments/{deployment}/log/file?times=clock", "", ""},
	{409, "/deployments/{deployment}/cancel", "x=1", ""},
	{303, "/deployments/{open deployment}/cancel", "x=1", ""},

	{200, "/jobs", "", ""},
	{200, "/jobs?standing=failing&q=n%25+%26&repository={repository}", "", ""},
	{303, "/jobs/new", "", ""},
	{200, "/jobs/new?path=jobs%2Fa&repository={repository}", "", ""},
	{303, "/jobs", "repository_id={repository}&path=jobs%2Fa&name=spare-job", "spare job"},
	{409, "/jobs", "repository_id={repository}&path=jobs%2Fb&name=spare-job", ""},
	{422, "/jobs", "repository_id={repository}&path=..%2Fup&name=Not+valid", ""},
	{200, "/jobs/{spare job}", "", ""},
	{200, "/jobs/{spare job}/settings", "", ""},
	{303, "/jobs/{spare job}/settings", "name=spare&path=jobs%2Fc", ""},
	{409, "/jobs/{spare job}/settings", "name=nightly-work&path=jobs%2Fc", ""},
	{409, "/jobs/{spare job}/run", "x=1", ""},
	{303, "/jobs/{spare job}/folder", "path=jobs%2Fc", ""},
	{303, "/jobs", "repository_id={repository}&path=jobs%2Fb&name=fourth-job", "fourth job"},
	{303, "/jobs/{fourth job}/folder/remove", "x=1", ""},
	{200, "/jobs/{spare job}/delete", "", ""},
	{303, "/jobs/{spare job}/delete", "x=1", ""},
	{409, "/jobs/{job}/delete", "x=1", ""},
	{200, "/jobs/{job}", "", ""},
	{303, "/jobs/{job}/pause", "x=1", ""},
	{303, "/jobs/{job}/resume", "x=1", ""},
	{200, "/jobs/{job}/run", "", ""},
	{422, "/jobs/{job}/run", "text=A%3D%27x", ""},
	{303, "/jobs/{job}/run", "text=LEVEL%3Ddebug", "asked run"},
	{200, "/jobs/{job}/variables", "", ""},
	{303, "/jobs/{job}/variables", "name=COLOUR&value=blue", ""},
	{422, "/jobs/{job}/variables", "name=1&value=blue", ""},
	{200, "/jobs/{job}/variables/new?name=FRESH", "", ""},
	{200, "/jobs/{job}/variables/text", "", ""},
	{303, "/jobs/{job}/variables/text", "text=A%3D1%0D%0A", ""},
	{200, "/jobs/{job}/variables/{job variable}", "", ""},
	{303, "/jobs/{job}/variables/{job variable}", "name=KEEP_DAYS&value=7", ""},
	{303, "/jobs/{job}/variables/{job variable}/delete", "x=1", ""},
	{303, "/jobs/{job}/global-variables", "variable-{spare global}=on", ""},
	{200, "/job-runs", "", ""},
	{200, "/job-runs?job={job}", "", ""},
	{200, "/job-runs/{run}", "", ""},
	{200, "/job-runs/{run}/log/file", "", ""},
	{200, "/job-runs/{asked run}", "", ""},
	{303, "/job-runs/{asked run}/cancel", "x=1", ""},
	{409, "/job-runs/{run}/cancel", "x=1", ""},

	{200, "/workers", "", ""},
	{200, "/workers/new", "", ""},
	{200, "/workers/{worker}", "", ""},
	{201, "/workers/new", "name=w", ""},
	{200, "/worker-tokens/{worker token}", "", ""},
	{404, "/worker-tokens/wtk_gone", "", ""},
	{200, "/workers/{fourth worker}/revoke", "", ""},
	{303, "/workers/{fourth worker}/revoke", "x=1", ""},
	{200, "/workers/{fourth worker}/delete", "", ""},
	{303, "/workers/{fourth worker}/delete", "x=1", ""},
	{200, "/integrations", "", ""},
	{200, "/integrations/vault", "", ""},
	{200, "/integrations/slack", "", ""},
	{303, "/integrations/new?kind=slack&name=ops", "", ""},
	{422, "/integrations/new?kind=slack&name=Not+One", "", ""},
	{303, "/integrations/slack-ops", "enabled=on&settings.webhook_url=https%3A%2F%2Fhooks.example.com%2Fx", ""},
	{303, "/integrations/slack-ops/delete", "x=1", ""},
	{409, "/integrations/vault/delete", "x=1", ""},
	{404, "/integrations/other", "", ""},
	{409, "/integrations/sops", "enabled=on", ""},
	{422, "/integrations/vault", "enabled=on&settings.address=nowhere", ""},
	{303, "/integrations/vault", "enabled=on&settings.address=https%3A%2F%2Fvault.example.com&settings.token=t", ""},
	{200, "/integrations/vault/test", "x=1", ""},
	{200, "/variables", "", ""},
	{200, "/variables/new?secret_provider=vault&name=HELD", "", ""},
	{200, "/variables/new?secret_provider=vault&mount=kv&path=shop%2Fdb&field=password", "", ""},
	{303, "/variables", "name=HELD&secret_provider=vault&mount=kv&path=shop%2Fdb&field=password", ""},
	{303, "/variables/text", "text=ZONE%3Deurope", ""},
	{200, "/variables/text", "", ""},
	{200, "/variables/{spare global}", "", ""},
	{303, "/variables/{spare global}", "name=SPARE_GLOBAL&value=2", ""},
	{303, "/variables/{spare global}/reach", "stack-{stack}=on&job-{job}=on", ""},
	{200, "/stacks/{stack}/variables", "", ""},
	{303, "/variables/{spare global}/delete", "x=1", ""},
	{200, "/service-accounts", "", ""},
	{303, "/service-accounts", "name=robot+%26+co&role=viewer", ""},
	{200, "/service-accounts/{spare account}", "", ""},
	{303, "/service-accounts/{spare account}", "account_name=spare+two&role=operator&disabled=on", ""},
	{422, "/service-accounts/{spare account}", "account_name=&role=owner", ""},
	{201, "/service-accounts/{spare account}/keys", "name=k2", ""},
	{201, "/service-accounts/{spare account}/keys/{spare account key}/rotate", "overlap=1h", ""},
	{303, "/service-accounts/{spare account}/keys/{spare account key}/delete", "x=1", ""},
	{303, "/service-accounts/{spare account}/delete", "x=1", ""},
	{200, "/about", "", ""},
	{200, "/audit-events", "", ""},
	{200, "/audit-events?actor=ada&action=stack.create&result=done&from=2026-01-01&to=2026-01-31", "", ""},
	{422, "/audit-events?from=yesterday", "", ""},
	{200, "/keys", "", ""},
	{303, "/keys/rotate", "x=1", ""},
	{409, "/keys/rotate", "x=1", ""},
	{200, "/email", "", ""},
	{303, "/email/test", "to=ada@example.org", ""},
	{422, "/email/test", "to=ada", ""},
	{200, "/backups", "", ""},
	{303, "/backups", "x=1", "a backup"},
	{415, "/backups/upload", "x=1", ""},
	{200, "/backups/{a backup}", "", ""},
	{303, "/backups/{a backup}/fetch", "x=1", ""},
	{303, "/backups/rehearse", "x=1", ""},
	{202, "/backups/{a backup}/restore", "x=1", ""},
	{303, "/backups/{a backup}/delete", "x=1", ""},
	{404, "/backups/{a backup}", "", ""},
	{200, "/configuration", "", ""},
	{200, "/configuration/plan", "text=version%3A+1", ""},
	{422, "/configuration/plan", "text=version%3A+2", ""},
	{422, "/configuration/plan", "x=1", ""},
	{200, "/configuration/plan", "prune=on&text=version%3A+1%0Aworkers%3A%0A++-+name%3A+far-away", ""},
	{200, "/configuration/apply", "text=version%3A+1%0Aworkers%3A%0A++-+name%3A+far-away", ""},
	{409, "/configuration/apply", "text=version%3A+1&fingerprint=x", ""},
	{200, "/policy", "", ""},
	{200, "/policy", "do=review&block.privileged=on&allow.images=nginx", ""},
	{422, "/policy", "do=save&allow.bind_mounts=srv", ""},
	{303, "/policy", "do=save&block.latest_tags=on", ""},
	{200, "/workers/{worker}/policy", "", ""},
	{303, "/workers/{worker}/policy", "do=save&block.privileged=on", ""},
	{303, "/workers/{worker}/policy/delete", "x=1", ""},
	{200, "/users", "", ""},
	{200, "/users/{person}", "", ""},
	{303, "/users/{person}", "role=operator", ""},
	{201, "/users/{person}/reset", "x=1", ""},
	{303, "/users/{person}/delete", "x=1", ""},
	{201, "/users/invite", "email=guest@example.org&role=viewer", ""},
	{422, "/users/invite", "email=guest&role=viewer", ""},
	{303, "/users/invites/{open invitation}/delete", "x=1", ""},
	{404, "/invites/nothing", "", ""},
	{200, "/invites/{invited}", "", ""},
	{422, "/invites/{invited}", "name=Guest&password=short", ""},
	{200, "/resets", "", ""},
	{200, "/resets", "email=nobody@example.org", ""},
	{422, "/resets", "email=nobody", ""},
	{404, "/resets/nothing", "", ""},
	{200, "/resets/{resetting}", "", ""},
	{422, "/resets/{resetting}", "password=short", ""},
	{303, "/resets/{resetting}", "password=correct+horse+battery", ""},
	{200, "/profile", "", ""},
	{303, "/profile", "name=Ada&email={own email}", ""},
	{422, "/profile", "name=Ada&email=other@example.org&password=wrong", ""},
	{422, "/profile/password", "password=wrong&new_password=correct+horse+staple", ""},
	{303, "/profile/password", "password=correct+horse+battery&new_password=correct+horse+battery", ""},
	{303, "/profile/sessions/ses_00000000000000000000000000/end", "x=1", ""},
	{200, "/profile/second-factor", "", ""},
	{422, "/profile/second-factor", "secret=x&code=1&password=correct+horse+battery", ""},
	{422, "/profile/second-factor/remove", "code=1&password=wrong", ""},
	{303, "/profile/second-factor/remove", "code={recovery code}&password=correct+horse+battery", ""},
	{201, "/profile/second-factor", "secret={factor secret}&code={factor code}&password=correct+horse+battery", ""},
	{303, "/profile/sso/unlink", "x=1", ""},
	{404, "/profile/sso/unlink", "x=1", ""},
	{422, "/profile/sso/link", "password=wrong", ""},
	{200, "/profile/sso/link", "password=correct+horse+battery", ""},
	{303, "/login/oidc?next=%2Fstacks", "", ""},
	{409, "/login/oidc/callback?state=x&code=y", "", ""},
	{401, "/login/code", "ticket=x&code=1", ""},
	{303, "/users/{guarded}/second-factor", "x=1", ""},
	{303, "/invites/{invited}", "name=Guest&password=correct+horse+battery", ""},

	{404, "/nothing", "", ""},
	{404, "/stacks/", "", ""},
	{404, "/stacks/%2e%2e/users", "", ""},
	{303, "/login?next=%2Fstacks%3Fstatus%3Dactive", "", ""},
	{401, "/login", "email=admin@example.org&password=wrong", ""},
	{303, "/login", "email=admin@example.org&password=correct+horse+battery&next=%2Fstacks", ""},
	{200, "/login", "email={coded}&password=correct+horse+battery", ""},
	{303, "/login/code", "ticket={ticket}&code={coded recovery}", ""},
	{303, "/logout", "x=1", ""},
	{303, "/login/oidc?next=%2Fstacks", "", ""},
	{303, "/login/oidc/callback?state={state}&code=dora", "", ""},
	{303, "/logout", "x=1", ""},
	{200, "/login", "", ""},
	{303, "/users", "", ""},
}
