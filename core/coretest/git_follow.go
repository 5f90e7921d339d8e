package coretest

import (
	"fmt"

	"berth/core"
	"berth/core/fault"
)

// pointsAt checks that asking and fetching both give a commit under a name, and that it can be read.
func (b gitBench) pointsAt(src core.GitSource, want core.Commit, ref string) {
	b.Helper()
	head, err := b.remote.Head(b.Context(), src)
	if err != nil || head.Commit != want || head.Ref != ref || head.Moved != "" {
		b.Fatalf("head is %+v, %v; want %s of %s", head, err, want, ref)
	}
	fetched, err := b.remote.Fetch(b.Context(), src)
	if err != nil || fetched != head {
		b.Fatalf("fetched %+v, %v; want %+v", fetched, err, head)
	}
	b.open(src, want)
}

func followTag(b gitBench) {
	src, first := b.repository(map[string]string{"a": "1"})
	second := b.host.Push(b.T, src.URL, GitPush{Files: map[string]string{"a": "2"}})
	for i, annotated := range []bool{false, true} {
		src.Tag = fmt.Sprintf("rel/v%d", i)
		b.host.Tag(b.T, src.URL, src.Tag, first, annotated)
		b.host.Tag(b.T, src.URL, src.Tag+"0", second, annotated) // whose name begins the same
		b.pointsAt(src, first, "refs/tags/"+src.Tag)
	}
}

func movedTag(b gitBench) {
	src, first := b.repository(map[string]string{"a": "1"})
	src.Tag = "live"
	b.allRefused(asked(b, src), fault.NotFound, "git.tag_missing", `"live"`)
	b.host.Tag(b.T, src.URL, "live", first, true)
	b.pointsAt(src, first, "refs/tags/live")
	second := b.host.Push(b.T, src.URL, GitPush{Files: map[string]string{"a": "2"}})
	b.host.Tag(b.T, src.URL, "live", second, true)
	b.pointsAt(src, second, "refs/tags/live")
	b.host.DeleteTag(b.T, src.URL, "live")
	b.allRefused(asked(b, src), fault.NotFound, "git.tag_missing", `"live"`)
	if got := b.read(b.open(src, second), "a"); got != "2" {
		b.Errorf("the mirror has %q", got)
	}
}

func followRange(b gitBench) {
	src, first := b.repository(map[string]string{"a": "1"})
	src.Semver = "^1.2"
	b.host.Tag(b.T, src.URL, "v0.9.0", first, false)
	b.host.Tag(b.T, src.URL, "v1", first, false)
	b.allRefused(asked(b, src), fault.NotFound, "git.version_missing", "^1.2")
	b.host.Tag(b.T, src.URL, "v1.2.0", first, true)
	b.pointsAt(src, first, "refs/tags/v1.2.0")
	second := b.host.Push(b.T, src.URL, GitPush{Files: map[string]string{"a": "2"}})
	for tag, annotated := range map[string]bool{"1.10.0": true, "v1.11.0-rc.1": false, "v2.0.0": true, "v1.9.9": false} {
		b.host.Tag(b.T, src.URL, tag, second, annotated)
	}
	b.pointsAt(src, second, "refs/tags/1.10.0")
	for text, tag := range map[string]string{">=1.2.0-0 <2": "v1.11.0-rc.1", "*": "v2.0.0"} {
		src.Semver = text
		b.pointsAt(src, second, "refs/tags/"+tag)
	}
	src.Semver = "1.10.x"
	b.host.DeleteTag(b.T, src.URL, "1.10.0")
	b.allRefused(asked(b, src), fault.NotFound, "git.version_missing", "1.10.x")
	src.Branch = "main"
	b.allRefused(asked(b, src), fault.Invalid, "git.branch", "at once")
	src.Branch, src.Semver = "", "newest"
	b.allRefused(asked(b, src), fault.Invalid, "git.semver", "newest")
	src.Semver, src.Tag = "", "a..b"
	b.allRefused(asked(b, src), fault.Invalid, "git.tag")
}

func renamedDefault(b gitBench) {
	src, first := b.repository(map[string]string{"a": "1"})
	b.pointsAt(src, first, "refs/heads/main")
	trunk := b.host.Push(b.T, src.URL, GitPush{Branch: "trunk", Files: map[string]string{"a": "2"}})
	b.host.Point(b.T, src.URL, "trunk")
	b.pointsAt(src, trunk, "refs/heads/trunk")
}

func proposedDefault(b gitBench) {
	src, _ := b.repository(map[string]string{"a": "1"})
	src.Branch = "main"
	b.host.Push(b.T, src.URL, GitPush{Branch: "trunk", Files: map[string]string{"a": "2"}})
	b.host.Point(b.T, src.URL, "trunk")
	b.host.DeleteBranch(b.T, src.URL, "main")
	b.allRefused(asked(b, src), fault.NotFound, "git.branch_missing", `"main"`, `"trunk"`)
}

func lineage(b gitBench) {
	src, first := b.repository(map[string]string{"a": "1"})
	b.fetch(src)
	second := b.host.Push(b.T, src.URL, GitPush{Files: map[string]string{"a": "2"}})
	b.fetch(src)
	rewritten := b.host.Push(b.T, src.URL, GitPush{Files: map[string]string{"b": "new"}, Orphan: true})
	b.fetch(src)
	for name, c := range map[string]struct {
		earlier, later core.Commit
		want           core.Lineage
	}{
		"continued": {first, second, core.LineageContinued}, "itself": {first, first, core.LineageContinued}, "rewritten": {second, rewritten, core.LineageRewritten},
		"back": {second, first, core.LineageRewritten}, "never fetched": {core.Commit(fmt.Sprintf("%040d", 7)), second, core.LineageUnknown}, "no commit": {"main", second, core.LineageUnknown},
	} {
		if got, err := b.remote.Lineage(b.Context(), src.Repository, c.earlier, c.later); err != nil || got != c.want {
			b.Errorf("%s: %v, %v", name, got, err)
		}
	}
}
