package hub

import (
	"crypto/rand"
	"strings"
	"testing"

	"berth/core"
	"berth/core/access"
	"berth/core/coretest"
	"berth/core/repositories"
	"berth/core/seal"
	"berth/core/secrets"
	"berth/core/stacks"
	"berth/core/store"
	"berth/core/wire"
	"berth/hub/adapter/agekey"
	"berth/hub/adapter/sops"
)

// sealedStand is a stand whose stacks may have secrets files, which are really encrypted.
type sealedStand struct {
	*stand
	keys *repositories.Desk
}

func newSealedStand(t *testing.T) *sealedStand {
	t.Helper()
	s := &sealedStand{}
	s.stand = newStandWith(t, func(o *Options) {
		ring, err := seal.NewRing(rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		s.keys = repositories.NewDesk(o.Store.(*store.Store), ring, agekey.Maker{}, nil, noNudge{}, o.Now)
		o.SecretsFiles, o.AgeKeys = repositories.NewSecretsFiles(s.keys, sops.Files{}), s.keys
	})
	// The repository was added without a key, as those of an older release.
	s.eventually("the repository has a key", func() bool { return s.repository().AgePublicKey != "" })
	return s
}

type noNudge struct{}

// Nudge implements core.Nudger.
func (noNudge) Nudge() {}

// secretsFile encrypts names and values for the repository's key.
func (s *sealedStand) secretsFile(pairs ...string) string {
	s.t.Helper()
	values := map[string]secrets.Value{}
	for i := 0; i < len(pairs); i += 2 {
		values[pairs[i]] = secrets.NewValue(pairs[i+1])
	}
	content, err := sops.Files{}.Encrypt(values, s.repository().AgePublicKey)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(content)
}

func (s *sealedStand) fingerprints(id core.StackID, number int) map[string]string {
	s.t.Helper()
	rev, err := s.store.Revision(s.t.Context(), id, number)
	if err != nil {
		s.t.Fatal(err)
	}
	if rev.SecretsFile == "" {
		s.t.Errorf("revision %d knows no secrets file", number)
	}
	prints := map[string]string{}
	for _, v := range rev.Variables {
		prints[v.Name] = v.Fingerprint
	}
	return prints
}

// TestASecretsFileLiesOverTheVariables in a sync, in a rollback as it was then, and never again once the key
// is rotated, until it is encrypted anew.
func TestASecretsFileLiesOverTheVariables(t *testing.T) {
	s := newSealedStand(t)
	w, p := s.online()
	s.secret("TOKEN", "of the variable")
	s.secret("OTHER", "other")
	const many = "of the file\n  second line\n"
	st := s.deployed(p, w, map[string]string{"web/compose.yaml": "service web\nsecret TOKEN\nsecret OTHER\nservice db\nsecret DB\n",
		"web/secrets.yaml": s.secretsFile("TOKEN", many, "DB", "db one", "UNUSED", "x")})
	next := s.push(p, map[string]string{"web/secrets.yaml": s.secretsFile("TOKEN", many, "DB", "db two")})
	if got := next.Deploy.Secrets; len(got) != 3 || got["TOKEN"] != many || got["OTHER"] != "other" || got["DB"] != "db two" || next.Deploy.Revision != 2 {
		t.Errorf("revision %d gets %d values", next.Deploy.Revision, len(got))
	}
	p.succeed(next)
	s.eventually("revision 2 is in place", func() bool { return s.stackIs(st.ID, stacks.StatusActive).Revision == 2 })
	first, second := s.fingerprints(st.ID, 1), s.fingerprints(st.ID, 2)
	if first["TOKEN"] != second["TOKEN"] || first["DB"] == second["DB"] || len(second) != 3 {
		t.Errorf("the fingerprints are %v and %v", first, second)
	}

	if _, err := s.desk.Rollback(t.Context(), st.ID, 1, access.System); err != nil {
		t.Fatal(err)
	}
	back := expect[wire.Command](p)
	if got := back.Deploy.Secrets; back.Deploy.Revision != 1 || got["TOKEN"] != many || got["DB"] != "db one" {
		t.Errorf("revision %d gets %d values, DB %q", back.Deploy.Revision, len(got), got["DB"])
	}
	p.succeed(back)
	s.newest(st.ID, stacks.DeploymentSucceeded)

	rotated, err := s.keys.RotateKey(t.Context(), s.repo, access.System)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.desk.Rollback(t.Context(), st.ID, 2, access.System); err != nil {
		t.Fatal(err)
	}
	d := s.newest(st.ID, stacks.DeploymentFailed)
	if d.ErrorCode != "sops.other_recipients" || !strings.Contains(d.Error, rotated.AgePublicKey) || !strings.Contains(d.Error, "secrets.yaml of revision 2: ") {
		t.Errorf("it failed with %s: %s", d.ErrorCode, d.Error)
	}
	s.failedIn(d, stacks.PhaseSecrets)
	if got, err := s.store.Stack(t.Context(), st.ID); err != nil || got.Revision != 1 {
		t.Errorf("revision %d is in place, %v", got.Revision, err)
	}

	again := s.push(p, map[string]string{"web/secrets.yaml": s.secretsFile("TOKEN", many, "DB", "db two")})
	if got := again.Deploy; got.Revision != 3 || got.Secrets["DB"] != "db two" {
		t.Errorf("encrypted anew it is revision %d", got.Revision)
	}
	p.succeed(again)
	s.eventually("revision 3 is in place", func() bool { return s.stackIs(st.ID, stacks.StatusActive).Revision == 3 })
	if third := s.fingerprints(st.ID, 3); third["DB"] != second["DB"] || third["TOKEN"] != second["TOKEN"] {
		t.Errorf("the same values have other fingerprints: %v and %v", second, third)
	}
}

// failedIn checks that a deployment failed in a phase, and that nothing was done after it.
func (s *sealedStand) failedIn(d stacks.Deployment, name stacks.PhaseName) {
	s.t.Helper()
	last := d.Phases[len(d.Phases)-1]
	if last.Name != name || last.State != stacks.PhaseFailed || last.Message != d.Error || d.Revision != 0 {
		s.t.Errorf("the last phase is %s, %s: %s", last.Name, last.State, last.Message)
	}
}

func TestABrokenSecretsFileTouchesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		push func(s *sealedStand) coretest.GitPush
		code string
	}{
		"plain text": {func(*sealedStand) coretest.GitPush {
			return coretest.GitPush{Files: map[string]string{"web/secrets.yaml": "TOKEN: canary\n"}}
		}, "sops.not_encrypted"},
		"a symbolic link": {func(s *sealedStand) coretest.GitPush {
			return coretest.GitPush{Files: map[string]string{"real.yaml": s.secretsFile("TOKEN", "canary")}, Links: map[string]string{"web/secrets.yaml": "../real.yaml"}}
		}, "sops.not_a_file"},
		"more than a MiB": {func(s *sealedStand) coretest.GitPush {
			return coretest.GitPush{Files: map[string]string{"web/secrets.yaml": s.secretsFile("TOKEN", "canary") + strings.Repeat("# canary\n", 130_000)}}
		}, "sops.too_large"},
		"what is no name": {func(s *sealedStand) coretest.GitPush {
			return coretest.GitPush{Files: map[string]string{"web/secrets.yaml": s.secretsFile("to ken", "canary")}}
		}, "sops.invalid"},
		"a NUL": {func(s *sealedStand) coretest.GitPush {
			return coretest.GitPush{Files: map[string]string{"web/secrets.yaml": s.secretsFile("TOKEN", "canary\x00")}}
		}, "sops.invalid"},
		"a value was changed": {func(s *sealedStand) coretest.GitPush {
			return coretest.GitPush{Files: map[string]string{"web/secrets.yaml": strings.Replace(s.secretsFile("TOKEN", "canary"), "data:", "data:AAAA", 1)}}
		}, "sops.tampered"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSealedStand(t)
			w, p := s.online()
			st := s.deployed(p, w, map[string]string{"web/compose.yaml": "service web\nsecret TOKEN\n", "web/secrets.yaml": s.secretsFile("TOKEN", "good")})
			push := c.push(s)
			s.git.Push(repositoryURL, push)
			s.look()
			d := s.newest(st.ID, stacks.DeploymentFailed)
			if d.ErrorCode != c.code || !strings.HasPrefix(d.Error, "web/secrets.yaml") || strings.Contains(d.Error, "canary") {
				t.Errorf("it failed with %s: %s", d.ErrorCode, d.Error)
			}
			s.failedIn(d, stacks.PhaseSecrets)
			cmd := s.push(p, map[string]string{"web/secrets.yaml": s.secretsFile("TOKEN", "better")})
			if cmd.Deploy.Secrets["TOKEN"] != "better" {
				t.Errorf("the commit that mends it gives %d values", len(cmd.Deploy.Secrets))
			}
			p.succeed(cmd)
			s.newest(st.ID, stacks.DeploymentSucceeded)
		})
	}
}
