package api

import (
	"context"
	"time"

	"berth/core"
	"berth/core/access"
	"berth/core/fleet"
	"berth/core/policy"
	"berth/core/stacks"
)

// PolicyReader reads the rules of all workers, or of one.
type PolicyReader interface {
	Policy(ctx context.Context, worker core.WorkerID) (fleet.Policy, error)
	Effective(ctx context.Context, id core.WorkerID) (fleet.Effective, error)
}

// PolicySetter changes rules; without a worker those for all.
type PolicySetter interface {
	SetPolicy(ctx context.Context, by access.Principal, worker core.WorkerID, r policy.Rules) (fleet.Policy, error)
	ClearPolicy(ctx context.Context, by access.Principal, worker core.WorkerID) error
}

// PolicyPlanner says what rules would refuse; it changes nothing.
type PolicyPlanner interface {
	PolicyPlan(ctx context.Context, worker core.WorkerID, rules policy.Rules) (fleet.PolicyPlan, error)
}

// PolicyRules are what narrows a policy. Whatever is left out narrows nothing.
type PolicyRules struct {
	Allow PolicyLists  `json:"allow"`
	Block PolicyBlocks `json:"block"`
}

// PolicyLists are what alone may be used: one that is null or left out is no limit, an empty one lets nothing pass.
type PolicyLists struct {
	Images          []string `json:"images"`           // patterns such as nginx, ghcr.io/acme/** or nginx:1.*; * is anything but a slash
	Volumes         []string `json:"volumes"`          // patterns of names in the engine; @project: volumes that a project makes itself
	Networks        []string `json:"networks"`         // as volumes
	Capabilities    []string `json:"capabilities"`     // such as NET_ADMIN, beyond what every container has
	Devices         []string `json:"devices"`          // patterns such as /dev/ttyUSB*; gpu: every GPU
	SecurityOptions []string `json:"security_options"` // word by word
	BindMounts      []string `json:"bind_mounts"`      // folders of the host, and what lies in them
	Addresses       []string `json:"addresses"`        // of the host, to publish ports on; 0.0.0.0: all of them
}

// PolicyBlocks are what nobody gets, whatever the owner of a host allows.
type PolicyBlocks struct {
	LatestTags     bool     `json:"latest_tags"`
	HostVolumes    bool     `json:"host_volumes"`
	Privileged     bool     `json:"privileged"`
	HostNetwork    bool     `json:"host_network"`
	HostPID        bool     `json:"host_pid"`
	HostIPC        bool     `json:"host_ipc"`
	HostUsers      bool     `json:"host_users"`
	DockerSocket   bool     `json:"docker_socket"`
	PublishedPorts []string `json:"ports"` // such as 22, 8000-8999 or 53/udp
}

func (r PolicyRules) rules() policy.Rules {
	return policy.Rules{Allow: policy.Lists(r.Allow), Block: policy.Blocks(r.Block)}
}

// RulesAnswer is PolicyRules as they are stored.
type RulesAnswer struct {
	Allow ListsAnswer  `json:"allow"`
	Block BlocksAnswer `json:"block"`
}

// ListsAnswer is PolicyLists as they are stored.
type ListsAnswer struct {
	Images          *[]string `json:"images"` // null: no limit, here and in the others
	Volumes         *[]string `json:"volumes"`
	Networks        *[]string `json:"networks"`
	Capabilities    *[]string `json:"capabilities"`
	Devices         *[]string `json:"devices"`
	SecurityOptions *[]string `json:"security_options"`
	BindMounts      *[]string `json:"bind_mounts"`
	Addresses       *[]string `json:"addresses"`
}

