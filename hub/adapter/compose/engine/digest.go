package engine

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"

	"github.com/compose-spec/compose-go/v2/types"

	"berth/core/fault"
	"berth/hub/adapter/compose"
)

// addDigests puts a digest of the configs and secrets that each compose service uses
// into its labels. Compose compares a service's own settings only, so without it a
// changed config would leave its containers as they are. The digest is keyed, because
// labels can be read by whoever may list containers.
func addDigests(project *types.Project, key []byte) error {
	for name, service := range project.Services {
		if len(service.Configs)+len(service.Secrets) == 0 {
			continue
		}
		if len(key) == 0 {
			return fault.New(fault.Internal, "engine.apply", "The worker has no key for the digests of configs; nothing was changed.")
		}
		mac := hmac.New(sha256.New, key)
		for _, ref := range service.Configs {
			digestObject(mac, "config", ref.Source, types.FileObjectConfig(project.Configs[ref.Source]))
		}
		for _, ref := range service.Secrets {
			digestObject(mac, "secret", ref.Source, types.FileObjectConfig(project.Secrets[ref.Source]))
		}
		service.Labels = service.Labels.Add(compose.LabelConfigDigest, hex.EncodeToString(mac.Sum(nil)))
		project.Services[name] = service
	}
	return nil
}

// digestObject writes lengths before texts, so that no two projects give the same bytes.
func digestObject(mac hash.Hash, kind, name string, o types.FileObjectConfig) {
	for _, text := range []string{kind, name, o.File, o.Content} {
		fmt.Fprintf(mac, "%d:%s", len(text), text)
	}
}
