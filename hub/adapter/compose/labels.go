package compose

import "strings"

// Labels that Berth puts on containers. None but LabelConfigDigest takes part in the
// decision whether a container is recreated.
const (
	LabelStack        = "dev.berth.stack"         // stack identifier; marks a container as made by Berth
	LabelRevision     = "dev.berth.revision"      // number of the revision that created the container
	LabelConfigDigest = "dev.berth.config-digest" // keyed digest of the configs and secrets that a compose service uses
)

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
