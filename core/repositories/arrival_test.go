package repositories

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/secrets"
)

func sign(secret, body string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(body))
	return hex.EncodeToString(mac.Sum(nil))
}

func arrival(body string, headers ...string) Arrival {
	h := http.Header{}
	for i := 0; i < len(headers); i += 2 {
		h.Set(headers[i], headers[i+1])
	}
	return Arrival{Header: h.Get, Body: []byte(body)}
}

const (
	hash   = "9f31c02d4a5e6f7a8b9c0d1e2f3a4b5c6d7e8f90"
	zeros  = "0000000000000000000000000000000000000000"
	github = `{"ref":"refs/heads/main","before":"` + zeros + `","after":"` + hash + `","deleted":false,"repository":{"id":1,"default_branch":"main","owner":{"login":"team"}},"commits":[]}`
	gitlab = `{"object_kind":"push","ref":"refs/heads/main","after":"` + hash + `","checkout_sha":"` + hash + `","project":{"default_branch":"main"},"total_commits_count":1}`
	cloud  = `{"push":{"changes":[{"old":null,"new":{"type":"branch","name":"main","target":{"type":"commit","hash":"` + hash + `"}},"created":true}]},"repository":{"name":"app"}}`
	center = `{"eventKey":"repo:refs_changed","changes":[{"ref":{"id":"refs/heads/main","displayId":"main","type":"BRANCH"},"refId":"refs/heads/main","fromHash":"` + zeros + `","toHash":"` + hash + `","type":"UPDATE"}]}`
)

// hosts is what each kind of host sends of a push, as its reference says, proven with a secret.
func hosts(secret string) map[string]Arrival {
	legacy := hmac.New(sha1.New, []byte(secret))
	legacy.Write([]byte(github))
	return map[string]Arrival{
		"github":    arrival(github, "X-GitHub-Event", "push", "X-GitHub-Delivery", "72d3162e-cc78-11e3-81ab-4c9367dc0958", "X-Hub-Signature", "sha1="+hex.EncodeToString(legacy.Sum(nil)), "X-Hub-Signature-256", "sha256="+sign(secret, github), "Content-Type", "application/json"),
		"gitlab":    arrival(gitlab, "X-Gitlab-Event", "Push Hook", "X-Gitlab-Token", secret, "X-Gitlab-Event-UUID", "13792a34-cac6-4fda-95a8-c58e00a3954e", "Content-Type", "application/json"),
		"gitea":     arrival(github, "X-Gitea-Event", "push", "X-Gitea-Delivery", "f6266f16-1bf3-46a5-9ea4-602e06ead473", "X-Gitea-Signature", sign(secret, github), "X-GitHub-Event", "push", "X-Hub-Signature-256", "sha256="+sign(secret, github), "Content-Type", "application/json"),
		"bitbucket": arrival(cloud, "X-Event-Key", "repo:push", "X-Request-UUID", "6e1a2b3c-0000-4000-8000-000000000000", "X-Hub-Signature", "sha256="+sign(secret, cloud), "Content-Type", "application/json"),
		"generic":   arrival(`{"ref":"main","commit":"`+hash+`","delivery":"build-7"}`, "Authorization", "Bearer "+secret, "Content-Type", "application/json"),
	}
}

func TestEachHostIsProvenByItsSecretAlone(t *testing.T) {
	good := []secrets.Value{secrets.NewValue("newest"), secrets.NewValue("before")}
	for _, secret := range []string{"newest", "before", "another", "", nobodys} {
		want := secret == "newest" || secret == "before"
		for name, a := range hosts(secret) {
			if a.Provider() != Provider(name) {
				t.Errorf("%s is taken for %s", name, a.Provider())
			}
			if got := a.ProvenBy(good); got != want {
				t.Errorf("%s with %q: %v", name, secret, got)
			}
			if a.ProvenBy(nil) || a.ProvenBy([]secrets.Value{secrets.NewValue("")}) {
				t.Errorf("%s with %q is proven where there is no secret", name, secret)
			}
		}
	}
	for name, a := range hosts("newest") {
		a.Body = append(a.Body, ' ')
		if a.ProvenBy(good) == Provider(name).Signed() {
			t.Errorf("%s: a changed body is judged otherwise than it should be", name)
		}
	}
}

