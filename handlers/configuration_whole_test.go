package handlers_test

import (
	"errors"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"berth/core"
	"berth/core/configuration"
	"berth/core/fault"
	"berth/handlers"
	"berth/handlers/guard"
)

// Why something that the API sets stands in no file.
const (
	once      = "it is done, and not what the installation is made of"
	noSecret  = "no file has a secret; it is named, and given once"
	of        = "the owner is where it stands in the file"
	ownWord   = "people say it of themselves"
	enrolment = "workers enrol by themselves"
	invited   = "people are invited, not made by a file"
)

// settable says of each field that a request of the API may have where in a configuration's file it is: a path of the file, or,
// after "no: ", why it is in none. A route that ends in * speaks for all those that begin so.
var settable = map[string]map[string]string{
	"POST /api/custom/repositories": {"name": "repositories.name", "url": "repositories.url", "branch": "repositories.branch", "tag": "repositories.tag", "semver": "repositories.semver", "credential_id": "repositories.key"},
	"PATCH /api/custom/repositories/{id}": {"name": "repositories.name", "url": "repositories.url", "branch": "repositories.branch", "tag": "repositories.tag", "semver": "repositories.semver", "credential_id": "repositories.key",
		"commit_statuses": "repositories.commit_statuses", "follow.what": "repositories.follow.what", "follow.folders": "repositories.follow.folders", "follow.existing": "repositories.follow.existing", "follow.remove": "repositories.follow.remove",
		"follow.worker_id": "repositories.follow.worker", "follow.worker_tags": "repositories.follow.worker_tags", "follow.auto_sync": "repositories.follow.auto_sync"},
	"POST /api/custom/repositories/{id}/add": {"items.kind": "no: " + of, "items.name": "stacks.name", "items.path": "stacks.path", "worker_id": "stacks.worker", "worker_tags": "stacks.worker_tags", "auto_sync": "stacks.auto_sync"},
	"POST /api/custom/repository-keys": {"name": "repository_keys.name", "type": "repository_keys.type", "host": "repository_keys.host", "username": "repository_keys.username",
		"password": "no: " + noSecret, "private_key": "no: " + noSecret, "passphrase": "no: " + noSecret, "generate": "no: " + noSecret},
	"PATCH /api/custom/repository-keys/{id}":                       {"name": "repository_keys.name", "username": "repository_keys.username", "password": "no: " + noSecret, "private_key": "no: " + noSecret, "passphrase": "no: " + noSecret, "generate": "no: " + noSecret},
	"PUT /api/custom/repository-keys/hosts":                        {"host": "ssh_hosts.address", "port": "ssh_hosts.address", "keys.type": "ssh_hosts.keys", "keys.key": "ssh_hosts.keys"},
	"POST /api/custom/variables":                                   {"scope": "no: " + of, "scope_id": "no: " + of, "name": "variables.name", "value": "variables.value", "secret": "variables.secret", "secret_provider": "variables.secret", "reference": "variables.reference"},
	"PATCH /api/custom/variables/{id}":                             {"name": "variables.name", "value": "variables.value", "secret": "variables.secret", "secret_provider": "variables.secret"},
	"POST /api/custom/variables/import":                            {"scope": "no: " + of, "scope_id": "no: " + of, "text": "variables.value", "secret": "variables.secret"},
	"PUT /api/custom/jobs/{id}/global-variables":                   {"ids": "jobs.global_variables"},
	"PUT /api/custom/stacks/{id}/global-variables":                 {"ids": "stacks.global_variables"},
	"PUT /api/custom/integrations/{slug}":                          {"enabled": "integrations.enabled", "settings": "integrations.settings"},
	"POST /api/custom/stacks":                                      {"name": "stacks.name", "repository_id": "stacks.repository", "path": "stacks.path", "worker_id": "stacks.worker", "worker_tags": "stacks.worker_tags", "auto_sync": "stacks.auto_sync"},
	"PATCH /api/custom/stacks/{id}":                                {"name": "stacks.name", "path": "stacks.path", "worker_id": "stacks.worker", "worker_tags": "stacks.worker_tags", "auto_sync": "stacks.auto_sync"},
	"POST /api/custom/stacks/{id}/transfer":                        {"worker_id": "stacks.worker"},
	"POST /api/custom/stacks/{id}/pause":                           {"": "stacks.paused"},
	"POST /api/custom/stacks/{id}/resume":                          {"": "stacks.paused"},
	"POST /api/custom/jobs":                                        {"name": "jobs.name", "repository_id": "jobs.repository", "path": "jobs.path"},
	"PATCH /api/custom/jobs/{id}":                                  {"name": "jobs.name", "path": "jobs.path", "paused": "jobs.paused"},
	"PATCH /api/custom/users/{id}":                                 {"role": "users.role", "disabled": "users.disabled"},
	"POST /api/custom/users/invite":                                {"email": "no: " + invited, "role": "no: " + invited},
	"POST /api/custom/service-accounts":                            {"name": "service_accounts.name", "role": "service_accounts.role"},
	"PATCH /api/custom/service-accounts/{id}":                      {"name": "service_accounts.name", "role": "service_accounts.role", "disabled": "service_accounts.disabled"},
	"PUT /api/custom/policy":                                       rulesOfAPolicy,
	"PUT /api/custom/workers/{id}/policy":                          rulesOfAPolicy,
	"POST /api/custom/repositories/{id}/webhook/secret":            {"": "repositories.webhook"},
	"DELETE /api/custom/repositories/{id}/webhook/secret":          {"": "repositories.webhook"},
	"DELETE /api/custom/repositories/{id}/webhook/secret/previous": {"": "no: " + noSecret},

	"POST /api/custom/service-accounts/{id}/keys":                 {"name": "no: " + noSecret, "expires_at": "no: " + noSecret},
	"POST /api/custom/service-accounts/{id}/keys/{key_id}/rotate": {"overlap": "no: " + noSecret},
	"DELETE /api/custom/service-accounts/{id}/keys/{key_id}":      {"": "no: " + noSecret},
	"POST /api/custom/repositories/{id}/sops-rotate-key":          {"": "no: each installation has age keys of its own"},
	"POST /api/custom/workers/tokens":                             {"name": "no: " + enrolment, "expires_in": "no: " + enrolment},
	"POST /api/custom/workers/{id}/revoke":                        {"": "no: " + enrolment},
	"POST /api/custom/setup":                                      {"bootstrap_token": "no: " + once, "email": "no: " + invited, "password": "no: " + noSecret, "name": "no: " + ownWord},
	"PATCH /api/custom/me":                                        {"name": "no: " + ownWord, "email": "no: " + ownWord, "password": "no: " + noSecret},
	"PUT /api/custom/me/password":                                 {"password": "no: " + noSecret, "new_password": "no: " + noSecret},
	"PUT /api/custom/me/second-factor":                            {"secret": "no: " + noSecret, "code": "no: " + noSecret, "password": "no: " + noSecret},
	"DELETE /api/custom/me/sso":                                   {"": "no: " + ownWord},
	"POST /api/custom/invites/{token}/accept":                     {"name": "no: " + ownWord, "password": "no: " + noSecret},
	"POST /api/custom/resets/{token}":                             {"password": "no: " + noSecret},
	"DELETE /api/custom/users/{id}/second-factor":                 {"": "no: " + ownWord},
	"POST /api/custom/keys/rotate":                                {"": "no: each installation has data keys of its own"},
}

