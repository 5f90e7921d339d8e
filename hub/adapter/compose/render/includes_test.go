package render

import (
	"slices"
	"strings"
	"testing"

	"berth/core"
)

func TestIncludeAndExtendsWithinTheRepository(t *testing.T) {
	const head = "services:\n  web:\n    image: nginx\n"
	cases := map[string]struct {
		files     map[string]string
		variables []core.ComposeVariable
		at, want  string
	}{
		"an included service is there":               {map[string]string{"compose.yaml": "include: [db.yaml]\n" + head, "db.yaml": "services: {db: {image: pg}}"}, nil, "services/db/image", `"pg"`},
		"and the file's own":                         {map[string]string{"compose.yaml": "include: [db.yaml]\n" + head, "db.yaml": "services: {db: {image: pg}}"}, nil, "services/web/image", `"nginx"`},
		"a file of nothing but include":              {map[string]string{"compose.yaml": "include: [db.yaml]\n", "db.yaml": "services: {db: {image: pg}}"}, nil, "services/db/image", `"pg"`},
		"by the long form":                           {map[string]string{"compose.yaml": "include: [{path: db.yaml}]\n" + head, "db.yaml": "services: {db: {image: pg}}"}, nil, "services/db/image", `"pg"`},
		"files of an entry overlay each other":       {map[string]string{"compose.yaml": "include: [{path: [db.yaml, big.yaml]}]\n" + head, "db.yaml": "services: {db: {image: pg, tty: true}}", "big.yaml": "services: {db: {image: pg:17}}"}, nil, "services/db", `{"image":"pg:17","networks":{"default":null},"tty":true}`},
		"an override file overlays what is included": {map[string]string{"compose.yaml": "include: [db.yaml]\n" + head, "db.yaml": "services: {db: {image: pg}}", "compose.override.yaml": "services: {db: {image: pg:16}}"}, nil, "services/db/image", `"pg:16"`},
		"of another folder":                          {map[string]string{"compose.yaml": "include: [../shared/db.yaml]\n" + head, "/shared/db.yaml": "services: {db: {image: pg}}"}, nil, "services/db/image", `"pg"`},
		"its env_file is beside it":                  {map[string]string{"compose.yaml": "include: [../shared/db.yaml]\n" + head, "/shared/db.yaml": "services: {db: {image: pg, env_file: db.env}}", "/shared/db.env": "A=shared", "db.env": "A=wrong"}, nil, "services/db/environment/A", `"shared"`},
		"its config is beside it":                    {map[string]string{"compose.yaml": "include: [../shared/db.yaml]\n" + head, "/shared/db.yaml": "services: {db: {image: pg, configs: [c]}}\nconfigs: {c: {file: ./c.conf}}", "/shared/c.conf": "1"}, nil, "configs/c/file", `"/.berth/content/` + contentOf("c.conf", "1") + `/c.conf"`},
		"its mounts are beside it":                   {map[string]string{"compose.yaml": "include: [../shared/db.yaml]\n" + head, "/shared/db.yaml": "services: {db: {image: pg, volumes: ['./data:/d', '/srv/x:/x']}}"}, nil, "services/db/volumes/0/source", `"/.berth/state/.repository/shared/data"`},
		"unless it has a folder of its own":          {map[string]string{"compose.yaml": "include: [{path: ../shared/db.yaml, project_directory: sub}]\n" + head, "/shared/db.yaml": "services: {db: {image: pg, volumes: ['./data:/d']}}"}, nil, "services/db/volumes/0/source", `"/.berth/state/sub/data"`},
		"variables of an entry":                      {map[string]string{"compose.yaml": "include: [{path: db.yaml, env_file: db.vars}]\n" + head, "db.yaml": "services: {db: {image: \"pg:${V}\"}}", "db.vars": "V=17"}, nil, "services/db/image", `"pg:17"`},
		"below those of the stack":                   {map[string]string{"compose.yaml": "include: [{path: db.yaml, env_file: db.vars}]\n" + head, "db.yaml": "services: {db: {image: \"pg:${V}\"}}", "db.vars": "V=17"}, []core.ComposeVariable{plainVariable("V", "16")}, "services/db/image", `"pg:16"`},
		"which others do not see":                    {map[string]string{"compose.yaml": "include: [{path: db.yaml, env_file: db.vars}]\nservices: {web: {image: \"a:${V-none}\"}}", "db.yaml": "services: {db: {image: \"pg:${V}\"}}", "db.vars": "V=17"}, nil, "services/web/image", `"a:none"`},
		"what is included includes":                  {map[string]string{"compose.yaml": "include: [a/a.yaml]\n" + head, "app/a/a.yaml": "include: [../b/b.yaml]\nservices: {a: {image: a}}", "app/b/b.yaml": "services: {b: {image: b, env_file: e}}", "app/b/e": "X=1"}, nil, "services/b/environment/X", `"1"`},
		"the same by two ways":                       {map[string]string{"compose.yaml": "include: [a.yaml, b.yaml]\n" + head, "a.yaml": "include: [c.yaml]\nservices: {a: {image: a}}", "b.yaml": "include: [c.yaml]\nservices: {b: {image: b}}", "c.yaml": "services: {c: {image: c}}"}, nil, "services/c/image", `"c"`},
		"a dollar sign stays one":                    {map[string]string{"compose.yaml": "include: [db.yaml]\n" + head, "db.yaml": "services: {db: {image: pg, command: ['a$$b', '${V}']}}"}, []core.ComposeVariable{plainVariable("V", "$x")}, "services/db/command", `["a$$b","$$x"]`},
		"a secret stays a reference":                 {map[string]string{"compose.yaml": "include: [db.yaml]\n" + head, "db.yaml": "services: {db: {image: pg, environment: [S]}}"}, []core.ComposeVariable{secretVariable("S")}, "services/db/environment/S", `"${S}"`},
		"an included service may extend":             {map[string]string{"compose.yaml": "include: [db.yaml]\n" + head, "db.yaml": "services: {db: {image: pg, tty: true}, two: {extends: db}}"}, nil, "services/two/tty", `true`},
		"ports of what is included":                  {map[string]string{"compose.yaml": "include: [db.yaml]\n" + head, "db.yaml": "services: {db: {image: pg, ports: ['80-81:80-81', {target: 5, published: '6'}]}}"}, nil, "services/db/ports/1/published", `"81"`},

		"extends of another file":              {map[string]string{"compose.yaml": "services: {web: {extends: {file: base.yaml, service: b}, tty: true}}", "base.yaml": "services: {b: {image: base, init: true}}"}, nil, "services/web", `{"image":"base","init":true,"networks":{"default":null},"tty":true}`},
		"what extends has the last word":       {map[string]string{"compose.yaml": "services: {web: {extends: {file: base.yaml, service: b}, image: mine}}", "base.yaml": "services: {b: {image: base}}"}, nil, "services/web/image", `"mine"`},
		"the base itself is not deployed":      {map[string]string{"compose.yaml": "services: {web: {extends: {file: base.yaml, service: b}}}", "base.yaml": "services: {b: {image: base}, c: {image: other}}"}, nil, "services/b", "null"},
		"paths of the base are beside it":      {map[string]string{"compose.yaml": "services: {web: {extends: {file: ../shared/base.yaml, service: b}}}", "/shared/base.yaml": "services: {b: {image: base, env_file: e}}", "/shared/e": "A=1"}, nil, "services/web/environment/A", `"1"`},
		"the base extends another":             {map[string]string{"compose.yaml": "services: {web: {extends: {file: base.yaml, service: b}}}", "base.yaml": "services: {b: {extends: c}, c: {extends: {file: sub/deep.yaml, service: d}, tty: true}}", "app/sub/deep.yaml": "services: {d: {image: deep}}"}, nil, "services/web", `{"image":"deep","networks":{"default":null},"tty":true}`},
		"a base without an image of its own":   {map[string]string{"compose.yaml": "services: {web: {extends: {file: base.yaml, service: b}, image: x}}", "base.yaml": "services: {b: {init: true}}"}, nil, "services/web/init", `true`},
		"variables in the base":                {map[string]string{"compose.yaml": "services: {web: {extends: {file: base.yaml, service: b}}}", "base.yaml": "services: {b: {image: \"x:${T}\"}}"}, []core.ComposeVariable{plainVariable("T", "9")}, "services/web/image", `"x:9"`},
		"beside a service of the same file":    {map[string]string{"compose.yaml": "services: {web: {extends: {file: base.yaml, service: b}}, two: {extends: web, init: true}}", "base.yaml": "services: {b: {image: base}}"}, nil, "services/two/image", `"base"`},
		"the file's own name":                  {map[string]string{"compose.yaml": "services: {web: {extends: {file: compose.yaml, service: b}}, b: {image: x}}"}, nil, "services/web/image", `"x"`},
		"an included file extends a third one": {map[string]string{"compose.yaml": "include: [a.yaml]\n" + head, "a.yaml": "services: {a: {extends: {file: base.yaml, service: b}}}", "base.yaml": "services: {b: {image: base}}"}, nil, "services/a/image", `"base"`},
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

func contentOf(name, text string) string {
	return core.ContentDigest([]core.ContentFile{{Path: name, Digest: digest(text), Size: int64(len(text))}})
}

func TestIncludeAndExtendsAreRefusedByName(t *testing.T) {
	const head = "services:\n  web:\n    image: nginx\n"
	cases := map[string]struct {
		files map[string]string
		code  string
		text  string
	}{
		"a file outside":                   {map[string]string{"compose.yaml": head + "include: [../../x.yaml]\n"}, "compose.path_escapes", `app/compose.yaml:4: "../../x.yaml" leaves the repository`},
		"an absolute file":                 {map[string]string{"compose.yaml": head + "include: [/etc/passwd]\n"}, "compose.path_escapes", "is not relative"},
		"a remote file":                    {map[string]string{"compose.yaml": head + "include: ['oci://docker.io/x']\n"}, "compose.path_escapes", `app/compose.yaml:4: "oci://docker.io/x" is remote`},
		"a remote repository":              {map[string]string{"compose.yaml": head + "include: ['git@h:x.git']\n"}, "compose.path_escapes", "is remote"},
		"a link":                           {map[string]string{"compose.yaml": head + "include: [l]\n", "l": "link:/etc/passwd"}, "compose.path_escapes", "app/compose.yaml:4: app/l is a folder, symbolic link"},
		"a file that is away":              {map[string]string{"compose.yaml": head + "include: [x.yaml]\n"}, "compose.file_missing", "app/x.yaml is not in the repository"},
		"a variable chooses":               {map[string]string{"compose.yaml": head + "include: ['${X}.yaml']\n"}, "compose.unsupported", "a variable cannot choose the file"},
		"itself":                           {map[string]string{"compose.yaml": head + "include: [compose.yaml]\n"}, "compose.invalid", "includes or extends itself"},
		"a circle":                         {map[string]string{"compose.yaml": head + "include: [a.yaml]\n", "a.yaml": "include: [b.yaml]", "b.yaml": "include: [a.yaml]"}, "compose.invalid", "app/a.yaml includes or extends itself"},
		"an env_file outside":              {map[string]string{"compose.yaml": head + "include: [{path: a.yaml, env_file: ../../e}]\n", "a.yaml": "services: {}"}, "compose.path_escapes", "leaves the repository"},
		"an env_file that is away":         {map[string]string{"compose.yaml": head + "include: [{path: a.yaml, env_file: e}]\n", "a.yaml": "services: {a: {image: b}}"}, "compose.file_missing", "app/e is not in the repository"},
		"a folder outside":                 {map[string]string{"compose.yaml": head + "include: [{path: a.yaml, project_directory: ../..}]\n", "a.yaml": "services: {}"}, "compose.path_escapes", "leaves the repository"},
		"a key that is none":               {map[string]string{"compose.yaml": head + "include: [{path: a.yaml, shiny: 1}]\n", "a.yaml": "services: {}"}, "compose.invalid", `include has no key "shiny"`},
		"no path":                          {map[string]string{"compose.yaml": head + "include: [{env_file: a}]\n"}, "compose.invalid", "needs a path"},
		"no list":                          {map[string]string{"compose.yaml": head + "include: a.yaml\n"}, "compose.invalid", "include must be a list"},
		"a service twice":                  {map[string]string{"compose.yaml": "include: [a.yaml]\n" + head, "a.yaml": "services: {web: {image: evil}}"}, "compose.invalid", "app/compose.yaml:1: services.web is in app/compose.yaml and in the included app/a.yaml"},
		"a service of two entries":         {map[string]string{"compose.yaml": "include: [a.yaml, b.yaml]\n" + head, "a.yaml": "services: {x: {image: a}}", "b.yaml": "services: {x: {image: b}}"}, "compose.invalid", "services.x of app/b.yaml was included before"},
		"what is refused in included ones": {map[string]string{"compose.yaml": "include: [a.yaml]\n" + head, "a.yaml": "services: {x: {image: a, provider: {type: sh}}}"}, "compose.unsupported", "app/a.yaml:1: services.x.provider is not supported"},
		"an included mount that escapes":   {map[string]string{"compose.yaml": "include: [../lib/a.yaml]\n" + head, "/lib/a.yaml": "services: {x: {image: a, volumes: ['../../e:/x']}}"}, "compose.path_escapes", "leaves the repository"},
		"an included env_file of the host": {map[string]string{"compose.yaml": "include: [../lib/a.yaml]\n" + head, "/lib/a.yaml": "services: {x: {image: a, env_file: /etc/passwd}}"}, "compose.path_escapes", "is not relative"},
		"a reset in an included one":       {map[string]string{"compose.yaml": "include: [a.yaml]\n" + head, "a.yaml": "services: {x: {image: a, command: !reset null}}"}, "compose.unsupported", "!reset is not supported in a file that another includes"},
		"an unknown key in an included":    {map[string]string{"compose.yaml": "include: [a.yaml]\n" + head, "a.yaml": "services: {x: {image: a, shiny: 1}}"}, "compose.invalid", "app/a.yaml:1: "},
		"a secret as image of an included": {map[string]string{"compose.yaml": "include: [a.yaml]\n" + head, "a.yaml": "services: {x: {image: '${S}'}}"}, "compose.unsupported", "the secret variable S cannot stand here"},

		"extends of a file outside":      {map[string]string{"compose.yaml": head + "    extends: {file: ../../b.yaml, service: a}\n"}, "compose.path_escapes", "leaves the repository"},
		"extends of the host's":          {map[string]string{"compose.yaml": head + "    extends: {file: /etc/passwd, service: a}\n"}, "compose.path_escapes", `app/compose.yaml:4: "/etc/passwd" is not relative`},
		"extends of a remote one":        {map[string]string{"compose.yaml": head + "    extends: {file: 'https://h/x.yaml', service: a}\n"}, "compose.path_escapes", "is remote"},
		"extends that a variable choose": {map[string]string{"compose.yaml": head + "    extends: {file: '${X}', service: a}\n"}, "compose.unsupported", "a variable cannot choose"},
		"extends of what is away":        {map[string]string{"compose.yaml": head + "    extends: {file: b.yaml, service: a}\n"}, "compose.file_missing", "app/b.yaml is not in the repository"},
		"extends of no service":          {map[string]string{"compose.yaml": head + "    extends: {file: b.yaml, service: a}\n", "b.yaml": "services: {c: {image: x}}"}, "compose.invalid", `services.web.extends: app/b.yaml has no compose service "a"`},
		"extends in a circle of files":   {map[string]string{"compose.yaml": head + "    extends: {file: b.yaml, service: a}\n", "b.yaml": "services: {a: {extends: {file: compose.yaml, service: web}}}"}, "compose.invalid", "includes or extends itself"},
		"extends in a circle within":     {map[string]string{"compose.yaml": head + "    extends: {file: b.yaml, service: a}\n", "b.yaml": "services: {a: {extends: c}, c: {extends: a}}"}, "compose.invalid", "extends itself"},
		"extends with a reset":           {map[string]string{"compose.yaml": head + "    extends: {file: b.yaml, service: a}\n    command: !reset null\n", "b.yaml": "services: {a: {image: x}}"}, "compose.unsupported", "!reset is not supported in a file that extends"},
		"extends of a privileged mount":  {map[string]string{"compose.yaml": head + "    extends: {file: b.yaml, service: a}\n", "b.yaml": "services: {a: {image: x, build: .}}"}, "compose.unsupported", "app/b.yaml:1: services.a.build"},
		"a long chain":                   {chain(10), "compose.too_large", "more than 8 deep"},
		"many files":                     {fan(20), "compose.too_large", "more than 16 Compose files"},
		"many entries":                   {map[string]string{"compose.yaml": head + "include: [" + strings.Repeat("a.yaml, ", 100) + "]\n", "a.yaml": "{}"}, "compose.too_large", "more than 64 entries"},
		"a large base, many times":       {largeBase(), "compose.too_large", "with aliases and extends expanded"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := read(t, c.files)
			if name == "a secret as image of an included" {
				_, err = read(t, c.files, secretVariable("S"))
			}
			if err == nil || codeOf(err) != c.code || !strings.Contains(err.Error(), c.text) {
				t.Errorf("got  %v\nwant %s: … %s", err, c.code, c.text)
			}
		})
	}
}

// chain is n files that include each other in turn.
func chain(n int) map[string]string {
	files := map[string]string{"compose.yaml": "include: [f0.yaml]\nservices: {web: {image: x}}"}
	for i := range n {
		files["f"+name(i)+".yaml"] = "include: [f" + name(i+1) + ".yaml]"
	}
	return files
}

// fan is one file that includes n.
func fan(n int) map[string]string {
	files := map[string]string{}
	var all []string
	for i := range n {
		files["f"+name(i)+".yaml"] = "services: {s" + name(i) + ": {image: x}}"
		all = append(all, "f"+name(i)+".yaml")
	}
	files["compose.yaml"] = "include: [" + strings.Join(all, ", ") + "]\n"
	return files
}

func largeBase() map[string]string {
	lines := []string{"services:"}
	for i := range 100 {
		lines = append(lines, "  s"+name(i)+": {extends: {file: base.yaml, service: b}}")
	}
	return map[string]string{"compose.yaml": strings.Join(lines, "\n"), "base.yaml": "services: {b: {image: x, command: [" + strings.Repeat("a,", 5_000) + "]}}"}
}

func TestIncludedFilesAreWatchedAndNamed(t *testing.T) {
	files := map[string]string{"compose.yaml": "include: [a.yaml]\n", "a.yaml": "services:\n  a:\n    image: x\n    privileged: true\n"}
	out := mustRead(t, files)
	if len(out.Asks) != 1 || out.Asks[0].Place != "app/a.yaml:4" {
		t.Errorf("asks are %+v", out.Asks)
	}
	names := []string{}
	for _, s := range out.Services {
		names = append(names, s.Name)
	}
	if !slices.Equal(names, []string{"a"}) {
		t.Errorf("services are %v", names)
	}
}
