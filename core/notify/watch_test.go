package notify_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"berth/core/integrations"
	"berth/core/mail"
	"berth/core/notify"
	"berth/core/outbox"
	"berth/core/seal"
)

// ledger is a store in memory; what is told twice stands in it twice.
type ledger struct {
	world
	current []notify.Problem
	letters []outbox.Letter
	writes  int
	now     time.Time
}

func (l *ledger) Problems(context.Context) ([]notify.Problem, []notify.Known, error) {
	var known []notify.Known
	for _, k := range l.known {
		known = append(known, k)
	}
	return l.current, known, nil
}

func (l *ledger) TellNotices(ctx context.Context, decide func([]notify.Problem, []notify.Known) (notify.Step, []outbox.Letter, error)) error {
	l.writes++
	current, known, _ := l.Problems(ctx)
	step, letters, err := decide(current, known)
	for _, k := range step.Keep {
		l.known[notify.Key{Kind: k.Kind, Subject: k.Subject}] = k
	}
	for _, k := range step.Drop {
		delete(l.known, k)
	}
	l.letters = append(l.letters, letters...)
	return err
}

func (l *ledger) ForgetProblems(context.Context) error { clear(l.known); return nil }

type some map[string]integrations.Integration

func (s some) Targets(context.Context) (map[string]integrations.Integration, error) { return s, nil }

type writer struct{ off bool }

func (w writer) Enabled(context.Context) (bool, error) { return !w.off, nil }

func (writer) Letter(m mail.Message) (outbox.Letter, error) {
	return outbox.Letter{Kind: outbox.Mail, To: m.To, About: m.Subject + "\n" + m.Text}, nil
}

func (writer) Seal(_ seal.Place, text []byte) (seal.Sealed, error) { return text, nil }

func target(kind string, settings map[string]string) integrations.Integration {
	return integrations.Integration{Declaration: integrations.Declaration{Kind: kind}, Settings: settings}
}

func TestEachTargetIsToldOnce(t *testing.T) {
	l := &ledger{world: world{known: map[notify.Key]notify.Known{}}, now: began}
	targets := some{"slack": target("slack", nil), "slack-ops": target("slack", map[string]string{"events": "drifted"}), "email": target("email", map[string]string{"to": "a@x.org,b@x.org"})}
	w := notify.NewWatch(l, targets, writer{}, writer{}, "https://berth.test", func() time.Time { return l.now })
	look := func(after time.Duration, current ...notify.Problem) {
		t.Helper()
		l.now, l.current = began.Add(after), current
		if err := w.Look(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	look(0)
	if l.writes != 0 {
		t.Error("it writes though nothing is wrong")
	}
	look(0, failed("a", "1"))
	look(time.Minute, failed("a", "1"))
	writes := l.writes
	look(2*time.Minute, failed("a", "1"))
	if l.writes != writes {
		t.Error("it writes though nothing has changed")
	}
	var to []string
	for _, letter := range l.letters {
		to = append(to, letter.To)
	}
	slices.Sort(to)
	if strings.Join(to, " ") != "a@x.org b@x.org slack" {
		t.Fatalf("told were %v", to)
	}
	for _, letter := range l.letters {
		if letter.Kind == outbox.Mail {
			if !strings.Contains(letter.About, "[Berth] The deployment of stack a failed") || !strings.Contains(letter.About, "https://berth.test/deployments/x") {
				t.Errorf("the mail is %q", letter.About)
			}
			continue
		}
		var told notify.Told
		if err := json.Unmarshal(letter.Sealed, &told); err != nil || told.ID != string(letter.ID) || told.Event != "deployment_failed" || letter.GiveUpAt.Sub(letter.CreatedAt) != 6*time.Hour {
			t.Errorf("%+v, %v", told, err)
		}
	}
	look(3 * time.Minute)
	look(4 * time.Minute)
	if n := len(l.letters); n != 6 {
		t.Errorf("with its end %d messages", n)
	}
	look(5*time.Minute, failed("a", "1"))
	clear(targets)
	look(6*time.Minute, failed("a", "1"))
	if len(l.known) != 0 || len(l.letters) != 6 {
		t.Errorf("without targets %d are known", len(l.known))
	}
	targets["email"] = target("email", map[string]string{"to": "a@x.org"})
	off := notify.NewWatch(l, targets, writer{off: true}, writer{}, "https://berth.test", func() time.Time { return l.now })
	for range 2 {
		if err := off.Look(t.Context()); err != nil {
			t.Fatal(err)
		}
		l.now = l.now.Add(time.Minute)
	}
	if len(l.letters) != 6 {
		t.Error("an e-mail is written though e-mail is off")
	}
}
