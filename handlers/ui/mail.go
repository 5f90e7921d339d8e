package ui

import (
	"context"
	"net/http"
	"strconv"

	"berth/core"
	"berth/core/access"
	"berth/core/mail"
	"berth/core/outbox"
	"berth/handlers/endpoint"
)

// MailDesk tells of e-mail, and tries it; see mail.Desk.
type MailDesk interface {
	Setup(ctx context.Context) (mail.Setup, error)
	Letters(ctx context.Context) ([]outbox.Letter, error)
	Test(ctx context.Context, to string, by access.Principal) (outbox.Letter, error)
}

type mailPage struct {
	On      bool
	Badge   badge
	Server  string // host and port
	Way     string // how the connection is protected, in words
	Login   bool
	Sender  string
	To      input
	Trouble string
	Waiting []mailLine
	Ended   []mailLine
}

type mailLine struct {
	ID, To, About, Answer string
	Badge                 badge
	Attempts              string
	Stored, Next, Ended   moment
}

var mailView = newView[mailPage]("mail.html")

// ways are the words for how the connection to a mail server is protected.
var ways = map[mail.Security]string{
	mail.Implicit: "TLS from the first byte",
	mail.Required: "STARTTLS is demanded",
	mail.Offered:  "STARTTLS where the server offers it, else in plain text",
}

var letterBadges = map[outbox.State]badge{
	outbox.Waiting: {"busy", "clock", "Waiting"},
	outbox.Sent:    {"ok", "check", "Sent"},
	outbox.Failed:  {"bad", "cross", "Failed"},
}

// Mail shows how e-mail is set up, what waits and what became of the last ones.
func Mail(desk MailDesk, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		return writeMail(w, r, http.StatusOK, desk, now, input{}, "")
	})
}

// TestMail sends a test message. What comes of it stands in the list, where whoever asked is led.
func TestMail(desk MailDesk, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := typed(r)
		if err != nil {
			return err
		}
		to := form.Get("to")
		if _, err = desk.Test(r.Context(), to, endpoint.Principal(r.Context())); err == nil {
			return seeOther(w, r, saying("/email", "mail-tested"))
		}
		c, ours := complain(r, err)
		if !ours {
			return err
		}
		field := input{Value: exact(to)}
		field.Name = "to"
		return writeMail(w, r, c.Status, desk, now, field, c.on(&field))
	})
}

func writeMail(w http.ResponseWriter, r *http.Request, status int, desk MailDesk, now core.Clock, to input, trouble string) error {
	setup, err := desk.Setup(r.Context())
	if err != nil {
		return err
	}
	all, err := desk.Letters(r.Context())
	if err != nil {
		return err
	}
	if to.Name == "" {
		to.Value = exact(endpoint.Principal(r.Context()).Name)
	}
	page := newMailPage(setup, all, now)
	page.To.Value, page.To.Problem, page.To.Focus, page.Trouble = to.Value, to.Problem, to.Focus, trouble
	f := newFrame(r, inMail, "E-mail")
	f.Problem = status != http.StatusOK
	return mailView.write(w, r, status, f.following(len(page.Waiting) > 0), page)
}

// attempts is how often something was tried, in words.
func attempts(n int) string {
	if n == 1 {
		return "1 attempt"
	}
	return strconv.Itoa(n) + " attempts"
}

func newMailPage(setup mail.Setup, all []outbox.Letter, now core.Clock) mailPage {
	page := mailPage{On: setup.Enabled(), Badge: badge{"idle", "circle", "Off"}, Login: setup.Login, Sender: setup.Sender, Way: ways[setup.Security],
		To: input{Name: "to", Label: "Send to", Kind: "email", Complete: "email", Hint: "The message is tried once; what the mail server says to it appears below."}}
	if page.On {
		page.Badge, page.Server = badge{"ok", "check", "On"}, setup.Host+":"+strconv.Itoa(setup.Port)
	}
	for _, l := range all {
		line := mailLine{ID: string(l.ID), To: l.To, About: l.About, Answer: l.Answer, Badge: letterBadges[l.State], Attempts: attempts(l.Attempts),
			Stored: at(l.CreatedAt, now()), Ended: at(l.EndedAt, now())}
		if l.State.Ended() {
			page.Ended = append(page.Ended, line)
			continue
		}
		line.Next = at(l.NextAt, now())
		page.Waiting = append(page.Waiting, line)
	}
	return page
}
