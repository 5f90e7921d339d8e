package ui

import (
	"context"
	"fmt"
	"net/http/httptest"
	"time"

	"berth/core"
	"berth/core/backups"
	"berth/core/configuration"
	"berth/core/fault"
	"berth/core/integrations"
	"berth/core/keys"
	"berth/core/mail"
	"berth/core/stacks"
	"berth/core/variables"
)

func (sampleStore) Rotation(context.Context, core.StackID) (stacks.Rotation, error) {
	return stacks.Rotation{Stale: []string{"SESSION_KEY"}, Since: before(3 * time.Hour)}, nil
}

// sampleBackends are all enabled, and answer until the store that is asked for is called "away".
type sampleBackends struct{}

func (sampleBackends) Usable(context.Context, string) error { return nil }

func (sampleBackends) Pick(_ context.Context, _ string, s integrations.Step) ([]integrations.Choice, error) {
	if s.Mount == "away" {
		return nil, fault.New(fault.Conflict, "vault.forbidden", "the token may not list what is in away/shop; its policy needs list on away/metadata/shop/")
	}
	choices := []integrations.Choice{{ID: "shop/cache", Name: "cache", Folder: true}, {ID: "shop/database", Name: "database"}, {ID: "shop/mail", Name: "mail"}}
	if s.Mount == "many" {
		for i := range 400 {
			choices = append(choices, integrations.Choice{ID: fmt.Sprint("shop/", i), Name: fmt.Sprint("service-", i)})
		}
	}
	return choices, nil
}

var (
	sampleScope  = scope{owner: variables.OfStack("stk_1"), of: "of shop", href: "/stacks/stk_1/variables", at: inStacks, trail: []crumb{{"Stacks", "/stacks"}, {"shop", "/stacks/stk_1"}}}
	globalSample = scope{owner: variables.Global, of: "for the stacks and jobs that it is bound to", href: "/variables", at: inVariables}
)

// sampleNew is the page that asks for a variable, once so much was chosen.
func sampleNew(p picked) variableNewPage {
	r := visit("admin", "/stacks/stk_1/variables/new")
	page, err := newVariablePage(r, sampleScope, p, sampleBackends{})
	if err == nil && page.Pick.Asks != "" {
		_, err = page.Pick.look(httptest.NewRecorder(), r, p, sampleBackends{})
	}
	if err != nil {
		panic(err)
	}
	page.Form = newVariableForm(sampleScope.owner.Scope, p.name, "", true)
	return page
}

