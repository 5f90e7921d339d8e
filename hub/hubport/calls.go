package hubport

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"io"
	"log/slog"

	"berth/core"
	"berth/core/fleet"
	"berth/core/hubcall"
	"berth/core/integrations"
	"berth/core/lint"
	"berth/core/metrics"
	"berth/core/policy"
	"berth/core/repositories"
	"berth/core/seal"
	"berth/core/secrets"
	"berth/core/stacks"
	"berth/core/wire"
)

// Hub is what is asked of the hub in this process; *hub.Hub has it.
type Hub interface {
	// Nudge makes the hub look at the store at once.
	Nudge()
	// Wake makes a worker's link look for commands, when it is held here.
	Wake(id core.WorkerID)
	// Arrived lets the deployments look again that wait for a worker with these tags.
	Arrived(tags []string)
	// RunEnded lets those go on that wait for the end of a run.
	RunEnded()
	// Revoked ends the link of a worker that was cut off, when it is held here.
	Revoked(id core.WorkerID)
	// Act starts, stops or restarts a compose service.
	Act(ctx context.Context, s stacks.Stack, service string, kind wire.RequestKind) error
	// Logs writes the log of a compose service.
	Logs(ctx context.Context, s stacks.Stack, service string, ask stacks.LogAsk, w io.Writer) error
	// Usage tells what the compose services of a stack use.
	Usage(ctx context.Context, s stacks.Stack) ([]stacks.ServiceUsage, error)
	// Plan says what a deployment would do.
	Plan(ctx context.Context, id core.StackID) (stacks.Plan, error)
	// Lint says what is wrong with Compose files.
	Lint(ctx context.Context, ask lint.Ask) ([]lint.Finding, error)
	// PolicyPlan says what rules would refuse.
	PolicyPlan(ctx context.Context, worker core.WorkerID, rules policy.Rules) (fleet.PolicyPlan, error)
	// Environment says what a stack's folder makes of its variables.
	Environment(ctx context.Context, id core.StackID) (stacks.Environment, error)
}

// Finder finds what calls name; *store.Store does.
type Finder interface {
	Stack(ctx context.Context, id core.StackID) (stacks.Stack, error)
	Repository(ctx context.Context, id core.RepositoryID) (repositories.Repository, error)
}

// Opener opens what travels sealed; *seal.Ring does.
type Opener interface {
	Open(place seal.Place, sealed seal.Sealed) ([]byte, error)
}

// SecretsFiles reads and writes secrets files; *repositories.SecretsReader does.
type SecretsFiles interface {
	// Provided tells what the secrets file in a folder provides.
	Provided(ctx context.Context, r repositories.Repository, folder string) (repositories.Provided, error)
	// Encrypt returns the secrets file with these values.
	Encrypt(ctx context.Context, id core.RepositoryID, values map[string]secrets.Value) ([]byte, error)
}

// Options is what a Port is made of; all of it is required.
type Options struct {
	Key         *hubcall.Key
	Hub         Hub
	Find        Finder
	Browser     repositories.Browser
	Prober      repositories.Prober
	Scanner     repositories.HostScanner
	Seals       Opener
	Backends    integrations.Outside
	Secrets     SecretsFiles
	Metrics     metrics.Source
	Certificate tls.Certificate
	Version     string // of the program
	Log         *slog.Logger
}

// call answers one kind of call.
type call func(ctx context.Context, body []byte, w *answer) error

// calls is everything that a hub answers.
func calls(o Options) map[hubcall.Op]call {
	return map[hubcall.Op]call{
		hubcall.Nudge:    said(func(struct{}) { o.Hub.Nudge() }),
		hubcall.Wake:     said(func(ask hubcall.AboutWorker) { o.Hub.Wake(ask.Worker) }),
		hubcall.Arrived:  said(func(ask hubcall.Arrival) { o.Hub.Arrived(ask.Tags) }),
		hubcall.RunEnded: said(func(struct{}) { o.Hub.RunEnded() }),
		hubcall.Revoked:  said(func(ask hubcall.AboutWorker) { o.Hub.Revoked(ask.Worker) }),
		hubcall.Act:      streamed(o.act),
		hubcall.Logs:     streamed(o.logs),
		hubcall.Usage:    answered(o.usage),
		hubcall.Plan: answered(func(ctx context.Context, ask hubcall.AboutStack) (stacks.Plan, error) {
			return o.Hub.Plan(ctx, ask.Stack)
		}),
		hubcall.Lint: answered(o.Hub.Lint),
		hubcall.PolicyPlan: answered(func(ctx context.Context, ask hubcall.PolicyOf) (fleet.PolicyPlan, error) {
			return o.Hub.PolicyPlan(ctx, ask.Worker, ask.Rules)
		}),
		hubcall.Environment: answered(func(ctx context.Context, ask hubcall.AboutStack) (stacks.Environment, error) {
			return o.Hub.Environment(ctx, ask.Stack)
		}),
		hubcall.Commits:  answered(o.commits),
		hubcall.Files:    answered(o.files),
		hubcall.Discover: answered(o.discover),
		hubcall.Probe:    streamed(o.probe),
		hubcall.ScanHost: answered(func(ctx context.Context, ask hubcall.AboutSSHHost) ([]repositories.HostKey, error) {
			return o.Scanner.ScanHost(ctx, ask.Address)
		}),
		hubcall.TestBackend: streamed(func(ctx context.Context, ask hubcall.AboutIntegration, _ io.Writer) error {
			return o.Backends.Test(ctx, ask.Slug)
		}),
		hubcall.Pick: answered(func(ctx context.Context, ask hubcall.PickOf) ([]integrations.Choice, error) {
			return o.Backends.Pick(ctx, ask.Slug, ask.Step)
		}),
		hubcall.Secrets:       answered(o.secrets),
		hubcall.EncryptFile:   answered(o.encrypt),
		hubcall.Metrics:       streamed(o.Metrics.All),
		hubcall.WorkerMetrics: streamed(o.workerMetrics),
	}
}

