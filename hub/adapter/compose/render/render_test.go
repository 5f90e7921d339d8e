package render

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/sirupsen/logrus"
	"go.yaml.in/yaml/v3"

	"berth/core"
	"berth/core/fault"
)

// rendered is what a test looks at.
type rendered struct {
	core.ComposeProject
	t     *testing.T
	tree  map[string]any
	blobs map[string]string
}

// read renders a commit whose stack lies in folder "app"; "compose.yaml" may be given
// without the folder.
func read(t *testing.T, files map[string]string, variables ...core.ComposeVariable) (rendered, error) {
	t.Helper()
	return readSource(t, core.ComposeSource{Variables: variables}, files)
}

func readSource(t *testing.T, src core.ComposeSource, files map[string]string) (rendered, error) {
	t.Helper()
	all := map[string]string{}
	for name, content := range files {
		if !strings.Contains(name, "/") {
			name = "app/" + name
		}
		all[strings.TrimPrefix(name, "/")] = content
	}
	src.Project, src.Dir, src.Tree = "proj", "app", commit(all)
	out := rendered{t: t, blobs: map[string]string{}}
	var err error
	out.ComposeProject, err = New().Read(t.Context(), src, func(digest string, content []byte) error {
		if _, twice := out.blobs[digest]; twice {
			t.Errorf("blob %s was handed over twice", digest)
		}
		out.blobs[digest] = string(content)
		return nil
	})
	if err == nil {
		if err := yaml.Unmarshal(out.YAML, &out.tree); err != nil {
			t.Fatalf("rendered project is not YAML: %v\n%s", err, out.YAML)
		}
	}
	return out, err
}

