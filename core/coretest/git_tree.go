package coretest

import (
	"slices"
	"strings"

	"berth/core"
	"berth/core/fault"
)

func readFiles(b gitBench) {
	files := map[string]string{"a": "", "deep/er/b.txt": "two\nlines", "raw": "\x00\xff\r\n", "big": strings.Repeat("0123456789", 30_000),
		`quo"te d`: "q", "$(x) ü": "s", "-option": "o"}
	tree := b.fetched(GitPush{Files: files})
	for path, want := range files {
		if got := b.read(tree, path); got != want {
			b.Errorf("%s has %d bytes; want %d", path, len(got), len(want))
		}
	}
	for _, path := range []string{"none", "deep/none", "a/none", "deep/er/b.txt/none"} {
		_, err := tree.Read(b.Context(), path, 10)
		b.refused(err, fault.NotFound, "git.path_missing", path)
	}
}

func readOthers(b gitBench) {
	tree := b.fetched(GitPush{Files: map[string]string{"dir/a": "1"},
		Links:      map[string]string{"link": "dir/a", "out": "/etc/passwd", "folder": "dir"},
		Submodules: map[string]string{"module": strings.Repeat("a", 40)}})
	for _, path := range []string{"", ".", "dir", "link", "out", "folder", "folder/a", "module", "module/a"} {
		_, err := tree.Read(b.Context(), path, 10)
		b.refused(err, fault.Invalid, "git.not_a_file")
	}
	if got := b.read(tree, "dir/a"); got != "1" {
		b.Errorf("after refusals dir/a has %q", got)
	}
}

func readTooLarge(b gitBench) {
	tree := b.fetched(GitPush{Files: map[string]string{"ten": "0123456789", "big": strings.Repeat("x", 3<<20)}})
	if content, err := tree.Read(b.Context(), "ten", 10); err != nil || len(content) != 10 {
		b.Errorf("a file of exactly the limit: %d bytes, %v", len(content), err)
	}
	for path, limit := range map[string]int64{"ten": 9, "big": 3<<20 - 1} {
		_, err := tree.Read(b.Context(), path, limit)
		b.refused(err, fault.TooLarge, "git.file_too_large", path)
	}
	if got := b.read(tree, "ten"); got != "0123456789" {
		b.Errorf("after refusals ten has %q", got)
	}
}

func listFiles(b gitBench) {
	tree := b.fetched(GitPush{
		Files:      map[string]string{"b/c.txt": "12", "b.txt": "1", "b/a/run": "#!", "z\ny": "1", "ü": ""},
		Executable: []string{"b/a/run"},
		Links:      map[string]string{"b/link": "c.txt"},
		Submodules: map[string]string{"b/module": strings.Repeat("a", 40)}})
	all, err := tree.List(b.Context(), "")
	if want := []string{"b.txt", "b/a/run", "b/c.txt", "b/link", "b/module", "z\ny", "ü"}; err != nil || !slices.Equal(paths(all), want) {
		b.Errorf("root has %q, %v; want %q", paths(all), err, want)
	}
	if dot, err := tree.List(b.Context(), "."); err != nil || !slices.Equal(dot, all) {
		b.Errorf(`"." has %q, %v; "" has %q`, paths(dot), err, paths(all))
	}
	below, err := tree.List(b.Context(), "b")
	if err != nil || len(below) != 4 {
		b.Fatalf("b has %q, %v", paths(below), err)
	}
	hashes, err := tree.Hashes(b.Context(), paths(below))
	if err != nil {
		b.Fatal(err)
	}
	want := []core.TreeEntry{{Path: "b/a/run", Mode: core.ModeExecutable, Size: 2}, {Path: "b/c.txt", Mode: core.ModeFile, Size: 2},
		{Path: "b/link", Mode: core.ModeSymlink, Size: 5}, {Path: "b/module", Mode: core.ModeSubmodule}}
	for i, entry := range below {
		want[i].Hash = hashes[entry.Path]
		if entry != want[i] || entry.Hash == "" {
			b.Errorf("entry %d is %+v; want %+v", i, entry, want[i])
		}
	}
}

func listMissing(b gitBench) {
	tree := b.fetched(GitPush{Files: map[string]string{"a/b": "1"}, Links: map[string]string{"link": "a"}})
	for _, dir := range []string{"none", "a/none", "a/b", "a/b/c", "link"} {
		_, err := tree.List(b.Context(), dir)
		b.refused(err, fault.NotFound, "git.path_missing", dir)
	}
}

func hashes(b gitBench) {
	src, _ := b.repository(map[string]string{"apps/one/a": "1", "apps/two/deep/a": "1", "top": "1"})
	asked := []string{"", ".", "apps", "apps/one", "apps/two", "apps/two/deep/a", "top", "none", "apps/none/x", "top/x"}
	look := func() map[string]string {
		b.Helper()
		got, err := b.open(src, b.fetch(src)).Hashes(b.Context(), asked)
		if err != nil || len(got) != len(asked) || got[""] != got["."] || got[""] == "" {
			b.Fatalf("hashes: %v, %v", got, err)
		}
		for path, hash := range got {
			if missing := strings.Contains(path, "none") || path == "top/x"; missing != (hash == "") {
				b.Errorf("%q has hash %q", path, hash)
			}
		}
		return got
	}
	moved := func(before, after map[string]string) (paths []string) {
		for path := range after {
			if before[path] != after[path] {
				paths = append(paths, path)
			}
		}
		slices.Sort(paths)
		return paths
	}
	first := look()
	b.host.Push(b.T, src.URL, GitPush{Files: map[string]string{"apps/two/deep/a": "2"}})
	second := look()
	if got, want := moved(first, second), []string{"", ".", "apps", "apps/two", "apps/two/deep/a"}; !slices.Equal(got, want) {
		b.Errorf("a changed file moved %q; want %q", got, want)
	}
	b.host.Push(b.T, src.URL, GitPush{Files: map[string]string{"apps/one/a": "1"}, Executable: []string{"apps/one/a"}})
	third := look()
	if got, want := moved(second, third), []string{"", ".", "apps", "apps/one"}; !slices.Equal(got, want) {
		b.Errorf("a changed mode moved %q; want %q", got, want)
	}
	b.host.Push(b.T, src.URL, GitPush{Files: map[string]string{"apps/one/a": "1", "apps/two/deep/a": "1"}})
	if got := moved(first, look()); len(got) != 0 {
		b.Errorf("the first content again differs in %q", got)
	}
}

func badPaths(b gitBench) {
	tree := b.fetched(GitPush{Files: map[string]string{"a/b": "1"}})
	for _, path := range []string{"..", "../a", "a/../a/b", "/a/b", "a//b", "a/", "./a", "a\nb", "a\x00b", strings.Repeat("a/", 3000) + "b"} {
		_, readErr := tree.Read(b.Context(), path, 10)
		_, listErr := tree.List(b.Context(), path)
		_, hashErr := tree.Hashes(b.Context(), []string{"a", path})
		for _, err := range []error{readErr, listErr, hashErr} {
			b.refused(err, fault.Invalid, "git.path")
		}
	}
}
