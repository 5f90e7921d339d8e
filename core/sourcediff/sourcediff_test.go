package sourcediff_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"berth/core"
	"berth/core/coretest"
	"berth/core/repositories"
	"berth/core/sourcediff"
	"berth/core/stacks"
)

const address = "https://git.example/apps.git"

// shelf knows one stack of one repository, and a revision for each commit.
type shelf struct {
	commits []core.Commit
	watch   []string
}

func (s shelf) Stack(context.Context, core.StackID) (stacks.Stack, error) {
	return stacks.Stack{ID: "stk_1", Repository: "rep_1", Path: "web"}, nil
}

func (s shelf) Revision(_ context.Context, _ core.StackID, number int) (stacks.Revision, error) {
	return stacks.Revision{Number: number, Commit: s.commits[number-1], Watch: s.watch, Manifest: stacks.Manifest{Files: []string{"compose.yaml", "../shared/extra.yaml"}}}, nil
}

func (s shelf) Repository(context.Context, core.RepositoryID) (repositories.Repository, error) {
	return repositories.Repository{ID: "rep_1", Name: "apps", URL: address, Head: s.commits[len(s.commits)-1]}, nil
}

func TestTheSourceOfRevisionsIsCompared(t *testing.T) {
	git := coretest.NewFakeGit()
	first := git.Push(address, coretest.GitPush{Branch: "main", Files: map[string]string{"web/compose.yaml": "a\nb\n", "web/secrets.yaml": "x: canary-1\n", "web/same.conf": "1", "web/old.conf": "1\n",
		"web/logo.png": "\x00\x01", "shared/base.yaml": "one\n", "shared/extra.yaml": "e\n", "other/file": "1\n"}})
	second := git.Push(address, coretest.GitPush{Branch: "main", Files: map[string]string{"web/compose.yaml": "a\nc\n", "web/secrets.yaml": "x: canary-2\n", "web/new.conf": "1\n", "shared/base.yaml": "two\n",
		"shared/extra.yaml": "f\n", "other/file": "2\n"}, Delete: []string{"web/old.conf"}})
	if _, err := git.Fetch(t.Context(), core.GitSource{Repository: "rep_1", URL: address, Branch: "main"}); err != nil {
		t.Fatal(err)
	}
	s := shelf{[]core.Commit{first, second}, []string{"shared/base.yaml"}}
	c := sourcediff.New(s, s, repositories.NewBrowser(git))
	changes, truncated, err := c.Compare(t.Context(), "stk_1", 2, 1)
	if err != nil || truncated {
		t.Fatal(truncated, err)
	}
	got := ""
	for _, change := range changes {
		got += fmt.Sprintf("%s %v %v %s;", change.Path, change.Before, change.After, strings.ReplaceAll(change.Diff, "\n", "|"))
	}
	want := "shared/base.yaml true true @@ line 1 @@|-one|+two;shared/extra.yaml true true @@ line 1 @@|-e|+f;web/compose.yaml true true @@ line 1 @@| a|-b|+c;" +
		"web/new.conf false true @@ line 1 @@|+1;web/old.conf true false @@ line 1 @@|-1;web/secrets.yaml true true (it has changed; secrets files are not shown);"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if changes, _, err := c.Compare(t.Context(), "stk_1", 1, 1); err != nil || len(changes) != 0 {
		t.Errorf("a revision differs from itself: %+v, %v", changes, err)
	}
}
