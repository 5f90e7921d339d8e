package ui

import (
	"slices"
	"testing"

	"berth/core/integrations"
	"berth/core/variables"
)

func TestEachChoiceLeadsOnUntilThePlaceIsWhole(t *testing.T) {
	for provider, c := range map[string]struct {
		picks []integrations.Choice
		asks  []integrations.StepKind
		want  string
	}{
		"vault": {[]integrations.Choice{{ID: "kv"}, {ID: "shop", Folder: true}, {ID: "shop/db"}, {ID: "password"}},
			[]integrations.StepKind{integrations.StepMounts, integrations.StepPaths, integrations.StepPaths, integrations.StepFields}, "kv/data/shop/db#password"},
		"manager": {[]integrations.Choice{{ID: "p1"}, {ID: "prod"}, {ID: "shop", Folder: true}, {ID: "PASSWORD"}},
			[]integrations.StepKind{integrations.StepProjects, integrations.StepEnvironments, integrations.StepSecrets, integrations.StepSecrets}, "p1/prod/shop#PASSWORD"},
	} {
		p := picked{provider: provider, name: "X & Y"}
		for i, pick := range c.picks {
			step, _ := p.step()
			if step.Kind != c.asks[i] || p.reference() != "" {
				t.Errorf("%s: after %d choices %s is asked, and the place is %q", provider, i, step.Kind, p.reference())
			}
			p = pickedIn(p.with(step.Kind, pick).query())
		}
		if p.reference() != c.want || p.name != "X & Y" {
			t.Errorf("%s: the place is %q of %q", provider, p.reference(), p.name)
		}
	}
}

func TestEachChoiceCanBeTakenBack(t *testing.T) {
	p := picked{provider: "vault", name: "N", mount: "kv", folder: "a/b", path: "a/b/c", field: "f"}
	got := p.chosen("/new")
	want := []chosenLine{
		{"Mount", "kv", "/new?name=N&secret_provider=vault"},
		{"Folder", "a/b", "/new?folder=a&mount=kv&name=N&secret_provider=vault"},
		{"Secret", "a/b/c", "/new?folder=a%2Fb&mount=kv&name=N&secret_provider=vault"},
		{"Field", "f", "/new?folder=a%2Fb&mount=kv&name=N&path=a%2Fb%2Fc&secret_provider=vault"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestPlacesAreSaidInWords(t *testing.T) {
	for _, c := range []struct{ provider, reference, want string }{
		{"vault", "team/kv/data/shop/db#password", "mount team/kv, secret shop/db, field password"},
		{"manager", "p1/prod/#KEY", "project p1, environment prod, folder /, secret KEY"},
		{"vault", "what nobody can read", "what nobody can read"},
	} {
		if got := keptAt(c.provider, c.reference); got != c.want {
			t.Errorf("%s is %q, want %q", c.reference, got, c.want)
		}
	}
}

// FuzzTextAreaKeepsValues holds that .env text gives every value back, whatever a text area does to its line ends.
func FuzzTextAreaKeepsValues(f *testing.F) {
	for _, value := range []string{"", "plain", "a\r\nb", "\r", "it's\n\"so\" $x `y` \\", "\n\n", " # ", "\\\r'\""} {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value string) {
		if variables.ValueProblem(value) != "" {
			return // no variable has such a value
		}
		text := shownLines(dotenvOf([]variables.Variable{{Name: "A", Value: value}, {Name: "B", Secret: true}, {Name: "C", Value: "c"}}))
		got, err := variables.ParseDotenv(text)
		if err != nil || len(got) != 3 || got[0].Value != value || got[1].Value != "" || got[2].Value != "c" {
			t.Errorf("%q came back as %+v, %v", value, got, err)
		}
	})
}