func TestWhatIsNoProof(t *testing.T) {
	good := []secrets.Value{secrets.NewValue("s")}
	right := sign("s", "{}")
	for name, a := range map[string]Arrival{
		"nothing":                         arrival("{}"),
		"a signature without its prefix":  arrival("{}", "X-Hub-Signature-256", right),
		"SHA-1":                           arrival("{}", "X-Github-Event", "push", "X-Hub-Signature", "sha1="+right),
		"Bitbucket without algorithm":     arrival("{}", "X-Event-Key", "repo:push", "X-Hub-Signature", right),
		"too short":                       arrival("{}", "X-Gitea-Signature", right[:62]),
		"too long":                        arrival("{}", "X-Gitea-Signature", right+"00"),
		"no digits":                       arrival("{}", "X-Gitea-Signature", strings.Repeat("x", 64)),
		"the secret as its own signature": arrival("{}", "X-Gitea-Signature", hex.EncodeToString([]byte("s"))),
		"basic instead of bearer":         arrival("{}", "Authorization", "Basic s"),
		"bearer without token":            arrival("{}", "Authorization", "Bearer "),
		"another host's way":              arrival("{}", "X-Gitea-Event", "push", "X-Gitlab-Token", "s"),
	} {
		if a.ProvenBy(good) {
			t.Errorf("%s is taken for a proof", name)
		}
	}
}

// TestJudgingTakesTheSameSteps whichever secret fits, and when there is none or nothing is shown.
func TestJudgingTakesTheSameSteps(t *testing.T) {
	two := []secrets.Value{secrets.NewValue("a"), secrets.NewValue("b")}
	for name, c := range map[string]struct {
		given []byte
		good  []secrets.Value
		want  bool
	}{
		"the newest fits":  {token("a"), two, true},
		"the other fits":   {token("b"), two, true},
		"none fits":        {token("c"), two, false},
		"there is none":    {token("a"), nil, false},
		"there is one":     {token("a"), two[:1], true},
		"nothing is shown": {nil, two, false},
	} {
		t.Run(name, func(t *testing.T) {
			made := 0
			got := matches(c.given, func(secret string) []byte { made++; return token(secret) }, c.good)
			if got != c.want || made != MaxSecrets {
				t.Errorf("%v after %d proofs were made", got, made)
			}
		})
	}
}