func (o Options) act(ctx context.Context, ask hubcall.AboutService, _ io.Writer) error {
	s, err := o.Find.Stack(ctx, ask.Stack)
	if err != nil {
		return err
	}
	return o.Hub.Act(ctx, s, ask.Service, ask.Kind)
}

func (o Options) usage(ctx context.Context, ask hubcall.AboutStack) ([]stacks.ServiceUsage, error) {
	s, err := o.Find.Stack(ctx, ask.Stack)
	if err != nil {
		return nil, err
	}
	return o.Hub.Usage(ctx, s)
}

func (o Options) logs(ctx context.Context, ask hubcall.LogsOf, w io.Writer) error {
	s, err := o.Find.Stack(ctx, ask.Stack)
	if err != nil {
		return err
	}
	return o.Hub.Logs(ctx, s, ask.Service, stacks.LogAsk{Tail: ask.Tail, Follow: ask.Follow, Times: ask.Times}, w)
}

func (o Options) commits(ctx context.Context, ask hubcall.CommitsOf) ([]core.CommitSummary, error) {
	r, err := o.Find.Repository(ctx, ask.Repository)
	if err != nil {
		return nil, err
	}
	return o.Browser.Commits(ctx, r, ask.Limit)
}

func (o Options) files(ctx context.Context, ask hubcall.FilesOf) (repositories.Shown, error) {
	r, err := o.Find.Repository(ctx, ask.Repository)
	if err != nil {
		return repositories.Shown{}, err
	}
	return o.Browser.Show(ctx, r, ask.Commit, ask.Path)
}

func (o Options) discover(ctx context.Context, ask hubcall.AboutRepository) (repositories.Discovery, error) {
	r, err := o.Find.Repository(ctx, ask.Repository)
	if err != nil {
		return repositories.Discovery{}, err
	}
	return o.Browser.Discover(ctx, r)
}

func (o Options) probe(ctx context.Context, ask hubcall.Trial, _ io.Writer) error {
	src := core.GitSource{Repository: ask.Row, URL: ask.URL, Branch: ask.Branch, Username: ask.Username, HostKeys: ask.HostKeys}
	var err error
	if src.Password, err = o.opened(ask.Place(), ask.Password); err != nil {
		return err
	}
	if src.Key, err = o.opened(ask.KeyPlace(), ask.Key); err != nil {
		return err
	}
	return o.Prober.Probe(ctx, src)
}

// opened opens a secret of a call; none is empty.
func (o Options) opened(place seal.Place, sealed seal.Sealed) (secrets.Value, error) {
	if len(sealed) == 0 {
		return secrets.Value{}, nil
	}
	text, err := o.Seals.Open(place, sealed)
	if err != nil {
		return secrets.Value{}, errBody.Because(err)
	}
	return secrets.NewValue(string(text)), nil
}

func (o Options) secrets(ctx context.Context, ask hubcall.SecretsOf) (repositories.Provided, error) {
	r, err := o.Find.Repository(ctx, ask.Repository)
	if err != nil {
		return repositories.Provided{}, err
	}
	return o.Secrets.Provided(ctx, r, ask.Folder)
}

func (o Options) encrypt(ctx context.Context, ask hubcall.ToEncrypt) ([]byte, error) {
	text, err := o.Seals.Open(ask.Place(), ask.Values)
	if err != nil {
		return nil, errBody.Because(err)
	}
	var given map[string]string
	if json.Unmarshal(text, &given) != nil {
		return nil, errBody // what the decoder says may hold a value
	}
	values := make(map[string]secrets.Value, len(given))
	for name, value := range given {
		values[name] = secrets.NewValue(value)
	}
	return o.Secrets.Encrypt(ctx, ask.Repository, values)
}

func (o Options) workerMetrics(ctx context.Context, ask hubcall.MetricsOf, w io.Writer) error {
	return o.Metrics.Worker(ctx, ask.Worker, ask.Format, w)
}

// said is a call without an answer.
func said[Ask any](do func(Ask)) call {
	return streamed(func(_ context.Context, ask Ask, _ io.Writer) error {
		do(ask)
		return nil
	})
}

// answered is a call whose answer is one value.
func answered[Ask, Answer any](do func(context.Context, Ask) (Answer, error)) call {
	return streamed(func(ctx context.Context, ask Ask, w io.Writer) error {
		value, err := do(ctx, ask)
		if err != nil {
			return err
		}
		return json.NewEncoder(w).Encode(value)
	})
}

// streamed is a call whose answer is text as it comes, or nothing.
func streamed[Ask any](do func(context.Context, Ask, io.Writer) error) call {
	return func(ctx context.Context, body []byte, w *answer) error {
		var ask Ask
		if err := json.NewDecoder(bytes.NewReader(body)).Decode(&ask); err != nil {
			return errBody.Because(err)
		}
		if err := w.heard(); err != nil {
			return err
		}
		return do(ctx, ask, w)
	}
}
