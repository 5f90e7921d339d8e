package ui

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/stacks"
)

// bulkDesk refuses stack "gone", and remembers who was asked.
type bulkDesk struct {
	sampleStore
	asked []string
}

func (d *bulkDesk) Sync(_ context.Context, id core.StackID, _ access.Principal) (stacks.Deployment, error) {
	d.asked = append(d.asked, "sync "+string(id))
	if id == "gone" {
		return stacks.Deployment{}, fault.New(fault.NotFound, "stack.not_found", "There is no such stack.")
	}
	return stacks.Deployment{ID: core.DeploymentID("dep_" + id)}, nil
}

func (d *bulkDesk) Pause(_ context.Context, id core.StackID, _ access.Principal) (stacks.Stack, error) {
	d.asked = append(d.asked, "pause "+string(id))
	return stacks.Stack{}, nil
}

func (d *bulkDesk) Resume(_ context.Context, id core.StackID, _ access.Principal) (stacks.Stack, error) {
	d.asked = append(d.asked, "resume "+string(id))
	return stacks.Stack{}, nil
}

func (d *bulkDesk) Deployment(_ context.Context, id core.DeploymentID) (stacks.Deployment, error) {
	switch id {
	case "dep_bad":
		return stacks.Deployment{ID: id, Stack: "bad", State: stacks.DeploymentFailed, Error: "image web:7 was not found"}, nil
	case "dep_runs":
		return stacks.Deployment{ID: id, Stack: "runs", State: stacks.DeploymentRunning}, nil
	}
	return stacks.Deployment{ID: id, Stack: core.StackID(strings.TrimPrefix(string(id), "dep_")), State: stacks.DeploymentSucceeded}, nil
}

func TestManyStacksAreEachAsked(t *testing.T) {
	for name, c := range map[string]struct {
		form, asked string
		to          []string
		status      int
	}{
		"each is asked, once, and a refusal hinders nobody": {"do=sync&stack=a&stack=gone&stack=b&stack=a", "sync a,sync gone,sync b", []string{"a:dep_a:", "gone::stack.not_found", "b:dep_b:"}, 303},
		"a pause has no deployment":                         {"do=pause&stack=a", "pause a", []string{"a::"}, 303},
		"a resume neither":                                  {"do=resume&stack=a", "resume a", []string{"a::"}, 303},
		"an unknown act does nothing":                       {"do=burn&stack=a", "", nil, 422},
		"more than a hundred do nothing":                    {"do=sync&stack=" + strings.Join(numbered(101), "&stack="), "", nil, 422},
	} {
		t.Run(name, func(t *testing.T) {
			desk, w := &bulkDesk{}, httptest.NewRecorder()
			r := visit("operator", "/stacks/bulk")
			r.Method, r.Header = http.MethodPost, http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
			r.Body = http.NoBody
			r.PostForm, _ = url.ParseQuery(c.form)
			r.Form = r.PostForm
			ActOnStacks(desk).ServeHTTP(w, r)
			to, _ := url.Parse(w.Header().Get("Location"))
			if w.Code != c.status || strings.Join(desk.asked, ",") != c.asked || strings.Join(to.Query()["stack"], " ") != strings.Join(c.to, " ") {
				t.Errorf("answered %d, asked %v, went to %s", w.Code, desk.asked, to)
			}
		})
	}
}

func numbered(n int) (all []string) {
	for i := range n {
		all = append(all, "s"+strings.Repeat("x", i))
	}
	return all
}

func TestWhatBecameOfManyStacksIsShownAgainWithoutAsking(t *testing.T) {
	desk := &bulkDesk{}
	show := func(query string) string {
		w := httptest.NewRecorder()
		StacksDone(desk).ServeHTTP(w, visit("operator", "/stacks/bulk/done?"+query))
		return w.Body.String()
	}
	page := show("do=sync&stack=a:dep_a:&stack=bad:dep_bad:&stack=runs:dep_runs:&stack=gone::stack.not_found&stack=a:dep_b:")
	for _, want := range []string{"4 of 5 ended: 2 done, 2 not; 1 under way", "Image web:7 was not found.", "It was removed before its turn came.", "do=sync&amp;stack=bad&amp;stack=gone", "not kept any more", `data-live="1500"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q:\n%s", want, page)
		}
	}
	if strings.Contains(show("do=sync&stack=gone::<script>"), "<script>)") {
		t.Error("the address put HTML into the page")
	}
	if len(desk.asked) > 0 {
		t.Errorf("looking asked for %v", desk.asked)
	}
}
