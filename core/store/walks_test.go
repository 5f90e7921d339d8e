package store_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"testing"

	"berth/core"
	"berth/core/access"
	"berth/core/fleet"
	"berth/core/identity"
	"berth/core/jobs"
	"berth/core/repositories"
	"berth/core/seal"
	"berth/core/stacks"
	"berth/core/variables"
)

// walk reads a list in pages of three and returns what it passed, page by page.
func walk[T any](t *testing.T, list func(context.Context, core.Page) (core.List[T], error), name func(T) string) (pages [][]string) {
	t.Helper()
	for after := ""; len(pages) < 10; {
		page, err := list(t.Context(), core.Page{After: after, Limit: 3})
		if err != nil || page.Items == nil {
			t.Fatalf("page %d: %v, %v", len(pages)+1, page.Items, err)
		}
		names := []string{}
		for _, item := range page.Items {
			names = append(names, name(item))
		}
		pages = append(pages, names)
		if after = page.Next; after == "" {
			return pages
		}
	}
	t.Fatal("it never ends")
	return nil
}

// walks are the lists of the store, each with how its rows are made and in which order they
// are listed. Rows are made out of order where the order is not that of their age.
var walks = map[string]struct {
	add    func(y *yard, i int) string // makes a row and returns its name in the list
	read   func(y *yard) [][]string
	newest bool // the list runs from new to old; otherwise by name, which is by age for identifiers
}{
	"stacks": {func(y *yard, i int) string { name := fmt.Sprint("stack-", i); y.add(name); return name },
		func(y *yard) [][]string {
			return walk(y.t, func(ctx context.Context, p core.Page) (core.List[stacks.Stack], error) {
				return y.Stacks(ctx, stacks.Filter{}, p)
			},
				func(s stacks.Stack) string { return s.Name })
		}, false},
	"deployments of a stack": {func(y *yard, i int) string { return string(y.past("web")) },
		func(y *yard) [][]string {
			return walk(y.t, func(ctx context.Context, p core.Page) (core.List[stacks.Deployment], error) {
				return y.Deployments(ctx, stacks.DeploymentFilter{Stack: y.named("web")}, p)
			}, func(d stacks.Deployment) string { return string(d.ID) })
		}, true},
	"deployments of all": {func(y *yard, i int) string { return string(y.past(fmt.Sprint("stack-", i%3))) },
		func(y *yard) [][]string {
			return walk(y.t, func(ctx context.Context, p core.Page) (core.List[stacks.Deployment], error) {
				return y.Deployments(ctx, stacks.DeploymentFilter{}, p)
			},
				func(d stacks.Deployment) string { return string(d.ID) })
		}, true},
	"decisions": {func(y *yard, i int) string {
		reason := fmt.Sprint("reason ", i)
		y.tick()
		y.must(y.RecordSeen(y.t.Context(), []stacks.Seen{seen(y.named("web"), "c", stacks.Verdict{Reason: reason})}))
		return reason
	}, func(y *yard) [][]string {
		return walk(y.t, func(ctx context.Context, p core.Page) (core.List[stacks.Decision], error) {
			return y.Decisions(ctx, y.named("web"), p)
		},
			func(d stacks.Decision) string { return d.Reason })
	}, true},
	"repositories": {func(y *yard, i int) string {
		r := repositories.Repository{ID: core.RepositoryID(core.NewID(core.PrefixRepository, y.tick())), Name: fmt.Sprint("aa-", i), URL: "https://git.example/a"}
		_, err := y.AddRepository(y.t.Context(), r, access.AuditEvent{})
		y.must(err)
		return r.Name
	}, func(y *yard) [][]string {
		y.exec(y.t, `DELETE FROM repositories WHERE name NOT LIKE 'aa-%'`)
		return walk(y.t, y.RepositoryList, func(r repositories.Repository) string { return r.Name })
	}, false},
	"credentials": {func(y *yard, i int) string {
		c := repositories.Credential{ID: core.CredentialID(core.NewID(core.PrefixCredential, y.tick())), Name: fmt.Sprint("key ", i), Type: "http", Host: "git.example"}
		y.must(y.AddCredential(y.t.Context(), c, envelope(y.t), access.AuditEvent{}))
		return c.Name
	}, func(y *yard) [][]string {
		return walk(y.t, y.CredentialList, func(c repositories.Credential) string { return c.Name })
	}, false},
	"workers": {func(y *yard, i int) string { return string(y.worker(y.t, fmt.Sprint("host-", 9-i)).ID) },
		func(y *yard) [][]string {
			y.exec(y.t, `DELETE FROM workers WHERE hostname LIKE 'web-%'`)
			return walk(y.t, func(ctx context.Context, p core.Page) (core.List[fleet.Worker], error) {
				return y.Workers(ctx, fleet.Filter{}, p)
			},
				func(w fleet.Worker) string { return string(w.ID) })
		}, false},
	"users": {func(y *yard, i int) string {
		id := core.NewID(core.PrefixUser, y.tick())
		y.exec(y.t, `INSERT INTO users (id, email, name, role, password, disabled, created_at, updated_at) VALUES (?, ?, 'n', 'viewer', '', 0, 0, 0)`, id, fmt.Sprint(9-i, "@b"))
		return id
	}, func(y *yard) [][]string {
		return walk(y.t, y.Users, func(u identity.User) string { return string(u.ID) })
	}, false},
	"service accounts": {func(y *yard, i int) string {
		a := identity.ServiceAccount{ID: core.ServiceAccountID(core.NewID(core.PrefixServiceAccount, y.tick())), Name: fmt.Sprint("account ", 9-i), Role: access.RoleViewer}
		y.must(y.AddServiceAccount(y.t.Context(), machine, a))
		return string(a.ID)
	}, func(y *yard) [][]string {
		return walk(y.t, y.ServiceAccounts, func(a identity.ServiceAccount) string { return string(a.ID) })
	}, false},
	"variables": {func(y *yard, i int) string {
		v := variables.Stored{Variable: variables.Variable{ID: core.VariableID(core.NewID(core.PrefixVariable, y.tick())), Name: fmt.Sprint("VAR_", 9-i)}}
		v.Owner = variables.Global
		_, err := y.AddVariable(y.t.Context(), v, access.AuditEvent{})
		y.must(err)
		return string(v.ID)
	}, func(y *yard) [][]string {
		return walk(y.t, func(ctx context.Context, p core.Page) (core.List[variables.Variable], error) {
			return y.Variables(ctx, variables.Filter{}, p)
		},
			func(v variables.Variable) string { return string(v.ID) })
	}, false},
	"jobs": {func(y *yard, i int) string { name := fmt.Sprint("job-", i); y.addJob(name); return name },
		func(y *yard) [][]string {
			return walk(y.t, func(ctx context.Context, p core.Page) (core.List[jobs.Job], error) {
				return y.Jobs(ctx, jobs.Filter{}, p)
			}, func(j jobs.Job) string { return j.Name })
		}, false},
	"runs": {func(y *yard, i int) string { return string(y.waiting(y.dueJob(fmt.Sprint("job-", i))).ID) },
		func(y *yard) [][]string {
			return walk(y.t, func(ctx context.Context, p core.Page) (core.List[jobs.Run], error) {
				return y.Runs(ctx, jobs.RunFilter{}, p)
			}, func(r jobs.Run) string { return string(r.ID) })
		}, true},
}

