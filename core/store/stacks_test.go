package store_test

import (
	"reflect"
	"strings"
	"testing"

	"berth/core"
	"berth/core/fault"
	"berth/core/stacks"
)

func TestAStackIsStoredWithItsFirstDeployment(t *testing.T) {
	y := openYard(t)
	id := core.StackID(core.NewID(core.PrefixStack, y.tick()))
	first := wish(id)
	st, d, err := y.CreateStack(t.Context(), stacks.Stack{ID: id, Name: "web", Repository: "rep_1", Path: "apps/web", Worker: y.w.ID, WorkerTags: []string{"eu"}, AutoSync: true}, &first, someone)
	y.must(err)
	want := stacks.Stack{ID: id, Name: "web", Repository: "rep_1", Path: "apps/web", Worker: y.w.ID, WorkerTags: []string{"eu"}, AutoSync: true,
		Status: stacks.StatusPending, Drift: []stacks.Difference{}, Containers: []stacks.ContainerState{}, CreatedAt: y.at, UpdatedAt: y.at}
	if !reflect.DeepEqual(st, want) || !reflect.DeepEqual(y.stack(id), want) {
		t.Errorf("got %+v\nwant %+v", st, want)
	}
	if d.State != stacks.DeploymentQueued || !reflect.DeepEqual(d, y.deployment(d.ID)) {
		t.Errorf("its deployment is %+v, stored %+v", d, y.deployment(d.ID))
	}
	if y.audits("stack.create") != 1 || len(y.reasons(id)) != 1 {
		t.Error("no audit event, or no decision")
	}
}

func TestAStackWithoutAWishIsNew(t *testing.T) {
	y := openYard(t)
	id := y.add("web")
	if st := y.is(id, stacks.StatusNew, ""); st.Worker != "" || st.WorkerTags == nil {
		t.Errorf("got %+v", st)
	}
	if len(y.history(id)) != 0 || len(y.reasons(id)) != 0 {
		t.Error("it has a history")
	}
}

func TestBadStacksAreNotStored(t *testing.T) {
	y := openYard(t)
	y.add("web")
	gone := y.worker(t, "gone")
	_, err := y.RevokeWorker(t.Context(), gone.ID, someone.Audit("worker.revoke", string(gone.ID), ""))
	y.must(err)
	before := y.rows()
	for name, c := range map[string]struct {
		stack stacks.Stack
		first *stacks.Ask
		code  string
		field string
	}{
		"a name that is taken": {stacks.Stack{ID: "stk_1", Name: "web", Repository: "rep_1"}, nil, "stack.name_taken", ""},
		"no repository":        {stacks.Stack{ID: "stk_1", Name: "a", Repository: "rep_none"}, nil, "input.reference", "repository_id"},
		"no worker":            {stacks.Stack{ID: "stk_1", Name: "a", Repository: "rep_1", Worker: "wrk_none"}, nil, "input.reference", "worker_id"},
		"a revoked worker":     {stacks.Stack{ID: "stk_1", Name: "a", Repository: "rep_1", Worker: gone.ID}, nil, "input.reference", "worker_id"},
		"a wish for another":   {stacks.Stack{ID: "stk_1", Name: "a", Repository: "rep_1"}, &stacks.Ask{Stack: "stk_none"}, "stack.not_found", ""},
	} {
		_, _, err := y.CreateStack(t.Context(), c.stack, c.first, someone)
		y.refused(name, err, c.code)
		if c.field != "" && !strings.Contains(fault.PublicOf(err), c.field) {
			t.Errorf("%s: %v does not name %s", name, err, c.field)
		}
		if after := y.rows(); after != before {
			t.Errorf("%s left something: %s, was %s", name, after, before)
		}
	}
	_, err = y.Stack(t.Context(), "stk_1")
	y.refused("a stack that was refused", err, "stack.not_found")
}

