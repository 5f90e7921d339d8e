package e2e_test

import "testing"

// TestSettingsInABrowser gives a program a key and another after it, and looks at the pages of settings.
func TestSettingsInABrowser(t *testing.T) {
	r := openRoom(t)
	p := r.openTab()
	p.setUp()
	p.open("/service-accounts")
	p.fill("[name=name]", "prometheus")
	p.press("Add the account")
	account := p.address()
	p.fill("[name=name]", "staging")
	p.press("Make the key")
	p.shows("For Grafana Alloy")
	p.open(account)
	p.press("Rotate staging")
	p.shows("The key was made.")
	p.auditAll(map[string]string{"audit": "/audit-events", "audit-narrowed": "/audit-events?result=refused", "service-account": account, "users": "/users", "profile": "/profile", "second-factor": "/profile/second-factor", "email": "/email", "configuration": "/configuration", "integrations": "/integrations"})
	p.clean()
}
