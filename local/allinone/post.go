package allinone

import (
	"berth/core/mail"
	"berth/core/outbox"
	"berth/hub"
	"berth/hub/adapter/smtp"
	"berth/hub/post"
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
	carriers := map[outbox.Kind]post.Carrier{}
	if setup := p.mailSetup(); setup.Enabled() {
		s := p.cfg.Server
		carriers[outbox.Mail] = mail.NewCarrier(*s.SMTPSender, smtp.New(smtp.Settings{Host: setup.Host, Port: setup.Port, Security: setup.Security, Username: s.SMTPUsername, Password: s.SMTPPassword}))
	}
	return post.New(post.Options{Store: p.store, Seals: p.ring, Carriers: carriers, Meter: p.board.Own, Now: p.cfg.Now, Log: p.cfg.Log})
}
