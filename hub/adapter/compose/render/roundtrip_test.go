package render

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"

	"berth/core"
)

// loadWith loads a project with the Compose library and nothing of ours.
func loadWith(t *testing.T, text string, environment map[string]string) *types.Project {
	t.Helper()
	project, err := loader.LoadWithContext(context.Background(), types.ConfigDetails{
		WorkingDir:  "/work",
		ConfigFiles: []types.ConfigFile{{Filename: "compose.yaml", Content: []byte(text)}},
		Environment: environment,
	}, func(o *loader.Options) { o.SetProjectName("proj", true) })
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return project
}

var awkward = map[string]string{
	"newlines":        "-----BEGIN\nabc\n\n  def\n-----END\n",
	"leading newline": "\nx",
	"only newlines":   "\n\n",
	"dollars":         "$A ${B} $$ ${C:-d} $",
	"quotes":          `"a" 'b' ` + "`c`",
	"backslashes":     `\n \\ \t C:\x`,
	"equals":          "a=b==",
	"spaces":          "  lead and trail  ",
	"tabs":            "\ta\t",
	"carriage return": "a\r\nb\r",
	"unicode":         "naïve 日本語 🚢 \u2028 \u0085 \ufeff",
	"control":         "\x01\x1b[31m\x7f",
	"yaml":            "a: [b, {c: d}] # e",
	"json":            `{"a": "b\nc", "d": [1]}`,
	"word":            "true",
	"null word":       "null",
	"number":          "0123",
	"empty":           "",
	"trailing spaces": "a  \nb  ",
	"percent":         "%41 %",
	"document marks":  "---\na\n...\n",
}

// Every value must come out of rendering and interpolation on the worker as it went in.
func TestValuesArriveByteForByte(t *testing.T) {
	for name, value := range awkward {
		t.Run(name, func(t *testing.T) { checkArrives(t, value) })
	}
}

func checkArrives(t *testing.T, value string) {
	t.Helper()
	out := mustRead(t, map[string]string{"compose.yaml": `
services:
  web:
    image: a
    environment: [PLAIN, SECRET, "MIXED=<${PLAIN}|${SECRET}>"]
    command: ["${PLAIN}", "${SECRET}"]
`}, plainVariable("PLAIN", value), secretVariable("SECRET"))
	final := loadWith(t, string(out.YAML), map[string]string{"SECRET": value})
	web := final.Services["web"]
	for key, want := range map[string]string{"PLAIN": value, "SECRET": value, "MIXED": "<" + value + "|" + value + ">"} {
		if got := web.Environment[key]; got == nil || *got != want {
			t.Errorf("%s arrived as %q, want %q, by\n%s", key, deref2(got), want, out.YAML)
		}
	}
	if web.Command[0] != value || web.Command[1] != value {
		t.Errorf("command arrived as %q by\n%s", web.Command, out.YAML)
	}
}

func deref2(s *string) string {
	if s == nil {
		return "<unset>"
	}
	return *s
}

func FuzzValuesArriveByteForByte(f *testing.F) {
	for _, value := range awkward {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value string) {
		if !utf8.ValidString(value) || strings.ContainsRune(value, 0) || len(value) > 10_000 {
			return // refused by rule, see TestRefusals
		}
		checkArrives(t, value)
	})
}

// What we render and a worker loads again must be what the Compose library makes of the
// original file alone.
func TestRenderingLosesNothing(t *testing.T) {
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	environment := map[string]string{"TAG": "3", "PASSWORD": "p$w\n\"x\"", "PORT": "8080"}
	variables := []core.ComposeVariable{plainVariable("TAG", "3"), secretVariable("PASSWORD"), plainVariable("PORT", "8080")}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			out := mustRead(t, map[string]string{"compose.yaml": string(text)}, variables...)
			want := canonicalJSON(t, loadWith(t, string(text), environment).WithoutUnnecessaryResources())
			got := canonicalJSON(t, loadWith(t, string(out.YAML), map[string]string{"PASSWORD": environment["PASSWORD"]}))
			if got != want {
				t.Error(firstDifference(got, want))
			}
		})
	}
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	i := 0
	for i < min(len(g), len(w)) && g[i] == w[i] {
		i++
	}
	context := strings.Join(g[max(0, i-5):i], "\n")
	return fmt.Sprintf("after\n%s\ngot  %q\nwant %q", context, g[i:min(i+3, len(g))], w[i:min(i+3, len(w))])
}

func canonicalJSON(t *testing.T, project *types.Project) string {
	t.Helper()
	project.Extensions = nil
	text, err := project.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	text, err = json.MarshalIndent(value, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// FuzzRead looks for files that crash, hang or escape (F4).
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"services: {a: {image: b}}",
		"services:\n  a:\n    image: ${X:-y}\n    ports: [\"1-3:1-3\"]\n    volumes: [\"./x:/y:ro\", {type: bind, source: ../z, target: /t}]\n    env_file: [{path: e, required: false}]",
		"x: &a {b: c}\nservices: {a: {<<: *a, image: b, extends: {service: c}}, c: {image: d}}",
		"services: {a: {image: b, ulimits: {nofile: {soft: 1}}, build: {context: .}, deploy: {resources: {limits: {cpus: '1'}}}}}",
		"services: {a: {image: b, configs: [c], secrets: [{source: d, mode: 0400}]}}\nconfigs: {c: {content: x}}\nsecrets: {d: {environment: S}}",
	} {
		f.Add(seed, "A=1\nB=\"${A}\"")
	}
	f.Fuzz(func(t *testing.T, text, envFile string) {
		tree := commit(map[string]string{"app/compose.yaml": text, "app/e": envFile, "app/x/f": "1", "z": "2"})
		src := core.ComposeSource{Project: "proj", Dir: "app", Tree: tree, Variables: []core.ComposeVariable{secretVariable("S"), plainVariable("P", "v")}}
		project, err := New().Read(t.Context(), src, func(string, []byte) error { return nil })
		switch {
		case err != nil && !strings.HasPrefix(codeOf(err), "compose."):
			t.Errorf("an error without a code: %v", err)
		case err != nil && strings.Contains(err.Error(), "berthsecret"):
			t.Errorf("a placeholder shows: %v", err)
		case err == nil && strings.Contains(string(project.YAML), "berthsecret"):
			t.Errorf("a placeholder stays:\n%s", project.YAML)
		case err == nil:
			loadWith(t, string(project.YAML), map[string]string{"S": "x"})
		}
	})
}
