package handlers_test

import (
	"path"
	"strings"

	"berth/core"
	"berth/core/access"
	"berth/core/mail"
	"berth/core/stacks"
	"berth/core/wire"
)

func (p *players) playSession() {
	p.play(200, "GET", "/api/custom/setup", "")
	p.play(201, "POST", "/api/custom/setup", `{"bootstrap_token":"`+bootstrapToken+`","email":"admin@example.org","password":"`+password+`","name":"Ada"}`)
	p.play(409, "POST", "/api/custom/setup", `{"bootstrap_token":"`+bootstrapToken+`","email":"other@example.org","password":"`+password+`","name":"Eve"}`)
	p.play(401, "POST", "/api/custom/login", `{"email":"admin@example.org","password":"wrong"}`)
	p.play(200, "POST", "/api/custom/login", `{"email":"admin@example.org","password":"`+password+`"}`)
	u := p.s.user(access.RoleViewer)
	p.session = p.s.session(u)
	p.play(200, "GET", "/api/custom/me", "")
	p.play(200, "PATCH", "/api/custom/me", `{"name":"Ada"}`)
	p.play(422, "PATCH", "/api/custom/me", `{"email":"other@example.org","password":"wrong"}`)
	p.play(204, "PUT", "/api/custom/me/password", `{"password":"`+password+`","new_password":"`+password+`"}`)
	p.play(200, "GET", "/api/custom/me/sessions", "")
	offer := p.play(200, "POST", "/api/custom/me/second-factor/offer", "")
	p.play(422, "PUT", "/api/custom/me/second-factor", `{"secret":"`+offer["secret"].(string)+`","code":"none","password":"`+password+`"}`)
	confirmed := p.play(200, "PUT", "/api/custom/me/second-factor", `{"secret":"`+offer["secret"].(string)+`","code":"`+p.s.code(offer["secret"].(string), 0)+`","password":"`+password+`"}`)
	recovery := confirmed["recovery_codes"].([]any)
	p.play(422, "POST", "/api/custom/me/second-factor/remove", `{"code":"000","password":"`+password+`"}`)
	p.play(204, "POST", "/api/custom/me/second-factor/remove", `{"code":"`+recovery[0].(string)+`","password":"`+password+`"}`)
	p.play(404, "POST", "/api/custom/me/second-factor/remove", `{"code":"123456","password":"`+password+`"}`)
	p.play(200, "GET", "/api/custom/me/sso", "")
	p.play(404, "DELETE", "/api/custom/me/sso", "")
	p.s.must(p.s.store.LinkProvider(p.t.Context(), u.Principal(""), providerIssuer, "played"))
	p.play(200, "GET", "/api/custom/me/sso", "")
	p.play(204, "DELETE", "/api/custom/me/sso", "")
	p.play(404, "DELETE", "/api/custom/me/sessions/ses_00000000000000000000000000", "")
	p.named["session"], _, _ = strings.Cut(p.s.session(u), ".")
	p.play(204, "DELETE", "/api/custom/me/sessions/{session}", "")
	p.play(204, "POST", "/api/custom/logout", "")
	p.session = ""
	p.named["user"] = string(u.ID)
}

// tokenOf is the end of the link that an answer shows.
func tokenOf(answer map[string]any) string { return path.Base(answer["link"].(string)) }

