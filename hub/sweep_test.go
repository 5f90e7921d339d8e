package hub

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"berth/core"
	"berth/core/fault"
	"berth/core/jobs"
	"berth/core/repositories"
	"berth/core/stacks"
)

// sweptFiles remembers what it was told to keep.
type sweptFiles struct {
	RevisionFiles
	kept []string
	err  error
}

func (f *sweptFiles) Sweep(_ context.Context, each func(func(stacks.KeptRevision)) error) (int, error) {
	f.err = each(func(r stacks.KeptRevision) {
		f.kept = append(f.kept, fmt.Sprint(r.Stack, " ", r.Number, " ", len(r.Content)))
	})
	return 0, f.err
}

// keptStore has revisions and repositories, and nothing else.
type keptStore struct {
	Store
	revisions    []stacks.KeptRevision
	repositories []repositories.Repository
	configs      []jobs.ConfigFile
	err          error
	illegible    error // of jobs
}

func (s *keptStore) JobContent(_ context.Context, keep func(jobs.ConfigFile)) error {
	for _, c := range s.configs {
		keep(c)
	}
	return errors.Join(s.err, s.illegible)
}

func (s *keptStore) KeptRevisions(_ context.Context, after core.StackID, number, limit int) ([]stacks.KeptRevision, error) {
	i := slices.IndexFunc(s.revisions, func(r stacks.KeptRevision) bool { return r.Stack > after || r.Stack == after && r.Number > number })
	if i < 0 {
		return nil, s.err
	}
	return s.revisions[i:min(i+limit, len(s.revisions))], s.err
}

func (s *keptStore) Repositories(context.Context) ([]repositories.Repository, error) {
	return s.repositories, s.err
}

// mirrorFolder has mirrors of some repositories.
type mirrorFolder struct {
	core.GitRemote
	all, forgotten []core.RepositoryID
}

func (m *mirrorFolder) Mirrors() ([]core.RepositoryID, error) { return m.all, nil }

func (m *mirrorFolder) Forget(_ context.Context, id core.RepositoryID) error {
	m.forgotten = append(m.forgotten, id)
	return nil
}

func TestSweepIsToldEveryRevisionAndEveryRepository(t *testing.T) {
	var want []string
	store := &keptStore{repositories: []repositories.Repository{{ID: "rep_1"}, {ID: "rep_3"}}}
	for i := range 2*sweepPage + sweepPage/2 {
		r := stacks.KeptRevision{Stack: core.StackID(fmt.Sprintf("stk_%04d", i/7)), Number: 1 + i%7, Content: make([]core.Content, i%3)}
		store.revisions = append(store.revisions, r)
		want = append(want, fmt.Sprint(r.Stack, " ", r.Number, " ", i%3))
	}
	files, git := &sweptFiles{}, &mirrorFolder{all: []core.RepositoryID{"rep_1", "rep_2", "rep_3", "rep_4"}}
	var log strings.Builder
	h := New(Options{Store: store, Files: files, Git: git, Mirrors: git, Log: slog.New(slog.NewTextHandler(&log, nil))})
	h.sweep(t.Context())
	if !slices.Equal(files.kept, want) {
		t.Errorf("%d revisions are kept, want %d", len(files.kept), len(want))
	}
	if !slices.Equal(git.forgotten, []core.RepositoryID{"rep_2", "rep_4"}) {
		t.Errorf("forgotten are the mirrors of %v", git.forgotten)
	}
	if log.Len() > 0 {
		t.Errorf("log:\n%s", log.String())
	}

	store.revisions[3].Illegible = true
	files.kept = nil
	h.sweep(t.Context())
	if line := fmt.Sprintf("stack=%s revision=%d", store.revisions[3].Stack, store.revisions[3].Number); len(files.kept) != len(want) || strings.Count(log.String(), line) != 1 {
		t.Errorf("%d revisions are kept, want %d; log:\n%s", len(files.kept), len(want), log.String())
	}

	store.err, git.forgotten = errors.New("the database is away"), nil
	h.sweep(t.Context())
	if files.err == nil || git.forgotten != nil {
		t.Errorf("without an answer files are swept (%v) or mirrors removed (%v)", files.err, git.forgotten)
	}
	if strings.Count(log.String(), "the database is away") != 2 {
		t.Errorf("log:\n%s", log.String())
	}
}

func TestSweepIsToldTheConfigFilesOfJobs(t *testing.T) {
	unreadable := fault.New(fault.Internal, "store.unreadable", "The database holds job job_1, which cannot be read.")
	for name, c := range map[string]struct {
		store keptStore
		kept  int // contents
		whole bool
		err   bool
	}{
		"none":                         {},
		"two":                          {store: keptStore{configs: make([]jobs.ConfigFile, 2)}, kept: 2},
		"a job that cannot be read":    {store: keptStore{configs: make([]jobs.ConfigFile, 1), illegible: unreadable}, kept: 1, whole: true},
		"a database that is not there": {store: keptStore{illegible: errors.New("away")}, err: true},
	} {
		t.Run(name, func(t *testing.T) {
			h := New(Options{Store: &c.store, Log: slog.New(slog.DiscardHandler)})
			contents, whole := 0, false
			err := h.eachKept(t.Context(), func(r stacks.KeptRevision) {
				contents += len(r.Content)
				whole = whole || r.Illegible
			})
			if contents != c.kept || whole != c.whole || (err != nil) != c.err {
				t.Errorf("%d contents are kept, everything: %t, %v", contents, whole, err)
			}
		})
	}
}
