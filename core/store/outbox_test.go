package store_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"berth/core"
	"berth/core/mail"
	"berth/core/outbox"
)

// letter stores a letter that is due now.
func (y *yard) letter(kind outbox.Kind) outbox.Letter {
	y.t.Helper()
	at := y.tick().Truncate(time.Microsecond)
	l := outbox.Letter{ID: core.LetterID(core.NewID(core.PrefixLetter, at)), Kind: kind, To: "ada@example.org", About: "test", Sealed: envelope(y.t), State: outbox.Waiting,
		CreatedAt: at, NextAt: at, GiveUpAt: at.Add(time.Hour)}
	y.must(y.AddLetter(y.t.Context(), l))
	return l
}

func (y *yard) claim(limit int) []outbox.Letter {
	y.t.Helper()
	all, err := y.ClaimLetters(y.t.Context(), limit, y.at.Add(outbox.ClaimTime))
	y.must(err)
	return all
}

func TestALetterIsClaimedByOne(t *testing.T) {
	y := openYard(t)
	if got := y.claim(5); len(got) != 0 {
		t.Fatalf("of nothing %d letters are due", len(got))
	}
	for range 8 {
		y.letter(outbox.Mail)
	}
	y.tick()
	var all sync.WaitGroup
	var mu sync.Mutex
	taken := map[core.LetterID]int{}
	for range 4 {
		all.Go(func() {
			letters, err := y.ClaimLetters(t.Context(), 3, y.at.Add(outbox.ClaimTime))
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Error(err)
			}
			for _, l := range letters {
				taken[l.ID]++
				if l.Attempts != 1 || len(l.Sealed) == 0 {
					t.Errorf("%+v", l)
				}
			}
		})
	}
	all.Wait()
	for range 2 {
		for _, l := range y.claim(8) {
			taken[l.ID]++
		}
	}
	for id, n := range taken {
		if n != 1 {
			t.Errorf("%s was claimed %d times", id, n)
		}
	}
	if len(taken) != 8 {
		t.Errorf("%d letters were claimed", len(taken))
	}
	y.at = y.at.Add(outbox.ClaimTime + time.Second)
	if again := y.claim(20); len(again) != 8 || again[0].Attempts != 2 {
		t.Errorf("after their claims have run out %d are due", len(again))
	}
}

func TestALetterIsSettledByWhoClaimedItLast(t *testing.T) {
	y := openYard(t)
	l := y.letter(outbox.Mail)
	y.tick()
	first := y.claim(1)[0]
	y.at = y.at.Add(outbox.ClaimTime + time.Second)
	second := y.claim(1)[0]
	y.must(y.SettleLetter(t.Context(), first.Settled("late", nil, y.at, 0)))
	if got, err := y.Letter(t.Context(), l.ID); err != nil || got.State != outbox.Waiting {
		t.Errorf("an attempt that was given up has settled it: %+v, %v", got, err)
	}
	y.must(y.SettleLetter(t.Context(), second.Settled("250 OK", nil, y.at, 0)))
	got, err := y.Letter(t.Context(), l.ID)
	if err != nil || got.State != outbox.Sent || got.Sealed != nil || got.Answer != "250 OK" || got.EndedAt.IsZero() {
		t.Errorf("%+v, %v", got, err)
	}
	_, err = y.Letter(t.Context(), "ltr_none")
	y.refused("one that there is not", err, "outbox.not_found")
}

func TestLettersAreShownAndForgotten(t *testing.T) {
	y := openYard(t)
	done := y.letter(outbox.Mail)
	y.tick()
	y.must(y.SettleLetter(t.Context(), y.claim(1)[0].Settled("250", nil, y.at, 0)))
	first, second := y.letter(outbox.Mail), y.letter(outbox.Mail)
	y.letter("other")
	all, err := y.Letters(t.Context(), outbox.Mail, 10)
	y.must(err)
	var ids []string
	for _, l := range all {
		ids = append(ids, string(l.ID))
	}
	if want := []string{string(second.ID), string(first.ID), string(done.ID)}; strings.Join(ids, " ") != strings.Join(want, " ") {
		t.Errorf("shown are %v, want %v", ids, want)
	}
	figures, err := y.OutboxFigures(t.Context())
	if err != nil || figures[outbox.Mail] != (outbox.Figure{Waiting: 2, Oldest: first.CreatedAt.UTC()}) || figures["other"].Waiting != 1 {
		t.Errorf("%+v, %v", figures, err)
	}
	if _, err := y.Prune(t.Context(), y.at.Add(15*24*time.Hour)); err != nil {
		t.Fatal(err)
	}
	_, err = y.Letter(t.Context(), done.ID)
	y.refused("what was sent long ago", err, "outbox.not_found")
	if _, err := y.Letter(t.Context(), first.ID); err != nil {
		t.Errorf("what waits is gone: %v", err)
	}
	y.must(y.AfterRestore(t.Context()))
	if got, err := y.Letter(t.Context(), first.ID); err != nil || got.State != outbox.Failed || got.Sealed != nil || got.Code != "backup.restored" {
		t.Errorf("after a restore: %+v, %v", got, err)
	}
}

func TestTheOutboxIsBounded(t *testing.T) {
	y := openYard(t)
	y.exec(t, `INSERT INTO outbox (id, kind, recipient, about, state, created_at, next_at, give_up_at)
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000) SELECT 'ltr_' || i, 'mail', 'a@b', '', 'waiting', 1, 9000000000000000, 1 FROM n`)
	l := outbox.Letter{ID: "ltr_x", Kind: outbox.Mail, State: outbox.Waiting}
	y.refused("one more", y.AddLetter(t.Context(), l), "outbox.full")
	l.Kind = "other"
	y.must(y.AddLetter(t.Context(), l))
}

func TestWhatTheHubSaysOfMail(t *testing.T) {
	y := openYard(t)
	if setup, err := y.MailSetup(t.Context()); err != nil || setup.Enabled() {
		t.Errorf("before it said anything: %+v, %v", setup, err)
	}
	for _, want := range []mail.Setup{{Host: "mail.test", Port: 587, Security: mail.Offered, Sender: "b@x", Login: true}, {}} {
		y.must(y.SetMailSetup(t.Context(), want))
		if setup, err := y.MailSetup(t.Context()); err != nil || setup != want {
			t.Errorf("%+v, %v", setup, err)
		}
	}
	y.must(y.AddTestLetter(t.Context(), outbox.Letter{ID: "ltr_1", Kind: outbox.Mail, To: "ada@example.org", State: outbox.Waiting}, someone))
	if n := y.audits("email.test"); n != 1 {
		t.Errorf("%d audit events", n)
	}
}