func (p *players) playPeople() {
	p.play(200, "GET", "/api/custom/me", "")
	p.play(200, "GET", "/api/custom/users", "")
	invited := p.play(201, "POST", "/api/custom/users/invite", `{"email":"bob@example.org","role":"operator"}`)
	p.play(409, "POST", "/api/custom/users/invite", `{"email":"admin@example.org","role":"operator"}`)
	p.play(200, "GET", "/api/custom/invites", "")
	p.play(422, "POST", "/api/custom/invites/"+tokenOf(invited)+"/accept", `{"name":"Bob","password":"short"}`)
	p.play(201, "POST", "/api/custom/invites/"+tokenOf(invited)+"/accept", `{"name":"Bob","password":"`+password+`"}`)
	p.play(404, "POST", "/api/custom/invites/"+tokenOf(invited)+"/accept", `{"name":"Bob","password":"`+password+`"}`)
	p.named["invitation"] = p.play(201, "POST", "/api/custom/users/invite", `{"email":"eve@example.org","role":"viewer"}`)["id"].(string)
	p.play(204, "DELETE", "/api/custom/invites/{invitation}", "")
	p.play(404, "DELETE", "/api/custom/users/{user}/second-factor", "")
	guarded := p.s.user(access.RoleViewer)
	p.s.guard(guarded)
	p.play(204, "DELETE", "/api/custom/users/"+string(guarded.ID)+"/second-factor", "")
	reset := p.play(201, "POST", "/api/custom/users/{user}/reset", "")
	p.play(409, "POST", "/api/custom/resets", `{"email":"admin@example.org"}`)
	p.play(422, "POST", "/api/custom/resets/"+tokenOf(reset), `{"password":"short"}`)
	p.play(204, "POST", "/api/custom/resets/"+tokenOf(reset), `{"password":"`+password+`"}`)
	p.play(200, "PATCH", "/api/custom/users/{user}", `{"role":"operator","disabled":true}`)
	p.name("account", "POST", "/api/custom/service-accounts", `{"name":"deployer","role":"operator"}`)
	p.play(409, "POST", "/api/custom/service-accounts", `{"name":"deployer","role":"operator"}`)
	p.name("key", "POST", "/api/custom/service-accounts/{account}/keys", `{"name":"ci","expires_at":"2100-01-01T00:00:00Z"}`)
	p.play(201, "POST", "/api/custom/service-accounts/{account}/keys", `{"name":"for ever","expires_at":null}`)
	p.play(409, "POST", "/api/custom/service-accounts/{account}/keys/{key}/rotate", `{"overlap":"1h"}`) // it was rotated by the play without the optional fields
	p.name("key", "POST", "/api/custom/service-accounts/{account}/keys", `{"name":"rotated","expires_at":null}`)
	p.play(201, "POST", "/api/custom/service-accounts/{account}/keys/{key}/rotate", "")
	p.play(422, "POST", "/api/custom/service-accounts/{account}/keys/{key}/rotate", `{"overlap":"a day"}`)
	p.play(200, "GET", "/api/custom/service-accounts?limit=2", "")
	p.play(200, "PATCH", "/api/custom/service-accounts/{account}", `{"name":"robot","role":"viewer","disabled":false}`)
}

