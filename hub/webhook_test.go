package hub

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/repositories"
	"berth/core/stacks"
	"berth/core/wire"
)

// githost pushes to the stand's repository and tells of it, as Gitea does.
type githost struct {
	*stand
	hooks  *repositories.Hooks
	secret string
	told   int
}

func (s *stand) hooked() *githost {
	s.t.Helper()
	hooks := repositories.NewHooks(s.store, s.ring, s.hub, nil, s.now)
	_, secret, err := hooks.NewSecret(s.t.Context(), s.repo, access.System)
	if err != nil {
		s.t.Fatal(err)
	}
	return &githost{stand: s, hooks: hooks, secret: secret.Reveal()}
}

// tell delivers that a branch points to a commit now.
func (g *githost) tell(branch string, commit core.Commit) repositories.Delivery {
	g.t.Helper()
	g.told++
	body := fmt.Appendf(nil, `{"ref":"refs/heads/%s","after":"%s","n":%d}`, branch, commit, g.told)
	mac := hmac.New(sha256.New, []byte(g.secret))
	mac.Write(body)
	header := http.Header{}
	header.Set("X-Gitea-Event", "push")
	header.Set("X-Gitea-Delivery", fmt.Sprint("delivery-", g.told))
	header.Set("X-Gitea-Signature", hex.EncodeToString(mac.Sum(nil)))
	d, err := g.hooks.Receive(g.t.Context(), g.repo, repositories.Arrival{Header: header.Get, Body: body}, access.Anonymous("192.0.2.1"))
	if err != nil {
		g.t.Fatal(err)
	}
	return d
}

// settled waits until a delivery tells what came of it.
func (g *githost) settled(id core.DeliveryID) repositories.Delivery {
	g.t.Helper()
	var d repositories.Delivery
	g.eventually("the delivery is settled", func() (done bool) {
		var err error
		if d, err = g.store.Delivery(g.t.Context(), g.repo, id); err != nil {
			g.t.Fatal(err)
		}
		return !d.LookedAt.IsZero()
	})
	return d
}

// TestAPushThatIsToldBecomesADeployment with trigger webhook; other branches and stacks are left alone.
func TestAPushThatIsToldBecomesADeployment(t *testing.T) {
	s := newStand(t)
	w, p := s.online()
	s.commit(map[string]string{"web/compose.yaml": "service web\n", "blog/compose.yaml": "service blog\n"})
	web := s.add("web", "web", w.ID, true)
	p.succeed(expect[wire.Command](p))
	s.stackIs(web.ID, stacks.StatusActive)
	blog := s.add("blog", "blog", w.ID, true)
	p.succeed(expect[wire.Command](p))
	s.stackIs(blog.ID, stacks.StatusActive)
	s.eventually("nobody asks any more", func() bool { return s.repository().AskedAt.IsZero() })

	g := s.hooked()
	pushed := s.commit(map[string]string{"web/compose.yaml": "service web\nservice more\n"})
	if d := g.tell("ada/try", pushed); d.Result != repositories.DeliveryIgnored {
		t.Errorf("another branch: %+v", d)
	}
	p.silent()
	told := g.tell("main", pushed)
	cmd := expect[wire.Command](p)
	if cmd.Deploy == nil || cmd.Deploy.Commit != pushed || cmd.Deploy.Project != "web" {
		t.Fatalf("the command is %+v", cmd)
	}
	p.succeed(cmd)
	s.stackIs(web.ID, stacks.StatusActive)
	p.silent()
	if d := s.deployments(web.ID)[0]; d.Trigger != stacks.TriggerWebhook || d.Commit != pushed {
		t.Errorf("the deployment is %+v", d)
	}
	for _, id := range []core.StackID{web.ID, blog.ID} {
		decision := s.lastDecision(id)
		if decision.Trigger != stacks.TriggerWebhook || decision.Deployed != (id == web.ID) || !strings.Contains(decision.Reason, string(told.ID)) || decision.Commit != pushed {
			t.Errorf("the decision is %+v", decision)
		}
	}
	if d := g.settled(told.ID); !strings.HasSuffix(d.Outcome, ": 1 deployment was asked for") {
		t.Errorf("the delivery is %+v", d)
	}
	if again := g.settled(g.tell("main", pushed).ID); !strings.HasSuffix(again.Outcome, ": nothing to deploy") {
		t.Errorf("told again: %+v", again)
	}
}

// TestManyDeliveriesAreOneFetch because they wait for one look together.
func TestManyDeliveriesAreOneFetch(t *testing.T) {
	s := newStand(t)
	w, p := s.online()
	s.commit(map[string]string{"web/compose.yaml": "service web\n"})
	web := s.add("web", "web", w.ID, true)
	p.succeed(expect[wire.Command](p))
	s.stackIs(web.ID, stacks.StatusActive)
	s.eventually("nobody asks any more", func() bool { return s.repository().AskedAt.IsZero() })
	g := s.hooked()
	pushed := s.commit(map[string]string{"web/compose.yaml": "service web\nservice more\n"})
	_, before := s.git.Calls()
	for range 100 {
		g.tell("main", pushed)
	}
	p.succeed(expect[wire.Command](p))
	s.stackIs(web.ID, stacks.StatusActive)
	list, err := g.hooks.Deliveries(t.Context(), s.repo, core.Page{Limit: 500})
	if err != nil || len(list.Items) != 100 {
		t.Fatalf("%d deliveries, %v", len(list.Items), err)
	}
	for _, d := range list.Items {
		g.settled(d.ID)
	}
	p.silent()
	if _, fetches := s.git.Calls(); fetches != before+1 {
		t.Errorf("it was fetched %d times", fetches-before)
	}
	if all := s.deployments(web.ID); len(all) != 2 {
		t.Errorf("there are %d deployments", len(all))
	}
}

// TestPollingTakesOverWhenDeliveriesStop and says so, until one comes again.
func TestPollingTakesOverWhenDeliveriesStop(t *testing.T) {
	s := newStand(t)
	w, p := s.online()
	first := s.commit(map[string]string{"web/compose.yaml": "service web\n"})
	web := s.add("web", "web", w.ID, true)
	p.succeed(expect[wire.Command](p))
	s.stackIs(web.ID, stacks.StatusActive)
	g := s.hooked()
	g.settled(g.tell("main", first).ID)
	s.eventually("nobody asks any more", func() bool { return s.repository().AskedAt.IsZero() })
	if r := s.repository(); r.Unannounced() || r.PollEvery(10*time.Second, s.now()) != 5*time.Minute {
		t.Errorf("while deliveries come: %+v", r)
	}
	untold := s.commit(map[string]string{"web/compose.yaml": "service web\nservice more\n"})
	s.look()
	p.succeed(expect[wire.Command](p))
	s.stackIs(web.ID, stacks.StatusActive)
	s.eventually("it is noticed", func() bool { return s.repository().Unannounced() })
	if r := s.repository(); r.PollEvery(10*time.Second, s.now()) != 10*time.Second {
		t.Errorf("once they have stopped: %+v", r)
	}
	g.settled(g.tell("main", untold).ID)
	if s.repository().Unannounced() {
		t.Error("they came again, and it is not noticed")
	}
}
