package e2e_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"berth/core"
	"berth/core/stacks"
	"berth/core/variables"
	"berth/handlers/api"
	"berth/handlers/endpoint"
	"berth/local/e2e/rig"
	"berth/local/kill"
	"berth/local/stand/githost"
)

// installation is a server in a process of its own, on a database and with a SECRET_KEY of its own.
type installation struct {
	*kill.Site
	t    *testing.T
	host kill.Folder
}

func newInstallation(t *testing.T) *installation {
	t.Helper()
	s := kill.New(t)
	s.RunServer()
	s.SetUp()
	return &installation{s, t, kill.Folder{T: t, Dir: filepath.Join(s.Dir, "engine")}}
}

const configurationPath = "/api/custom/configuration"

// export returns the installation's file.
func (i *installation) export() string {
	i.t.Helper()
	answer := rig.Client{T: i.t, URL: i.URL(), Key: i.Key}.Ask(http.MethodGet, configurationPath, nil)
	if answer.Status != http.StatusOK || answer.Header.Get("Content-Type") != api.ConfigurationMedia {
		i.t.Fatalf("the export answers %d: %s", answer.Status, answer.Body)
	}
	return string(answer.Body)
}

// file sends a file for a plan or to be applied, and reads the answer.
func (i *installation) file(what, file string, want int, into any) {
	i.t.Helper()
	answer := rig.Client{T: i.t, URL: i.URL(), Key: i.Key, Type: api.ConfigurationMedia}.Ask(http.MethodPost, configurationPath+what, file)
	if answer.Status != want {
		i.t.Fatalf("%s answers %d: %s", what, answer.Status, answer.Body)
	}
	if err := json.Unmarshal(answer.Body, into); err != nil {
		i.t.Fatal(err)
	}
}

// apply plans, then does what the plan says.
func (i *installation) apply(file string) (plan api.ConfigurationPlan, report api.ConfigurationReport) {
	i.t.Helper()
	i.file("/plan", file, http.StatusOK, &plan)
	i.file("/apply?fingerprint="+plan.Fingerprint, file, http.StatusOK, &report)
	return plan, report
}

// stack returns a stack by its name.
func (i *installation) stack(name string) (found api.StackAnswer) {
	i.t.Helper()
	var all endpoint.Items[api.StackAnswer]
	i.Must(http.MethodGet, "/api/custom/stacks", nil, &all)
	at := slices.IndexFunc(all.Items, func(s api.StackAnswer) bool { return s.Name == name })
	if at < 0 {
		i.t.Fatalf("there is no stack %s", name)
	}
	return all.Items[at]
}

// runs waits until a stack is active and runs on this installation's host.
func (i *installation) runs(name string) {
	i.t.Helper()
	rig.Until(i.t, patience, "the stack "+name+" runs", func() (bool, string) {
		now := i.stack(name)
		return now.Status == stacks.StatusActive && len(i.host.Runs(name)) == 1, fmt.Sprintf("%+v", now)
	})
}

// The secrets that the first installation has.
var secretsOfTheFirst = []string{"canary-of-a-stack", "canary-of-all", "canary-of-a-job", "canary-of-a-key", "canary-of-vault"}

