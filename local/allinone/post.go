package allinone

import (
	"context"
	"sync"

	"berth/core/mail"
	"berth/core/notify"
	"berth/core/outbox"
	"berth/hub"
	"berth/hub/adapter/githost"
	"berth/hub/adapter/smtp"
	"berth/hub/post"
	"berth/hub/statuses"
)

// mailSetup is how e-mails are delivered, as pages show it.
func (p *parts) mailSetup() mail.Setup {
	s := p.cfg.Server
	if s.SMTPHost == "" {
		return mail.Setup{}
	}
	return mail.Setup{Host: s.SMTPHost, Port: s.SMTPPort, Security: mail.SecurityOf(s.SMTPPort, s.SMTPTLS), Login: s.SMTPUsername != "" && !s.SMTPPassword.Empty(), Sender: s.SMTPSender.String()}
}

// post makes what sends the messages of the outbox.
func (p *parts) post() hub.Post {
	tell := statuses.New(statuses.Options{Store: p.store, Sources: p.repositories, Teller: githost.Statuses{}, App: p.cfg.Server.AppURL, Now: p.cfg.Now, Log: p.cfg.Log})
	return posts{p.letters(), tell}
}

// posts is everything that tells the outside what was stored for it.
type posts []hub.Post

// Run implements hub.Post.
func (all posts) Run(ctx context.Context) {
	var running sync.WaitGroup
	for _, one := range all {
		running.Go(func() { one.Run(ctx) })
	}
	running.Wait()
}

// Wake implements hub.Post.
func (all posts) Wake() {
	for _, one := range all {
		one.Wake()
	}
}

// letters carries what is in the outbox.
func (p *parts) letters() hub.Post {
	carriers := map[outbox.Kind]post.Carrier{}
	if setup := p.mailSetup(); setup.Enabled() {
		s := p.cfg.Server
		carriers[outbox.Mail] = mail.NewCarrier(*s.SMTPSender, smtp.New(smtp.Settings{Host: setup.Host, Port: setup.Port, Security: setup.Security, Username: s.SMTPUsername, Password: s.SMTPPassword}))
	}
	carriers[outbox.Notice] = p.notices
	sending := post.New(post.Options{Store: p.store, Seals: p.ring, Carriers: carriers, Meter: p.board.Own, Now: p.cfg.Now, Log: p.cfg.Log})
	ofBackups := func() (none notify.Seen) { // the shelf is opened later, and with PostgreSQL there is none
		if p.shelf == nil {
			return none
		}
		return p.shelf.Problems()
	}
	watch := notify.NewWatch(p.store, p.backends, p.mail, p.ring, p.cfg.Server.AppURL, p.cfg.Now, ofBackups)
	return post.Watching{Post: sending, Look: watch.Look, Log: p.cfg.Log}
}
