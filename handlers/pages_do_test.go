package handlers_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"berth/core/access"
	"berth/handlers"
	"berth/handlers/guard"
)

// doneBy says, for each operation of the API that changes something, which forms of pages do the same. An operation that is
// not here is done by the form whose address is its own, or with /settings, or with /delete where it deletes.
var doneBy = map[string][]string{
	"POST /repository-keys/keyscan":                         {"/repository-keys/hosts/scan"},
	"PUT /repository-keys/hosts":                            {"/repository-keys/hosts"},
	"DELETE /repository-keys/hosts/{address}":               {"/repository-keys/hosts/forget"},
	"PATCH /repository-keys/{id}":                           {"/repository-keys/{id}"},
	"POST /repository-keys/test":                            {"/repository-keys/{id}/test"},
	"POST /webhooks/{repository_id}/deliveries/{id}/replay": {"/repositories/{id}/webhook/deliveries/{delivery}/replay"},
	"DELETE /repositories/{id}/webhook/secret":              {"/repositories/{id}/webhook/off"},
	"PATCH /variables/{id}":                                 {"/variables/{variable}", "/stacks/{id}/variables/{variable}", "/jobs/{id}/variables/{variable}"},
	"DELETE /variables/{id}":                                {"/variables/{variable}/delete", "/stacks/{id}/variables/{variable}/delete", "/jobs/{id}/variables/{variable}/delete"},
	"POST /variables":                                       {"/variables", "/stacks/{id}/variables", "/jobs/{id}/variables"},
	"POST /variables/import":                                {"/variables/text", "/stacks/{id}/variables/text", "/jobs/{id}/variables/text"},
	"PUT /stacks/{id}/global-variables":                     {"/variables/{variable}/reach"},
	"PUT /jobs/{id}/global-variables":                       {"/jobs/{id}/global-variables"},
	"PUT /integrations/{slug}":                              {"/integrations/{slug}"},
	"POST /stacks/{id}/rollback":                            {"/stacks/{id}/revisions/{number}/rollback"},
	"POST /repositories/{id}/sops-rotate-key":               {"/repositories/{id}/rotate-key"},
	"POST /repositories/{id}/sops-encrypt":                  {"/repositories/{id}/secrets"},
	"PATCH /jobs/{id}":                                      {"/jobs/{id}/settings", "/jobs/{id}/pause", "/jobs/{id}/resume"},
	"PATCH /users/{id}":                                     {"/users/{id}"},
	"PATCH /me":                                             {"/profile"},
	"PUT /me/password":                                      {"/profile/password"},
	"PUT /me/second-factor":                                 {"/profile/second-factor"},
	"POST /me/second-factor/remove":                         {"/profile/second-factor/remove"},
	"DELETE /me/sso":                                        {"/profile/sso/unlink"},
	"DELETE /me/sessions/{id}":                              {"/profile/sessions/{id}/end"},
	"DELETE /invites/{id}":                                  {"/users/invites/{id}/delete"},
	"POST /invites/{token}/accept":                          {"/invites/{token}"},
	"DELETE /users/{id}/second-factor":                      {"/users/{id}/second-factor"},
	"POST /service-accounts/{id}/keys/{key_id}/rotate":      {"/service-accounts/{id}/keys/{key}/rotate"},
	"DELETE /service-accounts/{id}/keys/{key_id}":           {"/service-accounts/{id}/keys/{key}/delete"},
	"PATCH /service-accounts/{id}":                          {"/service-accounts/{id}"},
	"POST /workers/tokens":                                  {"/workers/new"},
	"PUT /policy":                                           {"/policy"},
	"POST /policy/plan":                                     {"/policy"},
	"PUT /workers/{id}/policy":                              {"/workers/{id}/policy"},
	"POST /workers/{id}/policy/plan":                        {"/workers/{id}/policy"},
	"POST /settings/email/test":                             {"/email/test"},
	"POST /lint":                                            {"/stacks"},
}

// undone are the operations of the API that no form does, and why.
var undone = map[string]string{
	"POST /me/second-factor/offer": "the page at /profile/second-factor makes the offer when it is opened",
}

// TestWhateverTheAPIChangesAPageDoes: each has a form, for the same people.
func TestWhateverTheAPIChangesAPageDoes(t *testing.T) {
	forms := map[string]access.Capability{}
	routes := handlers.Routes(newStand(t).deps)
	for _, r := range routes {
		if r.Surface == guard.Page && r.Method == http.MethodPost {
			forms[r.Pattern] = r.Capability
		}
	}
	known := map[string]bool{}
	for _, r := range routes {
		path, ours := strings.CutPrefix(r.Pattern, "/api/custom")
		if r.Surface != guard.API || r.Method == http.MethodGet || !ours {
			continue
		}
		name := r.Method + " " + path
		known[name] = true
		if undone[name] != "" {
			continue
		}
		to := doneBy[name]
		if to == nil {
			to = []string{path}
			if r.Method == http.MethodDelete {
				to = []string{path + "/delete"}
			} else if r.Method == http.MethodPatch {
				to = []string{path + "/settings"}
			}
		}
		for _, form := range to {
			if may, found := forms[form]; !found || may != r.Capability {
				t.Errorf("%s, for whoever may %q: the form at %s is there: %t, for %q", name, r.Capability, form, found, may)
			}
		}
	}
	for _, names := range [][]string{keysOf(doneBy), keysOf(undone)} {
		for _, name := range names {
			if !known[name] {
				t.Errorf("there is no operation %s that changes something", name)
			}
		}
	}
}

func keysOf[V any](m map[string]V) (all []string) {
	for k := range m {
		all = append(all, k)
	}
	slices.Sort(all)
	return all
}
