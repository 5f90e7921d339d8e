package lint

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"berth/core"
	"berth/core/document"
)

// Severity is what a finding does to a deployment.
type Severity string

// The severities, the worse first.
const (
	Error  Severity = "error"  // stops it before anything is touched
	Advice Severity = "advice" // never stops it
)

// Finding is one thing that is wrong with a project, or could be better.
type Finding struct {
	Code     string // noun.problem
	Severity Severity
	Service  string // compose service; empty: it is about the whole project
	Field    string // of the compose service, such as ports[0]; or a path of the project
	core.Place
	What string
	Why  string
	Next string
}

// String says a finding in one line, with its place.
func (f Finding) String() string {
	at := strings.TrimSpace(f.Service + " " + f.Field)
	if f.File != "" {
		at = f.Place.String() + ": " + at
	}
	return fmt.Sprintf("%s: %s. %s. (%s)", at, f.What, f.Next, f.Code)
}

// Rule is one thing that is looked for.
type Rule struct {
	Code     string
	Severity Severity
	Why      string
	Next     string
}

// rules are what is looked for, errors first.
var rules = []Rule{
	{"network.undeclared", Error, "Compose cannot attach a container to a network that the project does not declare", "Declare it under networks, or correct the name"},
	{"volume.undeclared", Error, "Compose cannot mount a volume that the project does not declare", "Declare it under volumes, or correct the name"},
	{"config.undeclared", Error, "Compose cannot mount a config that the project does not declare", "Declare it under configs, or correct the name"},
	{"secret.undeclared", Error, "Compose cannot mount a secret that the project does not declare", "Declare it under secrets, or correct the name"},
	{"service.undeclared", Error, "A container cannot wait for, or share with, a compose service that is not there", "Add the compose service, or correct the name"},
	{"port.duplicate", Error, "A port of the host can be published once", "Publish one of them on another port"},
	{"variable.undefined", Error, "An empty text would stand in its place", "Set the variable on the stack, or write a default: ${NAME:-value}"},
	{"image.unpinned", Advice, "What is deployed may change without a commit", "Write a tag other than latest, or a digest"},
	{"healthcheck.missing", Advice, "A container counts as well as soon as it runs, though it may not answer yet", "Add a healthcheck, unless the image has one"},
	{"limits.missing", Advice, "One container can take all memory of its host", "Set mem_limit, or deploy.resources.limits.memory"},
	{"secret.plaintext", Advice, "Everybody who reads the repository or a backup reads it", "Make it a secret variable of the stack and write ${NAME}"},
}

// Rules returns everything that is looked for.
func Rules() []Rule { return slices.Clone(rules) }

// maxFindings bounds what is told of one project.
const maxFindings = 500

// Findings are what is wrong with a draft, errors first, then by place. Advice that the draft ignores is left out.
func Findings(draft core.ComposeDraft) []Finding {
	l := &linted{draft: draft}
	services := mapping(draft.Project["services"])
	for _, name := range slices.Sorted(maps.Keys(services)) {
		l.service(name, mapping(services[name]))
	}
	l.ports(services)
	for _, name := range draft.Undefined {
		l.found = append(l.found, finding("variable.undefined", "", name, draft.Uses(name), "nobody provides the variable "+name))
	}
	slices.SortStableFunc(l.found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(b.Severity, a.Severity), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return l.found[:min(len(l.found), maxFindings)]
}

// Errors are those findings that stop a deployment.
func Errors(all []Finding) []Finding {
	return slices.DeleteFunc(slices.Clone(all), func(f Finding) bool { return f.Severity != Error })
}

// linted gathers what is found in one draft.
type linted struct {
	draft core.ComposeDraft
	found []Finding
}

func finding(code, service, field string, where core.Place, what string) Finding {
	i := slices.IndexFunc(rules, func(r Rule) bool { return r.Code == code })
	r := rules[i]
	return Finding{Code: code, Severity: r.Severity, Service: service, Field: field, Place: where, What: what, Why: r.Why, Next: r.Next}
}

func (l *linted) add(code, service, field, format string, args ...any) {
	f := finding(code, service, field, l.draft.Locate("services."+service+"."+field), fmt.Sprintf(format, args...))
	if f.Severity == Error || !slices.Contains(l.draft.Ignored, code) {
		l.found = append(l.found, f)
	}
}

// What is read of a project may be anything.
var mapping, list, text = document.Mapping, document.List, document.Words

// clip bounds what of a file is repeated.
func clip(s string) string {
	if len(s) <= 100 {
		return s
	}
	return strings.ToValidUTF8(s[:100], "") + "…"
}
