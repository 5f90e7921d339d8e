package metrics

import (
	"time"

	"berth/core/outbox"
)

// ownOutbox are the families about messages to the outside.
type ownOutbox struct{ mail, notices carried }

// carried is the families of one kind of message.
type carried struct{ attempts, waiting, oldest, last *vector }

func (x *ownOutbox) declare(o *Own) {
	x.mail = declareCarried(o, "e-mails", "berth_mail_attempts_total", "berth_mail_waiting",
		"berth_mail_oldest_waiting_timestamp_seconds", "berth_mail_last_success_timestamp_seconds")
	x.notices = declareCarried(o, "notices to webhooks, Slack, Discord and ntfy", "berth_notices_attempts_total", "berth_notices_waiting",
		"berth_notices_oldest_waiting_timestamp_seconds", "berth_notices_last_success_timestamp_seconds")
}

func declareCarried(o *Own, what, attempts, waiting, oldest, last string) carried {
	return carried{
		attempts: o.declare(TypeCounter, attempts, "Attempts to send "+what+": sent, deferred to a later attempt, or failed for good.", []string{"result"}),
		waiting:  o.declare(TypeGauge, waiting, "How many "+what+" wait to be sent; told by the hub that leads.", nil),
		oldest:   o.declare(TypeGauge, oldest, "Since when the oldest of the "+what+" waits; absent while none does.", nil),
		last:     o.declare(TypeGauge, last, "Time when one of the "+what+" was last sent; absent before the first since the start.", nil),
	}
}

// of returns the families of a kind; none: it is not measured.
func (x *ownOutbox) of(kind outbox.Kind) *carried {
	switch kind {
	case outbox.Mail:
		return &x.mail
	case outbox.Notice:
		return &x.notices
	}
	return nil
}

// Carried counts an attempt to send a message.
func (o *Own) Carried(kind outbox.Kind, result string) {
	c := o.outbox.of(kind)
	if c == nil {
		return
	}
	c.attempts.add(1, result)
	if result == "sent" {
		c.last.set(float64(o.now().Unix()))
	}
}

// KnowOutbox sets what waits to be sent. Only the hub that leads says so.
func (o *Own) KnowOutbox(figures map[outbox.Kind]outbox.Figure) {
	for _, kind := range []outbox.Kind{outbox.Mail, outbox.Notice} {
		c, f := o.outbox.of(kind), figures[kind]
		c.waiting.set(float64(f.Waiting))
		for _, result := range []string{"sent", "deferred", "failed"} {
			c.attempts.add(0, result)
		}
		if f.Oldest.Equal(time.Time{}) {
			c.oldest.end()
		} else {
			c.oldest.set(float64(f.Oldest.Unix()))
		}
	}
}

// UnknowOutbox ends what KnowOutbox has said: another hub leads.
func (o *Own) UnknowOutbox() {
	for _, kind := range []outbox.Kind{outbox.Mail, outbox.Notice} {
		c := o.outbox.of(kind)
		c.waiting.end()
		c.oldest.end()
	}
}
