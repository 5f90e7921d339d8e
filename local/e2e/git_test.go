package e2e_test

import (
	"net/http"
	"strings"
	"testing"

	"berth/core/repositories"
	"berth/core/stacks"
	"berth/handlers/api"
	"berth/local/e2e/rig"
)

func unreachableRepository(t *testing.T, s *rig.Server) {
	repository := s.Repository(one(compose(box(t, "web"))))
	stack := repository.On("", "app")
	stack.Deployed()
	before := stack.Containers()

	repository.Git.SetAway(repository.Name, true)
	away := repository.Until("the repository's error", func(now api.RepositoryAnswer) bool { return now.ErrorCode != "" })
	if away.ErrorCode != "git.unreachable" || !strings.Contains(away.Error, repository.Name) || !strings.Contains(away.Error, "It is tried again") {
		t.Errorf("the repository shows %q: %s", away.ErrorCode, away.Error)
	}
	d := stack.Sync()
	if d.State != stacks.DeploymentFailed || d.ErrorCode != "git.unreachable" {
		t.Errorf("a sync meanwhile ended %s: %s", d.State, d.Error)
	}
	failedAs(t, stack, d, stacks.PhaseFetch, repository.Name, "cannot be read")
	wantAnew(t, before, stack.Containers())

	repository.Git.SetAway(repository.Name, false)
	repository.Until("the repository is well", func(now api.RepositoryAnswer) bool { return now.ErrorCode == "" && now.Error == "" })
	if now := healed(t, stack); now.Error != "" || now.OutOfSync {
		t.Errorf("the stack shows %+v", now)
	}
	wantAnew(t, before, stack.Containers())
	stack.At(repository.Commit(one(compose(box(t, "web"), box(t, "more")))))
}

func firstDeploymentHeals(t *testing.T, s *rig.Server) {
	name := s.GitRepository(one(compose(box(t, "web"))))
	s.Git.SetAway(name, true)
	repository := s.AddRepository(name, "")
	stack := repository.On("", "app")
	failedAs(t, stack, stack.Failed("git.unreachable"), stacks.PhaseFetch, name)
	s.Git.SetAway(name, false)
	healed(t, stack)
}

// healed waits until a stack is active again without anybody's doing: sooner than what failed
// is tried again anyway, because its repository can be read again.
func healed(t *testing.T, stack *rig.Stack) (now api.StackAnswer) {
	t.Helper()
	rig.Until(t, stacks.RetryAfter(0)*5/6, "the stack is well again", func() (bool, string) {
		now = stack.Now()
		return now.Status == stacks.StatusActive, string(now.Status) + " " + now.Error
	})
	return now
}

func wrongCredentials(t *testing.T, s *rig.Server) {
	const user, password, wrong = "deployer", "the right pass:word@/", "a wrong password"
	name := s.GitRepository(one(compose(box(t, "web"))))
	s.Git.Protect(name, user, password)
	host := strings.TrimPrefix(s.Git.URL, "http://")
	key := func(password string) api.RepositoryKeyAnswer {
		return rig.Post[api.RepositoryKeyAnswer](s.Client, "/api/custom/repository-keys",
			api.CreateRepositoryKeyRequest{Name: rig.Name(), Type: repositories.TypeBasic, Host: host, Username: user, Password: password}, http.StatusCreated)
	}
	repository := s.AddRepository(name, key(wrong).ID)
	stack := repository.On("", "app")
	refused := repository.Until("the refusal", func(now api.RepositoryAnswer) bool { return now.ErrorCode != "" })
	if refused.ErrorCode != "git.credential_refused" || strings.Contains(refused.Error, wrong) || !strings.Contains(refused.Error, name) {
		t.Errorf("the repository shows %s: %s", refused.ErrorCode, refused.Error)
	}
	failedAs(t, stack, stack.Failed("git.credential_refused"), stacks.PhaseFetch, name)

	right := key(password).ID
	rig.Patch[api.RepositoryAnswer](s.Client, "/api/custom/repositories/"+string(repository.ID), api.UpdateRepositoryRequest{CredentialID: &right})
	repository.Until("the repository is well", func(now api.RepositoryAnswer) bool { return now.ErrorCode == "" && now.Head != "" })
	healed(t, stack)

	trial := func(ask api.TestRepositoryKeyRequest) api.TestRepositoryKeyAnswer {
		ask.URL = s.Git.URL + s.Git.Path(name)
		return rig.Post[api.TestRepositoryKeyAnswer](s.Client, "/api/custom/repository-keys/test", ask, http.StatusOK)
	}
	if got := trial(api.TestRepositoryKeyRequest{CredentialID: right}); !got.OK {
		t.Errorf("the right key: %+v", got)
	}
	if got := trial(api.TestRepositoryKeyRequest{Username: user, Password: wrong}); got.OK || got.Code != "git.credential_refused" {
		t.Errorf("a wrong password: %+v", got)
	}
	for text, where := range map[string]string{s.Log.String(): "the server's log", stack.LogOf(stack.First): "the deployment's log"} {
		if strings.Contains(text, wrong) || strings.Contains(text, password) {
			t.Errorf("%s holds a password", where)
		}
	}
}
