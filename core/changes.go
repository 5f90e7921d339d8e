package core

// ChangeOf says what something that was stored is part of.
type ChangeOf string

// What changes are told of.
const (
	ChangeOfStacks       ChangeOf = "stacks" // and their revisions and decisions
	ChangeOfDeployments  ChangeOf = "deployments"
	ChangeOfLogs         ChangeOf = "logs" // of deployments and runs
	ChangeOfJobs         ChangeOf = "jobs"
	ChangeOfRuns         ChangeOf = "runs"
	ChangeOfWorkers      ChangeOf = "workers"
	ChangeOfRepositories ChangeOf = "repositories"
	ChangeOfOthers       ChangeOf = "others"
)

// AllChanges are all of them.
var AllChanges = []ChangeOf{ChangeOfDeployments, ChangeOfJobs, ChangeOfLogs, ChangeOfOthers, ChangeOfRepositories, ChangeOfRuns, ChangeOfStacks, ChangeOfWorkers}

// Changes tells that something was stored, and not what: whoever wants to know reads it.
type Changes struct {
	Count uint64     // goes up with each change
	Of    []ChangeOf // sorted; what changed since the count that was asked for
	Mark  string     // names the count, and the process whose it is
}
