package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/compose-spec/compose-go/v2/types"
	"github.com/moby/moby/client"

	"berth/core/fault"
	"berth/core/policy"
	"berth/hub/worker"
)

// maxRefusals is how many refusals a fault names: as many as a result has room for.
const maxRefusals = 20

// admitted loads a project that this host's policy allows.
func (e *Engine) admitted(ctx context.Context, p worker.Project) (*types.Project, error) {
	project, err := load(ctx, p)
	if err == nil {
		err = e.judge(ctx, project, append(slices.Clone(e.limits), p.Policy...))
	}
	return project, err
}

// judge refuses a project that has more of this host than its policy allows. The hub judges too, but what it was
// told or is may be wrong; and only here can be seen where paths lead and what networks are.
// What the host and the server narrow is judged even where the host allows everything.
func (e *Engine) judge(ctx context.Context, project *types.Project, rules []policy.Layer) error {
	if e.policy.Allows(policy.Everything) && len(rules) == 0 {
		return nil
	}
	plain, err := plainProject(project)
	if err != nil {
		return err
	}
	here := e.policy.Leading(whereTo)
	refused := append(policy.Judge(plain, here), e.judgePaths(project, here)...)
	refused = append(refused, policy.Confine(plain, rules)...)
	refused = append(refused, confineReal(plain, rules)...)
	networks, err := e.judgeNetworks(ctx, project, rules)
	if err != nil {
		return err
	}
	if refused = append(refused, networks...); len(refused) == 0 {
		return nil
	}
	return refusedFault(refused)
}

func refusedFault(refused []policy.Refusal) error {
	said := make([]string, 0, maxRefusals+1)
	for i, r := range refused {
		if i == maxRefusals {
			said = append(said, fmt.Sprintf("and %d more", len(refused)-i))
			break
		}
		said = append(said, r.String())
	}
	return fault.New(fault.Invalid, "engine.refused", "The worker refuses the project; nothing was changed: %s.", strings.Join(said, "; "))
}

// plainProject returns the project as maps and lists.
func plainProject(project *types.Project) (map[string]any, error) {
	text, err := project.MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("encode project: %w", err)
	}
	var plain map[string]any
	if err := json.Unmarshal(text, &plain); err != nil {
		return nil, fmt.Errorf("decode project: %w", err)
	}
	return plain, nil
}

// judgePaths judges where the paths of the host lead: symbolic links are followed as the engine would follow them.
func (e *Engine) judgePaths(project *types.Project, here policy.Policy) (refused []policy.Refusal) {
	if here.Allows(policy.Everything) {
		return nil
	}
	judge := func(at, source string, readOnly bool) {
		if !filepath.IsAbs(source) {
			return
		}
		real := whereTo(source)
		if slices.ContainsFunc(e.own, func(own string) bool { return own != "" && overlap(real, whereTo(own)) }) {
			refused = append(refused, policy.Refusal{Path: at, Problem: source + " holds the worker's own files"})
		} else if problem, needs := here.Mount(real, readOnly); problem != "" && real != filepath.Clean(source) {
			refused = append(refused, policy.Refusal{Path: at, Problem: source + " leads elsewhere on this host: " + problem, Needs: needs})
		}
	}
	for name, service := range project.Services {
		for i, m := range service.Volumes {
			if m.Type == types.VolumeTypeBind {
				judge(fmt.Sprintf("services.%s.volumes[%d]", name, i), m.Source, m.ReadOnly)
			}
		}
	}
	for name, volume := range project.Volumes {
		judge("volumes."+name+".driver_opts.device", volume.DriverOpts["device"], false)
	}
	return refused
}

// whereTo returns the path to which one leads; what does not exist yet is below where its folder leads.
func whereTo(source string) string {
	clean := filepath.Clean(source)
	rest := ""
	for dir := clean; ; dir = filepath.Dir(dir) {
		real, err := filepath.EvalSymlinks(dir)
		if err == nil {
			return filepath.Join(real, rest)
		}
		if dir == "/" || !errors.Is(err, fs.ErrNotExist) {
			return clean
		}
		rest = filepath.Join(filepath.Base(dir), rest)
	}
}

// overlap reports whether one path is the other or lies in it.
func overlap(a, b string) bool { return a == b || inside(a, b) || inside(b, a) }

func inside(p, folder string) bool { return strings.HasPrefix(p, strings.TrimSuffix(folder, "/")+"/") }

// judgeNetworks finds the host's own network under whatever name or id a project asks for it.
func (e *Engine) judgeNetworks(ctx context.Context, project *types.Project, rules []policy.Layer) ([]policy.Refusal, error) {
	refuse := policy.Refusal{Needs: policy.HostNetwork}
	if e.policy.Allows(policy.HostNetwork) {
		blocks := slices.IndexFunc(rules, func(l policy.Layer) bool { return l.Rules.Block.HostNetwork })
		if blocks < 0 {
			return nil, nil
		}
		refuse = policy.Refusal{Rule: "block.host_network", From: rules[blocks].From}
	}
	var refused []policy.Refusal
	for at, name := range namedNetworks(project) {
		found, err := e.docker.NetworkInspect(ctx, name, client.NetworkInspectOptions{})
		switch {
		case err == nil && found.Network.Driver == "host":
			refuse.Path, refuse.Problem = at, name+" is the host's own network"
			refused = append(refused, refuse)
		case err != nil && client.IsErrConnectionFailed(err):
			return nil, err
		}
	}
	return refused, nil
}

// namedNetworks are the networks that a project did not make, by the place that names them.
func namedNetworks(project *types.Project) map[string]string {
	named := map[string]string{}
	for name, n := range project.Networks {
		if bool(n.External) {
			named["networks."+name] = n.Name
		}
	}
	for name, s := range project.Services {
		switch mode, _, _ := strings.Cut(s.NetworkMode, ":"); mode {
		case "", "none", "bridge", "default", "host", "service", "container":
		default:
			named["services."+name+".network_mode"] = s.NetworkMode
		}
	}
	return named
}
