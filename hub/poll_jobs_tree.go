package hub

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"

	"berth/core/jobs"
)

// jobPaths returns the paths in the repository that a job reads: its file, and the config files that it names.
func jobPaths(folder string, d jobs.Definition) []string {
	paths := []string{path.Join(folder, jobs.File)}
	for _, c := range d.Configs {
		if source, err := jobs.ConfigPath(folder, c.File); err == nil {
			paths = append(paths, source)
		}
	}
	return paths
}

// jobTree identifies all that a job reads, by the hashes of its paths; empty when its file is missing.
func jobTree(hashes map[string]string, folder string, d jobs.Definition) string {
	paths := jobPaths(folder, d)
	if hashes[paths[0]] == "" {
		return ""
	}
	sum := sha256.New()
	for _, p := range paths {
		fmt.Fprintf(sum, "%q %s\n", p, hashes[p])
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// configKey is where the file of a config stands in a job.yaml.
func configKey(i int) string { return fmt.Sprintf("configs[%d].file", i) }
