package hubclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"berth/core"
	"berth/core/fault"
	"berth/core/fleet"
	"berth/core/hubcall"
	"berth/core/hubs"
	"berth/core/lint"
	"berth/core/policy"
	"berth/core/repositories"
	"berth/core/seal"
	"berth/core/secrets"
	"berth/core/stacks"
	"berth/core/wire"
)

// Nudge implements core.Nudger: every hub is told to look at the store. A lost nudge costs a second
// and nothing else, so nothing is said of it.
func (c *Client) Nudge() {
	c.everyone(hubcall.Nudge, struct{}{})
}

// Revoked implements fleet.Hub. A hub that is not reached finds out by itself when the worker says
// something; see fleet.Hub.
func (c *Client) Revoked(id core.WorkerID) {
	c.everyone(hubcall.Revoked, hubcall.AboutWorker{Worker: id})
}

// everyone tells all hubs at once, and waits for them no longer than the call may take.
func (c *Client) everyone(op hubcall.Op, question any) {
	ctx, cancel := context.WithTimeout(context.Background(), op.Limit())
	defer cancel()
	all, err := c.opts.Directory.Hubs(ctx)
	if err != nil {
		return
	}
	var telling sync.WaitGroup
	for _, hub := range all {
		telling.Go(func() { _ = c.tell(ctx, hub, op, question) }) // a hint: see the callers
	}
	telling.Wait()
}

// Wake tells the hub that holds a worker's link to look for its commands. It is a hint: each hub
// looks by itself once a second.
func (c *Client) Wake(ctx context.Context, id core.WorkerID) {
	if hub, err := c.opts.Directory.HubOfWorker(ctx, id); err == nil {
		_ = c.tell(ctx, hub, hubcall.Wake, hubcall.AboutWorker{Worker: id})
	}
}

// Arrived tells the hub that holds the lease Duties that a worker with these tags came. It is a hint:
// what waits for a worker looks by itself once a minute.
func (c *Client) Arrived(ctx context.Context, tags []string) {
	if hub, err := c.opts.Directory.HolderOf(ctx, hubs.Duties); err == nil {
		_ = c.tell(ctx, hub, hubcall.Arrived, hubcall.Arrival{Tags: tags})
	}
}

// RunEnded tells the hub that holds the lease Duties that runs of jobs have ended. It is a hint: what
// waits for that looks by itself now and then.
func (c *Client) RunEnded(ctx context.Context) {
	if hub, err := c.opts.Directory.HolderOf(ctx, hubs.Duties); err == nil {
		_ = c.tell(ctx, hub, hubcall.RunEnded, struct{}{})
	}
}

var errNoWorker = fault.New(fault.Conflict, "stack.not_deployed", "The stack was not deployed to a worker yet, so it has no containers.")

// Act starts, stops or restarts a compose service of a stack and returns when that is done.
func (c *Client) Act(ctx context.Context, s stacks.Stack, service string, kind wire.RequestKind) error {
	hub, err := c.hubOf(ctx, s, hubcall.Act)
	if err != nil {
		return err
	}
	return c.tell(ctx, hub, hubcall.Act, hubcall.AboutService{Stack: s.ID, Service: service, Kind: kind})
}

// Logs writes the last lines of a compose service to w and, when they are to be followed, new ones
// until ctx ends.
func (c *Client) Logs(ctx context.Context, s stacks.Stack, service string, ask stacks.LogAsk, w io.Writer) error {
	hub, err := c.hubOf(ctx, s, hubcall.Logs)
	if err != nil {
		return err
	}
	limit := hubcall.Logs.Limit()
	if ask.Follow {
		limit = hubcall.FollowLimit
	}
	return c.stream(ctx, hub, hubcall.Logs, limit, hubcall.LogsOf{Stack: s.ID, Service: service, Tail: ask.Tail, Follow: ask.Follow, Times: ask.Times}, w)
}

// Usage tells what the compose services of a stack used of their host in the last while.
func (c *Client) Usage(ctx context.Context, s stacks.Stack) ([]stacks.ServiceUsage, error) {
	hub, err := c.hubOf(ctx, s, hubcall.Usage)
	if err != nil {
		return nil, err
	}
	return ask[[]stacks.ServiceUsage](ctx, c, hub, hubcall.Usage, hubcall.AboutStack{Stack: s.ID})
}

// hubOf returns the hub that is to be asked about a stack's containers.
func (c *Client) hubOf(ctx context.Context, s stacks.Stack, op hubcall.Op) (hubs.Hub, error) {
	if s.Worker == "" {
		return hubs.Hub{}, errNoWorker
	}
	hub, err := c.opts.Directory.HubOfWorker(ctx, s.Worker)
	return hub, none(op, err)
}

// Plan says what a deployment of the head of the stack's branch would do now.
func (c *Client) Plan(ctx context.Context, id core.StackID) (stacks.Plan, error) {
	return lead[stacks.Plan](ctx, c, hubcall.Plan, hubcall.AboutStack{Stack: id})
}

