package mail

import (
	"context"
	"encoding/json"
	"fmt"
	"net/mail"

	"berth/core/outbox"
)

// Sender hands a message to an SMTP server. The answer is what the server said when it took it. An error is a fault
// that tells people what to do; outbox.Final marks one that no further attempt can mend.
type Sender interface {
	Send(ctx context.Context, from, to string, message []byte) (answer string, err error)
}

// Carrier carries letters that are e-mails.
type Carrier struct {
	from   mail.Address
	sender Sender
}

// NewCarrier returns a Carrier whose e-mails come from an address.
func NewCarrier(from mail.Address, sender Sender) *Carrier { return &Carrier{from, sender} }

// Carry sends the message that is the content of a letter.
func (c *Carrier) Carry(ctx context.Context, l outbox.Letter, content []byte) (answer string, err error) {
	var m Message
	if err := json.Unmarshal(content, &m); err != nil {
		return "", outbox.Final(fmt.Errorf("read a letter: %w", err))
	}
	return c.sender.Send(ctx, c.from.Address, m.To, compose(c.from, m, string(l.ID), l.CreatedAt))
}
