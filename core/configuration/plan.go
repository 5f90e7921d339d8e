package configuration

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// Action is what a plan does to one thing.
type Action string

// The actions.
const (
	ActionCreate  Action = "create"
	ActionChange  Action = "change"
	ActionKeep    Action = "keep"    // it is as the file says
	ActionLeave   Action = "leave"   // the file does not name it
	ActionDelete  Action = "delete"  // the file does not name it, and prune was asked for
	ActionBlocked Action = "blocked" // it cannot be done; Reason says why and what to do
)

// Actions are all of them, those first that need somebody.
var Actions = []Action{ActionBlocked, ActionDelete, ActionCreate, ActionChange, ActionLeave, ActionKeep}

// Change is one field that differs. Neither side is a secret.
type Change struct{ Field, From, To string }

// Step is what a plan does to one thing.
type Step struct {
	Action  Action
	Section Section
	Owner   string // of a variable: "stack web" or "job backup"; empty: it is global
	Name    string
	Changes []Change
	Reason  string // of a blocked one
}

// Need is something that a person has to do before everything works: no file can.
type Need struct {
	Section Section
	Owner   string
	Name    string
	Text    string // what is missing, and where to give it
}

// Plan is what would be done for a file to hold.
type Plan struct {
	Fingerprint string // of the file, of what is here, and of what was asked for: the same while none of them changed
	Prune       bool
	Steps       []Step // in the order in which they are done
	Needs       []Need // what is missing once they are
}

// Count returns how many steps have an action.
func (p Plan) Count(a Action) (n int) {
	for _, s := range p.Steps {
		if s.Action == a {
			n++
		}
	}
	return n
}

// Compare plans what has to be done for want to hold where there is have. With prune, what want does not name in a section
// that it has is deleted, but for repository keys, SSH hosts, integrations, workers, policies and people. Folders of which
// missing says that they are not there block what is to be made of them.
func Compare(want, have Configuration, prune bool, missing Missing) Plan {
	want.normal()
	have.normal()
	p := &planner{want: want, have: have, prune: prune, missing: missing}
	p.have.Stacks, p.have.Integrations = slices.Clone(have.Stacks), slices.Clone(have.Integrations)
	p.meetIntegrations()
	compare(p, SectionKeys, "", false, want.Keys, have.Keys, func(k Key) string { return k.Name }, Key.parts, p.blockKey)
	compare(p, SectionHosts, "", false, want.Hosts, have.Hosts, func(h Host) string { return h.Address }, Host.parts, nil)
	compare(p, SectionRepositories, "", true, want.Repositories, have.Repositories, func(r Repository) string { return r.Name }, Repository.parts, p.blockRepository)
	compare(p, SectionIntegrations, "", false, want.Integrations, p.have.Integrations, func(i Integration) string { return i.Slug }, Integration.parts, nil)
	p.variables("", SectionVariables, want.Variables, have.Variables)
	compare(p, SectionWorkers, "", false, want.Workers, have.Workers, func(w Worker) string { return w.Name }, Worker.parts, blockWorker)
	compare(p, SectionPolicies, "", false, want.Policies, have.Policies, func(p Policy) string { return p.For }, Policy.parts, p.blockPolicy)
	p.stacks()
	p.jobs()
	p.follow()
	compare(p, SectionAccounts, "", true, want.Accounts, have.Accounts, func(a Account) string { return a.Name }, Account.parts, nil)
	compare(p, SectionUsers, "", false, want.Users, have.Users, func(u User) string { return u.Email }, User.parts, blockUser)
	return Plan{Fingerprint: fingerprint(want, have, prune, p.lacking), Prune: prune, Steps: p.steps, Needs: needs(want, have)}
}

// meetIntegrations takes no notice of secret settings that the file does not expect: no file can take them away.
func (p *planner) meetIntegrations() {
	for i, here := range p.have.Integrations {
		at := slices.IndexFunc(p.want.Integrations, func(w Integration) bool { return w.Slug == here.Slug })
		if at < 0 {
			continue
		}
		p.have.Integrations[i].Secrets = slices.DeleteFunc(slices.Clone(here.Secrets), func(name string) bool { return !slices.Contains(p.want.Integrations[at].Secrets, name) })
	}
}

