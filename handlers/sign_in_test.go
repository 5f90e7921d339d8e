package handlers

import (
	"testing"
	"time"

	"berth/core/fault"
)

// tally counts refused credentials by kind.
type tally map[string]int

func (tally) Request(string, int, time.Duration) {}

func (t tally) AuthenticationFailed(kind string) { t[kind]++ }

// TestEveryRefusedAnswerOfTheProviderIsCounted, of whatever kind the fault is; what says nothing of a credential is not.
func TestEveryRefusedAnswerOfTheProviderIsCounted(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want int
	}{
		"nothing":                  {nil, 0},
		"a token that is not good": {fault.New(fault.Unauthenticated, "oidc.token", ""), 1},
		"no role":                  {fault.New(fault.Forbidden, "oidc.no_role", ""), 1},
		"a state that was used":    {fault.New(fault.Conflict, "oidc.state_used", ""), 1},
		"an address that is taken": {fault.New(fault.Conflict, "oidc.email_taken", ""), 1},
		"declined":                 {fault.New(fault.Conflict, "oidc.declined", ""), 1},
		"a provider that is away":  {fault.New(fault.Unavailable, "oidc.away", ""), 0},
		"too many tries":           {fault.New(fault.TooMany, "auth.too_many", ""), 0},
	} {
		t.Run(name, func(t *testing.T) {
			counted := tally{}
			meteredSignOn{meter: counted}.count(c.err)
			meteredSignOn{}.count(c.err)
			if counted["oidc"] != c.want || len(counted) > c.want {
				t.Errorf("counted were %v, want %d", counted, c.want)
			}
		})
	}
}
