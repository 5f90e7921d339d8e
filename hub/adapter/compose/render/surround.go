package render

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/compose-spec/compose-go/v2/types"

	"berth/core"
)

// surround says what a compose service waits for, shares and publishes.
func (w *writer) surround(one *core.ComposeService, service types.ServiceConfig) {
	for _, name := range slices.Sorted(maps.Keys(service.DependsOn)) {
		d := service.DependsOn[name]
		condition := core.ComposeCondition(d.Condition)
		if condition == "" {
			condition = core.ComposeStarted
		}
		one.DependsOn = append(one.DependsOn, core.ComposeDependency{Service: name, Condition: condition, Optional: !d.Required})
	}
	one.Networks = slices.Sorted(maps.Keys(service.Networks))
	for _, m := range service.Volumes {
		switch {
		case m.Source == "":
		case m.Type == types.VolumeTypeVolume:
			one.Volumes = append(one.Volumes, w.variables.reveal(m.Source))
		case m.Type == types.VolumeTypeBind && !strings.HasPrefix(m.Source, core.ContentRoot) && !strings.HasPrefix(m.Source, core.StateRoot):
			one.Binds = append(one.Binds, w.variables.reveal(m.Source))
		}
	}
	for _, p := range service.Ports {
		one.Ports = append(one.Ports, w.variables.reveal(portText(p)))
	}
	one.Volumes, one.Binds = sorted(one.Volumes), sorted(one.Binds)
}

func sorted(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}

// portText is a published port as Compose's short form spells it; without a published one the host picks it.
func portText(p types.ServicePortConfig) string {
	text := strconv.FormatUint(uint64(p.Target), 10)
	if p.Published != "" {
		text = p.Published + ":" + text
	}
	if p.HostIP != "" && strings.Contains(p.HostIP, ":") {
		text = "[" + p.HostIP + "]:" + text
	} else if p.HostIP != "" {
		text = p.HostIP + ":" + text
	}
	if p.Protocol != "" {
		text += "/" + p.Protocol
	}
	return text
}
