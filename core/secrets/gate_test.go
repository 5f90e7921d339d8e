package secrets_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"berth/core/fault"
	"berth/core/secrets"
)

// shelf is a provider that has some values and says why it lacks the others.
type shelf struct {
	name   string
	values map[string]string // by reference
	err    error             // for what it lacks
	asked  int
}

func (s *shelf) Name() string { return s.name }

func (s *shelf) Resolve(_ context.Context, refs []secrets.Ref) (map[string]secrets.Value, error) {
	s.asked++
	found := map[string]secrets.Value{}
	var err error
	for _, ref := range refs {
		if ref.Provider != s.name {
			return nil, errors.New("asked for another provider's secret")
		}
		if value, ok := s.values[ref.Reference]; ok {
			found[ref.Variable] = secrets.NewValue(value)
		} else {
			err = s.err
		}
	}
	return found, err
}

// enabled are the providers that can be used.
type enabled []secrets.Provider

func (e enabled) Provider(_ context.Context, name string) (secrets.Provider, error) {
	for _, p := range e {
		if p.Name() == name {
			return p, nil
		}
	}
	return nil, fault.New(fault.Conflict, "secret.provider_disabled", "it is not enabled; see Settings, Integrations")
}

// own returns the internal provider, an empty one when there is none.
func (e enabled) own() secrets.Provider {
	if p, err := e.Provider(context.Background(), secrets.Internal); err == nil {
		return p
	}
	return &shelf{name: secrets.Internal}
}

func TestGateResolvesThroughEachProvider(t *testing.T) {
	internal := &shelf{name: secrets.Internal, values: map[string]string{"var_1": "one", "var_2": ""}}
	vault := &shelf{name: secrets.Vault, values: map[string]string{"kv/data/app#key": "three"}}
	got, err := secrets.NewGate(internal, enabled{vault}).Resolve(t.Context(), []secrets.Ref{
		{Variable: "A", Provider: secrets.Internal, Reference: "var_1"}, {Variable: "B", Provider: secrets.Internal, Reference: "var_2"},
		{Variable: "C", Provider: secrets.Vault, Reference: "kv/data/app#key"}})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"A": "one", "B": "", "C": "three"} {
		if value, found := got[name]; !found || value.Reveal() != want {
			t.Errorf("%s is %q, %v; want %q", name, value.Reveal(), found, want)
		}
	}
	if internal.asked != 1 || vault.asked != 1 {
		t.Errorf("providers were asked %d and %d times, want once each", internal.asked, vault.asked)
	}
	if none, err := secrets.NewGate(internal, enabled{}).Resolve(t.Context(), nil); err != nil || len(none) != 0 {
		t.Errorf("no references gave %v, %v", none, err)
	}
}

func TestGateNamesProvidersAndVariables(t *testing.T) {
	away := fault.New(fault.Unavailable, "vault.unreachable", "it does not answer.")
	lacking := fault.New(fault.Conflict, "secret.no_value", "B has no value")
	cases := map[string]struct {
		enabled []secrets.Provider
		refs    []secrets.Ref
		kind    fault.Kind
		says    []string
		fields  int
	}{
		"a provider that is not enabled": {nil,
			[]secrets.Ref{{Variable: "Z", Provider: secrets.Vault}, {Variable: "A", Provider: secrets.Vault}}, fault.Conflict,
			[]string{"provider vault", "A, Z", "not enabled", "Settings, Integrations", "Nothing was deployed"}, 2},
		"one value of two is lacking": {[]secrets.Provider{&shelf{name: secrets.Internal, values: map[string]string{"1": "canary-value"}, err: lacking}},
			[]secrets.Ref{{Variable: "A", Provider: secrets.Internal, Reference: "1"}, {Variable: "B", Provider: secrets.Internal, Reference: "2"}}, fault.Conflict,
			[]string{"provider internal", "values of B:", "B has no value"}, 1},
		"a provider is away": {[]secrets.Provider{&shelf{name: secrets.Vault, err: away}},
			[]secrets.Ref{{Variable: "A", Provider: secrets.Vault}}, fault.Unavailable, []string{"provider vault", "does not answer"}, 1},
		"one is away, another not enabled": {[]secrets.Provider{&shelf{name: secrets.Vault, err: away}},
			[]secrets.Ref{{Variable: "A", Provider: secrets.Vault}, {Variable: "B", Provider: secrets.Manager}}, fault.Conflict,
			[]string{"provider vault", "provider manager"}, 2},
		"a provider without a reason": {[]secrets.Provider{&shelf{name: secrets.Vault}},
			[]secrets.Ref{{Variable: "A", Provider: secrets.Vault}}, fault.Conflict, []string{"no value"}, 1},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := secrets.NewGate(enabled(c.enabled).own(), enabled(c.enabled)).Resolve(t.Context(), c.refs)
			if got != nil || fault.CodeOf(err) != "secret.unresolved" || fault.KindOf(err) != c.kind {
				t.Fatalf("%v, %v (%s)", got, err, fault.KindOf(err))
			}
			for _, text := range c.says {
				if !strings.Contains(fault.PublicOf(err), text) {
					t.Errorf("%q does not say %q", fault.PublicOf(err), text)
				}
			}
			if strings.Contains(err.Error(), "canary-value") {
				t.Errorf("%v shows a value", err)
			}
			var known *fault.Error
			if !errors.As(err, &known) || len(known.Fields) != c.fields {
				t.Errorf("fields are %+v, want %d", known.Fields, c.fields)
			}
		})
	}
}
