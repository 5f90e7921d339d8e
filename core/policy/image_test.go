package policy

import (
	"strings"
	"testing"
)

func TestAnImageIsReadAsTheEngineReadsIt(t *testing.T) {
	digest := "sha256:" + strings.Repeat("ab", 32)
	for reference, want := range map[string]Image{
		"nginx":                            {"docker.io/library/nginx", "latest", ""},
		"nginx:1.27":                       {"docker.io/library/nginx", "1.27", ""},
		"library/nginx":                    {"docker.io/library/nginx", "latest", ""},
		"docker.io/nginx":                  {"docker.io/library/nginx", "latest", ""},
		"index.docker.io/library/nginx:1":  {"docker.io/library/nginx", "1", ""},
		"DOCKER.IO/library/nginx":          {"docker.io/library/nginx", "latest", ""},
		"grafana/grafana:11":               {"docker.io/grafana/grafana", "11", ""},
		"ghcr.io/acme/web/api:v1":          {"ghcr.io/acme/web/api", "v1", ""},
		"localhost/web":                    {"localhost/web", "latest", ""},
		"registry:5000/web":                {"registry:5000/web", "latest", ""},
		"registry:5000/web:2":              {"registry:5000/web", "2", ""},
		"nginx@" + digest:                  {"docker.io/library/nginx", "", digest},
		"nginx:1.27@" + digest:             {"docker.io/library/nginx", "1.27", digest},
		"[fd00::1]:5000/web:2":             {"[fd00::1]:5000/web", "2", ""},
		"Registry.Example.com:5000/team/x": {"registry.example.com:5000/team/x", "latest", ""},
	} {
		if got, ok := ReadImage(reference); !ok || got != want {
			t.Errorf("%s is %+v, %t, want %+v", reference, got, ok, want)
		}
	}
	for _, reference := range []string{"", "Nginx", "ngіnx", "nginx:", "nginx:a b", "nginx@sha256:00", "nginx@", "docker.io/", "a//b", "/nginx", "nginx/", "../nginx", "ghcr.io/../nginx",
		"nginx:1:2", strings.Repeat("ab", 32), strings.Repeat("ab", 6), "nginx:" + strings.Repeat("a", 200), "https://docker.io/nginx", "-v/x", "nginx\n", "docker.io/nginx:${TAG}"} {
		if got, ok := ReadImage(reference); ok {
			t.Errorf("%q is read as %+v", reference, got)
		}
	}
}

func TestPatternsOfImages(t *testing.T) {
	digest := "@sha256:" + strings.Repeat("ab", 32)
	for name, c := range map[string]struct {
		pattern string
		lets    []string
		not     []string
	}{
		"an official image":  {"nginx", []string{"nginx", "nginx:1", "docker.io/library/nginx", "nginx" + digest, "index.docker.io/nginx:2"}, []string{"nginxx", "evil/nginx", "ghcr.io/library/nginx", "ngіnx", "docker.io.evil.com/library/nginx", "localhost/nginx", "nginx:5000/nginx"}},
		"a folder":           {"ghcr.io/acme/*", []string{"ghcr.io/acme/web:1", "ghcr.io/acme/api"}, []string{"ghcr.io/acme/a/b", "ghcr.io/acme-evil/web", "acme/web", "ghcr.io.evil/acme/web", "evil.io/ghcr.io/acme/web"}},
		"all below a folder": {"ghcr.io/acme/**", []string{"ghcr.io/acme/web", "ghcr.io/acme/a/b:1"}, []string{"ghcr.io/acme", "ghcr.io/other/acme/web"}},
		"a tag":              {"nginx:1.*", []string{"nginx:1.27", "nginx:1."}, []string{"nginx", "nginx:2", "nginx:1.27" + digest, "nginx" + digest}},
		"a digest":           {"nginx@sha256:*", []string{"nginx" + digest, "nginx:1" + digest}, []string{"nginx", "nginx:1"}},
		"a tag with digest":  {"nginx:1.*@sha256:*", []string{"nginx:1.2" + digest}, []string{"nginx:2" + digest, "nginx:1.2", "nginx" + digest}},
		"a port":             {"registry.lan:5000/*", []string{"registry.lan:5000/web:1"}, []string{"registry.lan/web", "registry.lan:5001/web"}},
		"any registry":       {"*.example.com/team/*", []string{"a.example.com/team/web"}, []string{"example.com/team/web", "a.example.com.evil.io/team/web"}},
		"a whole registry":   {"docker.io/**", []string{"nginx", "a/b", "docker.io/a/b"}, []string{"ghcr.io/a/b"}},
	} {
		t.Run(name, func(t *testing.T) {
			if problem := imagePatternProblem(c.pattern); problem != "" {
				t.Fatal(problem)
			}
			for want, references := range map[bool][]string{true: c.lets, false: c.not} {
				for _, reference := range references {
					i, ok := ReadImage(reference)
					if got := ok && i.Matches(c.pattern); got != want {
						t.Errorf("%s lets %s: %t", c.pattern, reference, got)
					}
				}
			}
		})
	}
	for _, pattern := range []string{"", "Nginx", "nginx:", "nginx@", "a b", "a//b", "a/", "a:", "ngіnx", "nginx\n", strings.Repeat("a", 600)} {
		if imagePatternProblem(pattern) == "" {
			t.Errorf("%q passes as a pattern", pattern)
		}
	}
}

func TestPatternsAreCheap(t *testing.T) {
	if glob(strings.Repeat("*a", 250), strings.Repeat("a", 1000)+"b") {
		t.Error("it ends in b")
	}
}
