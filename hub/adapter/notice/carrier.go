package notice

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/integrations"
	"berth/core/mail"
	"berth/core/notify"
	"berth/core/outbox"
	"berth/hub/adapter/outbound"
)

// Targets opens notification targets; *integrations.Backends does.
type Targets interface {
	Opened(ctx context.Context, slug string) (kind string, o integrations.Opened, err error)
}

// Mailer sends e-mails; *mail.Desk does.
type Mailer interface {
	Queue(ctx context.Context, m mail.Message) error
}

// Carrier carries notices. It is safe for concurrent use.
type Carrier struct {
	targets Targets
	mail    Mailer
	app     string // APP_URL
	now     core.Clock
	options outbound.Options
}

// New returns a Carrier; mailer sends test messages to targets that are addresses.
func New(targets Targets, mailer Mailer, app string, now core.Clock, o outbound.Options) *Carrier {
	return &Carrier{targets, mailer, app, now, o}
}

// Carry sends the notice that is the content of a letter to the target that the letter names, as that is set now.
func (c *Carrier) Carry(ctx context.Context, l outbox.Letter, content []byte) (answer string, err error) {
	var told notify.Told
	if err := json.Unmarshal(content, &told); err != nil {
		return "", outbox.Final(fmt.Errorf("read a notice: %w", err))
	}
	kind, o, err := c.targets.Opened(ctx, l.To)
	if err != nil {
		return "", outbox.Final(err) // it was disabled or deleted meanwhile
	}
	return c.send(ctx, kind, o, told)
}

// TellTest implements integrations.Teller.
func (c *Carrier) TellTest(ctx context.Context, kind string, o integrations.Opened) error {
	told := notify.Test(c.app, c.now())
	if kind != integrations.Email {
		_, err := c.send(ctx, kind, o, told)
		return err
	}
	for _, to := range integrations.Words(o.Settings["to"]) {
		if err := c.mail.Queue(ctx, mail.Message{To: to, About: "test message", Subject: "[Berth] " + told.Title, Text: told.Text()}); err != nil {
			return err
		}
	}
	return nil
}

var codes = outbound.Codes{
	Address: "notice.address", Unreachable: "notice.unreachable", Untrusted: "notice.untrusted", Slow: "notice.slow", TooLarge: "notice.too_large",
	Malformed: "notice.malformed", Redirected: "notice.redirected", Busy: "notice.busy", Failed: "notice.failed",
}

// maxHeard is how much is read of an answer, in bytes.
const maxHeard = 4 << 10

// send posts a notice in the form that a kind of target takes.
func (c *Carrier) send(ctx context.Context, kind string, o integrations.Opened, told notify.Told) (string, error) {
	form, known := forms[kind]
	if !known {
		return "", outbox.Final(fault.New(fault.Conflict, "notice.no_target", "There is no such kind of notification target any more."))
	}
	made, err := form(o, told, c.now())
	if err != nil {
		return "", outbox.Final(fmt.Errorf("write a notice: %w", err))
	}
	u, err := url.Parse(made.to)
	if err != nil {
		return "", outbox.Final(fault.New(fault.Conflict, "notice.address", "The configured address is none; correct it under Settings, Integrations.")) // the cause would show it
	}
	service, err := outbound.New(made.name, u.Scheme+"://"+u.Host, codes, c.options)
	if err != nil {
		return "", outbox.Final(err)
	}
	defer service.Close()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, made.to, bytes.NewReader(made.body))
	if err != nil {
		return "", outbox.Final(service.Malformed())
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "Berth")
	for name, value := range made.header {
		request.Header.Set(name, value)
	}
	response, err := service.Client().Do(request)
	if err != nil {
		return "", service.Trouble(ctx, err)
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, maxHeard)) // so that the connection ends well; nothing of it is shown
	return judged(service, response)
}

// judged says whether a target took a message. What it refuses for good is not sent again: by the time that somebody has
// corrected the settings, it is old.
func judged(service *outbound.Service, response *http.Response) (string, error) {
	status := response.StatusCode
	said := strconv.Itoa(status) + " " + http.StatusText(status)
	switch {
	case status/100 == 2:
		return said, nil
	case status == http.StatusTooManyRequests, status == http.StatusRequestTimeout, status >= 500:
		return "", fault.New(fault.Unavailable, "notice.failed", "%s takes no message now: it answers %s.", service.Name, said)
	case status/100 == 3:
		return "", outbox.Final(fault.New(fault.Conflict, "notice.redirected", "%s answers %s: it sends us elsewhere, which is not followed. Enter the address where it ends under Settings, Integrations.", service.Name, said))
	}
	return "", outbox.Final(fault.New(fault.Conflict, "notice.refused", "%s refuses the message: it answers %s. Check the address and the credential under Settings, Integrations.", service.Name, said))
}

// made is a request.
type made struct {
	name   string // of the service, for people
	to     string
	header map[string]string
	body   []byte
}

// at is a time as headers have it.
func at(t time.Time) string { return strconv.FormatInt(t.Unix(), 10) }