func variableSamples() map[string]sample {
	framedIn := func(s scope, title string) frame { return s.frame(visit("admin", "/"), title, 200) }
	vault := picked{provider: "vault", name: "DATABASE_PASSWORD", mount: "kv", folder: "shop"}
	away, many, whole := vault, vault, vault
	away.mount, many.mount, whole.path, whole.field = "away", "many", "shop/database", "password"
	manager := picked{provider: "manager", project: "1b2c-shop", environment: "prod", folder: "shop", secret: "MAIL_PASSWORD"}
	edit := func(s scope, v variables.Variable) variableEditPage {
		return variableEditPage{Name: v.Name, Of: s.of, Href: "/x", ListHref: s.href, Secret: v.Secret, Global: s.owner == variables.Global, Form: editVariableForm(v, v.Name, v.Value, v.Secret)}
	}
	elsewhere := edit(sampleScope, variables.Variable{Name: "DATABASE_PASSWORD", Secret: true})
	elsewhere.Provider, elsewhere.Place = "Vault", keptAt("vault", "kv/data/shop/database#password")
	global := edit(globalSample, variables.Variable{Name: "TZ", Value: "Europe/Berlin"})
	for i, name := range []string{"auth", "blog", "ci-runners", "grafana", "mail", "shop", "status-page-with-a-long-name"} {
		global.Reach.Stacks.Ticks = append(global.Reach.Stacks.Ticks, tick{Name: "stack-stk_" + name, Label: name, On: i%3 == 0})
	}
	global.Reach.Href, global.Reach.Stacks.Reached = "/x", 3
	global.Reach.Jobs = reachChoice{Ticks: []tick{{Name: "job-job_1", Label: "backup-shop", On: true}}, Reached: 9950, More: true}
	text := variableTextPage{Of: "of shop", Href: "/x", ListHref: "/x", ExportHref: "/x", Text: "LOG_LEVEL=info\n# secret: it stays as it is while this is empty\nTOKEN=\nTLS_CHAIN='-----BEGIN CERTIFICATE-----\nMIIB\n'\nBROKEN='x\n", Secret: tick{Name: "secret", Label: "New names become secrets"}}
	broken := text
	broken.Problems = []string{"Line 7: the quote that begins its value is never closed.", "Line 9: no = was found; write NAME=value, and quote values of several lines."}
	globals := globalVariablesPage{ExportHref: "/x", Lines: []globalLine{{lineSample("SMTP_PASSWORD", "", true), "4 stacks"}, {lineSample("TZ", "Europe/Berlin", false), reaching(variables.Reach{Stacks: 11, Jobs: 1})}, {lineSample("UNUSED", "", false), ""}}}
	s := sampleStack()
	return map[string]sample{
		"about":                   of(aboutView, framed(inAbout, "About"), sampleAbout()),
		"keys":                    of(keysView, framed(inKeys, "Keys"), sampleDataKeys(keys.Pass{})),
		"keys-going":              of(keysView, framed(inKeys, "Keys"), sampleDataKeys(keys.Pass{Key: 2, BeganAt: before(time.Minute), Values: 1234, Renewed: 900})),
		"keys-lost":               of(keysView, framed(inKeys, "Keys"), sampleDataKeys(keys.Pass{Key: 2, BeganAt: before(time.Hour), EndedAt: before(time.Minute), Values: 2000, Renewed: 1999, Lost: 1, Damaged: []string{"variables.sealed of var_1"}})),
		"mail":                    of(mailView, framed(inMail, "E-mail"), sampleMail()),
		"mail-off":                of(mailView, framed(inMail, "E-mail"), newMailPage(mail.Setup{}, nil, nil)),
		"configuration":           of(configurationView, framed(inConfiguration, "Configuration"), configurationPage{}),
		"configuration-invalid":   of(configurationView, framed(inConfiguration, "Configuration"), configurationPage{Trouble: []string{"the file has 2 problems:", "stacks[0].name: line 3: 1 to 63 lower-case letters, digits, - and _", "users: line 8: must be a list"}, Text: "version: 1\n", Prune: true}),
		"configuration-plan":      of(configurationPlanView, framed(inConfiguration, "Plan", configurationTrail), sampleConfigurationPlan(true)),
		"configuration-nothing":   of(configurationPlanView, framed(inConfiguration, "Plan", configurationTrail), planned(configuration.Plan{}, configuration.Ask{})),
		"configuration-done":      of(configurationDoneView, framed(inConfiguration, "Applied", configurationTrail), sampleConfigurationDone(true)),
		"configuration-all-done":  of(configurationDoneView, framed(inConfiguration, "Applied", configurationTrail), sampleConfigurationDone(false)),
		"backup-list":             of(backupListView, framed(inBackups, "Backups"), sampleBackups()),
		"backup-list-none":        of(backupListView, framed(inBackups, "Backups"), backupListPage{Limit: "4 GiB"}),
		"backup-list-elsewhere":   of(backupListView, framed(inBackups, "Backups"), backupListPage{Elsewhere: "This installation keeps everything in PostgreSQL, which has better backups than Berth could make of it.", Database: factsOfDatabase(backups.OfDatabase{Version: "15.8", Archiving: true, Archived: before(time.Hour), Failed: before(time.Minute), Dumps: "/srv/backups", Dump: "berth.dump", Dumped: before(90 * time.Hour), DumpSize: 123456, Program: "pg_dump (PostgreSQL) 15.8", Problem: "The database server fails to archive its log, and there is no recent dump."}, sampleClock)}),
		"backup":                  of(backupView, framed(inBackups, "Backup", crumb{"Backups", "/backups"}), backupPage{sampleBackups().Lines[1], ""}),
		"backup-unusable":         of(backupView, framed(inBackups, "Backup", crumb{"Backups", "/backups"}), backupPage{sampleBackups().Lines[2], "Another backup is being made, uploaded or restored. Try again when it is done."}),
		"backup-restoring":        of(restoringView, framed(inBackups, "Restoring", crumb{"Backups", "/backups"}), restoringPage{"berth-20261120T031700Z-schedule-a1b2c3.backup", "berth-20261122T101500Z-before-restore-d4e5f6.backup"}),
		"integration-list":        of(integrationListView, framed(inIntegrations, "Integrations"), sampleIntegrations()),
		"integration":             of(integrationView, framed(inIntegrations, "Vault", crumb{"Integrations", "/integrations"}), sampleIntegration(true)),
		"integration-new":         of(integrationView, framed(inIntegrations, "Secrets manager", crumb{"Integrations", "/integrations"}), sampleIntegration(false)),
		"integration-target":      of(integrationView, framed(inIntegrations, "Slack", crumb{"Integrations", "/integrations"}), sampleTarget()),
		"integration-locked":      of(integrationView, framed(inIntegrations, "SOPS", crumb{"Integrations", "/integrations"}), newIntegrationPage(integrations.Integration{Declaration: integrations.Declared()[2], Enabled: true}, true, nil)),
		"stack-variables":         of(stackVariablesView, framed(inStacks, "Variables of shop", sampleScope.trail...), sampleVariables(s, true)),
		"stack-variables-unknown": of(stackVariablesView, framed(inStacks, "Variables of shop", sampleScope.trail...), sampleVariables(s, false)),
		"stack-variables-none":    of(stackVariablesView, framed(inStacks, "Variables of shop", sampleScope.trail...), stackVariablesPage{Head: headOf(s, nil, tabVariables), Known: true, New: newVariableForm(variables.ScopeStack, "", "", true)}),
		"variable-new":            of(variableNewView, framedIn(sampleScope, "Add a variable"), sampleNew(picked{name: "MAIL_HOST"})),
		"variable-pick":           of(variableNewView, framedIn(sampleScope, "Add a variable"), sampleNew(vault)),
		"variable-pick-many":      of(variableNewView, framedIn(sampleScope, "Add a variable"), sampleNew(many)),
		"variable-pick-away":      of(variableNewView, framedIn(sampleScope, "Add a variable"), sampleNew(away)),
		"variable-pick-whole":     of(variableNewView, framedIn(sampleScope, "Add a variable"), sampleNew(whole)),
		"variable-pick-manager":   of(variableNewView, framedIn(sampleScope, "Add a variable"), sampleNew(manager)),
		"variable":                of(variableEditView, framedIn(sampleScope, "DATABASE_URL"), edit(sampleScope, variables.Variable{Name: "DATABASE_URL", Value: "postgres://shop@db/shop\nsecond line"})),
		"variable-secret":         of(variableEditView, framedIn(sampleScope, "TOKEN"), edit(sampleScope, variables.Variable{Name: "TOKEN", Secret: true})),
		"variable-elsewhere":      of(variableEditView, framedIn(sampleScope, "DATABASE_PASSWORD"), elsewhere),
		"variable-global":         of(variableEditView, framedIn(globalSample, "TZ"), global),
		"variable-text":           of(variableTextView, framedIn(sampleScope, "Variables as text"), text),
		"variable-text-refused":   of(variableTextView, framedIn(sampleScope, "Variables as text"), broken),
		"variable-list":           of(globalVariablesView, framed(inVariables, "Global variables"), globals),
		"variable-list-none":      of(globalVariablesView, framed(inVariables, "Global variables"), globalVariablesPage{}),
	}
}

