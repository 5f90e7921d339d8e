package git

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"berth/core/coretest"
	"berth/core/fault"
	"berth/core/repositories"
	"berth/core/secrets"
)

// standIn puts a script in place of the git command.
func standIn(t *testing.T, script string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}

func TestOpenWantsTheGitCommand(t *testing.T) {
	t.Run("none at all", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		_, err := Open(t.TempDir(), Options{})
		coretest.WantFault(t, err, fault.Unavailable, "git.command_missing", "was not found on the PATH", "Install git 2.31 or newer")
	})
	for says, usable := range map[string]bool{"git version 2.30.9": false, "git version 1.99": false, "hello": false,
		"git version 2.31.0": true, "git version 2.50.1 (Apple Git-155)": true, "git version 3.0.0": true} {
		t.Run(says, func(t *testing.T) {
			standIn(t, "echo '"+says+"'")
			_, err := Open(t.TempDir(), Options{})
			if usable && err != nil {
				t.Fatal(err)
			}
			if !usable {
				coretest.WantFault(t, err, fault.Unavailable, "git.command_missing", "/git cannot be used: it ", "Install git 2.31")
			}
		})
	}
}

func TestOpenWantsAFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "")
	_, err := Open(filepath.Join(file, "repos"), Options{})
	coretest.WantFault(t, err, fault.Unavailable, "git.workspace", "REPOS_WORKSPACE")
}

// What a git process sees is listed; the credential is in the one that fetches, and in
// no argument list and no file.
func TestSurroundingsOfGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	seen := t.TempDir()
	standIn(t, `f="`+seen+`/$$.$1"; env > "$f.env"; echo "$@" > "$f.args"; exec `+git+` "$@"`)
	t.Setenv("SECRET_KEY", "5ec4e7")
	t.Setenv("GIT_SSH_COMMAND", "evil")
	t.Setenv("GIT_TRACE", "1")
	t.Setenv("HTTPS_PROXY", "http://proxy.invalid")
	b := newBench(t)
	r := open(t, Options{})
	src, commit := source(t, b, b.server.URL)
	b.host.Protect(name(src.URL), "deploy", "hunter2")
	src.Username, src.Password = "deploy", secrets.NewValue("hunter2")
	mustFetch(t, r, src, commit)

	allowed := regexp.MustCompile(`^(PATH|HOME|PWD|OLDPWD|SHLVL|_|LC_ALL|(?i:https?_proxy|all_proxy|no_proxy)|(GIT_)?SSL_(CERT|CA)_?(FILE|DIR|INFO|PATH)|GIT_DIR|GIT_CONFIG_NOSYSTEM|GIT_CONFIG_GLOBAL|GIT_ATTR_NOSYSTEM|` +
		`GIT_TERMINAL_PROMPT|GIT_ALLOW_PROTOCOL|GIT_NO_REPLACE_OBJECTS|GIT_NO_LAZY_FETCH|GIT_DEFAULT_REF_FORMAT|GIT_CONFIG_(COUNT|KEY_\d+|VALUE_\d+))$`)
	var kinds []string
	for _, path := range glob(t, seen, "*.env") {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(content), "REQUEST_METHOD=") || strings.Contains(string(content), "GIT_DIR=/") {
			continue // the host's own git
		}
		kind := strings.Split(filepath.Base(path), ".")[1]
		if strings.Contains(string(content), "HOME="+r.root) {
			kinds = append(kinds, kind)
		} else {
			continue
		}
		for line := range strings.Lines(string(content)) {
			if key, _, _ := strings.Cut(strings.TrimSpace(line), "="); !allowed.MatchString(key) {
				t.Errorf("%s sees %s", kind, key)
			}
		}
		if kind == "fetch" && !strings.Contains(string(content), "=http."+b.server.URL+"/.extraHeader\n") {
			t.Errorf("the credential is not bound to the host")
		}
		if has := strings.Contains(string(content), "Authorization"); has != (kind == "fetch") {
			t.Errorf("%s has the credential: %t", kind, has)
		}
	}
	slices.Sort(kinds)
	if want := []string{"cat-file", "fetch", "init", "ls-tree", "version"}; !slices.Equal(slices.Compact(kinds), want) {
		t.Errorf("seen were %q; want %q", kinds, want)
	}
	for _, dir := range []string{seen, r.root} {
		notIn(t, dir, "hunter2")
	}
	for _, path := range glob(t, seen, "*.args") {
		if content, err := os.ReadFile(path); err != nil || strings.Contains(string(content), "Authorization") {
			t.Errorf("%s: %s, %v", path, content, err)
		}
	}
	notIn(t, r.root, "ZGVwbG95")
}

// notIn looks for text in every file below dir.
func notIn(t *testing.T, dir, text string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if strings.Contains(string(content), text) {
			t.Errorf("%s contains %q", path, text)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Git's own judgement of branch names is the measure of ours.
func TestBranchNamesThatWeTakeGitTakes(t *testing.T) {
	r := open(t, Options{})
	pieces := []string{"a", "/", ".", "..", "-", "@", "{", "~", "^", ":", "?", "*", "[", `\`, " ", "\x7f", "\x01", ".lock", "ü", "\xff", "HEAD"}
	for _, first := range pieces {
		for _, second := range pieces {
			for _, branch := range []string{first, first + second, "a" + first + second, first + "a" + second, first + second + "b"} {
				if repositories.ValidBranch(branch) != nil {
					continue
				}
				if _, err := r.git.run(t.Context(), r.root, nil, "check-ref-format", "--branch", branch); err != nil {
					t.Errorf("we take %q, git does not: %v", branch, err)
				}
			}
		}
	}
}

func TestTailKeepsTheEnd(t *testing.T) {
	var kept tail
	for range 1000 {
		kept.Write([]byte("0123456789"))
	}
	kept.Write([]byte(strings.Repeat("x", 3*tailSize) + "end\n"))
	if got := kept.String(); len(got) != tailSize-1 || !strings.HasSuffix(got, "xend") {
		t.Errorf("kept %d bytes: …%s", len(got), got[len(got)-10:])
	}
}
