package hubcall

import (
	"errors"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/integrations"
	"berth/core/metrics"
	"berth/core/policy"
	"berth/core/seal"
	"berth/core/wire"
)

// AboutWorker names a worker.
type AboutWorker struct {
	Worker core.WorkerID `json:"worker"`
}

// MetricsOf asks how a worker is, as metrics.
type MetricsOf struct {
	Worker core.WorkerID  `json:"worker"`
	Format metrics.Format `json:"format"`
}

// Arrival says what a worker that came can take.
type Arrival struct {
	Tags []string `json:"tags"`
}

// PolicyOf asks what rules would refuse; without a worker they are for all.
type PolicyOf struct {
	Worker core.WorkerID `json:"worker"`
	Rules  policy.Rules  `json:"rules"`
}

// AboutStack names a stack.
type AboutStack struct {
	Stack core.StackID `json:"stack"`
}

// AboutService asks for something to be done to a compose service.
type AboutService struct {
	Stack   core.StackID     `json:"stack"`
	Service string           `json:"service"`
	Kind    wire.RequestKind `json:"kind"`
}

// LogsOf asks for the log of a compose service.
type LogsOf struct {
	Stack   core.StackID `json:"stack"`
	Service string       `json:"service"`
	Tail    int          `json:"tail"` // lines
	Follow  bool         `json:"follow"`
	Times   bool         `json:"times"` // a hub of before leaves them out
}

// AboutRepository names a repository.
type AboutRepository struct {
	Repository core.RepositoryID `json:"repository"`
}

// CommitsOf asks for the newest commits of a repository.
type CommitsOf struct {
	Repository core.RepositoryID `json:"repository"`
	Limit      int               `json:"limit"`
}

// FilesOf asks for a folder or file of a repository.
type FilesOf struct {
	Repository core.RepositoryID `json:"repository"`
	Commit     core.Commit       `json:"commit"` // empty: the head
	Path       string            `json:"path"`
}

// AboutIntegration names an integration.
type AboutIntegration struct {
	Slug string `json:"slug"`
}

// PickOf asks what can be chosen next of a secret backend.
type PickOf struct {
	Slug string            `json:"slug"`
	Step integrations.Step `json:"step"`
}

// AboutSSHHost names an SSH host.
type AboutSSHHost struct {
	Address string `json:"address"` // host:port
}

// Trial is where and as whom a repository is to be read, once. Its secrets are sealed in the ring
// that both ends have, bound to the row of the trial, so that they are in clear in neither's buffers.
type Trial struct {
	Row      core.RepositoryID `json:"row"` // of this trial alone
	URL      string            `json:"url"`
	Branch   string            `json:"branch"`
	Username string            `json:"username"`
	Password seal.Sealed       `json:"password"` // empty: none
	Key      seal.Sealed       `json:"key"`      // private key for SSH; empty: none
	HostKeys []string          `json:"host_keys"`
}

// Place is what the password of a trial is bound to.
func (t Trial) Place() seal.Place {
	return seal.Place{Table: "hub_calls", Row: string(t.Row), Column: "password"}
}

// KeyPlace is what the private key of a trial is bound to.
func (t Trial) KeyPlace() seal.Place {
	return seal.Place{Table: "hub_calls", Row: string(t.Row), Column: "key"}
}

// SecretsOf asks what the secrets file in a folder provides.
type SecretsOf struct {
	Repository core.RepositoryID `json:"repository"`
	Folder     string            `json:"folder"`
}

// ToEncrypt is what a secrets file is to hold: a JSON object of names and values, sealed in the ring that
// both ends have and bound to the repository.
type ToEncrypt struct {
	Repository core.RepositoryID `json:"repository"`
	Values     seal.Sealed       `json:"values"`
}

// Place is what the values are bound to.
func (t ToEncrypt) Place() seal.Place {
	return seal.Place{Table: "hub_calls", Row: string(t.Repository), Column: "values"}
}

// Fault is a fault on its way: what people may read of it, and nothing of its cause.
type Fault struct {
	Kind         string        `json:"kind"`
	Code         string        `json:"code"`
	Public       string        `json:"public"`
	Fields       []fault.Field `json:"fields,omitempty"`
	RetrySeconds float64       `json:"retry_seconds,omitempty"`
}

// FaultOf returns what may be told of err.
func FaultOf(err error) Fault {
	f := Fault{Kind: fault.KindOf(err).String(), Code: fault.CodeOf(err), Public: fault.PublicOf(err)}
	var known *fault.Error
	if errors.As(err, &known) {
		f.Fields, f.RetrySeconds = known.Fields, known.RetryAfter.Seconds()
	}
	return f
}

// Error returns the fault that f tells of.
func (f Fault) Error() *fault.Error {
	return &fault.Error{Kind: fault.KindNamed(f.Kind), Code: f.Code, Public: f.Public, Fields: f.Fields,
		RetryAfter: time.Duration(f.RetrySeconds * float64(time.Second))}
}
