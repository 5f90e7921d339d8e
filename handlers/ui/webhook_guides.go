package ui

import (
	"net/url"
	"strings"
)

// guidesFor says what is to be done at each kind of Git host. That of the repository's own stands open.
func guidesFor(repository, address string) []guide {
	web := strings.TrimSuffix(repository, ".git")
	all := []guide{
		{Host: "GitHub", Steps: []string{
			"Open " + web + "/settings/hooks/new.",
			"Payload URL: the address above. Content type: application/json.",
			"Secret: the secret from here. Leave SSL verification enabled.",
			"Choose \"Just the push event\", keep Active ticked, and press Add webhook.",
			"GitHub sends a ping at once: it appears below as ignored, which means that it works."}},
		{Host: "GitLab", Steps: []string{
			"Open " + web + "/-/hooks and press Add new webhook.",
			"URL: the address above. Secret token: the secret from here.",
			"Tick Push events alone, or Tag push events where a tag or a version is deployed; a branch filter may name the branch that is.",
			"Press Add webhook, then Test, Push events."}},
		{Host: "Gitea or Forgejo", Steps: []string{
			"Open " + web + "/settings/hooks, press Add Webhook and choose Gitea or Forgejo.",
			"Target URL: the address above. HTTP method: POST. POST content type: application/json.",
			"Secret: the secret from here. Leave the authorization header empty.",
			"Trigger on: Push events. Keep Active ticked and press Add Webhook.",
			"If it cannot reach a private address, allow that with ALLOWED_HOST_LIST in the host's [webhook] section, in Gitea from 1.27 on in [security]."}},
		{Host: "Bitbucket", Steps: []string{
			"Open " + web + "/admin/webhooks and press Add webhook.",
			"URL: the address above. Secret: the secret from here. Status: Active.",
			"Triggers: Repository push alone. Press Save."}},
		{Host: "Anything else", Steps: []string{
			"Call the address after each push, with the secret as a bearer token.",
			"The body may be left out. With ref and commit the log below says more, and pushes to other branches do nothing."},
			Call: copyable{"hook-call", "Command for a shell", "curl -X POST -H \"Authorization: Bearer $SECRET\" -H 'Content-Type: application/json' \\\n  -d '{\"ref\":\"main\"}' " + address}},
	}
	all[hostIn(repository)].Open = true
	return all
}

// hostIn returns which guide is about a repository's Git host; those that nobody can tell by name are most likely Gitea.
func hostIn(repository string) int {
	u, err := url.Parse(repository)
	if err != nil {
		return 4
	}
	for i, name := range []string{"github", "gitlab", "gitea", "bitbucket"} {
		if strings.Contains(u.Hostname(), name) {
			return i
		}
	}
	return 2
}
