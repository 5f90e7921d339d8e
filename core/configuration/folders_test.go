package configuration_test

import (
	"context"
	"path"
	"slices"
	"strings"
	"testing"

	"berth/core"
	"berth/core/access"
	"berth/core/configuration"
	"berth/core/fault"
)

// fetched is what was fetched of every repository: these folders.
type fetched []string

func (f fetched) Lacks(_ context.Context, _ core.RepositoryID, folder string) core.Commit {
	if folder == "" || slices.Contains(f, folder) || slices.ContainsFunc(f, func(is string) bool { return path.Dir(is) == folder }) {
		return ""
	}
	return "c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00"
}

// TestAPlanLooksForFolders: what would be refused when the plan is applied is blocked in it.
func TestAPlanLooksForFolders(t *testing.T) {
	p := install(t, databases["SQLite"])
	p.furnish()
	look := func(there ...string) {
		p.Stacks, p.Jobs = p.Stacks.Beside(fetched(there)), p.Jobs.Beside(fetched(there))
		p.desk = configuration.NewDesk(p.Desks)
	}
	const why = "commit c0ffee00c0, the newest that was fetched, has no folder apps/new; add it to the repository first, or correct the path"
	was := p.export()
	moved := strings.Replace(was, "path: apps/web", "path: apps/new", 1)
	added := strings.Replace(was, "\njobs:\n", "\n  - name: fresh\n    repository: tools\n    path: apps/new\njobs:\n  - name: fresh-job\n    repository: tools\n    path: apps/new\n", 1)
	elsewhere := strings.Replace(added, "  - name: tools\n    url: ssh://git@ssh", "  - name: tools\n    url: ssh://git@other", 1)
	if was == moved || was == added || added == elsewhere {
		t.Fatal("the file has not what is changed of it:\n" + was)
	}
	actions := func(file string) (steps []string) {
		for _, s := range p.plan(file, false).Steps {
			if s.Action != configuration.ActionKeep && s.Action != configuration.ActionLeave {
				steps = append(steps, strings.TrimSpace(string(s.Action)+" "+s.Name+" "+s.Reason))
			}
		}
		return steps
	}
	look()
	for file, want := range map[string][]string{
		was:       nil, // what is where it was may stay there
		moved:     {"blocked web " + why},
		added:     {"blocked fresh " + why, "blocked fresh-job " + why},
		elsewhere: {"change tools", "create fresh", "create fresh-job"},
	} {
		if got := actions(file); !slices.Equal(got, want) {
			t.Errorf("the plan is %q, want %q", got, want)
		}
	}
	seen := p.plan(added, false)
	look("apps/new")
	if got := actions(added); !slices.Equal(got, []string{"create fresh", "create fresh-job"}) {
		t.Errorf("with the folder the plan is %q", got)
	}
	if _, err := p.desk.Apply(t.Context(), configuration.Ask{File: []byte(added), Fingerprint: seen.Fingerprint}, access.System); fault.CodeOf(err) != "configuration.stale" {
		t.Errorf("a plan from before the folder came is applied: %v", err)
	}
	if lines, _ := p.apply(added, false); !slices.Equal(lines, []string{"create stacks  fresh", "create jobs  fresh-job"}) {
		t.Errorf("it did %q", lines)
	}
}