var rulesOfAPolicy = map[string]string{
	"allow.images": "policies.allow.images", "allow.volumes": "policies.allow.volumes", "allow.networks": "policies.allow.networks", "allow.capabilities": "policies.allow.capabilities",
	"allow.devices": "policies.allow.devices", "allow.security_options": "policies.allow.security_options", "allow.bind_mounts": "policies.allow.bind_mounts", "allow.addresses": "policies.allow.addresses",
	"block.latest_tags": "policies.block.latest_tags", "block.host_volumes": "policies.block.host_volumes", "block.privileged": "policies.block.privileged", "block.host_network": "policies.block.host_network",
	"block.host_pid": "policies.block.host_pid", "block.host_ipc": "policies.block.host_ipc", "block.host_users": "policies.block.host_users", "block.docker_socket": "policies.block.docker_socket", "block.ports": "policies.block.ports",
}

// doing are routes that set nothing: they ask for something once, or remove what a file names, which is then in none.
var doing = []string{"POST /api/custom/repositories/{id}/sync", "DELETE /api/custom/repositories/{id}", "DELETE /api/custom/repository-keys/{id}", "DELETE /api/custom/repository-keys/hosts/{address}",
	"POST /api/custom/repository-keys/keyscan", "POST /api/custom/repository-keys/test", "POST /api/custom/webhooks/{repository_id}/deliveries/{id}/replay", "DELETE /api/custom/variables/{id}",
	"DELETE /api/custom/integrations/{slug}", "POST /api/custom/integrations/{slug}/test", "POST /api/custom/backups", "POST /api/custom/backups/upload", "POST /api/custom/backups/rehearse",
	"POST /api/custom/backups/{name}/restore", "POST /api/custom/backups/{name}/fetch", "DELETE /api/custom/backups/{name}", "POST /api/custom/configuration/plan", "POST /api/custom/configuration/apply",
	"DELETE /api/custom/stacks/{id}", "POST /api/custom/stacks/{id}/sync", "POST /api/custom/stacks/{id}/redeploy", "POST /api/custom/stacks/{id}/rollback", "POST /api/custom/stacks/{id}/services/{service}/start",
	"POST /api/custom/stacks/{id}/services/{service}/stop", "POST /api/custom/stacks/{id}/services/{service}/restart", "POST /api/custom/repositories/{id}/sops-encrypt", "POST /api/custom/deployments/{id}/cancel",
	"DELETE /api/custom/jobs/{id}", "POST /api/custom/jobs/{id}/run", "POST /api/custom/job-runs/{id}/cancel", "POST /api/custom/login", "POST /api/custom/logout", "DELETE /api/custom/users/{id}",
	"POST /api/custom/me/second-factor/offer", "POST /api/custom/me/second-factor/remove", "DELETE /api/custom/me/sessions/{id}", "DELETE /api/custom/invites/{id}", "POST /api/custom/users/{id}/reset",
	"POST /api/custom/resets", "DELETE /api/custom/service-accounts/{id}", "DELETE /api/custom/workers/{id}", "POST /api/custom/lint", "POST /api/custom/policy/plan", "DELETE /api/custom/workers/{id}/policy",
	"POST /api/custom/workers/{id}/policy/plan", "POST /api/custom/settings/email/test"}

