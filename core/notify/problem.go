package notify

import (
	"slices"
	"strings"
	"time"

	"berth/core/integrations"
)

// Kind is a kind of problem; the words are those of integrations.Events.
type Kind string

// The kinds.
const (
	BackupFailed       Kind = "backup_failed"
	BackupOld          Kind = "backup_old" // twice the interval of its schedule, and no newer one came
	DeploymentFailed   Kind = "deployment_failed"
	DeploymentRestored Kind = "deployment_restored" // it failed, and the last good revision was put back
	Drifted            Kind = "drifted"
	JobFailed          Kind = "job_failed"
	JobMissed          Kind = "job_missed"
	OffsiteFailed      Kind = "offsite_failed"   // backups are not copied off site
	RehearsalFailed    Kind = "rehearsal_failed" // the newest backup could not be restored into a folder that is thrown away
	RepositoryUnread   Kind = "repository_unreadable"
	SecretBackend      Kind = "secret_backend" // a deployment failed because secrets could not be had
	WorkerAway         Kind = "worker_away"
)

// words say what is wrong with one or several things, and that it is not any more.
var words = map[Kind]struct{ one, several, over, allOver string }{
	BackupFailed:       {"A backup of %s was not made", "Backups of %d servers were not made", "Backups of %s are made again", "Backups of %d servers are made again"},
	BackupOld:          {"The newest backup of %s is too old", "The newest backups of %d servers are too old", "The newest backup of %s is young again", "The newest backups of %d servers are young again"},
	DeploymentFailed:   {"The deployment of %s failed", "The deployments of %d stacks failed", "%s is deployed again", "%d stacks are deployed again"},
	DeploymentRestored: {"The deployment of %s failed, and the last good revision is back", "Of %d stacks the last good revision is back after a failed deployment", "%s is deployed again", "%d stacks are deployed again"},
	Drifted:            {"%s differs from what was deployed", "%d stacks differ from what was deployed", "%s is again what was deployed", "%d stacks are again what was deployed"},
	JobFailed:          {"The job %s failed", "%d jobs failed", "The job %s succeeds again", "%d jobs succeed again"},
	JobMissed:          {"The job %s missed its time", "%d jobs missed their times", "", ""},
	OffsiteFailed:      {"Backups of %s are not copied off site", "Backups of %d servers are not copied off site", "Backups of %s are copied off site again", "Backups of %d servers are copied off site again"},
	RehearsalFailed:    {"A rehearsal with the newest backup of %s failed", "Rehearsals with the newest backups of %d servers failed", "A rehearsal with the newest backup of %s went well again", "Rehearsals with the newest backups of %d servers went well again"},
	RepositoryUnread:   {"The repository %s cannot be read", "%d repositories cannot be read", "The repository %s can be read again", "%d repositories can be read again"},
	SecretBackend:      {"Secrets of %s cannot be had", "Secrets of %d stacks cannot be had", "The secrets of %s can be had again", "The secrets of %d stacks can be had again"},
	WorkerAway:         {"The worker %s is away", "%d workers are away", "The worker %s is back", "%d workers are back"},
}

// Problem is something that is wrong with one stack, job, worker or repository, or with the server itself.
type Problem struct {
	Kind    Kind
	Subject string // identifier of the stack, job, worker or repository; or server
	Version string // of the problem: another one is news
	Name    string
	Detail  string // what is known of it that everybody may read; never a line of a log
	Group   string
	Tags    []string
	Path    string // of the page that shows it
}

// Known is a problem that was seen before.
type Known struct {
	Problem
	Since  time.Time // it is seen
	ToldAt time.Time // zero: nobody was told yet
	GoneAt time.Time // zero: it is there
}

// How long a problem has to last before it is told, and to be gone before that is.
const (
	hold     = 20 * time.Second
	holdAway = 90 * time.Second // a worker comes back by itself after a restart of either side
	holdFar  = 5 * time.Minute  // what is far away is often away for a moment, and nothing stands still meanwhile
)

func (k Kind) hold() time.Duration {
	switch k {
	case WorkerAway:
		return holdAway
	case OffsiteFailed, RepositoryUnread:
		return holdFar
	}
	return hold
}

// Route says which problems a target is told of.
type Route struct{ events, names, groups, tags []string }

// RouteOf reads the settings of a notification target.
func RouteOf(settings map[string]string) Route {
	list := func(name string) []string { return integrations.Words(settings[name]) }
	return Route{list("events"), list("stacks"), list("groups"), list("tags")}
}

// takes reports whether a problem is to be told. What is empty takes everything.
func (r Route) takes(p Problem) bool {
	any := func(list []string, is func(string) bool) bool { return len(list) == 0 || slices.ContainsFunc(list, is) }
	return any(r.events, func(e string) bool { return e == string(p.Kind) }) && any(r.names, func(n string) bool { return strings.EqualFold(n, p.Name) }) &&
		any(r.groups, func(g string) bool { return strings.EqualFold(g, p.Group) }) && any(r.tags, func(t string) bool { return slices.Contains(p.Tags, t) })
}