func (p *players) playRepositories() {
	const address = "https://git.example.com/team/app"
	p.s.git.Commit(address, "main", map[string]string{"web/compose.yaml": "services: {}\n", "job.yaml": "name: x\n"})
	p.name("credential", "POST", keysPath, `{"name":"git","type":"basic","host":"git.example.com","username":"deploy","password":"x"}`)
	p.play(200, "POST", keysPath+"/test", `{"url":"`+address+`","credential_id":"{credential}"}`)
	p.play(404, "POST", keysPath+"/test", `{"url":"`+address+`","credential_id":"cred_none"}`)
	p.s.sshHosts = sshHosts{"git.example.com:22": oneHostKey}
	p.name("ssh key", "POST", keysPath, `{"name":"deploy key","type":"ssh","host":"git.example.com","generate":true}`)
	p.play(422, "POST", keysPath, `{"name":"another","type":"ssh","host":"git.example.com","private_key":"ssh-ed25519 AAAA"}`)
	p.play(200, "GET", keysPath+"/{ssh key}", "")
	p.play(200, "PATCH", keysPath+"/{ssh key}", `{"name":"deploy","generate":true}`)
	p.play(200, "PATCH", keysPath+"/{credential}", `{"password":"y"}`)
	p.play(422, "PATCH", keysPath+"/{credential}", `{"generate":true}`)
	p.play(200, "POST", keysPath+"/keyscan", `{"host":"Git.example.com","port":22}`)
	p.play(422, "POST", keysPath+"/keyscan", `{"host":"git.example.com","port":70000}`)
	p.play(200, "PUT", keysPath+"/hosts", `{"host":"git.example.com","port":22,"keys":[{"type":"ssh-ed25519","key":"`+oneHostKey+`"}]}`)
	p.play(200, "GET", keysPath+"/hosts", "")
	p.play(204, "DELETE", keysPath+"/hosts/git.example.com:22", "")
	p.name("repository", "POST", repositoriesPath, `{"name":"app","url":"`+address+`","branch":"main","credential_id":"{credential}"}`)
	p.play(422, "POST", repositoriesPath, `{"name":"other","url":"`+address+`","credential_id":"cred_none"}`)
	p.play(200, "PATCH", repositoriesPath+"/{repository}", `{"semver":"^1.2"}`)
	p.play(422, "PATCH", repositoriesPath+"/{repository}", `{"semver":"newest"}`)
	p.play(422, "PATCH", repositoriesPath+"/{repository}", `{"tag":"live","branch":"main"}`)
	p.play(200, "PATCH", repositoriesPath+"/{repository}", `{"branch":"main"}`)
	for _, part := range []string{"/commits", "/files", "/discover"} {
		p.play(409, "GET", repositoriesPath+"/{repository}"+part, "")
	}
	p.s.look(p.named["repository"])
	p.play(200, "GET", keysPath, "")
	p.play(200, "GET", repositoriesPath, "")
	p.play(200, "GET", repositoriesPath+"/{repository}", "")
	p.play(200, "PATCH", repositoriesPath+"/{repository}", `{"name":"shop"}`)
	p.play(200, "GET", repositoriesPath+"/{repository}/events", "")
	p.play(422, "PATCH", repositoriesPath+"/{repository}", `{"follow":{"what":"stacks","folders":"a//b"}}`)
	p.play(422, "PATCH", repositoriesPath+"/{repository}", `{"follow":{"what":"stacks","worker_id":"wrk_none"}}`)
	p.play(200, "PATCH", repositoriesPath+"/{repository}", `{"follow":{"what":"stacks_and_jobs","folders":"apps/*","worker_tags":["eu"]}}`)
	p.play(200, "GET", repositoriesPath+"/{repository}/follow", "")
	p.play(422, "PATCH", repositoriesPath+"/{repository}", `{"commit_statuses":"svn"}`)
	p.play(200, "PATCH", repositoriesPath+"/{repository}", `{"commit_statuses":"gitea"}`)
	p.play(200, "PATCH", repositoriesPath+"/{repository}", `{"commit_statuses":"off"}`)
	p.play(202, "POST", repositoriesPath+"/{repository}/sync", "")
	p.play(200, "GET", repositoriesPath+"/{repository}/commits", "")
	p.play(200, "GET", repositoriesPath+"/{repository}/files", "")
	p.play(200, "GET", repositoriesPath+"/{repository}/files?path=web/compose.yaml", "")
	p.play(404, "GET", repositoriesPath+"/{repository}/files?path=none", "")
	p.play(200, "GET", repositoriesPath+"/{repository}/discover", "")
	p.play(422, "POST", repositoriesPath+"/{repository}/add", `{"items":[]}`)
	p.play(200, "POST", repositoriesPath+"/{repository}/add", `{"items":[{"path":"web","kind":"stack","name":"Not A Name"}]}`)
	p.play(200, "POST", repositoriesPath+"/{repository}/sops-encrypt", `{"values":{"TOKEN":"x"}}`)
	p.play(422, "POST", repositoriesPath+"/{repository}/sops-encrypt", `{"values":{"1":"x"}}`)
	p.play(200, "POST", repositoriesPath+"/{repository}/sops-rotate-key", "")
}