// Lint says what is wrong with Compose files.
func (c *Client) Lint(ctx context.Context, ask lint.Ask) ([]lint.Finding, error) {
	return lead[[]lint.Finding](ctx, c, hubcall.Lint, ask)
}

// PolicyPlan says what rules would refuse of what is in place.
func (c *Client) PolicyPlan(ctx context.Context, worker core.WorkerID, rules policy.Rules) (fleet.PolicyPlan, error) {
	return lead[fleet.PolicyPlan](ctx, c, hubcall.PolicyPlan, hubcall.PolicyOf{Worker: worker, Rules: rules})
}

// Environment says what a stack's folder makes of its variables, as it was fetched last.
func (c *Client) Environment(ctx context.Context, id core.StackID) (stacks.Environment, error) {
	return lead[stacks.Environment](ctx, c, hubcall.Environment, hubcall.AboutStack{Stack: id})
}

// Commits lists at most limit commits that lead to the repository's head, newest first.
func (c *Client) Commits(ctx context.Context, r repositories.Repository, limit int) ([]core.CommitSummary, error) {
	return lead[[]core.CommitSummary](ctx, c, hubcall.Commits, hubcall.CommitsOf{Repository: r.ID, Limit: limit})
}

// Show returns what is at a path of a commit; an empty commit is the repository's head.
func (c *Client) Show(ctx context.Context, r repositories.Repository, commit core.Commit, name string) (repositories.Shown, error) {
	return lead[repositories.Shown](ctx, c, hubcall.Files, hubcall.FilesOf{Repository: r.ID, Commit: commit, Path: name})
}

// Discover finds every folder that could be a stack or a job.
func (c *Client) Discover(ctx context.Context, r repositories.Repository) (repositories.Discovery, error) {
	return lead[repositories.Discovery](ctx, c, hubcall.Discover, hubcall.AboutRepository{Repository: r.ID})
}

// Probe implements repositories.Prober. Password and key travel sealed.
func (c *Client) Probe(ctx context.Context, src core.GitSource) error {
	trial := hubcall.Trial{Row: src.Repository, URL: src.URL, Branch: src.Branch, Username: src.Username, HostKeys: src.HostKeys}
	var err error
	if trial.Password, err = c.sealed(trial.Place(), src.Password); err != nil {
		return err
	}
	if trial.Key, err = c.sealed(trial.KeyPlace(), src.Key); err != nil {
		return err
	}
	return c.tellLeader(ctx, hubcall.Probe, trial)
}

// sealed closes a secret of a call; an empty one is none.
func (c *Client) sealed(place seal.Place, secret secrets.Value) (seal.Sealed, error) {
	if secret.Empty() {
		return nil, nil
	}
	return c.opts.Seals.Seal(place, []byte(secret.Reveal()))
}

// ScanHost implements repositories.HostScanner.
func (c *Client) ScanHost(ctx context.Context, address string) ([]repositories.HostKey, error) {
	return lead[[]repositories.HostKey](ctx, c, hubcall.ScanHost, hubcall.AboutSSHHost{Address: address})
}

// Provided tells what the secrets file in a folder of a repository provides.
func (c *Client) Provided(ctx context.Context, r repositories.Repository, folder string) (repositories.Provided, error) {
	return lead[repositories.Provided](ctx, c, hubcall.Secrets, hubcall.SecretsOf{Repository: r.ID, Folder: folder})
}

// Encrypt returns the secrets file with these values, for a repository's key. They travel sealed.
func (c *Client) Encrypt(ctx context.Context, id core.RepositoryID, values map[string]secrets.Value) ([]byte, error) {
	if err := repositories.CheckSecrets(values); err != nil {
		return nil, err
	}
	given := make(map[string]string, len(values))
	for name, value := range values {
		given[name] = value.Reveal()
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // which would make some values six times as long
	if err := encoder.Encode(given); err != nil {
		return nil, errors.New("the values cannot be encoded")
	}
	ask := hubcall.ToEncrypt{Repository: id}
	var err error
	if ask.Values, err = c.opts.Seals.Seal(ask.Place(), text.Bytes()); err != nil {
		return nil, err
	}
	return lead[[]byte](ctx, c, hubcall.EncryptFile, ask)
}

// lead asks the hub that holds the lease Duties: it is the one that has the repositories.
func lead[Answer any](ctx context.Context, c *Client, op hubcall.Op, question any) (answer Answer, err error) {
	hub, err := c.opts.Directory.HolderOf(ctx, hubs.Duties)
	if err != nil {
		return answer, none(op, err)
	}
	return ask[Answer](ctx, c, hub, op, question)
}

// tellLeader makes a call to the hub that holds the lease Duties whose answer says nothing.
func (c *Client) tellLeader(ctx context.Context, op hubcall.Op, question any) error {
	hub, err := c.opts.Directory.HolderOf(ctx, hubs.Duties)
	if err != nil {
		return none(op, err)
	}
	return c.tell(ctx, hub, op, question)
}
