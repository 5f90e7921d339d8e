package handlers_test

import (
	"context"
	"encoding/json"
	"path"
	"regexp"
	"strings"
	"testing"
	"time"

	"berth/core/access"
	"berth/core/mail"
	"berth/core/outbox"
)

// mailsOn sets e-mail up.
func (s *stand) mailsOn() {
	s.must(s.store.SetMailSetup(s.t.Context(), mail.Setup{Host: "mail.example.org", Port: 587, Security: mail.Offered, Sender: "berth@example.org"}))
}

// mails returns the e-mails that wait, oldest first.
func (s *stand) mails() (all []mail.Message) {
	s.t.Helper()
	letters, err := s.store.Letters(context.Background(), outbox.Mail, 100)
	s.must(err)
	for i := len(letters) - 1; i >= 0; i-- {
		claimed, err := s.store.Letter(context.Background(), letters[i].ID)
		s.must(err)
		text, err := s.ring.Open(outbox.Place(claimed.ID), claimed.Sealed)
		s.must(err)
		var m mail.Message
		s.must(json.Unmarshal(text, &m))
		all = append(all, m)
	}
	return all
}

var linkIn = regexp.MustCompile(`http\S+/(invites|resets)/\S+`)

func TestLinksAreSentByMailWhereThatIsSetUp(t *testing.T) {
	s := newStand(t)
	s.found()
	type sent struct {
		Link string `json:"link"`
		Sent bool   `json:"sent"`
	}
	u := s.user(access.RoleViewer)
	if off := decode[sent](t, s.asAdmin("POST", "/api/custom/users/invite", `{"email":"off@example.org","role":"viewer"}`, 201)); off.Sent || len(s.mails()) != 0 {
		t.Errorf("without a mail server: %+v, %d mails", off, len(s.mails()))
	}
	s.mailsOn()
	invited := decode[sent](t, s.asAdmin("POST", "/api/custom/users/invite", `{"email":"bob@example.org","role":"viewer"}`, 201))
	reset := decode[sent](t, s.asAdmin("POST", "/api/custom/users/"+string(u.ID)+"/reset", "", 201))
	got := s.mails()
	if len(got) != 2 || !invited.Sent || !reset.Sent {
		t.Fatalf("%d mails, %+v, %+v", len(got), invited, reset)
	}
	for i, want := range []struct{ to, link string }{{"bob@example.org", invited.Link}, {u.Email, reset.Link}} {
		if got[i].To != want.to || linkIn.FindString(got[i].Text) != want.link || strings.Contains(got[i].Subject+got[i].About, "berth_") {
			t.Errorf("mail %d is %+v, want to %s with %s", i, got[i], want.to, want.link)
		}
	}
}

func TestAForgottenPassword(t *testing.T) {
	s := newStand(t)
	s.found()
	u, barred := s.user(access.RoleViewer), s.user(access.RoleViewer)
	s.exec(`UPDATE users SET disabled = 1 WHERE id = ?`, string(barred.ID))
	ask := func(email string) int {
		return s.do(call{method: "POST", path: "/api/custom/resets", body: `{"email":"` + email + `"}`}).Code
	}
	if got := ask(u.Email); got != 409 {
		t.Errorf("without a mail server: %d", got)
	}
	s.mailsOn()
	for name, c := range map[string]struct {
		email  string
		status int
	}{"nobody": {"nobody@example.org", 204}, "who is barred": {barred.Email, 204}, "what is no address": {"nobody", 422}} {
		if got := ask(c.email); got != c.status || len(s.mails()) != 0 {
			t.Errorf("%s: %d, %d mails", name, got, len(s.mails()))
		}
	}
	for range 5 { // of which three are sent
		if got := ask(strings.ToUpper(u.Email)); got != 204 {
			t.Errorf("a user is answered %d", got)
		}
	}
	mails := s.mails()
	if len(mails) != 3 || mails[0].To != u.Email {
		t.Fatalf("%d mails: %+v", len(mails), mails)
	}
	link := "/api/custom/resets/" + path.Base(linkIn.FindString(mails[2].Text))
	wantStatus(t, "the link", s.do(call{method: "POST", path: link, body: `{"password":"staple battery horse"}`}), 204, "")
	wantStatus(t, "one before", s.do(call{method: "POST", path: "/api/custom/resets/" + path.Base(linkIn.FindString(mails[1].Text)), body: `{"password":"staple battery horse"}`}), 404, "reset.ended")
	s.later(time.Hour)
	if n := s.count(`SELECT count(*) FROM audit_events WHERE action = 'user.reset_link' AND actor_kind = 'anonymous' AND resource = ?`, string(u.ID)); n != 3 {
		t.Errorf("%d of them are in the audit", n)
	}
}

// TestNobodyIsToldWhoHasAnAccount: a known address takes as long as an unknown one, which is longer than either needs. (A5)
func TestNobodyIsToldWhoHasAnAccount(t *testing.T) {
	s := newStand(t)
	s.found()
	s.mailsOn()
	u := s.user(access.RoleViewer)
	var answers []string
	for _, email := range []string{u.Email, "nobody@example.org"} {
		begun := time.Now()
		w := s.do(call{method: "POST", path: "/api/custom/resets", body: `{"email":"` + email + `"}`})
		if took := time.Since(begun); took < 500*time.Millisecond {
			t.Errorf("%s is answered after %s", email, took)
		}
		w.Header().Del("X-Request-Id")
		answers = append(answers, w.Body.String()+strings.Join([]string{w.Header().Get("Content-Type"), w.Header().Get("Location")}, " "))
	}
	if answers[0] != answers[1] {
		t.Errorf("they are answered %q", answers)
	}
}