func (p *players) playIntegrations() {
	const all = "/api/custom/integrations"
	p.play(200, "GET", all, "")
	p.play(200, "GET", all+"/sops", "")
	p.play(404, "GET", all+"/consul", "")
	p.play(409, "GET", all+"/vault/mounts", "")
	p.play(422, "PUT", all+"/vault", `{"enabled":true,"settings":{"address":"vault","mount":"x"}}`)
	p.play(409, "PUT", all+"/sops", `{"enabled":false}`)
	p.play(200, "PUT", all+"/vault", `{"enabled":true,"settings":{"address":"http://vault:8200","token":"refused"}}`)
	p.play(200, "POST", all+"/vault/test", "")
	p.play(200, "PUT", all+"/manager", `{"enabled":true,"settings":{"client_id":"a","client_secret":"b"}}`)
	p.play(200, "POST", all+"/manager/test", "")
	p.play(200, "PUT", all+"/s3", `{"enabled":false,"settings":{"endpoint":"http://127.0.0.1:1","bucket":"berth"}}`)
	p.play(200, "GET", all+"/vault/mounts", "")
	p.play(200, "GET", all+"/vault/paths?mount=kv&prefix=team/", "")
	p.play(422, "GET", all+"/vault/fields?mount=kv", "")
	p.play(200, "GET", all+"/vault/fields?mount=kv&path=team/db", "")
	p.play(200, "PUT", all+"/slack-ops", `{"enabled":true,"settings":{"webhook_url":"https://hooks.example.com/x","events":"worker_away"}}`)
	p.play(204, "DELETE", all+"/slack-ops", "")
	p.play(404, "DELETE", all+"/slack-ops", "")
	p.play(409, "DELETE", all+"/vault", "")
	p.play(200, "GET", all+"/manager/projects", "")
	p.play(200, "GET", all+"/manager/environments?project=p", "")
	p.play(200, "GET", all+"/manager/secrets?project=p&environment=dev&path=/app", "")
}

func (p *players) playAudit() {
	const all = "/api/custom/audit-events"
	p.play(200, "GET", all+"?result=done&limit=3", "")
	p.play(422, "GET", all+"?from=yesterday", "")
	p.play(200, "GET", all+"/export?action=session.open", "")
	p.play(422, "GET", all+"/export?to=today", "")
}

func (p *players) playBackups() {
	const all = "/api/custom/backups"
	p.named["backup"] = p.play(201, "POST", all, "")["name"].(string)
	p.play(200, "GET", all, "")
	p.play(200, "GET", all+"/{backup}", "")
	p.play(404, "GET", all+"/other", "")
	p.named["brought"] = p.bring(201, "an archive")
	p.bring(422, "something else")
	p.bring(413, "an archive "+strings.Repeat("x", backupLimit))
	p.play(200, "POST", all+"/rehearse", "")
	p.play(200, "GET", all, "")
	p.play(200, "GET", all+"/database", "")
	p.play(200, "POST", all+"/{backup}/fetch", "")
	p.play(404, "POST", all+"/other/fetch", "")
	p.play(202, "POST", all+"/{backup}/restore", "")
	p.play(404, "POST", all+"/other/restore", "")
	p.play(204, "DELETE", all+"/{brought}", "")
}

func (p *players) playKeys() {
	p.play(200, "GET", "/api/custom/keys", "")
	p.play(202, "POST", "/api/custom/keys/rotate", "")
	p.play(409, "POST", "/api/custom/keys/rotate", "")
	p.s.renew()
	p.play(200, "GET", "/api/custom/keys", "")
}

func (p *players) playMail() {
	const root = "/api/custom/settings/email"
	p.play(409, "POST", root+"/test", `{"to":"ada@example.org"}`)
	p.s.must(p.s.store.SetMailSetup(p.t.Context(), mail.Setup{Host: "mail.example.org", Port: 587, Security: mail.Offered, Sender: "berth@example.org"}))
	p.play(200, "GET", root, "")
	p.play(202, "POST", root+"/test", `{"to":"ada@example.org"}`)
	p.play(422, "POST", root+"/test", `{"to":"ada"}`)
	p.play(204, "POST", "/api/custom/resets", `{"email":"nobody@example.org"}`)
	p.play(422, "POST", "/api/custom/resets", `{"email":"nobody"}`)
	p.play(200, "GET", root+"/messages", "")
}