func TestWhatEachHostTells(t *testing.T) {
	r := Repository{Branch: "main"}
	for name, a := range hosts("s") {
		p, err := a.tells()
		d := Delivery{Provider: a.Provider()}.judge(r, p)
		if err != nil || d.Result != DeliveryAccepted || d.Ref != "refs/heads/main" || d.Commit != core.Commit(hash) || d.Event == "" || d.HostID == "" {
			t.Errorf("%s: %+v, %v", name, d, err)
		}
	}
	gh := func(event, body string) Arrival { return arrival(body, "X-GitHub-Event", event) }
	form := arrival("payload=%7B%22ref%22%3A%22refs%2Fheads%2Fmain%22%7D", "X-GitHub-Event", "push", "Content-Type", "application/x-www-form-urlencoded; charset=utf-8")
	for name, c := range map[string]struct {
		arrival Arrival
		branch  string
		result  DeliveryResult
		says    string
	}{
		"a ping":                         {gh("ping", `{"zen":"x"}`), "main", DeliveryIgnored, "works"},
		"Bitbucket's ping":               {arrival(`{"test":true}`, "X-Event-Key", "diagnostics:ping"), "main", DeliveryIgnored, "works"},
		"another event":                  {gh("issues", `not looked at`), "main", DeliveryIgnored, "no push"},
		"a tag":                          {gh("push", `{"ref":"refs/tags/v1","after":"`+hash+`"}`), "main", DeliveryIgnored, "no branch"},
		"GitLab's tag":                   {arrival(`{"ref":"refs/tags/v1","after":"`+hash+`"}`, "X-Gitlab-Event", "Tag Push Hook"), "main", DeliveryIgnored, "no branch"},
		"another branch":                 {gh("push", `{"ref":"refs/heads/a/b","after":"`+hash+`"}`), "main", DeliveryIgnored, "deployed from main"},
		"a branch that begins alike":     {gh("push", `{"ref":"refs/heads/main2"}`), "main", DeliveryIgnored, "main2"},
		"the default branch":             {gh("push", github), "", DeliveryAccepted, "main"},
		"not the default branch":         {gh("push", strings.Replace(github, "heads/main", "heads/x", 1)), "", DeliveryIgnored, "deployed from main"},
		"where nobody knows the default": {gh("push", `{"ref":"refs/heads/x"}`), "", DeliveryAccepted, "branch x"},
		"the branch was deleted":         {gh("push", `{"ref":"refs/heads/main","after":"`+zeros+`","deleted":true}`), "main", DeliveryAccepted, "deleted"},
		"Bitbucket deleted it":           {arrival(`{"push":{"changes":[{"old":{"type":"branch","name":"main"},"new":null}]}}`, "X-Event-Key", "repo:push"), "main", DeliveryAccepted, "deleted"},
		"a data center":                  {arrival(center, "X-Event-Key", "repo:refs_changed"), "main", DeliveryAccepted, hash[:10]},
		"several branches":               {arrival(`{"push":{"changes":[{"new":{"type":"branch","name":"x"}},{"new":{"type":"branch","name":"main"}},{"new":{"type":"tag","name":"v1"}}]}}`, "X-Event-Key", "repo:push"), "main", DeliveryAccepted, "main"},
		"a form":                         {form, "main", DeliveryAccepted, "main"},
		"a call without a body":          {arrival("", "Authorization", "Bearer s"), "main", DeliveryAccepted, "asked for"},
		"a call of another branch":       {arrival(`{"ref":"x"}`, "Authorization", "Bearer s"), "main", DeliveryIgnored, "branch x"},
		"a commit that is no hash":       {gh("push", `{"ref":"refs/heads/main","after":"main"}`), "main", DeliveryAccepted, "pushed to"},
		"an event that is very long":     {gh(strings.Repeat("e", 10_000), `{}`), "main", DeliveryIgnored, "no push"},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := c.arrival.tells()
			d := Delivery{}.judge(Repository{Branch: c.branch}, p)
			if err != nil || d.Result != c.result || !strings.Contains(d.Reason, c.says) || len(d.Reason) > 500 {
				t.Errorf("%s %q, %v", d.Result, d.Reason, err)
			}
		})
	}
}

// hostile are bodies of somebody who has the secret and means no good, or whose host has a defect.
var hostile = map[string]string{
	"nothing":               "",
	"no JSON":               "ref=main",
	"half an object":        `{"ref":"refs/heads/main"`,
	"lists without end":     strings.Repeat("[", MaxDelivery),
	"objects without end":   strings.Repeat(`{"repository":`, MaxDelivery/14),
	"a number for a text":   `{"ref":1,"push":1,"changes":1}`,
	"a huge number":         `{"ref":1e999999,"push":{"changes":1e99},"changes":9e99}`,
	"a list for an object":  `{"ref":["refs/heads/main"],"push":[],"changes":{}}`,
	"a list":                `[]`,
	"a text":                `"refs/heads/main"`,
	"no ref":                `{}`,
	"a ref that is none":    `{"ref":"main2/../..","push":{"changes":[{}]},"changes":[{}]}`,
	"a ref with a newline":  `{"ref":"refs/heads/a\nb","push":{"changes":[{"new":{"type":"branch","name":"a\nb"}}]},"changes":[{"ref":{"id":"refs/heads/a\nb"}}]}`,
	"a ref that is long":    `{"ref":"refs/heads/` + strings.Repeat("a", 400) + `","push":{"changes":[{"new":{"name":"` + strings.Repeat("a", 400) + `"}}]}}`,
	"very many changes":     `{"push":{"changes":[` + strings.TrimSuffix(strings.Repeat(`{"new":{"type":"branch","name":"a"}},`, 1000), ",") + `]}}`,
	"characters of no text": "{\"ref\":\"refs/heads/\xff\"",
}

