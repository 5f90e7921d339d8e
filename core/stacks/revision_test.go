package stacks

import (
	"testing"
	"time"

	"berth/core"
)

// digest is that of a project without secrets file.
func digest(project core.ComposeProject, m Manifest, variables []Fingerprint) string {
	return RevisionDigest(project, m, variables, "")
}

// rendered is a project with something in every part that the digest is made of.
func rendered() (core.ComposeProject, Manifest, []Fingerprint) {
	project := core.ComposeProject{
		YAML:     []byte("services:\n  web:\n    image: nginx\n"),
		Services: []core.ComposeService{{Name: "web", Image: "nginx", Variables: []string{"TOKEN"}}},
		Content:  []core.Content{{Digest: "aa", Source: "web/conf", Files: []core.ContentFile{{Path: "a", Digest: "bb", Size: 3, Executable: true}}}},
	}
	m := DefaultManifest()
	m.Files, m.WorkerTags = []string{"compose.yaml"}, []string{"eu"}
	return project, m, []Fingerprint{{Name: "TOKEN", Fingerprint: "cc"}}
}

// TestRevisionDigestStays holds the digest over releases: when it changes, the next poll of
// every installation makes a new revision of every stack and recreates what it runs.
func TestRevisionDigestStays(t *testing.T) {
	const golden = "490a59eac69ee29408eccb6a09ecc10eda84d53bba7ebfc8e969de161f8a1849"
	for range 20 {
		if got := digest(rendered()); got != golden {
			t.Fatalf("the digest is %s, and was %s", got, golden)
		}
	}
}

func TestRevisionDigestSeesWhatRuns(t *testing.T) {
	type parts struct {
		project   core.ComposeProject
		manifest  Manifest
		variables []Fingerprint
		secrets   string
	}
	seen := map[string]string{digest(rendered()): "nothing"}
	for name, change := range map[string]func(*parts){
		"the project":         func(p *parts) { p.project.YAML = append(p.project.YAML, '\n') },
		"no project":          func(p *parts) { p.project.YAML = nil },
		"content":             func(p *parts) { p.project.Content[0].Digest = "ab" },
		"no content":          func(p *parts) { p.project.Content = nil },
		"a file's mode":       func(p *parts) { p.project.Content[0].Files[0].Executable = false },
		"a time limit":        func(p *parts) { p.manifest.HealthTimeout += time.Second },
		"a flag":              func(p *parts) { p.manifest.ForcePull = true },
		"a variable's value":  func(p *parts) { p.variables[0].Fingerprint = "cd" },
		"a variable's name":   func(p *parts) { p.variables[0].Name = "TOKEN2" },
		"one variable more":   func(p *parts) { p.variables = append(p.variables, Fingerprint{Name: "Z"}) },
		"no variable":         func(p *parts) { p.variables = nil },
		"a secrets file":      func(p *parts) { p.secrets = "dd" },
		"parts that run over": func(p *parts) { p.variables[0] = Fingerprint{Name: "TOKENcc"} },
	} {
		var p parts
		p.project, p.manifest, p.variables = rendered()
		change(&p)
		digest := RevisionDigest(p.project, p.manifest, p.variables, p.secrets)
		if other, taken := seen[digest]; taken {
			t.Errorf("a change of %s is not told from a change of %s", name, other)
		}
		seen[digest] = name
	}
}

func TestRevisionDigestOverlooksWhatIsShownOnly(t *testing.T) {
	project, m, variables := rendered()
	project.Warnings, project.Missing, project.Services = []string{"w"}, []string{"X"}, nil
	if digest(project, m, variables) != digest(rendered()) {
		t.Error("warnings are part of what runs")
	}
}
