package e2e_test

import "testing"

// TestBackupsAndKeysInABrowser makes a backup and restores it, and looks at the pages of backups and of what
// repositories are read with.
func TestBackupsAndKeysInABrowser(t *testing.T) {
	r := openRoom(t)
	r.commit("A stack", map[string]string{"shop/compose.yaml": shopCompose("1")})
	p := r.openTab()
	p.setUp()
	p.addRepository()
	p.open("/backups")
	p.press("Back up now")
	p.shows("The backup was made, opened again and found whole.")
	backup := p.address()
	p.auditAll(map[string]string{"backups": "/backups", "backup": backup, "repository-keys": "/repository-keys", "repository-key-new": "/repository-keys/new", "ssh-hosts": "/repository-keys/hosts",
		"repositories": "/repositories", "overview-backups": "/"})
	p.open(backup)
	p.click("#restore-h ~ .sure summary")
	p.press("Yes, restore this backup")
	p.shows("is being restored.")
	p.clean()
}