func TestHostileBodiesAreTold(t *testing.T) {
	for name, body := range hostile {
		for _, headers := range [][]string{{"X-GitHub-Event", "push"}, {"X-Gitlab-Event", "Push Hook"}, {"X-Gitea-Event", "push"}, {"X-Event-Key", "repo:push"}, {"X-Event-Key", "repo:refs_changed"}} {
			if p, err := arrival(body, headers...).tells(); err == nil || strings.Contains(fmt.Sprint(err), "refs/") {
				t.Errorf("%s as %v: %+v, %v", name, headers, p, err)
			}
		}
	}
}

// FuzzArrival looks for bodies that are not bounded in what is kept of them, or that break the program.
func FuzzArrival(f *testing.F) {
	for _, body := range hostile {
		f.Add(body[:min(len(body), 1000)], "push")
	}
	for _, a := range hosts("s") {
		f.Add(string(a.Body), "push")
	}
	f.Fuzz(func(t *testing.T, body, event string) {
		for _, header := range []string{"X-GitHub-Event", "X-Gitlab-Event", "X-Gitea-Event", "X-Event-Key", "X-Other"} {
			a := arrival(body, header, event, "X-GitHub-Delivery", event)
			p, err := a.tells()
			d := Delivery{}.judge(Repository{Branch: "main"}, p)
			if err == nil && d.Result == "" || len(d.Event) > maxEvent || len(d.Ref) > maxRef || len(d.HostID) > maxHostID || len(d.Reason) > 1000 {
				t.Errorf("%+v, %v", d, err)
			}
		}
	})
}

func TestPollingWaitsLongerWhileDeliveriesFlow(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		hooked, unannounced time.Duration // ago; 0: never
		interval, want      time.Duration
	}{
		"none ever came":            {0, 0, 10 * time.Second, 10 * time.Second},
		"one came just now":         {time.Second, 0, 10 * time.Second, 5 * time.Minute},
		"one came within the hour":  {59 * time.Minute, 0, 10 * time.Second, 5 * time.Minute},
		"an hour has passed":        {time.Hour, 0, 10 * time.Second, 10 * time.Second},
		"the interval is longer":    {time.Second, 0, time.Hour, time.Hour},
		"a commit was not told of":  {time.Minute, time.Second, 10 * time.Second, 10 * time.Second},
		"one came after that again": {time.Second, time.Minute, 10 * time.Second, 5 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			var r Repository
			if c.hooked > 0 {
				r.HookedAt = now.Add(-c.hooked)
			}
			if c.unannounced > 0 {
				r.UnannouncedAt = now.Add(-c.unannounced)
			}
			if got := r.PollEvery(c.interval, now); got != c.want {
				t.Errorf("polled every %v, want %v", got, c.want)
			}
		})
	}
}

func TestPollingWaitsLongerTheLongerItFails(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		failed   time.Duration // ago
		hooked   time.Duration // ago; 0: never
		interval time.Duration
		want     time.Duration
	}{
		"just now":                  {time.Second, 0, 10 * time.Second, 10 * time.Second},
		"for two minutes":           {2 * time.Minute, 0, 10 * time.Second, 30 * time.Second},
		"for a day":                 {24 * time.Hour, 0, 10 * time.Second, 15 * time.Minute},
		"the interval is longer":    {24 * time.Hour, 0, time.Hour, time.Hour},
		"and deliveries flow":       {2 * time.Minute, time.Minute, 10 * time.Second, 5 * time.Minute},
		"the clock was turned back": {-time.Hour, 0, 10 * time.Second, 10 * time.Second},
	} {
		r := Repository{ErrorCode: "git.unreachable", Error: "away", UpdatedAt: now.Add(-c.failed)}
		if c.hooked > 0 {
			r.HookedAt = now.Add(-c.hooked)
		}
		if got := r.PollEvery(c.interval, now); got != c.want {
			t.Errorf("%s: polled every %v, want %v", name, got, c.want)
		}
	}
}