// past makes a deployment that has ended.
func (y *yard) past(stack string) core.DeploymentID {
	d := y.start(y.queue(wish(y.named(stack))))
	y.end(d.ID, stacks.DeploymentFailed)
	return d.ID
}

// named returns the stack of this name, which it makes when there is none.
func (y *yard) named(name string) core.StackID {
	y.t.Helper()
	list, err := y.Stacks(y.t.Context(), stacks.Filter{Search: name}, core.Page{Limit: 1})
	y.must(err)
	if len(list.Items) == 1 {
		return list.Items[0].ID
	}
	return y.add(name)
}

// envelope is a sealed text.
func envelope(t *testing.T) seal.Sealed {
	t.Helper()
	ring, err := seal.NewRing(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := ring.Seal(seal.Place{Table: "credentials", Row: "x", Column: "sealed"}, []byte("text"))
	if err != nil {
		t.Fatal(err)
	}
	return sealed
}

func TestEveryListIsWalkedInPages(t *testing.T) {
	for name, w := range walks {
		t.Run(name, func(t *testing.T) {
			for _, n := range []int{0, 3, 7} {
				y := openYard(t)
				var want []string
				for i := range n {
					want = append(want, w.add(y, i))
				}
				if w.newest {
					slices.Reverse(want)
				}
				pages := w.read(y)
				if got := slices.Concat(pages...); !slices.Equal(got, want) {
					t.Errorf("of %d rows it lists %q\nwant %q", n, got, want)
				}
				if len(pages) != max(1, (n+2)/3) {
					t.Errorf("%d rows take %d pages: %q", n, len(pages), pages)
				}
			}
		})
	}
}