func lineSample(name, value string, secret bool) variableLine {
	return variableOf(variables.Variable{ID: "var_1", Name: name, Value: value, Secret: secret, Provider: map[bool]string{true: "internal"}[secret], HasValue: secret || value != "", UpdatedAt: before(40 * time.Hour)}, "/x", sampleNow)
}

func sampleVariables(s stacks.Stack, known bool) stackVariablesPage {
	page := stackVariablesPage{Head: headOf(s, nil, tabVariables), New: newVariableForm(variables.ScopeStack, "", "", true), ExportHref: "/x", Known: known, Reach: known, Names: 6}
	page.Ways, _ = waysOf(visit("admin", "/"), "/stacks/stk_1/variables/new", picked{}, sampleBackends{})
	vault := effectiveLine{Variable: lineSample("DATABASE_PASSWORD", "", true), From: "this stack", Services: []string{"api", "worker"}}
	vault.Variable.Provider = "Vault"
	stale := effectiveLine{Variable: lineSample("SESSION_KEY", "", true), From: "this stack", Services: []string{"api"}, Stale: at(before(3*time.Hour), sampleNow)}
	page.Lines = []effectiveLine{vault,
		{Variable: lineSample("DATABASE_URL", "postgres://shop@db:5432/shop?sslmode=disable&application_name=shop", false), From: "this stack"},
		{Variable: variableLine{Name: "MAIL_PASSWORD", Secret: true}, From: "secrets.yaml", Services: []string{"worker"}},
		{Variable: lineSample("MAIL_PASSWORD", "", true), From: "this stack", Loses: "secrets.yaml"},
		{Variable: lineSample("MAIL_PASSWORD", "", true), From: "global", Loses: "secrets.yaml"},
		stale, {Variable: lineSample("TLS_CHAIN", "-----BEGIN CERTIFICATE-----\nMIIB\n", false), From: "this stack"},
		{Variable: lineSample("TZ", "Europe/Berlin", false), From: "global"}}
	if !known {
		page.Unknown = "No hub runs, so nothing can be asked of workers and repositories. Start one."
		return page
	}
	page.File, page.Missing = "apps/shop/secrets.yaml", []nameLink{{"MAIL_HOST", "/x"}, {"PAYMENT_KEY", "/x"}}
	page.Rotation = rotationOf("/stacks/stk_1", stacks.Rotation{Stale: []string{"SESSION_KEY"}, Since: before(3 * time.Hour)}, sampleNow)
	return page
}

