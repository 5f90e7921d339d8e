package identity

import (
	"context"
	"fmt"
	"time"

	"berth/core/access"
	"berth/core/fault"
	"berth/core/mail"
	"berth/core/pace"
	"berth/core/seal"
)

// Letters sends e-mails; *mail.Desk does.
type Letters interface {
	// Enabled reports whether e-mail is set up.
	Enabled(ctx context.Context) (bool, error)
	// Queue stores a message to be sent.
	Queue(ctx context.Context, m mail.Message) error
}

// forgetting is how often one account is sent a link because somebody says that its password is forgotten. What
// comes more often is answered as always, and nothing is sent.
var forgetting = pace.Rule{Burst: 3, Every: 20 * time.Minute}

// answersAfter is how long it takes to answer whoever has forgotten a password, whether or not there is such a user.
const answersAfter = 500 * time.Millisecond

var errNoMail = fault.New(fault.Conflict, "reset.no_mail", "E-mail is not set up on this server, so no link can be sent. Ask an administrator for one: Users, the person, Make a link.")

// Mailing has the links of invitations and resets sent by e-mail, too, where e-mail is set up. app is where browsers find
// this server, an origin without a slash at its end. It is called once, before any other method, and returns p.
func (p *People) Mailing(letters Letters, app string) *People {
	p.letters, p.app, p.forgotten = letters, app, pace.New(forgetting, maxKeys, p.now)
	return p
}

// Mails reports whether links are sent by e-mail.
func (p *People) Mails(ctx context.Context) (bool, error) {
	if p.letters == nil {
		return false, nil
	}
	return p.letters.Enabled(ctx)
}

// send queues an e-mail, where that is set up. Whoever made the link has it in hand, too: a message that cannot be
// queued is no reason to take it back.
func (p *People) send(ctx context.Context, m mail.Message) bool {
	on, err := p.Mails(ctx)
	return err == nil && on && p.letters.Queue(ctx, m) == nil
}

func (p *People) sendInvitation(ctx context.Context, i Invitation, token seal.Token) bool {
	return p.send(ctx, mail.Message{To: i.Email, About: "invitation", Subject: "You are invited to Berth", Text: fmt.Sprintf(
		"%s invites you to Berth at %s, with the role %s.\n\nOpen this link to choose a password and make your account:\n\n%s\n\nIt is good once, until %s. If you expect no invitation, do nothing.\n",
		i.ByName, p.app, i.Role, p.app+"/invites/"+token.Reveal(), i.ExpiresAt.UTC().Format("2 January 2006, 15:04 UTC"))})
}

func (p *People) sendReset(ctx context.Context, r StoredReset, to, why string, token seal.Token) bool {
	return p.send(ctx, mail.Message{To: to, About: "link for a new password", Subject: "A new password for Berth", Text: fmt.Sprintf(
		"%s for your account at %s. Open this link to choose one:\n\n%s\n\nIt is good once, until %s. Until it is used nothing changes: if you do not want a new password, do nothing.\n",
		why, p.app, p.app+"/resets/"+token.Reveal(), r.ExpiresAt.UTC().Format("2 January 2006, 15:04 UTC"))})
}

// Forgot sends a link for a new password to an account's address. Nothing tells whether there is such an account: neither the
// answer nor how long it takes. Invalid "user.invalid" for what is no address, Conflict "reset.no_mail", TooMany "auth.too_many".
func (p *People) Forgot(ctx context.Context, who access.Principal, email string) error {
	email = NormalEmail(email)
	if err := fault.BadFields("user.invalid", checkEmail(nil, email)); err != nil {
		return err
	}
	on, err := p.Mails(ctx)
	if err != nil {
		return err
	}
	if !on {
		return errNoMail
	}
	if _, err := p.throttle.begin("forgotten "+email, who.Address); err != nil {
		return err
	}
	answer := time.NewTimer(answersAfter)
	defer answer.Stop()
	err = p.forgot(ctx, who, email)
	select {
	case <-answer.C:
	case <-ctx.Done():
	}
	return err
}

func (p *People) forgot(ctx context.Context, who access.Principal, email string) error {
	user, hash, err := p.store.UserByEmail(ctx, email)
	if fault.Is(err, fault.NotFound) || err == nil && (user.Disabled || hash == "") {
		return nil // who has no password signs in at the provider, as long as that lets them in
	}
	if err != nil || p.forgotten.Take(email) > 0 {
		return err
	}
	kept, token := p.newReset(user.ID, "whoever asked for it at the sign-in page", MailedResetLife)
	if err := p.store.AddReset(ctx, who, kept); err != nil {
		return err
	}
	p.sendReset(ctx, kept, user.Email, "Somebody asked for a new password", token)
	return nil
}
