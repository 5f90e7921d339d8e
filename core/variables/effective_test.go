package variables_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/variables"
)

func TestWhoWins(t *testing.T) {
	r := open(t)
	stack := variables.OfStack(r.stack)
	var bound []core.VariableID
	for _, name := range []string{"ALL", "TWO", "REGION"} {
		bound = append(bound, r.add(t, variables.Draft{Owner: variables.Global, Name: name, Value: "global"}).ID)
	}
	r.add(t, variables.Draft{Owner: variables.Global, Name: "UNBOUND", Value: "x"})
	r.secret(t, stack, "ALL", "own")
	r.secret(t, stack, "TWO", "own")
	r.add(t, variables.Draft{Owner: stack, Name: "PLAIN", Value: "p"})
	if _, err := r.Bind(t.Context(), stack, bound, ada); err != nil {
		t.Fatal(err)
	}
	since := time.Unix(7, 0)
	around := variables.Surroundings{Stale: []string{"ALL", "TWO"}, Since: since, Provided: []string{"ALL", "FILE"}, Uses: map[string][]string{"ALL": {"web"}, "TWO": {"web", "db"}}}
	tell := func(around variables.Surroundings) string {
		t.Helper()
		all, err := r.Effective(t.Context(), r.stack, around)
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, e := range all {
			lines = append(lines, fmt.Sprint(e.Name, " ", e.Source, " secret=", e.Secret, " over ", e.Shadows, " in ", e.Services, " stale=", !e.Since.IsZero()))
		}
		return strings.Join(lines, "\n")
	}
	if got, want := tell(around), strings.Join([]string{
		"ALL sops secret=true over [stack global] in [web] stale=false", // a secrets file changes by a commit
		"FILE sops secret=true over [] in [] stale=false",
		"PLAIN stack secret=false over [] in [] stale=false",
		"REGION global secret=false over [] in [] stale=false",
		"TWO stack secret=true over [global] in [web db] stale=true"}, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := tell(variables.Surroundings{Stale: around.Stale, Since: since}); !strings.HasPrefix(got, "ALL stack secret=true over [global] in [] stale=true\nPLAIN") {
		t.Errorf("when nobody can be asked\n%s", got)
	}
}
