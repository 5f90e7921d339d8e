package configuration_test

import (
	"slices"
	"strings"
	"testing"

	"berth/core"
	"berth/core/configuration"
	"berth/core/coretest"
	"berth/core/intake"
	"berth/core/repositories"
	"berth/core/stacks"
)

// look has a repository followed as it is in a commit.
func (p *place) look(git *coretest.FakeGit, name string, commit core.Commit) {
	p.t.Helper()
	all, err := p.Repositories.Repositories(p.t.Context(), core.Page{Limit: 10})
	p.must(err)
	at := slices.IndexFunc(all.Items, func(r repositories.Repository) bool { return r.Name == name })
	if at < 0 {
		p.t.Fatalf("there is no repository %s", name)
	}
	r := all.Items[at]
	_, err = git.Fetch(p.t.Context(), core.GitSource{Repository: r.ID, URL: r.URL, Branch: "main"})
	p.must(err)
	tree, err := git.Tree(p.t.Context(), r.ID, commit)
	p.must(err)
	defer tree.Close()
	follower := intake.NewFollower(intake.NewDesk(p.Repositories, p.Stacks, p.Jobs), p.store, p.Stacks, p.Jobs, git)
	p.must(follower.Follow(p.t.Context(), intake.Look{Repository: r, Commit: commit, Tree: tree, Lineage: core.LineageContinued}))
}

func (p *place) stackNames() (names []string) {
	p.t.Helper()
	all, err := p.store.Stacks(p.t.Context(), stacks.Filter{}, core.Page{Limit: 50})
	p.must(err)
	for _, s := range all.Items {
		names = append(names, s.Name+" "+s.Path)
	}
	slices.Sort(names)
	return names
}

func TestWhatAFileBringsIsNotAddedAgainByFollowing(t *testing.T) {
	from, to := install(t, databases["SQLite"]), install(t, databases["SQLite"])
	from.furnish()
	file := from.export()
	to.apply(file, false)
	git := coretest.NewFakeGit()
	const url = "https://git.example.com/team/shop.git"
	git.Create(url)
	web := "services: {web: {image: nginx}}\n"
	commit := git.Commit(url, "main", map[string]string{"compose.yaml": web, "apps/web/compose.yaml": web, "elsewhere/compose.yaml": web})
	to.look(git, "Shop: the one", commit)
	if names := to.stackNames(); !slices.Equal(names, []string{"blog ", "web apps/web"}) {
		t.Errorf("the stacks are %q", names)
	}
	if again := to.export(); again != file {
		t.Errorf("after a look it is exported as\n%s\nand was\n%s", again, file)
	}
	commit = git.Commit(url, "main", map[string]string{"compose.yaml": web, "apps/web/compose.yaml": web, "apps/shop/compose.yaml": web})
	to.look(git, "Shop: the one", commit)
	if names := to.stackNames(); !slices.Equal(names, []string{"blog ", "shop apps/shop", "web apps/web"}) {
		t.Errorf("with a new folder the stacks are %q", names)
	}
	if s := to.stack("shop"); s.AutoSync || !slices.Equal(slices.Sorted(slices.Values(s.WorkerTags)), []string{"eu", "prod"}) {
		t.Errorf("what followed is %+v", s)
	}
}

func TestAFileWithoutFollowEndsIt(t *testing.T) {
	p := install(t, databases["SQLite"])
	p.furnish()
	file := p.export()
	begin := strings.Index(file, "    follow:\n      what: stacks_and_jobs\n")
	end := begin + strings.Index(file[begin:], "  - name: tools")
	if begin < 0 || end < begin {
		t.Fatalf("nothing is followed in\n%s", file)
	}
	without := file[:begin] + file[end:]
	plan := p.plan(without, false)
	at := slices.IndexFunc(plan.Steps, func(s configuration.Step) bool { return s.Section == "follow" && s.Name == "Shop: the one" })
	if s := plan.Steps[at]; s.Action != "change" || !slices.ContainsFunc(s.Changes, func(c configuration.Change) bool {
		return c.Field == "what" && c.From == "stacks_and_jobs" && c.To == ""
	}) {
		t.Errorf("the plan shows %+v", s)
	}
	if lines, _ := p.apply(without, false); !slices.Equal(lines, []string{"change follow  Shop: the one"}) {
		t.Errorf("it did %q", lines)
	}
	if lines, _ := p.apply(file, false); !slices.Equal(lines, []string{"create follow  Shop: the one"}) || p.export() != file {
		t.Errorf("with the file of before it did %q", lines)
	}
}
