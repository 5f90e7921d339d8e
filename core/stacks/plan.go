package stacks

import (
	"berth/core"
	"berth/core/lint"
)

// Plan says what a deployment of the head of the stack's branch would do now. Nothing was
// changed to find out.
type Plan struct {
	Stack      core.StackID
	Commit     core.Commit
	Revision   int  // the kept revision that the render equals; 0: it would be a new one
	Current    int  // revision that is in place; 0: none
	UpToDate   bool // every compose service would be left as it is
	Worker     core.WorkerID
	Observed   bool // false: the stack's worker is away; the plan goes by what it said last
	Services   []PlannedService
	Wanted     []core.ComposeService // of the project that would be deployed, by name
	Missing    []string              // variables that the files use without default and nobody provides
	Warnings   []string
	Findings   []lint.Finding // what could be better; errors leave no plan
	Violations []Violation    // what the policy refuses: the deployment would fail
	Providers  []string       // secret variables that cannot be resolved now: the deployment would fail
}

// PlannedService is what would become of one compose service.
type PlannedService struct {
	Service string     `json:"service"`
	Action  PlanAction `json:"action"`
	Reasons []Reason   `json:"reasons"`
}

// PlanAction is what would become of a compose service.
type PlanAction string

// The actions of a plan.
const (
	PlanCreate   PlanAction = "create"
	PlanRecreate PlanAction = "recreate"
	PlanScale    PlanAction = "scale"   // containers are added or taken away; the others stay
	PlanRestart  PlanAction = "restart" // its containers are stopped and started again, and stay what they are
	PlanStart    PlanAction = "start"   // its container is there and stopped
	PlanRemove   PlanAction = "remove"
	PlanLeave    PlanAction = "leave"
)

// Reason is one cause of a planned action. Values are masked where they may be secret.
type Reason struct {
	Kind   ReasonKind `json:"kind"`
	Name   string     `json:"name"`           // of the field, file, variable, …
	Before string     `json:"before"`         // empty: it was not there
	After  string     `json:"after"`          // empty: it is not there any more
	Diff   string     `json:"diff,omitempty"` // of a text file: its lines that differ, as in a patch; or, in parentheses, why they are not shown
}

// ReasonKind says what changed.
type ReasonKind string

// The kinds of reasons.
const (
	ReasonField     ReasonKind = "field"     // of the compose service: "image", "environment.LOG_LEVEL"
	ReasonFile      ReasonKind = "file"      // of the repository, that the compose service mounts
	ReasonVariable  ReasonKind = "variable"  // a secret variable that reaches it
	ReasonNetwork   ReasonKind = "network"   // that it uses, is defined otherwise: "default.driver_opts.mtu"
	ReasonVolume    ReasonKind = "volume"    // that it uses, is another one
	ReasonService   ReasonKind = "service"   // whose container it shares, or that it restarts with
	ReasonContainer ReasonKind = "container" // what was found on the host
	ReasonOption    ReasonKind = "option"    // what was asked of the deployment
)
