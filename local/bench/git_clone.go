package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"berth/core"
	"berth/hub/adapter/git"
)

const (
	cloneFiles   = 5000
	cloneCommits = 2000
	cloneFolders = 50
	cloneBinary  = 300_000 // bytes of a picture, which every twentieth commit replaces
	cloneName    = "bench-clones"
)

// clonePath is one of the text files.
func clonePath(i int) string { return fmt.Sprintf("d%02d/f%04d.yaml", i%cloneFolders, i) }

// measureFetch measures what one new commit costs in a repository of many files.
func measureFetch(ctx context.Context, b *bench) (figures []figure, err error) {
	b.say("making a repository of %d files and %d commits", cloneFiles, cloneCommits)
	if err := b.makeHistory(ctx); err != nil {
		return nil, err
	}
	remote, err := git.Open(filepath.Join(b.dir, "mirrors"), git.Options{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, remote.Close()) }()
	src := core.GitSource{Repository: core.RepositoryID(core.NewID(core.PrefixRepository, time.Now())), URL: b.git.url + b.git.Path(cloneName), Branch: "main"}
	began, sent := time.Now(), b.git.sent.Load()
	if _, err := remote.Fetch(ctx, src); err != nil {
		return nil, err
	}
	figures = []figure{{name: "first fetch as Berth does it, 5,000 files and 2,000 commits", result: fmt.Sprintf("%s, %s", ms(time.Since(began)), megabytes(b.git.sent.Load()-sent))}}
	var took []time.Duration
	var bytes []int64
	for i := range max(20, b.runs) {
		want, err := b.git.Commit(cloneName, "main", map[string]string{clonePath(i): fmt.Sprintln("changed", i)}, "One")
		if err != nil {
			return nil, err
		}
		began, sent := time.Now(), b.git.sent.Load()
		head, err := remote.Fetch(ctx, src)
		if err == nil && string(head.Commit) != want {
			err = fmt.Errorf("fetched %s, want %s", head.Commit, want)
		}
		if err != nil {
			return nil, err
		}
		took, bytes = append(took, time.Since(began)), append(bytes, b.git.sent.Load()-sent)
	}
	return append(figures, figure{name: fmt.Sprintf("fetch of one new commit in it, %d times", len(took)), result: fmt.Sprintf("%s, %.1f KB", distribution(took), float64(median(bytes))/1e3)}), nil
}

// makeHistory makes a repository with a past.
func (b *bench) makeHistory(ctx context.Context) error {
	if err := b.git.Create(cloneName); err != nil {
		return err
	}
	var s bytes.Buffer
	random := rand.New(rand.NewPCG(7, 7))
	for version := range cloneCommits {
		fmt.Fprintf(&s, "commit refs/heads/main\ncommitter Bench <bench@localhost> %d +0000\ndata 3\nOne\n", 1_700_000_000+version*60)
		for _, i := range changed(random, version) {
			text := strings.Repeat(fmt.Sprintf("line %d of version %d: %x\n", i, version, random.Uint64()), 20)
			fmt.Fprintf(&s, "M 100644 inline %s\ndata %d\n%s\n", clonePath(i), len(text), text)
		}
		if version%20 == 0 {
			fmt.Fprintf(&s, "M 100644 inline assets/picture.bin\ndata %d\n", cloneBinary)
			for range cloneBinary {
				s.WriteByte(byte(random.Uint32()))
			}
			s.WriteByte('\n')
		}
	}
	if _, err := b.inRepository(ctx, &s, "fast-import", "--quiet", "--force"); err != nil {
		return err
	}
	_, err := b.inRepository(ctx, nil, "config", "uploadpack.allowFilter", "true")
	return err
}

// changed is which files a commit writes: the first all of them, the others three.
func changed(random *rand.Rand, version int) (some []int) {
	if version > 0 {
		return random.Perm(cloneFiles)[:3]
	}
	for i := range cloneFiles {
		some = append(some, i)
	}
	return some
}

// inRepository runs git at the host.
func (b *bench) inRepository(ctx context.Context, input *bytes.Buffer, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Env = plainGit("GIT_DIR=" + b.git.Dir(cloneName))
	if input != nil {
		cmd.Stdin = input
	}
	return output(cmd)
}

// plainGit is an environment in which git has no settings of a person or machine.
func plainGit(more ...string) []string {
	return append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.DevNull, "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_TERMINAL_PROMPT=0"}, more...)
}

// measureClones clones in several ways.
func measureClones(ctx context.Context, b *bench) (figures []figure, err error) {
	for _, way := range []struct {
		name string
		args []string
		more string // what is fetched after it: the files below a path; "": nothing
	}{
		{"whole", nil, ""},
		{"shallow, 50 commits", []string{"--depth=50"}, ""},
		{"shallow, 1 commit", []string{"--depth=1"}, ""},
		{"partial, 50 commits without files", []string{"--depth=50", "--filter=blob:none"}, ""},
		{"partial, and the 100 files of one folder", []string{"--depth=50", "--filter=blob:none"}, "d07"},
		{"partial, and all files of the newest", []string{"--depth=50", "--filter=blob:none"}, "."},
	} {
		var took []time.Duration
		var sent, disk []int64
		for i := range min(5, b.runs) {
			dir := filepath.Join(b.dir, fmt.Sprintf("clone-%d", i))
			began, before := time.Now(), b.git.sent.Load()
			if err := b.clone(ctx, dir, way.args, way.more); err != nil {
				return nil, fmt.Errorf("%s: %w", way.name, err)
			}
			took, sent, disk = append(took, time.Since(began)), append(sent, b.git.sent.Load()-before), append(disk, diskOf(dir))
			if err := os.RemoveAll(dir); err != nil {
				return nil, err
			}
		}
		figures = append(figures, figure{name: "first clone, " + way.name, result: fmt.Sprintf("%s, %s sent, %s on disk", spread(took), megabytes(median(sent)), megabytes(median(disk)))})
	}
	return figures, nil
}

// clone makes a bare clone, and fetches the files below a path that it lacks, all in one question.
func (b *bench) clone(ctx context.Context, dir string, args []string, more string) error {
	args = append([]string{"clone", "--quiet", "--bare", "--single-branch", "--no-tags"}, append(args, b.git.url+b.git.Path(cloneName), dir)...)
	run := func(input string, args ...string) (string, error) {
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Env, cmd.Stdin = plainGit(), strings.NewReader(input)
		return output(cmd)
	}
	if _, err := run("", args...); err != nil || more == "" {
		return err
	}
	list, err := run("", "-C", dir, "ls-tree", "-r", "--object-only", "HEAD", "--", more)
	if err != nil {
		return err
	}
	_, err = run(list, "-C", dir, "-c", "fetch.negotiationAlgorithm=noop", "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--filter=blob:none", "--stdin", "origin")
	return err
}

// diskOf returns the bytes of all files below a folder.
func diskOf(dir string) (sum int64) {
	_ = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			if info, err := entry.Info(); err == nil {
				sum += info.Size()
			}
		}
		return nil // a file that cannot be read does not count
	})
	return sum
}
