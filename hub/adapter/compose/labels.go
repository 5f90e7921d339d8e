package compose

import "strings"

// LabelConfigDigest is the label with a keyed digest of the configs and secrets that a
// compose service uses. It is part of what decides whether a container is recreated.
const LabelConfigDigest = "dev.berth.config-digest"

// reservedLabels are the namespaces that decide which project and stack a container
// belongs to. A Compose file that could set them could take over another stack.
var reservedLabels = [...]string{"dev.berth.", "com.docker.compose."}

// ReservedLabel reports whether a label's name belongs to Berth or to Compose itself.
func ReservedLabel(name string) bool {
	for _, prefix := range reservedLabels {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}
