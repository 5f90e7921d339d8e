package render

import (
	"slices"
	"strconv"
	"strings"

	"github.com/compose-spec/compose-go/v2/types"

	"berth/core"
)

// written is the outcome of a rendering.
type written struct {
	yaml     []byte
	services []core.ComposeService
}

// writer turns the project into a tree of plain values and that into YAML.
type writer struct {
	variables *variables
	used      map[string]map[string]bool // names of secrets by the place they stand in, "services.web"
}

// write returns the canonical form of the project. It goes through JSON because JSON
// keeps every text byte for byte, whatever a YAML writer makes of it.
func (r *rendering) write(project *types.Project) (written, error) {
	values, err := treeOf(project)
	if err != nil {
		return written{}, err
	}
	w := &writer{variables: r.variables, used: map[string]map[string]bool{}}
	final, err := w.finish(values, nil)
	if err != nil {
		return written{}, err
	}
	if err := r.judge(final); err != nil {
		return written{}, err
	}
	text, err := encodeYAML(final)
	if err != nil {
		return written{}, err
	}
	if len(text) > maxRendered {
		return written{}, tooLarge("The rendered project is larger than %d KiB; mount large files instead of writing them inline.", maxRendered>>10)
	}
	return written{text, w.services(project)}, nil
}

// finish doubles dollar signs and reveals placeholders in every text of a value.
func (w *writer) finish(value any, at []string) (any, error) {
	switch v := value.(type) {
	case string:
		return w.finishText(v, at)
	case []any:
		for i := range v {
			var err error
			if v[i], err = w.finish(v[i], append(at[:len(at):len(at)], strconv.Itoa(i))); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for key, member := range v {
			if names := w.variables.secretsIn(key); len(names) > 0 {
				return nil, w.misplaced(names[0], at)
			}
			finished, err := w.finish(member, append(at[:len(at):len(at)], key))
			if err != nil {
				return nil, err
			}
			v[key] = finished
		}
	}
	return value, nil
}

func (w *writer) finishText(text string, at []string) (string, error) {
	text = strings.ReplaceAll(text, "$", "$$")
	names := w.variables.secretsIn(text)
	if len(names) == 0 {
		return text, nil
	}
	if !secretAllowed(at) {
		return "", w.misplaced(names[0], at)
	}
	place := at[0] + "." + at[1]
	for _, name := range names {
		if nameLength(name) != len(name) {
			return "", unsupported("%s: the secret variable %q has a name that cannot be referred to; use letters, digits and _.", place, name)
		}
		if w.used[place] == nil {
			w.used[place] = map[string]bool{}
		}
		w.used[place][name] = true
	}
	return w.variables.reveal(text), nil
}

func (w *writer) misplaced(name string, at []string) error {
	return unsupported("%s: the secret variable %s cannot stand here; %s.", strings.Join(at, "."), name, secretPlaces)
}

// services lists the compose services with the secrets that reach them, directly or
// through the configs and secrets that they use.
func (w *writer) services(project *types.Project) []core.ComposeService {
	var all []core.ComposeService
	for _, name := range project.ServiceNames() {
		service := project.Services[name]
		places := []string{"services." + name}
		for _, ref := range service.Configs {
			places = append(places, "configs."+ref.Source)
		}
		for _, ref := range service.Secrets {
			places = append(places, "secrets."+ref.Source)
		}
		var names []string
		for _, place := range places {
			for used := range w.used[place] {
				names = append(names, used)
			}
		}
		slices.Sort(names)
		one := core.ComposeService{Name: name, Image: service.Image, Variables: slices.Compact(names), Idle: service.GetScale() == 0, Scale: service.GetScale(),
			Stays: service.Restart == types.RestartPolicyAlways || service.Restart == types.RestartPolicyUnlessStopped}
		w.surround(&one, service)
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b core.ComposeService) int { return strings.Compare(a.Name, b.Name) })
	return all
}
