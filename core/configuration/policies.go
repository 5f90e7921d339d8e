package configuration

import (
	"context"
	"encoding/json"
	"strings"

	"berth/core"
	"berth/core/policy"
)

// Everybody is what the policy for all workers is for.
const Everybody = "all workers"

// Policy is what narrows what may be put on hosts. Rules that narrow nothing stand in no file.
type Policy struct {
	For   string // Everybody, or a worker's name
	Rules policy.Rules

	id core.WorkerID
}

// limit is one list of a policy; an empty one lets nothing pass.
type limit struct {
	name    string
	entries []string
}

func (p Policy) parts() (all parts) {
	a, b := p.Rules.Allow, p.Rules.Block
	var allow []limit
	for _, l := range []limit{{"images", a.Images}, {"volumes", a.Volumes}, {"networks", a.Networks}, {"capabilities", a.Capabilities}, {"devices", a.Devices},
		{"security_options", a.SecurityOptions}, {"bind_mounts", a.BindMounts}, {"addresses", a.Addresses}} {
		if l.entries != nil {
			allow = append(allow, l)
		}
	}
	if len(allow) > 0 {
		all = append(all, part{"allow", allow})
	}
	block := parts(nil).flag("latest_tags", b.LatestTags, false).flag("host_volumes", b.HostVolumes, false).flag("privileged", b.Privileged, false).
		flag("host_network", b.HostNetwork, false).flag("host_pid", b.HostPID, false).flag("host_ipc", b.HostIPC, false).flag("host_users", b.HostUsers, false).
		flag("docker_socket", b.DockerSocket, false).list("ports", b.PublishedPorts)
	if len(block) > 0 {
		all = append(all, part{"block", block})
	}
	return all
}

// limits shows lists of a policy for people.
func limits(all []limit) string {
	var words []string
	for _, l := range all {
		text := strings.Join(l.entries, ", ")
		if text == "" {
			text = "none"
		}
		words = append(words, l.name+": "+text)
	}
	return strings.Join(words, "; ")
}

func (r *reader) policies() {
	r.each(string(SectionPolicies), "for", func(at, name string) {
		p := Policy{For: name}
		text, err := json.Marshal(map[string]any{"allow": orNone(r.At(at + ".allow")), "block": orNone(r.At(at + ".block"))})
		if err == nil {
			p.Rules, err = policy.ReadRules(text)
		}
		switch {
		case err != nil:
			r.Complain(at, "%s", err)
		case p.Rules.Empty():
			r.Complain(at, "narrows nothing; leave it out")
		}
		r.c.Policies = append(r.c.Policies, p)
	}, "allow", "block")
}

// orNone is an empty mapping where nothing stands.
func orNone(value any) any {
	if value == nil {
		return map[string]any{}
	}
	return value
}

func (p *planner) blockPolicy(is Policy, was *Policy) string {
	if was != nil || is.For == Everybody {
		return ""
	}
	return p.lacksWorker(is.For)
}

func (g *gathering) readPolicies(ctx context.Context) error {
	for _, w := range append([]Worker{{Name: Everybody}}, g.c.Workers...) {
		known, err := g.Fleet.Policy(ctx, w.id)
		if err != nil {
			return err
		}
		if !known.Rules.Empty() {
			g.c.Policies = append(g.c.Policies, Policy{For: w.Name, Rules: known.Rules, id: w.id})
		}
	}
	return nil
}

func (a *apply) policy(ctx context.Context, name string) error {
	id := a.have.workers[name].id
	if name != Everybody && id == "" {
		return missing("worker", name)
	}
	_, err := a.Fleet.SetPolicy(ctx, a.by, id, a.want.policies[name].Rules)
	return err
}
