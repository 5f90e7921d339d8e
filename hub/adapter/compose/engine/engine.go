package engine

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/moby/moby/client"

	"berth/core/fault"
	"berth/core/policy"
	"berth/hub/adapter/compose"
	"berth/hub/worker"
)

// Options say where the engine and the host's registry passwords are.
type Options struct {
	// Host is the engine's address, unix:///path or tcp://host:port. Empty: DOCKER_HOST
	// with its companions DOCKER_TLS_VERIFY, DOCKER_CERT_PATH and DOCKER_API_VERSION,
	// else the default socket.
	Host string
	// RegistryConfig is the file in which "docker login" keeps passwords. Empty:
	// config.json in DOCKER_CONFIG, else in .docker of the home folder.
	RegistryConfig string
	// Policy is what projects may have of this host beyond the default.
	Policy policy.Policy
	// Limits is the policy file of the host, which narrows whatever else is allowed; nil: there is none.
	Limits *policy.Rules
	// Own are the worker's folders, which no project mounts.
	Own []string
}

// Engine is the container engine of this host. Safe for concurrent use; calls for one
// project must follow each other.
type Engine struct {
	docker      *client.Client
	registries  registries
	pace        pace
	quoteWithin time.Duration
	policy      policy.Policy
	limits      []policy.Layer // of the host alone
	own         []string
	known       known
}

var _ worker.Engine = (*Engine)(nil)

// pace is how often Verify looks. Tests keep it.
type pace struct{ least, most time.Duration }

// interval is the pause before the next look: an eighth of the time spent so far, so that
// what became healthy is seen little later, and what takes long is seldom asked.
func (p pace) interval(spent time.Duration) time.Duration { return min(max(spent/8, p.least), p.most) }

// Open returns an Engine. It connects when first used, so an engine that is away shows
// in Info, not here; an error means that the options make no sense.
func Open(o Options) (*Engine, error) {
	compose.Quieten()
	settings := []client.Opt{client.FromEnv}
	if o.Host != "" {
		settings = append(settings, client.WithHost(o.Host))
	}
	docker, err := client.New(settings...)
	if err != nil {
		return nil, fault.New(fault.Invalid, "engine.address", "The address of the Docker engine is not usable: %v. Write it as unix:///path or tcp://host:port.", err)
	}
	path := cmp.Or(o.RegistryConfig, defaultRegistryConfig())
	var limits []policy.Layer
	if o.Limits != nil {
		limits = []policy.Layer{{From: policy.FromHost, Rules: *o.Limits}}
	}
	return &Engine{docker: docker, policy: o.Policy, limits: limits, own: o.Own, registries: registries{path}, pace: pace{100 * time.Millisecond, time.Second}, quoteWithin: quoteWithin}, nil
}

func defaultRegistryConfig() string {
	if dir := os.Getenv("DOCKER_CONFIG"); dir != "" {
		return filepath.Join(dir, "config.json")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".docker", "config.json")
}

// Close lets go of idle connections.
func (e *Engine) Close() error { return e.docker.Close() }

// failed gives an error of an operation that changes something its meaning, without the
// secrets that hide knows. The context comes first: the SDK says "not healthy" or nothing
// at all when it was told to stop.
func (e *Engine) failed(ctx context.Context, err error, hide func(string) string) error {
	return e.meaning(ctx, err, hide, func(text string) error { return refusal(err, text) })
}

// unread is failed for operations that only look.
func (e *Engine) unread(ctx context.Context, err error, hide func(string) string) error {
	return e.meaning(ctx, err, hide, func(text string) error {
		return unanswered("did not answer as it should: %s", text)
	})
}

// unanswered is about an engine that is there and answers nothing of use.
func unanswered(format string, args ...any) *fault.Error {
	return fault.New(fault.Unavailable, "engine.failed", "The Docker engine "+format+". Try again; its own log on the host tells more.", args...)
}

// brokenOff is about an answer that ends before its end. What was asked for may have been done.
func brokenOff(err error) error { return unanswered("broke off its answer").Because(err) }

func (e *Engine) meaning(ctx context.Context, err error, hide func(string) string, otherwise func(text string) error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case isFault(err):
		return final(err, hide)
	case client.IsErrConnectionFailed(err):
		return e.unreachable(err)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF): // the client's own: what the engine says is text
		return brokenOff(err)
	}
	return final(otherwise(said(err)), hide)
}

func (e *Engine) unreachable(err error) error {
	return fault.New(fault.Unavailable, "engine.unreachable",
		"The Docker engine at %s does not answer. Start it on the worker's host, and make sure that the worker may use its socket (the group docker, or a mount of the socket) or that DOCKER_HOST names the right one.",
		e.docker.DaemonHost()).Because(err).After(5 * time.Second)
}
