package ui

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/jobs"
	"berth/core/repositories"
	"berth/core/stacks"
)

// awayBrowser is one whose hub does not answer.
type awayBrowser struct{ RepositoryBrowser }

func (awayBrowser) Discover(context.Context, repositories.Repository) (repositories.Discovery, error) {
	return repositories.Discovery{}, fault.New(fault.Unavailable, "hub.away", "The hub does not answer.")
}

type oneRepository struct{}

func (oneRepository) Repository(context.Context, core.RepositoryID) (repositories.Repository, error) {
	return repositories.Repository{ID: "rep_1", Name: "apps"}, nil
}

func (oneRepository) Events(context.Context, core.RepositoryID, core.Page) (core.List[repositories.Event], error) {
	return core.List[repositories.Event]{}, nil
}

type oneStack struct{ RepositoryUsers }

func (oneStack) JobBriefs(context.Context, core.RepositoryID) ([]jobs.Brief, error) {
	return []jobs.Brief{{ID: "job_1", Name: "backup", Path: "jobs/backup"}}, nil
}

func (oneStack) StackBriefs(context.Context, core.RepositoryID) ([]stacks.Brief, error) {
	return []stacks.Brief{{ID: "stk_1", Name: "shop", Path: "shop"}}, nil
}

// What cannot be looked at is not said to be absent.
func TestARepositoryWhoseFilesCannotBeReadSaysSo(t *testing.T) {
	answer := httptest.NewRecorder()
	Repository(oneRepository{}, awayBrowser{}, oneStack{}, nil, func() time.Time { return sampleNow }).
		ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/repositories/rep_1", nil))
	body := answer.Body.String()
	if answer.Code != http.StatusOK || strings.Count(body, "The hub does not answer.") != 2 || !strings.Contains(body, "shop") || !strings.Contains(body, "backup") {
		t.Errorf("it answers %d:\n%s", answer.Code, body)
	}
	for _, untrue := range []string{"not in the newest commit", "has no job.yaml there", "Nothing was fetched yet"} {
		if strings.Contains(body, untrue) {
			t.Errorf("it says %q", untrue)
		}
	}
}
