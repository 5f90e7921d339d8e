package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/compose-spec/compose-go/v2/types"
)

// secretValueKey is the key with which the Compose library carries the value of a
// secret that comes from a variable. The specification lets it pass as an extension.
const secretValueKey = types.SecretConfigXValue

// treeOf returns the project as maps, lists and plain values.
func treeOf(project *types.Project) (map[string]any, error) {
	for name, service := range project.Services {
		service.Profiles = nil // those that are off are gone; what is left always runs
		project.Services[name] = service
	}
	project.Extensions = nil // only anchors live there
	text, err := project.MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("encode project: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber() // or large numbers would lose digits
	var values map[string]any
	if err := decoder.Decode(&values); err != nil {
		return nil, fmt.Errorf("decode project: %w", err)
	}
	for name, secret := range project.Secrets {
		if secret.Content != "" {
			values["secrets"].(map[string]any)[name].(map[string]any)[secretValueKey] = secret.Content
		}
	}
	for _, service := range values["services"].(map[string]any) {
		dropUnset(service)
		renameBlkio(service.(map[string]any)["blkio_config"])
	}
	return values, nil
}

// renameBlkio corrects the members whose JSON names the Compose library leaves
// capitalised, and which it would not read again.
func renameBlkio(value any) {
	config, _ := value.(map[string]any)
	for _, list := range config {
		devices, _ := list.([]any)
		for i, device := range devices {
			renamed := map[string]any{}
			for key, v := range device.(map[string]any) {
				renamed[strings.ToLower(key)] = v
			}
			devices[i] = renamed
		}
	}
}

// dropUnset removes commands that the JSON form writes as null where the image's own is meant.
func dropUnset(value any) {
	switch v := value.(type) {
	case map[string]any:
		for _, key := range []string{"command", "entrypoint"} {
			if unset, there := v[key]; there && unset == nil {
				delete(v, key)
			}
		}
		for _, hooks := range []string{"pre_start", "post_start", "pre_stop"} {
			dropUnset(v[hooks])
		}
	case []any:
		for _, e := range v {
			dropUnset(e)
		}
	}
}
