package hostile_test

import (
	"cmp"
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/hub/adapter/compose/render"
	"berth/hub/adapter/git"
	"berth/local/stand/githost"
)

// commit is what one commit of a repository holds, by path.
type commit struct {
	files, links, submodules map[string]string
}

// fetched is a commit that was fetched by the real adapter from a real Git host.
type fetched struct {
	core.Tree
	t    *testing.T
	host *githost.Host
}

// fetch makes a repository of one commit and fetches it.
func fetch(t *testing.T, c commit) fetched {
	t.Helper()
	tree, host, err := tryFetch(t, c)
	if err != nil {
		t.Fatal(err)
	}
	return fetched{tree, t, host}
}

// tryFetch is fetch for commits that may be refused.
func tryFetch(t *testing.T, c commit) (core.Tree, *githost.Host, error) {
	t.Helper()
	host := githost.New(t.TempDir())
	if err := host.Create("repo"); err != nil {
		t.Fatal(err)
	}
	if _, err := host.Apply("repo", "main", githost.Change{Files: c.files, Links: c.links, Submodules: c.submodules}); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(host)
	t.Cleanup(server.Close)
	remote, err := git.Open(t.TempDir(), git.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { remote.Close() })
	src := core.GitSource{Repository: core.RepositoryID(core.NewID(core.PrefixRepository, time.Now())), URL: server.URL + host.Path("repo"), Branch: "main"}
	head, err := remote.Fetch(t.Context(), src)
	if err != nil {
		return nil, host, err
	}
	tree, err := remote.Tree(t.Context(), src.Repository, head.Commit)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	return tree, host, nil
}

// render renders a folder of the commit as the hub does.
func (f fetched) render(dir string, change ...func(*core.ComposeSource)) (core.ComposeProject, error) {
	f.t.Helper()
	src := core.ComposeSource{Project: "victim", Dir: dir, Tree: f.Tree}
	for _, c := range change {
		c(&src)
	}
	ctx, cancel := context.WithTimeout(f.t.Context(), time.Minute)
	defer cancel()
	return render.New().Read(ctx, src, func(string, []byte) error { return nil })
}

// hostile is one case of a table: files of a folder, what else the commit has, and how it is refused.
type hostile struct {
	compose string            // compose.yaml of the folder
	files   map[string]string // relative to the folder
	links   map[string]string
	code    string // of the refusal
	says    string // part of its words
}

// refuses brings all cases in with one commit, a folder for each, and wants each refused in its words.
func refuses(t *testing.T, cases map[string]hostile) {
	t.Helper()
	c := commit{files: map[string]string{}, links: map[string]string{}}
	dirs := map[string]string{}
	for name, h := range cases {
		dir := fmt.Sprintf("stacks/s%d", len(dirs))
		dirs[name] = dir
		if h.compose != "" {
			c.files[path.Join(dir, "compose.yaml")] = h.compose
		}
		for p, text := range h.files {
			c.files[path.Join(dir, p)] = text
		}
		for p, to := range h.links {
			c.links[path.Join(dir, p)] = to
		}
	}
	all := fetch(t, c)
	for name, h := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := all.render(dirs[name])
			wantRefusal(t, err, h.code, h.says)
		})
	}
}

func wantRefusal(t *testing.T, err error, code, says string) {
	t.Helper()
	if err == nil || !strings.HasPrefix(fault.CodeOf(err), cmp.Or(code, "compose.")) || !strings.Contains(fault.PublicOf(err), says) {
		t.Errorf("got  %v\nwant %s: … %s", err, code, says)
	}
	if err != nil && len(fault.PublicOf(err)) > 1000 {
		t.Errorf("the refusal has %d bytes", len(fault.PublicOf(err)))
	}
}

// web is a Compose file with one service that has more settings, each a line.
func web(settings ...string) string {
	file := "services:\n  web:\n    image: nginx\n"
	for _, s := range settings {
		file += "    " + s + "\n"
	}
	return file
}

// spent is what a case took: processor time of this process, and how far its resident memory rose at its highest.
type spent struct {
	processor time.Duration
	memory    int64 // bytes
}

// measured runs do and says what it took.
func measured(t *testing.T, do func()) spent {
	t.Helper()
	debug.FreeOSMemory()                                                          // what is free in the heap would hide what is taken
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil { // the high-water mark begins anew
		t.Fatal(err)
	}
	before, start := resident(t, "VmRSS"), used(t)
	do()
	return spent{used(t) - start, max(0, resident(t, "VmHWM")-before)}
}

func used(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func resident(t *testing.T, name string) int64 {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(name + `:\s+(\d+) kB`).FindSubmatch(status)
	if found == nil {
		t.Fatalf("the kernel does not tell %s", name)
	}
	kib, err := strconv.ParseInt(string(found[1]), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kib << 10
}

// figures prints a table, which -v shows.
type figures struct{ lines []string }

func (f *figures) add(name string, s spent) {
	f.lines = append(f.lines, fmt.Sprintf("%-34s %9.1f ms %9.1f MiB", name, float64(s.processor.Microseconds())/1000, float64(s.memory)/(1<<20)))
}

func (f *figures) print(t *testing.T) {
	t.Helper()
	t.Logf("%-34s %12s %13s\n%s", "case", "processor", "memory", strings.Join(f.lines, "\n"))
}

// elsewhere runs the tests that prove a case where the code is.
func elsewhere(t *testing.T, pkg, pattern string, atLeast int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "test", "-v", "-timeout", "20m", "-run", pattern, pkg)
	cmd.Dir = "../.."
	out, err := cmd.CombinedOutput()
	passed := regexp.MustCompile(`(?m)^--- PASS: (\S+)`).FindAllStringSubmatch(string(out), -1)
	if err != nil || len(passed) < atLeast {
		t.Fatalf("go test -run '%s' %s: %v; %d of at least %d tests passed\n%s", pattern, pkg, err, len(passed), atLeast, end(out))
	}
	for _, p := range passed {
		t.Logf("%s: %s passed", pkg, p[1])
	}
}

func end(out []byte) []byte { return out[max(0, len(out)-4000):] }

// testContext bounds what a child does.
func testContext() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), 2*time.Minute)
}