// fingerprint identifies what a plan was made of.
func fingerprint(want, have Configuration, prune bool, lacking []string) string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\x00%s\x00%s\x00%t\x00%q", Write(want), texts(want.Sections), Write(have), prune, lacking)
	return hex.EncodeToString(sum.Sum(nil))[:32]
}

// planner collects steps.
type planner struct {
	want, have Configuration
	prune      bool
	missing    Missing  // nil: nobody looks
	lacking    []string // what was said of folders, in the order in which they were looked for
	steps      []Step
}

// compare plans one list. block, when it is not nil, says why what a file wants cannot be done; was is nil for what is new.
func compare[T any](p *planner, s Section, owner string, prunable bool, want, have []T, name func(T) string, fields func(T) parts, block func(is T, was *T) string) {
	here := make(map[string]*T, len(have))
	for i := range have {
		here[name(have[i])] = &have[i]
	}
	named := make(map[string]bool, len(want))
	for _, one := range want {
		was := here[name(one)]
		named[name(one)] = true
		step := Step{Section: s, Owner: owner, Name: name(one), Action: ActionCreate}
		if was != nil {
			step.Changes = differences(fields(*was), fields(one))
			step.Action = ActionChange
		}
		if was != nil && len(step.Changes) == 0 {
			step.Action = ActionKeep
		} else if block != nil {
			step.Reason = block(one, was)
		}
		if step.Reason != "" {
			step.Action = ActionBlocked
		}
		p.steps = append(p.steps, step)
	}
	for _, one := range have {
		if named[name(one)] {
			continue
		}
		action := ActionLeave
		if p.prune && prunable && p.want.has(s) {
			action = ActionDelete
		}
		p.steps = append(p.steps, Step{Section: s, Owner: owner, Name: name(one), Action: action})
	}
}

// differences compares fields by what they show.
func differences(was, is parts) (all []Change) {
	before, after := shown(was), shown(is)
	for _, p := range slices.Concat(was, is) {
		if from, to := before[p.name], after[p.name]; from != to && !slices.ContainsFunc(all, func(c Change) bool { return c.Field == p.name }) {
			all = append(all, Change{p.name, from, to})
		}
	}
	return all
}

func shown(fields parts) map[string]string {
	all := map[string]string{}
	for _, p := range fields {
		switch v := p.value.(type) {
		case string:
			all[p.name] = v
		case bool:
			all[p.name] = fmt.Sprint(v)
		case []string:
			all[p.name] = strings.Join(v, ", ")
		case []limit:
			all[p.name] = limits(v)
		case parts:
			var lines []string
			for _, one := range v {
				lines = append(lines, one.name+": "+shown(parts{one})[one.name])
			}
			all[p.name] = strings.Join(lines, "; ")
		case []Setting:
			var lines []string
			for _, s := range v {
				lines = append(lines, s.Name+": "+s.Value)
			}
			all[p.name] = strings.Join(lines, ", ")
		}
	}
	return all
}

func (p *planner) variables(owner string, s Section, want, have []Variable) {
	compare(p, s, owner, true, want, have, nameOf, Variable.parts, func(is Variable, was *Variable) string { return blockVariable(is, was) })
}

func (p *planner) stacks() {
	here := map[string]Stack{}
	for i, s := range p.have.Stacks {
		here[s.Name] = s
		if at := slices.IndexFunc(p.want.Stacks, func(w Stack) bool { return w.Name == s.Name }); at >= 0 && anywhere(p.want.Stacks[at]) {
			p.have.Stacks[i].Worker = "" // it may be anywhere, so also where it is
		}
	}
	compare(p, SectionStacks, "", true, p.want.Stacks, p.have.Stacks, func(s Stack) string { return s.Name }, Stack.parts, p.blockStack)
	for _, s := range p.want.Stacks {
		p.variables("stack "+s.Name, SectionStacks, s.Variables, here[s.Name].Variables)
	}
}

func anywhere(s Stack) bool { return s.Worker == "" && len(s.WorkerTags) == 0 }

func (p *planner) jobs() {
	here := map[string]Job{}
	for _, j := range p.have.Jobs {
		here[j.Name] = j
	}
	compare(p, SectionJobs, "", true, p.want.Jobs, p.have.Jobs, func(j Job) string { return j.Name }, Job.parts, p.blockJob)
	for _, j := range p.want.Jobs {
		p.variables("job "+j.Name, SectionJobs, j.Variables, here[j.Name].Variables)
	}
}