func mustRead(t *testing.T, files map[string]string, variables ...core.ComposeVariable) rendered {
	t.Helper()
	out, err := read(t, files, variables...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// at returns the JSON of what stands at a slash-separated path of the rendered YAML.
func (r rendered) at(path string) string {
	r.t.Helper()
	var value any = r.tree
	for segment := range strings.SplitSeq(path, "/") {
		switch v := value.(type) {
		case map[string]any:
			value = v[segment]
		case []any:
			value = v[int(segment[0]-'0')]
		default:
			r.t.Fatalf("nothing at %s in\n%s", path, r.YAML)
		}
	}
	text, err := json.Marshal(value)
	if err != nil {
		r.t.Fatal(err)
	}
	return string(text)
}

func plainVariable(name, value string) core.ComposeVariable {
	return core.ComposeVariable{Name: name, Value: value}
}

func secretVariable(name string) core.ComposeVariable {
	return core.ComposeVariable{Name: name, Secret: true}
}

func TestRendersWhatComposeMeans(t *testing.T) {
	const head = "services:\n  web:\n    image: nginx\n"
	cases := map[string]struct {
		files     map[string]string
		variables []core.ComposeVariable
		at, want  string
	}{
		"the project's name is the stack's": {map[string]string{"compose.yaml": "name: other\n" + head}, nil, "name", `"proj"`},
		"networks carry the project's name": {map[string]string{"compose.yaml": "name: other\n" + head}, nil, "networks/default/name", `"proj_default"`},
		"an override file overlays":         {map[string]string{"compose.yaml": head, "compose.override.yaml": "services: {web: {image: caddy}}"}, nil, "services/web/image", `"caddy"`},
		"the older names are found":         {map[string]string{"docker-compose.yaml": head}, nil, "services/web/image", `"nginx"`},
		"a variable is used":                {map[string]string{"compose.yaml": "services: {web: {image: \"x:${TAG}\"}}"}, []core.ComposeVariable{plainVariable("TAG", "3")}, "services/web/image", `"x:3"`},
		"a default is used":                 {map[string]string{"compose.yaml": "services: {web: {image: \"x:${TAG:-4}\"}}"}, nil, "services/web/image", `"x:4"`},
		"a listed variable reaches the service": {
			map[string]string{"compose.yaml": head + "    environment: [TAG]"}, []core.ComposeVariable{plainVariable("TAG", "3"), plainVariable("OTHER", "5")},
			"services/web/environment", `{"TAG":"3"}`},
		"a listed variable without value in a mapping too": {
			map[string]string{"compose.yaml": head + "    environment: {TAG: }"}, []core.ComposeVariable{plainVariable("TAG", "3")},
			"services/web/environment", `{"TAG":"3"}`},
		"an unknown listed variable stays unset": {map[string]string{"compose.yaml": head + "    environment: [TAG]"}, nil, "services/web/environment", `{"TAG":null}`},
		"a secret stands as a reference": {
			map[string]string{"compose.yaml": head + "    environment: [A, \"B=x${A}y\"]"}, []core.ComposeVariable{secretVariable("A")},
			"services/web/environment", `{"A":"${A}","B":"x${A}y"}`},
		"a secret in a command stays one argument": {
			map[string]string{"compose.yaml": head + "    command: run --key=${A} now"}, []core.ComposeVariable{secretVariable("A")},
			"services/web/command", `["run","--key=${A}","now"]`},
		"a dollar sign is doubled":                  {map[string]string{"compose.yaml": head + "    command: [\"a$$b\"]"}, nil, "services/web/command", `["a$$b"]`},
		"a dollar sign in a value is doubled":       {map[string]string{"compose.yaml": head + "    environment: [A]"}, []core.ComposeVariable{plainVariable("A", "${X} $Y $$")}, "services/web/environment/A", `"$${X} $$Y $$$$"`},
		"a key keeps its dollar sign":               {map[string]string{"compose.yaml": head + "    labels: {\"a$b\": c}"}, nil, "services/web/labels", `{"a$b":"c"}`},
		"extends within the file":                   {map[string]string{"compose.yaml": head + "  two:\n    extends: web\n"}, nil, "services/two/image", `"nginx"`},
		"a merge key":                               {map[string]string{"compose.yaml": "x-a: &a {image: nginx}\nservices: {web: {<<: *a, tty: true}}"}, nil, "services/web/image", `"nginx"`},
		"an override may reset":                     {map[string]string{"compose.yaml": head + "    command: x", "compose.override.yaml": "services: {web: {command: !reset null}}"}, nil, "services/web/command", `null`},
		"extensions are left out":                   {map[string]string{"compose.yaml": "x-a: ${A}\n" + head}, []core.ComposeVariable{secretVariable("A")}, "x-a", `null`},
		"a service of an inactive profile is gone":  {map[string]string{"compose.yaml": head + "  dev: {image: x, profiles: [dev]}"}, nil, "services/dev", `null`},
		"an unused volume is gone":                  {map[string]string{"compose.yaml": head + "volumes: {a: {}}"}, nil, "volumes", `null`},
		"an env_file is below what is listed":       {map[string]string{"compose.yaml": head + "    env_file: a.env\n    environment: {A: listed}", "a.env": "A=file\nB=\"two\\nlines\"\nC=${A}-${T}\n"}, []core.ComposeVariable{plainVariable("T", "3")}, "services/web/environment", `{"A":"listed","B":"two\nlines","C":"listed-3"}`},
		"a later env_file wins":                     {map[string]string{"compose.yaml": head + "    env_file: [a.env, b.env]", "a.env": "A=1", "b.env": "A=2"}, nil, "services/web/environment", `{"A":"2"}`},
		"an optional env_file may be away":          {map[string]string{"compose.yaml": head + "    env_file: [{path: a.env, required: false}]"}, nil, "services/web/environment", `null`},
		"a raw env_file is not interpreted":         {map[string]string{"compose.yaml": head + "    env_file: [{path: a.env, format: raw}]", "a.env": "# c\nA=\"${X}\" #\n"}, nil, "services/web/environment/A", `"\"$${X}\" #"`},
		"an env_file may name a secret":             {map[string]string{"compose.yaml": head + "    env_file: a.env", "a.env": "URL=db://u:${A}@h"}, []core.ComposeVariable{secretVariable("A")}, "services/web/environment/URL", `"db://u:${A}@h"`},
		"env_file is gone":                          {map[string]string{"compose.yaml": head + "    env_file: a.env", "a.env": "A=1"}, nil, "services/web/env_file", `null`},
		"an inline config stays inline":             {map[string]string{"compose.yaml": head + "    configs: [c]\nconfigs: {c: {content: \"a\\n\"}}"}, nil, "configs/c/content", `"a\n"`},
		"a config from a variable becomes inline":   {map[string]string{"compose.yaml": head + "    configs: [c]\nconfigs: {c: {environment: A}}"}, []core.ComposeVariable{plainVariable("A", "$x")}, "configs/c/content", `"$$x"`},
		"a secret from a variable carries it":       {map[string]string{"compose.yaml": head + "    secrets: [c]\nsecrets: {c: {environment: A}}"}, []core.ComposeVariable{secretVariable("A")}, "secrets/c/x-#value", `"${A}"`},
		"an absolute bind mount stays":              {map[string]string{"compose.yaml": head + "    volumes: [\"/etc/x:/x\"]"}, nil, "services/web/volumes/0/source", `"/etc/x"`},
		"a read-write relative mount is state":      {map[string]string{"compose.yaml": head + "    volumes: [\"./data:/x\"]"}, nil, "services/web/volumes/0/source", `"/.berth/state/data"`},
		"an absent read-only mount is state":        {map[string]string{"compose.yaml": head + "    volumes: [\"./data:/x:ro\"]"}, nil, "services/web/volumes/0/source", `"/.berth/state/data"`},
		"the stack's folder itself":                 {map[string]string{"compose.yaml": head + "    volumes: [\".:/x\"]"}, nil, "services/web/volumes/0/source", `"/.berth/state/."`},
		"a sibling folder is state by its path":     {map[string]string{"compose.yaml": head + "    volumes: [\"../lib/d:/x\"]"}, nil, "services/web/volumes/0/source", `"/.berth/state/.repository/lib/d"`},
		"container_name is allowed":                 {map[string]string{"compose.yaml": head + "    container_name: me"}, nil, "services/web/container_name", `"me"`},
		"a port range is expanded":                  {map[string]string{"compose.yaml": head + "    ports: [\"80-81:80-81\"]"}, nil, "services/web/ports/1/published", `"81"`},
		"an optional dependency that is off is cut": {map[string]string{"compose.yaml": head + "    depends_on: {dev: {condition: service_started, required: false}}\n  dev: {image: x, profiles: [dev]}"}, nil, "services/web/depends_on", `null`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			out := mustRead(t, c.files, c.variables...)
			if got := out.at(c.at); got != c.want {
				t.Errorf("%s is %s, want %s, in\n%s", c.at, got, c.want, out.YAML)
			}
		})
	}
}

func TestProfilesTurnServicesOn(t *testing.T) {
	out, err := readSource(t, core.ComposeSource{Profiles: []string{"dev"}}, map[string]string{"compose.yaml": "services: {web: {image: a}, dev: {image: b, profiles: [dev]}}"})
	if err != nil || out.at("services/dev") != `{"image":"b","networks":{"default":null}}` {
		t.Fatalf("%v\n%s", err, out.YAML)
	}
}

func TestFilesAreOverlaidInOrder(t *testing.T) {
	src := core.ComposeSource{Files: []string{"b.yaml", "../a.yaml"}}
	out, err := readSource(t, src, map[string]string{
		"b.yaml": "services: {web: {image: b, tty: true}}", "/a.yaml": "services: {web: {image: a}}", "compose.yaml": "services: {no: {image: c}}"})
	if err != nil || out.at("services/web/image") != `"a"` || out.at("services/web/tty") != "true" || out.at("services/no") != "null" {
		t.Fatalf("%v\n%s", err, out.YAML)
	}
}

func TestServicesNameTheirImagesAndSecrets(t *testing.T) {
	out := mustRead(t, map[string]string{"compose.yaml": `
services:
  b: {image: two, environment: [S1], secrets: [file], configs: [conf]}
  a: {image: one, environment: [PLAIN]}
secrets: {file: {environment: S2}}
configs: {conf: {content: "${S3}"}}
`}, secretVariable("S1"), secretVariable("S2"), secretVariable("S3"), secretVariable("S4"), plainVariable("PLAIN", "x"))
	want := []core.ComposeService{{Name: "a", Image: "one"}, {Name: "b", Image: "two", Variables: []string{"S1", "S2", "S3"}}}
	if !slices.EqualFunc(out.Services, want, func(a, b core.ComposeService) bool {
		return a.Name == b.Name && a.Image == b.Image && slices.Equal(a.Variables, b.Variables)
	}) {
		t.Fatalf("services are %+v", out.Services)
	}
}

func TestMissingVariablesAreNamed(t *testing.T) {
	cases := map[string]struct {
		file string
		want []string
	}{
		"used without default":              {"services: {web: {image: \"a:${B}$C\"}}", []string{"B", "C"}},
		"a default excuses":                 {"services: {web: {image: \"a${B:-}${C-}${D:+x}${E+x}\"}}", nil},
		"an escaped one is none":            {"services: {web: {image: \"a\", command: \"$${B} $$C\"}}", nil},
		"within a default that is used":     {"services: {web: {image: \"a${B:-$C}\"}}", []string{"C"}},
		"within a default that is not used": {"services: {web: {image: \"a${KNOWN:-$C}\"}}", nil},
		"listed without value":              {"services: {web: {image: a, environment: [B]}}", []string{"B"}},
		"used after one with a default":     {"services: {web: {image: \"a${B:-x}${C}\"}}", []string{"C"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			out := mustRead(t, map[string]string{"compose.yaml": c.file}, plainVariable("KNOWN", "k"))
			if !slices.Equal(out.Missing, c.want) {
				t.Errorf("missing %q, want %q", out.Missing, c.want)
			}
		})
	}
}

func TestNothingOfTheProcessIsSeen(t *testing.T) {
	t.Setenv("LEAK", "from the process")
	t.Setenv("COMPOSE_PROFILES", "dev")
	t.Setenv("COMPOSE_PROJECT_NAME", "leak")
	t.Setenv("COMPOSE_FILE", "/etc/passwd")
	out := mustRead(t, map[string]string{
		"compose.yaml": "services: {web: {image: \"a:x${LEAK}\", environment: [LEAK, HOME, PATH], env_file: a.env, command: [\"${COMPOSE_PROJECT_NAME}\"]}, dev: {image: b, profiles: [dev]}}",
		"a.env":        "B=${LEAK}\nHOME\n"})
	if got := out.at("services/web/environment"); got != `{"B":"","HOME":null,"LEAK":null,"PATH":null}` {
		t.Errorf("environment is %s", got)
	}
	if out.at("services/web/image") != `"a:x"` || out.at("services/web/command/0") != `"proj"` || out.at("services/dev") != "null" {
		t.Errorf("the process shows through:\n%s", out.YAML)
	}
}

func TestSameInputsGiveSameBytes(t *testing.T) {
	files := map[string]string{"compose.yaml": `
services:
  a: {image: a, environment: {Z: 1, A: "${S}", M: "${T}"}, volumes: ["./d:/d:ro", "./e:/e:ro"], labels: {b: 1, a: 2}, networks: [two, one], secrets: [s], extra_hosts: {z: 1.1.1.1, a: 2.2.2.2}}
  b: {image: b, depends_on: [a, c], environment: [S, T]}
  c: {image: c}
networks: {one: {}, two: {}}
secrets: {s: {environment: S}}
`, "d/1": "1", "d/2": "2", "e/3": "1"}
	first := mustRead(t, map[string]string{"compose.yaml": files["compose.yaml"], "app/d/1": "1", "app/d/2": "2", "app/e/3": "1"}, secretVariable("S"), secretVariable("T"))
	for range 20 {
		again := mustRead(t, map[string]string{"compose.yaml": files["compose.yaml"], "app/d/1": "1", "app/d/2": "2", "app/e/3": "1"}, secretVariable("S"), secretVariable("T"))
		if string(again.YAML) != string(first.YAML) {
			t.Fatalf("differs:\n%s\n%s", first.YAML, again.YAML)
		}
	}
	if len(first.blobs) != 2 {
		t.Errorf("%d blobs for two distinct contents", len(first.blobs))
	}
}

func TestServicesSayHowManyContainersTheyHave(t *testing.T) {
	out := mustRead(t, map[string]string{"compose.yaml": `
services:
  one: {image: a}
  three: {image: a, scale: 3}
  replicas: {image: a, deploy: {replicas: 2}}
  none: {image: a, scale: 0}
  from-variable: {image: a, scale: "${COUNT:-4}"}
`})
	want := map[string]int{"one": 1, "three": 3, "replicas": 2, "none": 0, "from-variable": 4}
	if len(out.Services) != len(want) {
		t.Fatalf("services are %+v", out.Services)
	}
	for _, s := range out.Services {
		if s.Scale != want[s.Name] || s.Idle != (want[s.Name] == 0) {
			t.Errorf("%+v, want %d containers", s, want[s.Name])
		}
	}
}

func TestWarnings(t *testing.T) {
	cases := map[string]struct {
		files map[string]string
		want  string
	}{
		"a .env file":               {map[string]string{"compose.yaml": "services: {a: {image: b}}", ".env": "A=1"}, ".env in the stack's folder is not read"},
		"two Compose files":         {map[string]string{"compose.yaml": "services: {a: {image: b}}", "compose.yml": "x"}, "app/compose.yaml is read, app/compose.yml not"},
		"a folder mounted to write": {map[string]string{"compose.yaml": "services: {a: {image: b, volumes: [\"./d:/d\"]}}", "app/d/f": "x"}, "services.a.volumes[0]: ./d is mounted read-write"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			out := mustRead(t, c.files)
			if len(out.Warnings) != 1 || !strings.Contains(out.Warnings[0], c.want) {
				t.Errorf("warnings are %q", out.Warnings)
			}
		})
	}
}

func TestACancelledContextEndsTheWork(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	src := core.ComposeSource{Project: "p", Tree: commit(map[string]string{"compose.yaml": "services: {a: {image: b}}"})}
	if _, err := New().Read(ctx, src, nil); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
}

// The library tells the process's standard error about missing variables and outdated
// keys; a hub with thousands of stacks must not.
func TestTheLibraryIsQuiet(t *testing.T) {
	mustRead(t, map[string]string{"compose.yaml": "version: \"3\"\nservices: {web: {image: \"a${MISSING}\", tty: \"yes\"}}"})
	if logrus.StandardLogger().Out != io.Discard {
		t.Error("the library's logger still writes")
	}
}

func codeOf(err error) string { return fault.CodeOf(err) }
