package api

import (
	"context"
	"net/http"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/mail"
	"berth/core/outbox"
	"berth/handlers/endpoint"
)

// MailDesk tells of e-mail, and tries it; *mail.Desk does.
type MailDesk interface {
	Setup(ctx context.Context) (mail.Setup, error)
	Letters(ctx context.Context) ([]outbox.Letter, error)
	Sent(ctx context.Context, id core.LetterID) (outbox.Letter, error)
	// Test sends a message to an address. Conflict "mail.off"; Invalid "mail.invalid".
	Test(ctx context.Context, to string, by access.Principal) (outbox.Letter, error)
}

// MailSetupAnswer says how e-mail is delivered. It is set by environment variables of the server.
type MailSetupAnswer struct {
	Enabled  bool   `json:"enabled"`  // SMTP_HOST is set
	Host     string `json:"host"`     // "" while e-mail is off
	Port     int    `json:"port"`     // 0 while e-mail is off
	Security string `json:"security"` // implicit: TLS from the first byte; required: STARTTLS or nothing; offered: STARTTLS where the server offers it; "" while e-mail is off
	Login    bool   `json:"login"`    // with SMTP_USERNAME and SMTP_PASSWORD
	Sender   string `json:"sender"`   // SMTP_SENDER
}

// GetMailSetup answers with how e-mail is set up.
func GetMailSetup(desk MailDesk) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		s, err := desk.Setup(r.Context())
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusOK, MailSetupAnswer{Enabled: s.Enabled(), Host: s.Host, Port: s.Port, Security: string(s.Security), Login: s.Login, Sender: s.Sender})
	})
}

// MailAnswer is an e-mail or a notice without what it says.
type MailAnswer struct {
	ID        core.LetterID `json:"id"`
	Kind      string        `json:"kind"`  // mail, or notice: one to a webhook, Slack, Discord or ntfy
	To        string        `json:"to"`    // address, or slug of the notification target
	About     string        `json:"about"` // what it is, such as invitation
	State     string        `json:"state"` // waiting, sent or failed
	Attempts  int           `json:"attempts"`
	CreatedAt time.Time     `json:"created_at"`
	NextAt    *time.Time    `json:"next_at"`  // when it is tried next; null once it has ended
	EndedAt   *time.Time    `json:"ended_at"` // null while it waits
	Code      string        `json:"code"`     // of what went wrong with the last attempt; "" when nothing did
	Answer    string        `json:"answer"`   // of the mail server, or why it could not be asked; "" before the first attempt
}

func showMail(l outbox.Letter) MailAnswer {
	answer := MailAnswer{ID: l.ID, Kind: string(l.Kind), To: l.To, About: l.About, State: string(l.State), Attempts: l.Attempts, CreatedAt: l.CreatedAt, Code: l.Code, Answer: l.Answer}
	if l.State.Ended() {
		answer.EndedAt = &l.EndedAt
	} else {
		answer.NextAt = &l.NextAt
	}
	return answer
}

// ListMail lists e-mails that wait, and those that ended last.
func ListMail(desk MailDesk) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		all, err := desk.Letters(r.Context())
		if err != nil {
			return err
		}
		return endpoint.List(w, core.List[outbox.Letter]{Items: all}, showMail)
	})
}

// TestMailRequest says where a test message goes.
type TestMailRequest struct {
	To string `json:"to" required:"yes"` // e-mail address
}

// TestMail sends a test message.
func TestMail(desk MailDesk) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		ask, err := endpoint.Decode[TestMailRequest](r)
		if err != nil {
			return err
		}
		by := endpoint.Principal(r.Context())
		l, err := desk.Test(r.Context(), ask.To, by)
		if err != nil {
			return err
		}
		l, err = held(w, r, l, func(l outbox.Letter) bool { return l.State.Ended() }, func(ctx context.Context) (outbox.Letter, error) { return desk.Sent(ctx, l.ID) })
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusAccepted, showMail(l))
	})
}