func TestStacksAreFiltered(t *testing.T) {
	y := openYard(t)
	a, b := y.deployed("shop-web", "c1"), y.add("shop-db")
	c := y.add("blog")
	y.exec(t, `INSERT INTO repositories (id, name, url, branch, head, fetched_at, error_code, error, asked_at, asked_by, created_at, updated_at)
		VALUES ('rep_2', 'other', 'http://git.example/other', '', '', 0, '', '', 0, '', 0, 0)`)
	y.exec(t, `UPDATE stacks SET repository_id = 'rep_2', paused = 1 WHERE id = ?`, c)
	y.exec(t, `UPDATE stacks SET quarantine = '{"tree":"t"}' WHERE id = ?`, b)
	for name, f := range map[string]struct {
		filter stacks.Filter
		want   []core.StackID
	}{
		"none":                   {stacks.Filter{}, []core.StackID{c, b, a}},
		"a repository":           {stacks.Filter{Repository: "rep_2"}, []core.StackID{c}},
		"a worker":               {stacks.Filter{Worker: y.w.ID}, []core.StackID{a}},
		"another worker":         {stacks.Filter{Worker: y.other.ID}, nil},
		"a status":               {stacks.Filter{Status: stacks.StatusNew}, []core.StackID{c, b}},
		"a part of the name":     {stacks.Filter{Search: "op-"}, []core.StackID{b, a}},
		"what is held back":      {stacks.Filter{Held: true}, []core.StackID{c, b}},
		"held back, by name":     {stacks.Filter{Held: true, Search: "blog"}, []core.StackID{c}},
		"a joker is no joker":    {stacks.Filter{Search: "shop_"}, nil},
		"nor is the other":       {stacks.Filter{Search: "%"}, nil},
		"all at once":            {stacks.Filter{Repository: "rep_1", Worker: y.w.ID, Status: stacks.StatusActive, Search: "web"}, []core.StackID{a}},
		"all at once, but not b": {stacks.Filter{Repository: "rep_1", Status: stacks.StatusActive, Search: "db"}, nil},
	} {
		list, err := y.Stacks(t.Context(), f.filter, core.Page{Limit: 10})
		var got []core.StackID
		for _, st := range list.Items {
			got = append(got, st.ID)
		}
		if err != nil || !reflect.DeepEqual(got, f.want) || list.Items == nil {
			t.Errorf("%s: %v, %v; want %v", name, got, err, f.want)
		}
	}
	counts, err := y.StackCounts(t.Context())
	if err != nil || !reflect.DeepEqual(counts, map[stacks.Status]int{stacks.StatusNew: 2, stacks.StatusActive: 1}) {
		t.Errorf("counts are %v, %v", counts, err)
	}
}

func TestStacksOfARepositoryLeaveOutTheDoomed(t *testing.T) {
	y := openYard(t)
	doomed, kept := y.deployed("a", "c1"), y.add("b")
	_, err := y.DeleteStack(t.Context(), doomed, true, false, someone)
	y.must(err)
	list, err := y.StacksOfRepository(t.Context(), "rep_1")
	if err != nil || len(list) != 1 || list[0].ID != kept {
		t.Errorf("got %v, %v", list, err)
	}
	if list, err := y.StacksOfRepository(t.Context(), "rep_none"); err != nil || list == nil || len(list) != 0 {
		t.Errorf("of no repository: %v, %v", list, err)
	}
}

