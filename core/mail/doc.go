// Package mail owns e-mails: what one may say, how it is written down so that nothing in it becomes a header, and what
// is known of how they are delivered.
//
// Whoever has something to tell calls Desk.Queue, or Desk.Letter where the message is to be stored with the change that
// it tells of. The hub carries it (see core/outbox). The package must not know how SMTP is spoken. Start with
// Message, then Desk.
package mail
