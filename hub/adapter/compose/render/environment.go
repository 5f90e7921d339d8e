package render

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/compose-spec/compose-go/v2/dotenv"
	"github.com/compose-spec/compose-go/v2/types"

	"berth/core/fault"
)

// resolveEnvironments gives each compose service the variables of its env_file entries,
// below those that it lists itself, and takes the entries away.
func (r *rendering) resolveEnvironments(ctx context.Context, project *types.Project) error {
	files, count := map[string][]byte{}, 0
	for _, name := range project.ServiceNames() {
		service := project.Services[name]
		if count += len(service.EnvFiles); count > maxEnvFiles {
			return tooLarge("The project has more than %d env_file entries.", maxEnvFiles)
		}
		if err := r.resolveEnvironment(ctx, name, &service, files); err != nil {
			return err
		}
		service.EnvFiles = nil
		project.Services[name] = service
	}
	return nil
}

func (r *rendering) resolveEnvironment(ctx context.Context, name string, service *types.ServiceConfig, files map[string][]byte) error {
	listed := types.MappingWithEquals{}.OverrideBy(service.Environment).Resolve(r.lookup)
	for key, value := range listed {
		if value == nil {
			r.variables.missing[key] = true
		}
	}
	merged := listed.ToMapping()
	for i, entry := range service.EnvFiles {
		place := fmt.Sprintf("services.%s.env_file[%d]", name, i)
		data, err := r.readEnvFile(ctx, place, entry, files)
		if err != nil {
			return err
		}
		if err := r.parseEnvFile(entry, data, merged, listed); err != nil {
			return invalid("%s: %s: %s", place, entry.Path, r.variables.reveal(err.Error()))
		}
		if r.variables.exhausted() {
			return tooLarge("%s: interpolation makes the project too large.", place)
		}
	}
	if len(listed)+len(merged) > 0 {
		service.Environment = merged.ToMappingWithEquals().OverrideBy(listed)
	}
	return checkEnvironment(name, service.Environment)
}

func checkEnvironment(name string, environment types.MappingWithEquals) error {
	for key, value := range environment {
		if key == "" || strings.ContainsAny(key, "=\x00") {
			return invalid("services.%s.environment: no container can have a variable named %q.", name, key)
		}
		if value != nil && (strings.ContainsRune(*value, 0) || !utf8.ValidString(*value)) {
			return invalid("services.%s.environment.%s: not text that a container can receive.", name, key)
		}
	}
	return nil
}

// readEnvFile returns nil for an optional file that is not there.
func (r *rendering) readEnvFile(ctx context.Context, place string, entry types.EnvFile, files map[string][]byte) ([]byte, error) {
	p, err := r.inRepository(entry.Path)
	if err != nil {
		return nil, in(place, err)
	}
	if data, known := files[p]; known {
		return data, nil
	}
	data, err := r.readText(ctx, p, maxEnvFileBytes)
	if fault.Is(err, fault.NotFound) && !bool(entry.Required) {
		return nil, nil
	}
	if err != nil {
		return nil, in(place, err)
	}
	if !utf8.Valid(data) {
		return nil, invalid("%s: %s:%d: not UTF-8 text.", place, p, invalidLine(data))
	}
	files[p] = data
	return data, nil
}

// parseEnvFile adds the file's variables to merged. As in Compose, its texts may use the
// stack's variables first, then what the service lists, then earlier lines.
func (r *rendering) parseEnvFile(entry types.EnvFile, data []byte, merged types.Mapping, listed types.MappingWithEquals) error {
	if r.variables.cost -= templateCost(string(data)); r.variables.cost < 0 {
		return errExpansion
	}
	lookup := r.variables.watched(string(data), func(name string) (string, bool) {
		if value, ok := r.lookup(name); ok {
			return value, true
		}
		if value := listed[name]; value != nil {
			return *value, true
		}
		value, ok := merged[name]
		return value, ok
	})
	if entry.Format == "raw" {
		return parseRaw(string(data), merged, lookup)
	}
	return dotenv.ParseWithFormat(bytes.NewReader(data), entry.Path, merged, dotenv.LookupFn(lookup), entry.Format)
}

// parseRaw reads the format in which everything after the first "=" is the value.
func parseRaw(text string, merged types.Mapping, lookup func(string) (string, bool)) error {
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSuffix(line, "\r")
		if trimmed := strings.TrimLeft(line, " \t"); trimmed == "" || trimmed[0] == '#' {
			continue
		}
		key, value, given := strings.Cut(line, "=")
		if strings.ContainsAny(key, " \t") || key == "" {
			return fmt.Errorf("line %d: no variable name before \"=\"", i+1)
		}
		if !given {
			var found bool
			if value, found = lookup(key); !found {
				continue
			}
		}
		merged[key] = value
	}
	return nil
}

func (r *rendering) lookup(name string) (string, bool) {
	value, ok := r.variables.values[name]
	return value, ok
}
