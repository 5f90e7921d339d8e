package ui

import (
	"time"

	"berth/core"
	"berth/core/mail"
	"berth/core/outbox"
)

func sampleMail() mailPage {
	letter := func(n string, state outbox.State, attempts int, answer string) outbox.Letter {
		l := outbox.Letter{ID: core.LetterID("ltr_" + n), Kind: outbox.Mail, To: "ada.lovelace@engineering.example.org", About: "invitation", State: state, Attempts: attempts,
			CreatedAt: before(3 * time.Hour), NextAt: sampleNow.Add(20 * time.Minute), Answer: answer}
		if state.Ended() {
			l.EndedAt = before(time.Hour)
		}
		return l
	}
	page := newMailPage(mail.Setup{Host: "mail.example.org", Port: 587, Security: mail.Offered, Login: true, Sender: "Berth <berth@example.org>"}, []outbox.Letter{
		letter("1", outbox.Waiting, 7, "mail.example.org:587 cannot be reached: connection refused."),
		letter("2", outbox.Waiting, 0, ""),
		letter("3", outbox.Sent, 1, "250 2.0.0 Ok: queued as 4F2C1A"),
		letter("4", outbox.Failed, 3, "mail.example.org takes nothing for this address: 550 5.1.1 <img src=x onerror=alert(1)> no such user"),
	}, func() time.Time { return sampleNow })
	page.To.Value, page.To.Problem = "ada", "is not an e-mail address such as ada@example.com"
	return page
}
