package configuration

import (
	"cmp"
	"slices"
	"strings"

	"berth/core"
	"berth/core/access"
	"berth/core/repositories"
)

// Version is the format of files that are written; others are refused.
const Version = 1

// MaxFile is the size of a file in bytes.
const MaxFile = 4 << 20

// Configuration is an installation as a file describes it. Each list is in order of its names.
type Configuration struct {
	Keys         []Key
	Hosts        []Host
	Repositories []Repository
	Integrations []Integration
	Variables    []Variable // global ones
	Stacks       []Stack
	Jobs         []Job
	Accounts     []Account
	Users        []User
	Policies     []Policy
	Workers      []Worker // only to be referred to: they enrol by themselves

	// Sections are those that a file has, empty ones too; nil: all.
	Sections []Section
}

// Section is a list of a file.
type Section string

// The sections, in the order in which a file has them and they are applied.
const (
	SectionKeys         Section = "repository_keys"
	SectionHosts        Section = "ssh_hosts"
	SectionRepositories Section = "repositories"
	SectionIntegrations Section = "integrations"
	SectionVariables    Section = "variables"
	SectionWorkers      Section = "workers"
	SectionPolicies     Section = "policies"
	SectionStacks       Section = "stacks"
	SectionJobs         Section = "jobs"
	SectionAccounts     Section = "service_accounts"
	SectionUsers        Section = "users"
)

// SectionFollow is no list of a file but the follow of its repositories. It is applied by itself, after stacks and jobs:
// folders that were added by then are not added again.
const SectionFollow Section = "follow"

// Sections are all of them.
var Sections = []Section{SectionKeys, SectionHosts, SectionRepositories, SectionIntegrations, SectionVariables, SectionWorkers, SectionPolicies,
	SectionStacks, SectionJobs, SectionAccounts, SectionUsers}

// has reports whether a file speaks of a section at all.
func (c Configuration) has(s Section) bool {
	return c.Sections == nil || slices.Contains(c.Sections, s)
}

// Key is a repository key without its secret.
type Key struct {
	Name     string
	Type     repositories.Type
	Host     string
	Username string // of a basic one
	Account  string // of a connected one

	id    core.CredentialID
	empty bool // its secret is still to be given
}

// Host is an SSH host with the keys that were accepted, each as "ssh-ed25519 AAAA…".
type Host struct {
	Address string
	Keys    []string
}

// Repository is a repository; of Branch, Tag and Semver at most one is set.
type Repository struct {
	Name, URL, Branch, Tag, Semver string
	Key                            string // name of its repository key; empty: it is read anonymously
	Webhook                        bool
	Statuses                       repositories.StatusHost
	Follow                         Follow

	id core.RepositoryID
}

// Integration is an integration that somebody configured.
type Integration struct {
	Slug     string
	Enabled  bool
	Settings []Setting
	Secrets  []string // names of the secret settings that it has

	unset []string // of those, what is still to be given
}

// Setting is one setting that is no secret.
type Setting struct{ Name, Value string }

// Variable is a variable. One that is secret has a provider and, when that is not the internal one, a reference; it
// never has a value.
type Variable struct {
	Name, Value, Provider, Reference string

	id    core.VariableID
	empty bool // a secret whose value is still to be given
}

// Secret reports whether the variable is one.
func (v Variable) Secret() bool { return v.Provider != "" }

// Stack is a stack. It is placed by tags, or on a worker that is named, or anywhere.
type Stack struct {
	Name, Repository, Path, Worker string
	WorkerTags                     []string
	AutoSync, Paused               bool
	Globals                        []string // names of global variables that reach it
	Variables                      []Variable

	id core.StackID
}

// Job is a job.
type Job struct {
	Name, Repository, Path string
	Paused                 bool
	Globals                []string
	Variables              []Variable

	id core.JobID
}

// Account is a service account without its keys.
type Account struct {
	Name     string
	Role     access.Role
	Disabled bool

	id core.ServiceAccountID
}

// User is a person.
type User struct {
	Email    string
	Role     access.Role
	Disabled bool

	id core.UserID
}

// Worker is a worker that others refer to.
type Worker struct {
	Name string // its hostname, or its label where another has the same
	Tags []string

	id core.WorkerID
}

// normal puts everything into the order in which files have it.
func (c *Configuration) normal() {
	byName(c.Keys, func(k Key) string { return k.Name })
	byName(c.Hosts, func(h Host) string { return h.Address })
	byName(c.Repositories, func(r Repository) string { return r.Name })
	byName(c.Integrations, func(i Integration) string { return i.Slug })
	byName(c.Variables, nameOf)
	byName(c.Stacks, func(s Stack) string { return s.Name })
	byName(c.Jobs, func(j Job) string { return j.Name })
	byName(c.Accounts, func(a Account) string { return a.Name })
	byName(c.Users, func(u User) string { return u.Email })
	byName(c.Policies, func(p Policy) string { return p.For })
	byName(c.Workers, func(w Worker) string { return w.Name })
	for i := range c.Hosts {
		slices.Sort(c.Hosts[i].Keys)
	}
	for i := range c.Integrations {
		byName(c.Integrations[i].Settings, func(s Setting) string { return s.Name })
		slices.Sort(c.Integrations[i].Secrets)
	}
	for i := range c.Repositories {
		slices.Sort(c.Repositories[i].Follow.WorkerTags)
	}
	for i := range c.Stacks {
		slices.Sort(c.Stacks[i].WorkerTags)
		slices.Sort(c.Stacks[i].Globals)
		byName(c.Stacks[i].Variables, nameOf)
	}
	for i := range c.Jobs {
		slices.Sort(c.Jobs[i].Globals)
		byName(c.Jobs[i].Variables, nameOf)
	}
	for i := range c.Workers {
		slices.Sort(c.Workers[i].Tags)
	}
}

func nameOf(v Variable) string { return v.Name }

func byName[T any](all []T, name func(T) string) {
	slices.SortStableFunc(all, func(a, b T) int { return cmp.Compare(name(a), name(b)) })
}

// host returns the key as repositories keep it.
func hostKey(line string) repositories.HostKey {
	kind, key, _ := strings.Cut(line, " ")
	return repositories.HostKey{Type: kind, Key: key}
}
