package fleet

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/seal"
)

// How long a token waits for its first registration.
const (
	DefaultExpiry = 7 * 24 * time.Hour
	MaxExpiry     = 365 * 24 * time.Hour
	MinExpiry     = time.Minute
)

const maxTokenName = 100 // bytes

// TokenAsk is a wish for a worker token.
type TokenAsk struct {
	Name      string        // for people; may be empty
	ExpiresIn time.Duration // until the first registration; zero: DefaultExpiry
}

// Issued is a new token, together with its text, which nothing can show again.
type Issued struct {
	Token     Token
	Secret    seal.Token
	ServerURL string // what the worker's SERVER_URL must be
}

// Issue makes a worker token. Invalid "worker.invalid_token" names bad fields.
func (d *Desk) Issue(ctx context.Context, by access.Principal, ask TokenAsk) (Issued, error) {
	if err := ask.check(); err != nil {
		return Issued{}, err
	}
	server, err := d.port.serverURL()
	if err != nil {
		return Issued{}, err
	}
	pin, pinned, err := d.port.Pin(ctx)
	if err != nil {
		return Issued{}, fmt.Errorf("make a worker token: %w", err)
	}
	now := d.now()
	id := core.NewID(core.PrefixWorkerToken, now)
	secret := seal.NewToken(seal.TokenWorker, id)
	if pinned {
		secret = seal.NewWorkerToken(id, pin)
	}
	token := Token{ID: core.WorkerTokenID(id), Name: ask.Name, CreatedAt: now, ExpiresAt: now.Add(ask.expiry())}
	detail := "for a first registration until " + token.ExpiresAt.UTC().Format(time.RFC3339)
	if err := d.store.AddWorkerToken(ctx, token, d.seals.MACToken(secret), by.Audit("worker_token.create", id, detail)); err != nil {
		return Issued{}, err
	}
	return Issued{Token: token, Secret: secret, ServerURL: server}, nil
}

func (a TokenAsk) expiry() time.Duration {
	if a.ExpiresIn == 0 {
		return DefaultExpiry
	}
	return a.ExpiresIn
}

func (a TokenAsk) check() error {
	var bad []fault.Field
	if len(a.Name) > maxTokenName || strings.ContainsFunc(a.Name, func(c rune) bool { return c < ' ' || c == 0x7f || c == '\ufffd' }) {
		bad = append(bad, fault.Field{Path: "name", Problem: fmt.Sprintf("at most %d bytes without control characters", maxTokenName)})
	}
	if a.ExpiresIn != 0 && (a.ExpiresIn < MinExpiry || a.ExpiresIn > MaxExpiry) {
		bad = append(bad, fault.Field{Path: "expires_in",
			Problem: fmt.Sprintf("seconds, from %d to %d; leave it out for %d", int(MinExpiry.Seconds()), int(MaxExpiry.Seconds()), int(DefaultExpiry.Seconds()))})
	}
	return fault.BadFields("worker.invalid_token", bad)
}

// serverURL is where a worker dials: the host that people use, on the worker port.
func (p WorkerPort) serverURL() (string, error) {
	u, err := url.Parse(p.AppURL)
	if err != nil || u.Hostname() == "" {
		return "", fault.New(fault.Internal, "worker.app_url", "APP_URL has no host, so the address for workers is unknown. Set it to scheme://host[:port].")
	}
	host := u.Hostname()
	if strings.Contains(host, ":") { // IPv6
		host = "[" + host + "]"
	}
	return fmt.Sprintf("https://%s:%d", host, p.Port), nil
}

// Command is the line that starts the worker on a host with the program installed.
func (i Issued) Command() string {
	return fmt.Sprintf("SERVER_URL=%s WORKER_TOKEN=%s berth-worker", i.ServerURL, i.Secret.Reveal())
}

// Compose is a Compose file that runs the worker in a container.
func (i Issued) Compose() string {
	return fmt.Sprintf(`services:
  berth-worker:
    image: berth
    command: [worker]
    restart: unless-stopped
    network_mode: host # gives the worker this host's name
    environment:
      SERVER_URL: %s
      WORKER_TOKEN: %s
    volumes: # the second one at the same path as outside: containers mount what it holds
      - /var/run/docker.sock:/var/run/docker.sock
      - /var/lib/berth-worker:/var/lib/berth-worker
`, i.ServerURL, i.Secret.Reveal())
}
