package store_test

import (
	"maps"
	"testing"
	"time"

	"berth/core/stacks"
)

func (y *yard) figures() stacks.Figures {
	y.t.Helper()
	f, err := y.Figures(y.t.Context())
	y.must(err)
	return f
}

// figure is what is shown of the one stack.
func (y *yard) figure() stacks.Figure {
	y.t.Helper()
	f := y.figures()
	if len(f.Stacks) != 1 {
		y.t.Fatalf("there are %+v", f.Stacks)
	}
	return f.Stacks[0]
}

func TestFiguresCountWhyRepositoriesCannotBeRead(t *testing.T) {
	y := openYard(t)
	y.add("web")
	before := y.figures().Repositories
	y.sshRepository(t, "", "over-ssh", "ssh://git@git.example.com/apps.git", "git.host_key_changed")
	after := y.figures().Repositories
	if want := map[string]int{"": before[""], "git.host_key_changed": 1}; before[""] == 0 || !maps.Equal(after, want) {
		t.Errorf("there are %v after %v, want %v", after, before, want)
	}
}

func TestFiguresOfAStackFollowIt(t *testing.T) {
	y := openYard(t)
	id := y.add("web")
	if got, want := y.figure(), (stacks.Figure{ID: id, Name: "web", Repository: "demo", Status: stacks.StatusNew}); got != want {
		t.Errorf("a new stack is %+v, want %+v", got, want)
	}
	y.tick()
	y.must(y.QueueAll(t.Context(), []stacks.Ask{polled(id, "c1")}))
	since := y.figure().OutOfSyncSince
	if !since.Equal(y.at) {
		t.Errorf("it is out of sync since %v, want %v", since, y.at)
	}
	y.tick()
	y.queue(wish(id))
	first := y.history(id)[0]
	y.start(first)
	if f := y.figures(); f.Unacknowledged != 0 || !maps.Equal(f.Open, map[stacks.DeploymentState]int{stacks.DeploymentRunning: 1}) || !maps.Equal(f.Counts, map[stacks.Status]int{stacks.StatusSyncing: 1}) {
		t.Errorf("while it is deployed: %+v", f)
	}
	y.send(first, "c1")
	if f := y.figures(); f.Unacknowledged != 1 || !f.Stacks[0].OutOfSyncSince.Equal(since) {
		t.Errorf("with a command on its way: %+v, out of sync since %v", f, since)
	}
	y.end(first.ID, stacks.DeploymentSucceeded, observed(healthy...))
	ended := y.at
	if got, want := y.figure(), (stacks.Figure{ID: id, Name: "web", Worker: y.w.ID, Repository: "demo", Status: stacks.StatusActive, Judged: true, Healthy: true, DeployedAt: ended}); got != want {
		t.Errorf("a deployed stack is %+v, want %+v", got, want)
	}
	if f := y.figures(); f.Unacknowledged != 0 || len(f.Open) != 0 {
		t.Errorf("after it: %+v", f)
	}

	second := y.start(y.queue(polled(id, "c2")))
	if f := y.figure(); f.Status != stacks.StatusSyncing || !f.Judged || !f.Healthy || f.OutOfSyncSince.IsZero() {
		t.Errorf("what runs while the next one is prepared: %+v", f)
	}
	behind := y.figure().OutOfSyncSince
	y.send(second, "c2")
	y.end(second.ID, stacks.DeploymentFailed, observed(stacks.ContainerState{Service: "web", State: "exited", ExitCode: 3}))
	if f := y.figure(); f.Status != stacks.StatusError || f.Healthy || !f.DeployedAt.Equal(ended) || !f.OutOfSyncSince.Equal(behind) {
		t.Errorf("after a failure: %+v, out of sync since %v", f, behind)
	}
}

func TestFiguresOfWhatPollingSawOnly(t *testing.T) {
	y := openYard(t)
	id := y.deployed("web", "c1")
	see := func(outOfSync bool) time.Time {
		t.Helper()
		y.tick()
		y.must(y.RecordSeen(t.Context(), []stacks.Seen{{Stack: id, Sight: stacks.Sight{Commit: "c2", Tree: "tree of c2", Trigger: stacks.TriggerPoll}, Verdict: stacks.Verdict{Record: true, OutOfSync: outOfSync, Reason: "seen"}}}))
		return y.figure().OutOfSyncSince
	}
	first := see(true)
	if !first.Equal(y.at) {
		t.Errorf("out of sync since %v, want %v", first, y.at)
	}
	if again := see(true); !again.Equal(first) {
		t.Errorf("seen again, it is out of sync since %v, want %v", again, first)
	}
	if f := see(false); !f.IsZero() {
		t.Errorf("back in sync, it is out of sync since %v", f)
	}
}

// A row that cannot be read in part is shown with what can be.
func TestFiguresOfAStackWhoseContainersCannotBeRead(t *testing.T) {
	y := openYard(t)
	id := y.deployed("web", "c1")
	y.exec(t, `UPDATE stacks SET containers = '[{', status = 'error' WHERE id = ?`, id)
	if f := y.figure(); f.Status != stacks.StatusError || f.Healthy {
		t.Errorf("it is %+v", f)
	}
}

// BenchmarkFigures reads a thousand stacks, every fourth of which has failed.
func BenchmarkFigures(b *testing.B) {
	y := openFleet(b)
	y.exec(b, `INSERT INTO stacks (id, name, repository_id, path, worker_tags, auto_sync, status, drifted, out_of_sync, seen_commit, seen_tree, deployed_tree,
		retries, retry_at, revision, commit_hash, error, containers, observed_at, deleting, created_at, updated_at)
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
		SELECT 'stk_' || i, 'app-' || i, 'rep_1', 'app', '[]', 1, CASE WHEN i % 4 = 0 THEN 'error' ELSE 'active' END, 0, 0, '', '', '', 0, 0, 1, '', '',
		'[{"service":"web","container":"web-1","container_id":"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef","image":"registry.example/app:1","state":"running"}]', 0, 0, 0, 0 FROM n`)
	for b.Loop() {
		if f, err := y.Figures(b.Context()); err != nil || len(f.Stacks) != 1000 {
			b.Fatal(len(f.Stacks), err)
		}
	}
}
