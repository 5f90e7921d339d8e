package variables_test

import (
	"strings"
	"testing"

	"berth/core"
	"berth/core/coretest"
	"berth/core/variables"
)

// The database keeps secrets as every other provider does.
func TestInternalProviderPassesTheContract(t *testing.T) {
	coretest.SecretProvider(t, func(t *testing.T) coretest.SecretShelf {
		r := open(t)
		ids := map[string]core.VariableID{}
		return coretest.SecretShelf{
			Provider: variables.NewInternalProvider(r.store, r.ring),
			Put: func(t *testing.T, name, value string) string {
				if id, there := ids[name]; there {
					if _, err := r.Desk.Update(t.Context(), id, variables.Change{Value: &value}, ada); err != nil {
						t.Fatal(err)
					}
					return string(id)
				}
				v, err := r.Desk.Create(t.Context(), variables.Draft{Owner: variables.OfStack(r.stack), Name: strings.ReplaceAll(name, " ", "_"), Value: value, Secret: true}, ada)
				if err != nil {
					t.Fatal(err)
				}
				ids[name] = v.ID
				return string(v.ID)
			},
			Missing: func(*testing.T) string { return "var_none" },
		}
	})
}