func TestUpdateStack(t *testing.T) {
	name, taken, path, off, none := "shop", "blog", "apps/shop", false, core.WorkerID("")
	tags, missing := []string{"eu", "ssd"}, core.WorkerID("wrk_none")
	for what, c := range map[string]struct {
		placed bool // it was deployed before
		change func(*yard) stacks.Change
		code   string // empty: it succeeds
		check  func(*yard, stacks.Stack) bool
	}{
		"nothing": {false, func(*yard) stacks.Change { return stacks.Change{} }, "", func(_ *yard, st stacks.Stack) bool { return st.Name == "web" && st.Path == "web" && st.AutoSync }},
		"everything of a new one": {false, func(y *yard) stacks.Change {
			return stacks.Change{Name: &name, Path: &path, Worker: &y.other.ID, WorkerTags: &tags, AutoSync: &off}
		}, "", func(y *yard, st stacks.Stack) bool {
			return st.Name == "shop" && st.Path == path && st.Worker == y.other.ID && reflect.DeepEqual(st.WorkerTags, tags) && !st.AutoSync
		}},
		"a name that is taken":       {false, func(*yard) stacks.Change { return stacks.Change{Name: &taken} }, "stack.name_taken", nil},
		"a worker that is missing":   {false, func(*yard) stacks.Change { return stacks.Change{Worker: &missing} }, "input.reference", nil},
		"the name of one in place":   {true, func(*yard) stacks.Change { return stacks.Change{Name: &name} }, "stack.placed", nil},
		"the worker of one in place": {true, func(y *yard) stacks.Change { return stacks.Change{Worker: &y.other.ID} }, "stack.placed", nil},
		"no worker for one in place": {true, func(*yard) stacks.Change { return stacks.Change{Worker: &none} }, "stack.placed", nil},
		"the same name and worker":   {true, func(y *yard) stacks.Change { same := "web"; return stacks.Change{Name: &same, Worker: &y.w.ID} }, "", func(y *yard, st stacks.Stack) bool { return st.SeenTree == "tree of c1" }},
		"the folder of one in place": {true, func(*yard) stacks.Change { return stacks.Change{Path: &path} }, "", func(_ *yard, st stacks.Stack) bool { return st.Path == path && st.SeenTree == "" }},
		"the tags of one in place":   {true, func(*yard) stacks.Change { return stacks.Change{WorkerTags: &tags} }, "", func(_ *yard, st stacks.Stack) bool { return reflect.DeepEqual(st.WorkerTags, tags) }},
	} {
		t.Run(what, func(t *testing.T) {
			y := openYard(t)
			y.add("blog")
			id := y.add("web")
			if c.placed {
				y.deploy(id, "c1")
			}
			before, audits := y.stack(id), y.audits("stack.update")
			y.exec(t, `UPDATE repositories SET asked_at = 0`)
			y.tick()
			got, err := y.UpdateStack(t.Context(), id, c.change(y), someone)
			asked := y.count(t, `SELECT count(*) FROM repositories WHERE asked_at > 0 AND asked_by = ?`, someone.Name)
			if c.code != "" {
				y.refused("the edit", err, c.code)
				if !reflect.DeepEqual(y.stack(id), before) || y.audits("stack.update") != audits || asked != 0 {
					t.Errorf("a refused edit left %+v", y.stack(id))
				}
				return
			}
			if err != nil || !c.check(y, got) || !reflect.DeepEqual(got, y.stack(id)) || !got.UpdatedAt.After(before.UpdatedAt) {
				t.Errorf("got %+v, %v", got, err)
			}
			if y.audits("stack.update") != audits+1 || asked != 1 {
				t.Errorf("%d audit events, %d looks asked for", y.audits("stack.update")-audits, asked)
			}
		})
	}
	y := openYard(t)
	_, err := y.UpdateStack(t.Context(), "stk_none", stacks.Change{}, someone)
	y.refused("a stack that is not there", err, "stack.not_found")
	doomed := y.deployed("web", "c1")
	_, err = y.DeleteStack(t.Context(), doomed, true, false, someone)
	y.must(err)
	_, err = y.UpdateStack(t.Context(), doomed, stacks.Change{Path: &path}, someone)
	y.refused("a stack that is being deleted", err, "stack.deleting")
}

func TestAFolderThatChangesUnderADeploymentIsDeployedNext(t *testing.T) {
	path := "apps/shop"
	for name, c := range map[string]struct {
		auto bool
		want string
	}{
		"with automatic sync": {true, "running queued"},
		"without":             {false, "running"},
	} {
		t.Run(name, func(t *testing.T) {
			y := openYard(t)
			id := y.add("web")
			_, err := y.UpdateStack(t.Context(), id, stacks.Change{AutoSync: &c.auto}, someone)
			y.must(err)
			y.start(y.queue(wish(id)))
			y.tick()
			_, err = y.UpdateStack(t.Context(), id, stacks.Change{Path: &path}, someone)
			y.must(err)
			if got := y.states(id); got != c.want {
				t.Errorf("deployments are %s, want %s", got, c.want)
			}
		})
	}
}