func sampleIntegrationOf(n int) integrations.Integration {
	return integrations.Integration{Declaration: integrations.Declared()[n], Settings: map[string]string{}, Set: map[string]bool{}}
}

func vaultSample() integrations.Integration {
	i := sampleIntegrationOf(0)
	i.Enabled, i.Settings["address"], i.Set["token"], i.UpdatedAt = true, "http://vault.example.com:8200", true, before(40*time.Hour)
	i.Warnings = []string{"Address is http: everybody on the way can read the secrets. Use https."}
	return i
}

func sampleIntegrations() integrationListPage {
	var page integrationListPage
	sops := sampleIntegrationOf(2)
	for _, i := range []integrations.Integration{vaultSample(), sampleIntegrationOf(1), sops} {
		page.add(i.Category, integrationLine{Name: i.Name, Href: integrationHref(i.Slug), Summary: i.Summary, Badge: integrationBadge(i), Warnings: i.Warnings, Changed: at(i.UpdatedAt, sampleNow)})
	}
	return page
}

func sampleIntegration(configured bool) integrationPage {
	i := sampleIntegrationOf(1)
	if configured {
		i = vaultSample()
	}
	page := newIntegrationPage(i, i.Enabled, i.Settings)
	if configured {
		page.Tried = note{"bad", "cross", "The test failed: The server refuses the token. Make a new one and enter it here."}
	} else {
		page.Fields[1].Problem = "Is required to enable Secrets manager."
	}
	return page
}

func sampleTarget() integrationPage {
	i := sampleIntegrationOf(5)
	i.UpdatedAt, i.Enabled, i.Set["webhook_url"], i.Settings["stacks"] = before(time.Hour), true, true, "web, blog"
	page := newIntegrationPage(i, true, i.Settings)
	page.Tried = note{"ok", "check", works(i)}
	return page
}