// BlocksAnswer is PolicyBlocks as they are stored.
type BlocksAnswer struct {
	LatestTags     bool     `json:"latest_tags"`
	HostVolumes    bool     `json:"host_volumes"`
	Privileged     bool     `json:"privileged"`
	HostNetwork    bool     `json:"host_network"`
	HostPID        bool     `json:"host_pid"`
	HostIPC        bool     `json:"host_ipc"`
	HostUsers      bool     `json:"host_users"`
	DockerSocket   bool     `json:"docker_socket"`
	PublishedPorts []string `json:"ports"`
}

// showRules has a list of ports even where none is blocked; a limit that there is none stays null.
func showRules(r policy.Rules) RulesAnswer {
	limit := func(entries []string) *[]string {
		if entries == nil {
			return nil
		}
		return &entries
	}
	a := r.Allow
	answer := RulesAnswer{ListsAnswer{limit(a.Images), limit(a.Volumes), limit(a.Networks), limit(a.Capabilities), limit(a.Devices),
		limit(a.SecurityOptions), limit(a.BindMounts), limit(a.Addresses)}, BlocksAnswer(r.Block)}
	answer.Block.PublishedPorts = orEmpty(answer.Block.PublishedPorts)
	return answer
}

// PolicyAnswer is rules as they are stored.
type PolicyAnswer struct {
	Rules     RulesAnswer `json:"rules"`
	ChangedBy string      `json:"changed_by"`
	UpdatedAt *time.Time  `json:"updated_at"` // null: there are none
}

func showPolicy(p fleet.Policy) PolicyAnswer {
	answer := PolicyAnswer{Rules: showRules(p.Rules), ChangedBy: p.ChangedBy}
	if !p.UpdatedAt.IsZero() {
		answer.UpdatedAt = &p.UpdatedAt
	}
	return answer
}

// WorkerPolicyAnswer is what holds on one worker: everything that is put there must pass all of it.
type WorkerPolicyAnswer struct {
	Own    PolicyAnswer     `json:"own"`    // the rules of this worker
	Global PolicyAnswer     `json:"global"` // the rules for all workers
	Host   HostPolicyAnswer `json:"host"`
}

// HostPolicyAnswer is what a worker last said of its host, which the server cannot change.
type HostPolicyAnswer struct {
	Judges bool         `json:"judges"` // false: it has not connected yet, or is of a release that judges nothing
	Allow  []string     `json:"allow"`  // WORKER_ALLOW: beyond what every project may have
	Limits *RulesAnswer `json:"limits"` // WORKER_POLICY_FILE; null: there is none
}

func showEffective(e fleet.Effective) WorkerPolicyAnswer {
	answer := WorkerPolicyAnswer{Own: showPolicy(e.Own), Global: showPolicy(e.Global), Host: HostPolicyAnswer{Judges: e.Host.Judges, Allow: orEmpty(e.Host.Allow)}}
	if e.Host.Limits != nil {
		limits := showRules(*e.Host.Limits)
		answer.Host.Limits = &limits
	}
	return answer
}

// ViolationAnswer is something that a policy refuses.
type ViolationAnswer struct {
	Service string `json:"service"` // compose service; "": it is about the whole project
	Field   string `json:"field"`   // such as privileged or ports[0]
	File    string `json:"file"`    // in the repository; "": not known
	Line    int    `json:"line"`    // 0: not known
	Problem string `json:"problem"`
	Rule    string `json:"rule"`  // such as block.privileged; "": the host does not allow it
	From    string `json:"from"`  // global, worker or host
	Needs   string `json:"needs"` // what the owner of the host can add to WORKER_ALLOW; "": nothing makes up for it
}

func showViolations(all []stacks.Violation) []ViolationAnswer {
	answer := make([]ViolationAnswer, len(all))
	for i, v := range all {
		answer[i] = ViolationAnswer{Service: v.Service, Field: v.Field, File: v.File, Line: v.Line, Problem: v.Problem, Rule: v.Rule, From: string(v.From), Needs: string(v.Needs)}
		if v.Rule == "" {
			answer[i].From = string(policy.FromHost)
		}
	}
	return answer
}
