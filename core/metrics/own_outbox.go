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
	x.mail = declareCarried(o, "berth_mail", "e-mails")
	x.notices = declareCarried(o, "berth_notices", "notices to webhooks, Slack, Discord and ntfy")
}

func declareCarried(o *Own, prefix, what string) carried {
	return carried{
		attempts: o.declare(TypeCounter, prefix+"_attempts_total", "Attempts to send "+what+": sent, deferred to a later attempt, or failed for good.", []string{"result"}),
		waiting:  o.declare(TypeGauge, prefix+"_waiting", "How many "+what+" wait to be sent; told by the hub that leads.", nil),
		oldest:   o.declare(TypeGauge, prefix+"_oldest_waiting_timestamp_seconds", "Since when the oldest of the "+what+" waits; absent while none does.", nil),
		last:     o.declare(TypeGauge, prefix+"_last_success_timestamp_seconds", "Time when one of the "+what+" was last sent; absent before the first since the start.", nil),
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