func (p *players) playWorkers() {
	p.play(201, "POST", "/api/custom/workers/tokens", `{"name":"web","expires_in":3600}`)
	w := p.s.worker("web-1", "eu")
	p.named["worker"] = string(w.ID)
	_, err := p.s.desk().Connected(p.t.Context(), w.ID, wire.Hello{Version: "1.1", Hostname: "web-1", OS: "linux", Arch: "amd64"})
	p.s.must(err)
	p.play(200, "GET", "/api/custom/about", "")
	p.play(200, "GET", "/api/custom/workers?online=true", "")
	p.playPolicy()
	p.play(200, "GET", "/api/custom/workers/{worker}", "")
	p.play(200, "GET", "/api/custom/workers/{worker}/readings", "")
	p.named["other worker"] = string(p.s.worker("web-2").ID)
	p.play(200, "POST", "/api/custom/workers/{other worker}/revoke", "")
}

func (p *players) playPolicy() {
	p.play(200, "POST", "/api/custom/lint", `{"files":{"compose.yaml":"services: {web: {image: nginx}}\n"},"variables":{"A":"1"}}`)
	p.play(200, "POST", "/api/custom/lint", `{"repository_id":"{repository}","path":"web"}`)
	p.play(422, "POST", "/api/custom/lint", `{"files":{}}`)
	const rules = `{"allow":{"images":["ghcr.io/acme/**"],"volumes":[]},"block":{"privileged":true,"ports":["22"]}}`
	for _, path := range []string{"/api/custom/policy", "/api/custom/workers/{worker}/policy"} {
		p.play(200, "POST", path+"/plan", rules)
		p.play(422, "POST", path+"/plan", `{"allow":{"bind_mounts":["srv"]},"block":{}}`)
		p.play(200, "PUT", path, rules)
		p.play(422, "PUT", path, `{"allow":{"images":["Not/An Image"]},"block":{"ports":["0"]}}`)
		p.play(200, "GET", path, "")
	}
	p.play(204, "DELETE", "/api/custom/workers/{worker}/policy", "")
	p.play(200, "PUT", "/api/custom/policy", `{"allow":{},"block":{}}`)
}

func (p *players) playStacks() {
	p.name("lazy", "POST", "/api/custom/stacks", `{"name":"lazy","repository_id":"{repository}","worker_tags":["eu"],"auto_sync":false}`)
	answer := p.name("stack", "POST", "/api/custom/stacks", `{"name":"web","repository_id":"{repository}","path":"web","worker_id":"{worker}"}`)
	p.named["deployment"] = answer["deployment_id"].(string)
	p.play(409, "POST", "/api/custom/stacks", `{"name":"web","repository_id":"{repository}"}`)
	p.play(200, "PATCH", "/api/custom/stacks/{lazy}", `{"worker_tags":[],"path":"."}`)
	p.play(202, "POST", "/api/custom/stacks/{lazy}/redeploy", `{"recreate_containers":true}`)
	cancelled := p.play(202, "POST", "/api/custom/deployments/"+p.play(202, "POST", "/api/custom/stacks/{lazy}/sync", "")["id"].(string)+"/cancel", "")
	if cancelled["state"] != "cancelled" || cancelled["cancelled_by"] == "" || cancelled["attempt"] != 1.0 || cancelled["retry_of"] != "" {
		p.t.Errorf("the cancelled deployment is %v", cancelled)
	}
	p.play(200, "GET", "/api/custom/stacks/{stack}", "")
}

