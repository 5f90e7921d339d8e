package layering

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestTheServersCarryTheTimeZones: when a job is due must not depend on the host's zones, which may be old, or missing as in
// an image made from scratch.
func TestTheServersCarryTheTimeZones(t *testing.T) {
	packages := map[string]*pkg{}
	for _, p := range imports(t, filepath.Join("..", "..")) {
		packages[p.path] = p
	}
	for _, server := range []string{"local", "hub/cmd/hub", "handlers/cmd/function"} {
		if !reaches(packages, server, "core/jobs", map[string]bool{}) {
			t.Errorf("%s does not reach core/jobs: the search is broken", server)
		}
		if !reaches(packages, server, "time/tzdata", map[string]bool{}) {
			t.Errorf("%s does not import time/tzdata, not even through others", server)
		}
	}
}

// reaches reports whether a package of this module imports another, itself or through others of this module.
func reaches(packages map[string]*pkg, from, wanted string, seen map[string]bool) bool {
	if from == wanted {
		return true
	}
	p := packages[from]
	if p == nil || seen[from] {
		return false
	}
	seen[from] = true
	return slices.ContainsFunc(p.code, func(to string) bool {
		return to == wanted || reaches(packages, strings.TrimPrefix(to, "berth/"), wanted, seen)
	})
}
