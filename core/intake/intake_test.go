package intake

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/jobs"
	"berth/core/repositories"
	"berth/core/stacks"
)

// shelf keeps what is added, and refuses a name that is taken.
type shelf struct{ taken map[string]string } // kind and path, by name

func (s *shelf) put(kind, name, path string) error {
	if s.taken[name] != "" {
		return fault.New(fault.Conflict, "stack.name_taken", "Another one is called %s.", name)
	}
	s.taken[name] = kind + " " + path
	return nil
}

func (s *shelf) Repository(_ context.Context, id core.RepositoryID) (repositories.Repository, error) {
	if id != "rep_1" {
		return repositories.Repository{}, fault.New(fault.NotFound, "repository.not_found", "none")
	}
	return repositories.Repository{ID: id, Name: "apps"}, nil
}

type stackShelf struct{ *shelf }

func (s stackShelf) Create(_ context.Context, d stacks.Draft, _ access.Principal) (stacks.Stack, stacks.Deployment, error) {
	kind := fmt.Sprint("stack on ", d.Worker, d.WorkerTags, d.AutoSync)
	return stacks.Stack{ID: core.StackID("stk_" + d.Name)}, stacks.Deployment{ID: core.DeploymentID("dep_" + d.Name)}, s.put(kind, d.Name, d.Path)
}

type jobShelf struct{ *shelf }

func (s jobShelf) Create(_ context.Context, d jobs.Draft, _ access.Principal) (jobs.Job, error) {
	return jobs.Job{ID: core.JobID("job_" + d.Name)}, s.put("job", d.Name, d.Path)
}

func newShelf() (*shelf, Desk) {
	s := &shelf{taken: map[string]string{}}
	return s, NewDesk(s, stackShelf{s}, jobShelf{s})
}

func TestEachPickIsAddedForItself(t *testing.T) {
	s, d := newShelf()
	all, err := d.Add(t.Context(), "rep_1", Wish{Worker: "wrk_1", WorkerTags: []string{"eu"}, AutoSync: true, Picks: []Pick{
		{"apps/web", repositories.KindStack, ""}, {"other/web", repositories.KindStack, ""}, {"jobs/backup", repositories.KindJob, "nightly"}, {"", repositories.KindStack, ""},
	}}, access.System)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, a := range all {
		code := ""
		if a.Err != nil {
			code = fault.CodeOf(a.Err)
		}
		got = append(got, fmt.Sprintf("%s %s %s %s", a.Name, a.ID, a.DeploymentID, code))
	}
	want := "web stk_web dep_web ;web   stack.name_taken;nightly job_nightly  ;apps stk_apps dep_apps "
	if strings.Join(got, ";") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, ";"), want)
	}
	if s.taken["web"] != "stack on wrk_1[eu] true apps/web" || s.taken["nightly"] != "job jobs/backup" {
		t.Errorf("added %v", s.taken)
	}
}

func TestWhatIsRefusedBeforeAnythingIsAdded(t *testing.T) {
	for name, c := range map[string]struct {
		id   core.RepositoryID
		wish Wish
		code string
	}{
		"no folder":        {"rep_1", Wish{}, "intake.invalid"},
		"too many folders": {"rep_1", Wish{Picks: make([]Pick, MaxPicks+1)}, "intake.invalid"},
		"no kind":          {"rep_1", Wish{Picks: []Pick{{"web", repositories.KindStack, ""}, {"web", "", ""}}}, "intake.invalid"},
		"no repository":    {"rep_2", Wish{Picks: []Pick{{"web", repositories.KindStack, ""}}}, "repository.not_found"},
	} {
		s, d := newShelf()
		if _, err := d.Add(t.Context(), c.id, c.wish, access.System); fault.CodeOf(err) != c.code || len(s.taken) != 0 {
			t.Errorf("%s: %v, added %v", name, err, s.taken)
		}
	}
}
