package hostile_test

import (
	"fmt"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/hub/adapter/compose/render"
	"berth/hub/adapter/git"
	"berth/local/stand/githost"
)

// childOf names what this test program does when a test runs it again, under strace or without a network.
const childOf = "BERTH_HOSTILE_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childOf); dir != "" {
		if err := readAll(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// readAll fetches the repository below a folder from a Git host in this process, reads every file, and renders every
// folder; what is refused is refused.
func readAll(dir string) error {
	host := githost.New(filepath.Join(dir, "host"))
	server := httptest.NewServer(host)
	defer server.Close()
	remote, err := git.Open(filepath.Join(dir, "mirrors"), git.Options{})
	if err != nil {
		return err
	}
	src := core.GitSource{Repository: core.RepositoryID(core.NewID(core.PrefixRepository, time.Now())), URL: server.URL + host.Path("repo"), Branch: "main"}
	ctx, cancel := testContext()
	defer cancel()
	head, err := remote.Fetch(ctx, src)
	if err != nil {
		return err
	}
	tree, err := remote.Tree(ctx, src.Repository, head.Commit)
	if err != nil {
		return err
	}
	defer tree.Close()
	entries, err := tree.List(ctx, "")
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Mode == core.ModeFile || e.Mode == core.ModeExecutable {
			if _, err := tree.Read(ctx, e.Path, 1<<20); err != nil {
				return err
			}
		}
		if path.Base(e.Path) == "compose.yaml" {
			_, err := render.New().Read(ctx, core.ComposeSource{Project: "p", Dir: path.Dir(e.Path), Tree: tree}, func(string, []byte) error { return nil })
			fmt.Printf("%s: %v\n", e.Path, err)
		}
	}
	return remote.Close()
}

// traced runs readAll in a process of its own, by the words of a command before it, and returns what it said and
// what strace saw.
func traced(t *testing.T, c commit, before ...string) (said, seen string) {
	t.Helper()
	dir := t.TempDir()
	host := githost.New(filepath.Join(dir, "host"))
	if err := host.Create("repo"); err != nil {
		t.Fatal(err)
	}
	if _, err := host.Apply("repo", "main", githost.Change{Files: c.files, Links: c.links, Submodules: c.submodules}); err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(dir, "strace")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	args := append(before, "strace", "-f", "-qq", "-s", "256", "-e", "trace=execve,connect,openat", "-o", log, self)
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Env = append(os.Environ(), childOf+"="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, end(out))
	}
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	return string(out), string(text)
}

var executed = regexp.MustCompile(`execve\("([^"]+)", \[([^\]]*)`)

// TestR5: hooks, filters, attributes and LFS pointers of a repository run no program, and nothing but Git is run at all.
func TestR5(t *testing.T) {
	marker := filepath.Join(t.TempDir(), "ran")
	evil := "#!/bin/sh\ntouch " + marker + "\n"
	pointer := "version https://git-lfs.github.com/spec/v1\noid sha256:" + strings.Repeat("a", 64) + "\nsize 12345\n"
	_, seen := traced(t, commit{files: map[string]string{
		".gitattributes":              "* filter=evil diff=evil merge=evil ident text eol=crlf\n*.bin filter=lfs diff=lfs merge=lfs -text\n",
		".lfsconfig":                  "[lfs]\n\turl = http://127.0.0.1:1/\n",
		"hooks/post-checkout":         evil,
		"hooks/reference-transaction": evil,
		"a/compose.yaml":              web("volumes: ['./conf:/x:ro']"),
		"a/conf/x.bin":                pointer,
		"a/conf/id.txt":               "$Id$\n",
		"a/.envrc":                    evil,
		"b/compose.yaml":              web("build: .", "image: x"),
		"b/Dockerfile":                "FROM x\nRUN touch " + marker + "\n",
		"config":                      "[core]\n\tfsmonitor = " + marker + "\n\tsshCommand = touch " + marker + "\n[filter \"evil\"]\n\tsmudge = touch " + marker + "\n",
	}})
	if _, err := os.Stat(marker); err == nil {
		t.Error("a program of the repository ran")
	}
	var all []string
	for _, m := range executed.FindAllStringSubmatch(seen, -1) {
		if name := filepath.Base(m[1]); !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	t.Logf("programs that ran: %v", all)
	for _, name := range all {
		if name != "git" && !strings.HasPrefix(name, "git-") && !strings.HasSuffix(name, ".test") {
			t.Errorf("%s ran", name)
		}
	}
	if len(all) < 2 {
		t.Error("strace saw no Git: the test is blind")
	}
}

var connected = regexp.MustCompile(`connect\(\d+, \{sa_family=AF_INET6?,[^}]*\}`)

// TestR8: what an include or an image names on a network is not connected to while a commit is read: there is no route,
// and nothing was tried.
func TestR8(t *testing.T) {
	said, seen := traced(t, commit{files: map[string]string{
		"oci/compose.yaml":    web() + "include: ['oci://registry.invalid/x']\n",
		"https/compose.yaml":  web() + "include: ['https://192.0.2.1/x.git']\n",
		"git/compose.yaml":    web() + "include: [{path: 'git@192.0.2.1:x.git'}]\n",
		"github/compose.yaml": web() + "include: ['github.com/x/y.git#main:compose.yaml']\n",
		"env/compose.yaml":    web("env_file: 'https://192.0.2.1/x.env'"),
		"ext/compose.yaml":    web("extends: {file: 'https://192.0.2.1/x.yaml', service: x}"),
		"cfg/compose.yaml":    web("configs: [c]") + "configs: {c: {file: 'https://192.0.2.1/x'}}\n",
		"image/compose.yaml":  "services: {web: {image: '192.0.2.1/x:1'}}\n",
	}}, "unshare", "-n", "sh", "-c", `ip link set lo up && exec "$@"`, "sh")
	for _, dir := range []string{"oci", "https", "git", "github", "env", "ext", "cfg"} {
		if !regexp.MustCompile(`(?m)^` + dir + `/compose\.yaml: compose\.`).MatchString(said) {
			t.Errorf("%s is not refused by name:\n%s", dir, said)
		}
	}
	if !strings.Contains(said, "image/compose.yaml: <nil>") {
		t.Errorf("an image of a registry that is away is not rendered:\n%s", said)
	}
	tries := connected.FindAllString(seen, -1)
	for _, try := range tries {
		if !strings.Contains(try, net.IPv4(127, 0, 0, 1).String()) {
			t.Errorf("a connection was tried: %s", try)
		}
	}
	if len(tries) == 0 {
		t.Error("strace saw no connection to the Git host: the test is blind")
	}
	t.Logf("%d connections, all to the Git host on the loopback address", len(tries))
}
