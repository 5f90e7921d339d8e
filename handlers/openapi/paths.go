package openapi

import (
	"fmt"
	"net/http"
	"strings"
)

// apiRoot is what most paths begin with; it is left out of operation identifiers.
const apiRoot = "/api/custom/"

// wildcards says what stands in a path, by the segment before and the wildcard's name.
var wildcards = map[string]struct{ kind, help string }{
	"backups/{name}":           {"string", "name of the backup, as the list tells it"},
	"deployments/{id}":         {"string", "identifier of the deployment: dep_…"},
	"git-providers/{git_host}": {"string", "which Git host: github, gitea or gitlab"},
	"integrations/{slug}":      {"string", "slug of the integration: vault, manager, sops, s3, webhook, slack, discord, ntfy or email; of a further target with a dash and its name, such as slack-ops"},
	"jobs/{id}":                {"string", "identifier of the job: job_…"},
	"job-runs/{id}":            {"string", "identifier of the run: run_…"},
	"keys/{key_id}":            {"string", "identifier of the API key: key_…"},
	"repositories/{id}":        {"string", "identifier of the repository: rep_…"},
	"repository-keys/{id}":     {"string", "identifier of the repository key: cred_…"},
	"revisions/{number}":       {"integer", "number of the revision, from 1"},
	"invites/{id}":             {"string", "identifier of the invitation: inv_…"},
	"invites/{token}":          {"string", "token of the invitation, which is the end of its link: berth_in_…"},
	"resets/{token}":           {"string", "token of the link for a new password, which is its end: berth_pr_…"},
	"sessions/{id}":            {"string", "identifier of the session: ses_…"},
	"service-accounts/{id}":    {"string", "identifier of the service account: sva_…"},
	"services/{service}":       {"string", "name of the compose service"},
	"stacks/{id}":              {"string", "identifier of the stack: stk_…"},
	"users/{id}":               {"string", "identifier of the user: usr_…"},
	"variables/{id}":           {"string", "identifier of the variable: var_…"},
	"workers/{id}":             {"string", "identifier of the worker: wrk_…"},
	"hosts/{address}":          {"string", "host and port of the SSH host: git.example.com:22"},

	"deliveries/{id}":          {"string", "identifier of the delivery: whd_…"},
	"webhooks/{repository_id}": {"string", "identifier of the repository: rep_…"},
}

// pathParameters describes the wildcards of a pattern.
func pathParameters(pattern string) ([]parameter, error) {
	var all []parameter
	segments := strings.Split(pattern, "/")
	for i, segment := range segments {
		if !strings.HasPrefix(segment, "{") {
			continue
		}
		key := segments[i-1] + "/" + segment
		known, found := wildcards[key]
		if !found {
			return nil, fmt.Errorf("%s: nobody says what %s is; add it to wildcards in handlers/openapi/paths.go", pattern, key)
		}
		all = append(all, parameter{Name: strings.Trim(segment, "{}"), In: "path", Required: true, Description: known.help, Schema: &schema{Type: known.kind}})
	}
	return all, nil
}

// operationID names an operation for programs that are made from the document. It
// follows from method and pattern alone: "GET /api/custom/stacks/{id}/services" is
// getStacksByIdServices. What is served outside the API's root has Server in its name.
func operationID(method, pattern string) string {
	rest, inside := strings.CutPrefix(pattern, apiRoot)
	if !inside {
		rest = "server/" + pattern
	}
	id := strings.ToLower(method)
	for _, word := range strings.FieldsFunc(rest, func(r rune) bool { return r == '/' || r == '-' || r == '_' || r == '.' || r == '}' }) {
		name, wildcard := strings.CutPrefix(word, "{")
		if wildcard {
			id += "By"
		}
		id += strings.ToUpper(name[:1]) + name[1:]
	}
	return id
}

// verb is a method as a path item spells it. TRACE and CONNECT have no place in a table.
func verb(method string) (string, error) {
	switch method {
	case http.MethodGet, http.MethodPut, http.MethodPost, http.MethodDelete, http.MethodPatch:
		return strings.ToLower(method), nil
	}
	return "", fmt.Errorf("method %s is not one that the document knows", method)
}