// furnish gives an installation something of every kind; its stacks run.
func (i *installation) furnish(web, blog string) {
	i.t.Helper()
	const repository = "shop"
	if err := i.Git.Create(repository); err != nil {
		i.t.Fatal(err)
	}
	compose := "services:\n  app:\n    image: none\n    command: [sleep, \"3600\"]\n    environment: [TOKEN, GREETING]\n"
	job := "name: nightly\nimage: none\ncommand: ['10', '1', '0']\nnetwork: none\nresources: {cpu: 1, memory: 32m, timeout: 5m}\n"
	if _, err := i.Git.Apply(repository, "main", githost.Change{Files: map[string]string{"web/compose.yaml": compose, "blog/compose.yaml": compose, "jobs/nightly/job.yaml": job}}); err != nil {
		i.t.Fatal(err)
	}
	var worker endpoint.Items[api.WorkerAnswer]
	i.Must(http.MethodGet, "/api/custom/workers", nil, &worker)
	var key api.RepositoryKeyAnswer
	i.Must(http.MethodPost, "/api/custom/repository-keys", api.CreateRepositoryKeyRequest{Name: "bot", Type: "basic", Host: "git.example.com", Username: "bot", Password: "canary-of-a-key"}, &key)
	i.Must(http.MethodPut, "/api/custom/repository-keys/hosts", api.AcceptSSHHostRequest{Host: "ssh.example.com", Port: 22,
		Keys: []api.AcceptedHostKey{{Type: "ssh-ed25519", Key: "AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f"}}}, nil)
	var shop api.RepositoryAnswer
	i.Must(http.MethodPost, "/api/custom/repositories", api.CreateRepositoryRequest{Name: repository, URL: i.GitURL + i.Git.Path(repository), Branch: "main"}, &shop)
	i.Must(http.MethodPost, "/api/custom/repositories/"+string(shop.ID)+"/webhook/secret", nil, nil)
	on := true
	i.Must(http.MethodPut, "/api/custom/integrations/vault", api.SaveIntegrationRequest{Enabled: &on, Settings: map[string]string{"address": "https://vault.example.com:8200", "token": "canary-of-vault"}}, nil)
	i.Must(http.MethodPut, "/api/custom/policy", api.PolicyRules{Allow: api.PolicyLists{Images: []string{"none", "ghcr.io/acme/**"}}, Block: api.PolicyBlocks{Privileged: true}}, nil)
	var account api.ServiceAccount
	i.Must(http.MethodPost, "/api/custom/service-accounts", api.ServiceAccountRequest{Name: "scraper", Role: "monitoring"}, &account)

	var first, second api.CreateStackAnswer
	i.Must(http.MethodPost, "/api/custom/stacks", api.CreateStackRequest{Name: web, RepositoryID: shop.ID, Path: "web", WorkerID: worker.Items[0].ID}, &first)
	i.Must(http.MethodPost, "/api/custom/stacks", api.CreateStackRequest{Name: blog, RepositoryID: shop.ID, Path: "blog"}, &second)
	var nightly api.JobAnswer
	i.Must(http.MethodPost, "/api/custom/jobs", api.CreateJobRequest{Name: "nightly", RepositoryID: shop.ID, Path: "jobs/nightly"}, &nightly)
	i.variable(variables.ScopeStack, string(first.ID), "TOKEN", "canary-of-a-stack", true)
	i.variable(variables.ScopeStack, string(first.ID), "GREETING", "two\nlines 'quoted'\n", false)
	i.variable(variables.ScopeJob, string(nightly.ID), "KEY", "canary-of-a-job", true)
	all := i.variable(variables.ScopeGlobal, "", "TOKEN", "canary-of-all", true)
	i.Must(http.MethodPut, "/api/custom/stacks/"+string(second.ID)+"/global-variables", map[string]any{"ids": []core.VariableID{all}}, nil)
	i.runs(web)
	i.runs(blog)
}

func (i *installation) variable(scope variables.Scope, of, name, value string, secret bool) core.VariableID {
	i.t.Helper()
	var made api.VariableAnswer
	i.Must(http.MethodPost, "/api/custom/variables", api.CreateVariableRequest{Scope: scope, ScopeID: of, Name: name, Value: value, Secret: secret}, &made)
	return made.ID
}

// give gives what no file can bring, to whatever asks for it.
func (i *installation) give(web string) {
	i.t.Helper()
	stack := i.stack(web)
	var job endpoint.Items[api.JobAnswer]
	i.Must(http.MethodGet, "/api/custom/jobs", nil, &job)
	for _, scope := range []string{"?scope=global", "?scope=stack&scope_id=" + string(stack.ID), "?scope=job&scope_id=" + string(job.Items[0].ID)} {
		var all endpoint.Items[api.VariableAnswer]
		i.Must(http.MethodGet, "/api/custom/variables"+scope, nil, &all)
		for _, v := range all.Items {
			if v.Secret && !v.HasValue {
				i.Must(http.MethodPatch, "/api/custom/variables/"+string(v.ID), map[string]string{"value": "given-here"}, nil)
			}
		}
	}
	on := true
	i.Must(http.MethodPut, "/api/custom/integrations/vault", api.SaveIntegrationRequest{Enabled: &on, Settings: map[string]string{"address": "https://vault.example.com:8200", "token": "given-here"}}, nil)
	var keys endpoint.Items[api.RepositoryKeyAnswer]
	i.Must(http.MethodGet, "/api/custom/repository-keys", nil, &keys)
	i.Must(http.MethodPatch, "/api/custom/repository-keys/"+string(keys.Items[0].ID), api.UpdateRepositoryKeyRequest{Password: "given-here"}, nil)
}