// TestWhatTheAPISetsIsInTheFileOrSaidNotToBe fails for a new route that changes something, and for a new field of one, until
// somebody has decided whether it belongs to the file of a configuration.
func TestWhatTheAPISetsIsInTheFileOrSaidNotToBe(t *testing.T) {
	s := newStand(t)
	left := map[string]bool{}
	for route := range settable {
		left[route] = true
	}
	for _, route := range doing {
		left[route] = true
	}
	for _, route := range handlers.Routes(s.deps) {
		name := route.Method + " " + route.Pattern
		if route.Method == http.MethodGet || route.Surface != guard.API {
			continue
		}
		if !left[name] {
			t.Errorf("%s: it is neither said where in a configuration's file that is what it sets, nor that it sets nothing", name)
			continue
		}
		delete(left, name)
		if settable[name] != nil {
			t.Run(name, func(t *testing.T) { holdSettable(t, settable[name], fieldsOf(reflect.TypeOf(route.Request), "")) })
		}
	}
	for name := range left {
		t.Errorf("%s: there is no such route", name)
	}
}

func holdSettable(t *testing.T, said map[string]string, fields []string) {
	there := map[string]bool{}
	for _, field := range fields {
		there[field] = true
		where := said[field]
		if where == "" {
			t.Errorf("the field %q: it is not said where in a configuration's file it is, nor why it is not", field)
		} else if !strings.HasPrefix(where, "no: ") && !fileHas(t, where) {
			t.Errorf("the field %q: a configuration's file has no %s", field, where)
		}
	}
	for field := range said {
		if !there[field] {
			t.Errorf("there is no field %q", field)
		}
	}
}

// fieldsOf lists the JSON fields of a request with their paths; what has none is "".
func fieldsOf(of reflect.Type, at string) (all []string) {
	if of == nil {
		return []string{""}
	}
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct || of.PkgPath() == "time" {
		return []string{strings.TrimSuffix(at, ".")}
	}
	for i := range of.NumField() {
		field := of.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous && name == "" {
			all = append(all, fieldsOf(field.Type, at)...)
		} else if name != "-" {
			all = append(all, fieldsOf(field.Type, at+name+".")...)
		}
	}
	return all
}

// fileHas reports whether a configuration's file knows what is at a path.
func fileHas(t *testing.T, path string) bool {
	t.Helper()
	keys := strings.Split(path, ".")
	var value any = "x"
	for i := len(keys) - 1; i > 0; i-- {
		value = map[string]any{keys[i]: value}
	}
	for _, ident := range []string{"name", "for", "slug", "address", "email"} {
		item := value.(map[string]any)
		if _, has := item[ident]; !has {
			item[ident] = "x"
		}
	}
	_, err := configuration.Read(core.Document{Value: map[string]any{"version": int64(configuration.Version), keys[0]: []any{value}}}, "the file")
	var f *fault.Error
	if !errors.As(err, &f) {
		t.Fatalf("the path %s: the file is taken: %v", path, err)
	}
	for _, field := range f.Fields {
		last := keys[0] + "[0]." + strings.Join(keys[1:], ".")
		if field.Path == keys[0] && strings.Contains(field.Problem, "not a known key") || field.Path == last && strings.Contains(field.Problem, "not a known key") {
			return false
		}
		if keys[0] == "policies" && len(keys) == 3 && strings.Contains(field.Problem, "unknown") {
			return false
		}
	}
	return true
}