// deploy does what the hub and a worker do with the deployment that waits.
func (p *players) deploy() {
	s, ctx, now := p.s, p.t.Context(), p.s.now()
	stack, deployment, worker := core.StackID(p.named["stack"]), core.DeploymentID(p.named["deployment"]), core.WorkerID(p.named["worker"])
	_, err := s.store.StartDeployment(ctx, deployment)
	s.must(err)
	p.play(200, "GET", "/api/custom/deployments/{deployment}", "")
	phases := stacks.SetPhase(nil, stacks.PhaseFetch, stacks.PhaseSucceeded, "one commit", now)
	commit := core.Commit(strings.Repeat("a", 40))
	_, err = s.store.Dispatch(ctx, stacks.Revision{Stack: stack, Commit: commit, Digest: "d1", Manifest: stacks.DefaultManifest(), CreatedAt: now,
		Services: []core.ComposeService{{Name: "app", Image: "app:1", Variables: []string{"TOKEN"}, Scale: 1}, {Name: "init", Scale: 1}}, Content: []core.Content{{Digest: "c1", Source: "web/site"}},
		Variables: []stacks.Fingerprint{{Name: "TOKEN", Fingerprint: "f"}}},
		stacks.Command{ID: core.CommandID(core.NewID(core.PrefixCommand, now)), Attempt: 1, Worker: worker, Kind: stacks.CommandDeploy, Stack: stack, Deployment: deployment,
			State: stacks.CommandQueued, Body: stacks.CommandBody{Project: "web", Seconds: 60}, CreatedAt: now},
		stacks.Progress{Deployment: deployment, Commit: commit, Tree: "t1", Worker: worker, Phases: phases},
		[]stacks.LogLine{{Deployment: deployment, Number: 1, At: now, Text: "pulled\n"}})
	s.must(err)
	_, err = s.store.EndDeployment(ctx, stacks.Outcome{Deployment: deployment, State: stacks.DeploymentSucceeded, Phases: phases, At: now,
		Containers: []stacks.ContainerState{{Service: "app", Container: "web-app-1", ContainerID: "c", Image: "app:1", State: "running", StartedAt: now, Ports: []string{"80->80/tcp"}, Revision: 1},
			{Service: "init", Container: "web-init-1", State: "exited"}}}, nil)
	s.must(err)
}

func (p *players) playDeployed() {
	const stack = "/api/custom/stacks/{stack}"
	p.play(200, "GET", "/api/custom/stacks", "")
	p.play(200, "GET", stack, "")
	p.play(409, "PATCH", stack, `{"name":"renamed"}`)
	for _, part := range []string{"/services", "/services/app/logs", "/services/app/logs?timestamps=true", "/usage", "/sops-env-vars", "/plan", "/revisions", "/revisions/1", "/revisions/1/diff", "/revisions/1/diff?with=1", "/revisions/1/diff?with=1&of=source", "/decisions", "/deployments"} {
		p.play(200, "GET", stack+part, "")
	}
	for _, act := range []string{"start", "stop", "restart"} {
		p.play(204, "POST", stack+"/services/app/"+act, "")
	}
	p.play(404, "GET", stack+"/revisions/2", "")
	p.play(404, "GET", stack+"/revisions/2/diff", "")
	p.play(422, "GET", stack+"/revisions/1/diff?with=x", "")
	p.play(422, "GET", stack+"/revisions/1/diff?of=x", "")
	p.play(200, "GET", "/api/custom/deployments/{deployment}?wait=1s", "")
	p.play(200, "GET", "/api/custom/deployments/{deployment}/log", "")
	p.play(200, "GET", "/api/custom/deployments/{deployment}/stream", "")
	p.play(409, "POST", "/api/custom/deployments/{deployment}/cancel", "")
	p.play(200, "GET", "/api/custom/events?for=0s", "")
	p.play(422, "GET", "/api/custom/events?for=1h", "")
}