// TestAConfigurationMovesToAnotherServer: what one running server exports is planned and applied on another one, with a
// database, a SECRET_KEY and a worker of its own. It runs there, and what that one exports is the same to the byte.
func TestAConfigurationMovesToAnotherServer(t *testing.T) {
	t.Parallel()
	web, blog := rig.Name(), rig.Name()
	from := newInstallation(t)
	from.RunWorker(from.host)
	from.online()
	from.furnish(web, blog)
	file := from.export()
	for _, secret := range secretsOfTheFirst {
		if strings.Contains(file, secret) {
			t.Errorf("the file holds the secret %s", secret)
		}
	}

	to := newInstallation(t)
	before := to.export()
	var plan api.ConfigurationPlan
	to.file("/plan", file, http.StatusOK, &plan)
	if plan.Changes < 10 || plan.Blocked != 3 { // the worker, and the two stacks that are on it
		t.Errorf("the plan on an empty server: %+v", plan)
	}
	if now := to.export(); now != before {
		t.Errorf("a plan has changed something:\n%s", now)
	}
	var stale struct{ Code string }
	if to.file("/apply?fingerprint=of-another-plan", file, http.StatusConflict, &stale); stale.Code != "configuration.stale" || to.export() != before {
		t.Errorf("what nobody has looked at: %+v", stale)
	}

	_, report := to.apply(file)
	if at := slices.IndexFunc(report.Steps, func(s api.ConfigurationStep) bool { return s.Name == web }); report.Failed != 5 || at < 0 || !strings.Contains(report.Steps[at].Problem, "worker kill is not enrolled here") {
		t.Errorf("without the worker: %+v", report)
	}
	to.RunWorker(to.host)
	to.online()
	if _, report = to.apply(file); report.Failed != 0 || report.Changed != 4 {
		t.Errorf("with the worker: %+v", report)
	}
	to.needs(report.Needs, "integrations  vault", "repository_keys  bot", "stacks stack "+web+" TOKEN", "jobs job nightly KEY", "variables  TOKEN")
	if now := to.export(); now != file {
		t.Errorf("it is exported there as\n%s\nand was\n%s", now, file)
	}

	to.give(web)
	for _, name := range []string{web, blog} {
		to.Must(http.MethodPost, "/api/custom/stacks/"+string(to.stack(name).ID)+"/sync", nil, nil)
		to.runs(name)
	}
	plan, report = to.apply(file)
	if plan.Changes+plan.Blocked+report.Changed+report.Failed+len(plan.Steps) != 0 {
		t.Errorf("the second time it does %+v and %+v", plan, report)
	}
	to.needs(report.Needs)
	if err := to.Server.Stop(); err != nil {
		t.Fatal(err)
	}
	to.RunServer()
	if now := to.export(); now != file {
		t.Errorf("started again and with its secrets, it exports\n%s\nand was\n%s", now, file)
	}
	if plan, report = from.apply(to.export()); plan.Changes+report.Changed+report.Failed+len(report.Needs) != 0 {
		t.Errorf("back where it came from it does %+v and %+v", plan, report)
	}
	from.runs(web)
}

// online waits until the installation's worker is there.
func (i *installation) online() {
	i.t.Helper()
	rig.Until(i.t, patience, "the worker is online", func() (bool, string) {
		var all endpoint.Items[api.WorkerAnswer]
		i.Must(http.MethodGet, "/api/custom/workers", nil, &all)
		return len(all.Items) == 1 && all.Items[0].Online, fmt.Sprintf("%+v", all.Items)
	})
}

// needs checks what no file could bring, in any order.
func (i *installation) needs(got []api.ConfigurationNeed, want ...string) {
	i.t.Helper()
	var lines []string
	for _, n := range got {
		lines = append(lines, n.Section+" "+n.Owner+" "+n.Name)
	}
	slices.Sort(lines)
	slices.Sort(want)
	if !slices.Equal(lines, want) {
		i.t.Errorf("it needs\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}
