package compose

import (
	"slices"
	"testing"
)

func TestReferences(t *testing.T) {
	cases := map[string]struct {
		yaml string
		want []string
	}{
		"no dollar at all":                    {"a: b", []string{}},
		"a reference is found once":           {"a: ${ONE}\nb: [\"x${ONE}y${TWO}\"]", []string{"ONE", "TWO"}},
		"a doubled dollar is no reference":    {"a: $${ONE}", []string{}},
		"a reference after a doubled dollar":  {"a: $$${ONE}", []string{"ONE"}},
		"a dollar at the end is no reference": {"a: x$", []string{}},
		"a key is no reference":               {"\"${KEY}\": x", []string{}},
		"an unclosed brace is no reference":   {"a: \"${KEY\"", []string{}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := References([]byte(c.yaml))
			if err != nil || !slices.Equal(got, c.want) {
				t.Fatalf("References(%q) = %q, %v; want %q", c.yaml, got, err, c.want)
			}
		})
	}
}

func TestReferencesRefusesWhatIsNotYAML(t *testing.T) {
	if _, err := References([]byte("a: [")); err == nil {
		t.Fatal("no error")
	}
}

func TestReservedLabel(t *testing.T) {
	for name, want := range map[string]bool{
		"dev.berth.stack": true, "com.docker.compose.project": true, "dev.berth": false, "app": false, "traefik.com.docker.compose.x": false,
	} {
		if got := ReservedLabel(name); got != want {
			t.Errorf("ReservedLabel(%q) = %v, want %v", name, got, want)
		}
	}
}