// playHealing plays what people do about a stack that is not as it should be.
func (p *players) playHealing() {
	const stack = "/api/custom/stacks/{stack}"
	p.play(200, "POST", stack+"/pause", "")
	p.play(200, "POST", stack+"/resume", "")
	p.play(422, "POST", stack+"/rollback", `{"revision":0}`)
	p.play(404, "POST", stack+"/rollback", `{"revision":99}`)
	p.play(202, "POST", stack+"/rollback", `{"revision":1}`)
	p.named["third worker"] = string(p.s.worker("web-3").ID)
	p.play(422, "POST", stack+"/transfer", `{"worker_id":"{worker}"}`)
	p.play(202, "POST", stack+"/transfer", `{"worker_id":"{third worker}"}`)
	p.s.exec(`UPDATE stacks SET quarantine = ?, drift = ?, drifted = 1, retry_at = 1, heal_at = 1 WHERE name = 'web'`,
		`{"tree":"t1","commit":"c1","revision":2,"deployment":"dep_1","reason":"it failed"}`, `[{"service":"app","kind":"missing","text":"compose service app has no container"}]`)
	p.s.exec(`UPDATE deployments SET restore = ?, failed_service = 'app', failed_lines = 'panic' WHERE id = ?`, `{"revision":1,"state":"failed","error":"no space"}`, p.named["deployment"])
	p.tells(stack, "quarantine", "drift", "retry_at", "heal_at")
	p.tells("/api/custom/deployments/{deployment}", "restore", "aim", "options")
}

// tells demands that an answer has these parts.
func (p *players) tells(path string, parts ...string) {
	p.t.Helper()
	answer := p.play(200, "GET", path, "")
	for _, part := range parts {
		if answer[part] == nil {
			p.t.Errorf("%s does not tell %s: %v", path, part, answer)
		}
	}
}

func (p *players) playVariables() {
	const all = "/api/custom/variables"
	p.name("plain", "POST", all, `{"scope":"global","name":"REGION","value":"eu"}`)
	p.name("secret", "POST", all, `{"scope":"stack","scope_id":"{stack}","name":"TOKEN","value":"x","secret":true,"secret_provider":"internal"}`)
	p.play(422, "POST", all, `{"scope":"stack","scope_id":"{stack}","name":"LATER","secret":true,"secret_provider":"vault","reference":"a/b#c"}`)
	p.play(200, "PATCH", all+"/{plain}", `{"value":""}`)
	p.play(200, "POST", all+"/import", `{"scope":"stack","scope_id":"{stack}","text":"A=1\nB=2\n","secret":false}`)
	p.play(200, "GET", all, "")
	p.play(200, "GET", all+"/export?scope=stack&scope_id={stack}", "")
	p.play(200, "PUT", "/api/custom/stacks/{stack}/global-variables", `{"ids":["{plain}"]}`)
	p.play(200, "GET", "/api/custom/stacks/{stack}/global-variables", "")
	p.play(200, "GET", "/api/custom/stacks/{stack}/effective-variables", "")
}

func (p *players) playMachines() {
	p.s.board().Workers.Connected(core.WorkerID(p.named["worker"]), "web-1")
	for _, path := range []string{"/healthz", "/readyz", "/version", "/metrics", "/api/custom/metrics", "/api/custom/metrics/targets", "/api/custom/workers/{worker}/metrics"} {
		p.play(200, "GET", path, "")
	}
	p.play(200, "GET", "/api/custom/openapi.json", "")
	p.playHubs()
}

func (p *players) playDeletions() {
	p.play(409, "DELETE", "/api/custom/workers/{worker}", "")
	p.play(204, "DELETE", "/api/custom/workers/{other worker}", "")
	p.play(204, "DELETE", "/api/custom/variables/{plain}", "")
	p.play(204, "DELETE", jobsPath+"/{idle}", "")
	p.play(202, "DELETE", "/api/custom/stacks/{stack}?teardown=true&volumes=true", "")
	p.play(204, "DELETE", "/api/custom/stacks/{lazy}", "")
	p.play(409, "DELETE", repositoriesPath+"/{repository}", "")
	p.s.exec(`DELETE FROM stacks`)
	p.s.exec(`DELETE FROM jobs`)
	p.play(409, "DELETE", keysPath+"/{credential}", "")
	p.play(204, "DELETE", repositoriesPath+"/{repository}", "")
	p.play(204, "DELETE", keysPath+"/{credential}", "")
	p.play(204, "DELETE", "/api/custom/users/{user}", "")
	p.play(204, "DELETE", "/api/custom/service-accounts/{account}/keys/{key}", "")
	p.play(204, "DELETE", "/api/custom/service-accounts/{account}", "")
}
