package about

import (
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
)

func TestWhatTheLinkerWroteIsRead(t *testing.T) {
	got := buildOf(&debug.BuildInfo{GoVersion: "go1.26.8", Deps: []*debug.Module{{Path: "example.com/a", Version: "v1.0.0"}, {Path: "example.com/b", Version: "v1.0.0", Replace: &debug.Module{Path: "example.com/c", Version: "v2.0.0"}}},
		Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "9f31c02"}, {Key: "vcs.modified", Value: "true"}, {Key: "GOOS", Value: "linux"}, {Key: "GOARCH", Value: "arm64"}}})
	if got.Commit != "9f31c02" || !got.Changed || got.Go != "go1.26.8" || got.Platform != "linux/arm64" || !slices.Equal(got.Modules, []Module{{"example.com/a", "v1.0.0"}, {"example.com/c", "v2.0.0"}}) {
		t.Errorf("%+v", got)
	}
	if bare := buildOf(&debug.BuildInfo{}); bare.Platform != "" || bare.Commit != "" || bare.Changed {
		t.Errorf("of nothing: %+v", bare)
	}
	if own := ReadBuild(); own.Go != runtime.Version() {
		t.Errorf("of this program: %+v", own)
	}
}
