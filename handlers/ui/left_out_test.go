package ui

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/stacks"
)

// damaged lists no stack and no deployment, because those that there are cannot be read.
type damaged struct{ sampleStore }

func (damaged) Stacks(context.Context, stacks.Filter, core.Page) (core.List[stacks.Stack], error) {
	return core.List[stacks.Stack]{LeftOut: []string{"one<b>", "two"}}, nil
}

func (damaged) StackCounts(context.Context) (map[stacks.Status]int, error) {
	return map[stacks.Status]int{stacks.StatusActive: 2}, nil
}

func (damaged) Deployments(context.Context, stacks.DeploymentFilter, core.Page) (core.List[stacks.Deployment], error) {
	return core.List[stacks.Deployment]{LeftOut: []string{"dep_1", "dep_2"}}, nil
}

func TestListsSayWhatTheyLeaveOut(t *testing.T) {
	now := func() time.Time { return sampleNow }
	for path, c := range map[string]struct {
		page http.Handler
		says string
	}{
		"/stacks":      {Stacks(damaged{}, now), "cannot be read, so they are not listed: <bdi>one&lt;b&gt;</bdi>, <bdi>two</bdi>."},
		"/deployments": {Deployments(damaged{}, now), "cannot be read, so they are not listed: <code>dep_1</code>, <code>dep_2</code>."},
	} {
		answer := httptest.NewRecorder()
		c.page.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		if answer.Code != http.StatusOK || !strings.Contains(answer.Body.String(), c.says) {
			t.Errorf("%s answers %d:\n%s", path, answer.Code, answer.Body)
		}
	}
}
