package render

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"berth/core"
)

func TestRefusals(t *testing.T) {
	const head = "services:\n  web:\n    image: nginx\n"
	cases := map[string]struct {
		files     map[string]string
		variables []core.ComposeVariable
		code      string
		text      string
	}{
		"no file":                     {map[string]string{"other.yaml": head}, nil, "compose.file_missing", "No Compose file in app"},
		"an empty file":               {map[string]string{"compose.yaml": "# nothing"}, nil, "compose.invalid", "app/compose.yaml is empty"},
		"a list":                      {map[string]string{"compose.yaml": "- a"}, nil, "compose.invalid", "app/compose.yaml:1: the top level"},
		"broken YAML":                 {map[string]string{"compose.yaml": "services:\n  a: [\n"}, nil, "compose.invalid", "app/compose.yaml:"},
		"a tab for layout":            {map[string]string{"compose.yaml": "services:\n\ta: b\n"}, nil, "compose.invalid", "app/compose.yaml:2"},
		"two documents":               {map[string]string{"compose.yaml": head + "---\n" + head}, nil, "compose.invalid", "app/compose.yaml:4: a second YAML document"},
		"invalid UTF-8":               {map[string]string{"compose.yaml": "services:\n  a: \xff\n"}, nil, "compose.invalid", "app/compose.yaml:2: not UTF-8"},
		"an unknown top-level key":    {map[string]string{"compose.yaml": head + "servicess: {}\n"}, nil, "compose.invalid", `app/compose.yaml:4: additional properties 'servicess' not allowed`},
		"a line out of step":          {map[string]string{"compose.yaml": head + "   command: [a]\n    tty: true\n"}, nil, "compose.invalid", `app/compose.yaml:4: `},
		"a list that is not closed":   {map[string]string{"compose.yaml": head + "    command: [a,\n      b\n    tty: true\n"}, nil, "compose.invalid", `app/compose.yaml:4: `},
		"a key twice":                 {map[string]string{"compose.yaml": head + "    image: caddy\n"}, nil, "compose.invalid", `app/compose.yaml:4: the key "image" is already set on line 3`},
		"a key that is no text":       {map[string]string{"compose.yaml": head + "    labels: {1: a}\n"}, nil, "compose.invalid", "app/compose.yaml:4: a key must be text"},
		"a foreign tag":               {map[string]string{"compose.yaml": head + "    command: !!python/object a\n"}, nil, "compose.invalid", "app/compose.yaml:4: the YAML tag !!python/object"},
		"an alias of itself":          {map[string]string{"compose.yaml": "x: &a [*a]\n" + head}, nil, "compose.invalid", "an alias contains itself"},
		"an unknown key":              {map[string]string{"compose.yaml": head + "    imagee: x\n"}, nil, "compose.invalid", "app/compose.yaml:4: services.web additional properties 'imagee' not allowed"},
		"a wrong type":                {map[string]string{"compose.yaml": head + "    ports: 80\n"}, nil, "compose.invalid", "app/compose.yaml:4: services.web.ports must be a array"},
		"no image":                    {map[string]string{"compose.yaml": "services: {web: {tty: true}}"}, nil, "compose.invalid", `service "web" has neither an image`},
		"no service":                  {map[string]string{"compose.yaml": "services: {web: {image: a, profiles: [x]}}"}, nil, "compose.invalid", "no compose service is left"},
		"a required variable is away": {map[string]string{"compose.yaml": head + "    command: ${A:?say A}\n"}, nil, "compose.invalid", "app/compose.yaml:4: error while interpolating services.web.command: required variable A is missing a value: say A"},
		"a broken interpolation":      {map[string]string{"compose.yaml": head + "    command: ${\n"}, nil, "compose.invalid", "app/compose.yaml:4: invalid interpolation"},
		"an undefined volume":         {map[string]string{"compose.yaml": head + "    volumes: [\"data:/b\"]\n"}, nil, "compose.invalid", "undefined volume data"},
		"extends in a circle":         {map[string]string{"compose.yaml": "services: {a: {extends: b}, b: {extends: {service: a}}}"}, nil, "compose.invalid", "extends itself"},
		"extends what is not there":   {map[string]string{"compose.yaml": "services: {a: {extends: b}}"}, nil, "compose.invalid", `service "b" not found`},
		"a circle of dependencies":    {map[string]string{"compose.yaml": "services: {a: {image: x, depends_on: [b]}, b: {image: x, depends_on: [a]}}"}, nil, "compose.invalid", "cycle"},
		"ulimits without sense":       {map[string]string{"compose.yaml": head + "    ulimits: {nofile: {soft: {}}}\n"}, nil, "compose.invalid", "app/compose.yaml"},

		"models":                {map[string]string{"compose.yaml": "models: {a: {model: x}}\n" + head}, nil, "compose.unsupported", "models is not supported"},
		"build":                 {map[string]string{"compose.yaml": head + "    build: .\n"}, nil, "compose.unsupported", "app/compose.yaml:4: services.web.build is not supported: only images are deployed"},
		"build in a merge key":  {map[string]string{"compose.yaml": "x: &a {build: .}\n" + head + "    <<: *a\n"}, nil, "compose.unsupported", "services.web.build is not supported"},
		"build of an override":  {map[string]string{"compose.yaml": head, "compose.override.yml": "services: {web: {build: /}}"}, nil, "compose.unsupported", "app/compose.override.yml:1: services.web.build"},
		"build while off":       {map[string]string{"compose.yaml": head + "  dev: {build: ., profiles: [dev]}\n"}, nil, "compose.unsupported", "services.dev.build is not supported"},
		"develop":               {map[string]string{"compose.yaml": head + "    develop: {watch: []}\n"}, nil, "compose.unsupported", "services.web.develop"},
		"provider":              {map[string]string{"compose.yaml": head + "    provider: {type: sh}\n"}, nil, "compose.unsupported", "services.web.provider is not supported: it starts a program"},
		"label_file":            {map[string]string{"compose.yaml": head + "    label_file: /etc/passwd\n"}, nil, "compose.unsupported", "services.web.label_file"},
		"credential_spec":       {map[string]string{"compose.yaml": head + "    credential_spec: {file: x}\n"}, nil, "compose.unsupported", "services.web.credential_spec"},
		"use_api_socket":        {map[string]string{"compose.yaml": head + "    use_api_socket: true\n"}, nil, "compose.unsupported", "services.web.use_api_socket"},
		"a reserved label":      {map[string]string{"compose.yaml": head + "    labels: [\"com.docker.compose.project=other\"]\n"}, nil, "compose.unsupported", "the label com.docker.compose.project belongs to Berth or Compose"},
		"a label of ours":       {map[string]string{"compose.yaml": head + "    labels: {dev.berth.stack: x}\n"}, nil, "compose.unsupported", "the label dev.berth.stack"},
		"ours on a network":     {map[string]string{"compose.yaml": head + "    networks: [n]\nnetworks: {n: {labels: {dev.berth.stack: x}}}\n"}, nil, "compose.unsupported", "networks.n.labels"},
		"ours on a volume":      {map[string]string{"compose.yaml": head + "    volumes: [\"vol:/v\"]\nvolumes: {vol: {labels: [dev.berth.stack=x]}}\n"}, nil, "compose.unsupported", "volumes.vol.labels"},
		"a relative device":     {map[string]string{"compose.yaml": head + "    volumes: [\"vol:/v\"]\nvolumes: {vol: {driver_opts: {type: none, o: bind, device: ./x}}}\n"}, nil, "compose.unsupported", "volumes.vol.driver_opts.device"},
		"inline and read_only":  {map[string]string{"compose.yaml": head + "    read_only: true\n    configs: [c]\nconfigs: {c: {content: x}}\n"}, nil, "compose.unsupported", "services.web is read_only"},
		"an option as image":    {map[string]string{"compose.yaml": "services: {web: {image: '--privileged'}}"}, nil, "compose.invalid", "app/compose.yaml:1: services.web.image: \"--privileged\" is not the name of an image"},
		"a one-letter volume":   {map[string]string{"compose.yaml": head + "    volumes: ['v:/v']\nvolumes: {v: {}}\n"}, nil, "compose.invalid", "app/compose.yaml:4: services.web.volumes[0]: the target \"v:/v\" is not an absolute path"},
		"a Windows path":        {map[string]string{"compose.yaml": head + "    volumes: ['C:\\x:/x']\n"}, nil, "compose.unsupported", "Windows path"},
		"a mounted file, write": {map[string]string{"compose.yaml": head + "    volumes: [\"./f:/f\"]\n", "f": "x"}, nil, "compose.unsupported", `services.web.volumes[0]: ./f is a file of the repository and mounted read-write`},

		"a link as Compose file":           {map[string]string{"compose.yaml": "link:/etc/passwd"}, nil, "compose.path_escapes", "app/compose.yaml is a folder, symbolic link"},
		"a mount above the repository":     {map[string]string{"compose.yaml": head + "    volumes: [\"../../x:/x\"]\n"}, nil, "compose.path_escapes", `app/compose.yaml:4: services.web.volumes[0]: "../../x" leaves the repository`},
		"a path with a newline":            {map[string]string{"compose.yaml": head + "    env_file: [\"a\\nb\"]\n"}, nil, "compose.unsupported", "holds a backslash or a newline"},
		"a mount of a home":                {map[string]string{"compose.yaml": head + "    volumes: [\"~/x:/x\"]\n"}, nil, "compose.path_escapes", "depends on who runs the worker"},
		"a mount of a link":                {map[string]string{"compose.yaml": head + "    volumes: [\"./l:/x:ro\"]\n", "l": "link:/etc"}, nil, "compose.path_escapes", "app/l is a symbolic link"},
		"a mount below a link":             {map[string]string{"compose.yaml": head + "    volumes: [\"./l/d:/x\"]\n", "l": "link:/etc"}, nil, "compose.path_escapes", "app/l is a symbolic link or file"},
		"a mount with a link inside":       {map[string]string{"compose.yaml": head + "    volumes: [\"./d:/x:ro\"]\n", "app/d/l": "link:x"}, nil, "compose.path_escapes", "app/d/l is a symbolic link"},
		"a mount of a rendered path":       {map[string]string{"compose.yaml": head + "    volumes: [\"/.berth/state/../../etc:/x\", \"/.berth/state/../x:/y\"]\n"}, nil, "compose.path_escapes", "paths below /.berth are made by Berth"},
		"a rendered path by a variable":    {map[string]string{"compose.yaml": head + "    volumes: [\"${A}:/x\"]\n"}, []core.ComposeVariable{plainVariable("A", "/x/../.berth/content/y")}, "compose.path_escapes", "paths below /.berth"},
		"a config file of the host's home": {map[string]string{"compose.yaml": head + "    configs: [c]\nconfigs: {c: {file: ~/x}}\n"}, nil, "compose.path_escapes", "depends on who runs the worker"},
		"a config file outside":            {map[string]string{"compose.yaml": head + "    configs: [c]\nconfigs: {c: {file: ../../x}}\n"}, nil, "compose.path_escapes", `app/compose.yaml:5: configs.c: "../../x" leaves the repository`},
		"a secret file that is a link":     {map[string]string{"compose.yaml": head + "    secrets: [c]\nsecrets: {c: {file: l}}\n", "l": "link:/etc/shadow"}, nil, "compose.path_escapes", "app/l is a symbolic link"},
		"a config file that is away":       {map[string]string{"compose.yaml": head + "    configs: [c]\nconfigs: {c: {file: x}}\n"}, nil, "compose.file_missing", "configs.c.file: app/x is not a file"},
		"a config file that is a folder":   {map[string]string{"compose.yaml": head + "    configs: [c]\nconfigs: {c: {file: d}}\n", "app/d/x": "1"}, nil, "compose.file_missing", "app/d is not a file"},
		"an env_file of the host":          {map[string]string{"compose.yaml": head + "    env_file: /etc/passwd\n"}, nil, "compose.path_escapes", `"/etc/passwd" is not relative`},
		"an env_file outside":              {map[string]string{"compose.yaml": head + "    env_file: ../../x\n"}, nil, "compose.path_escapes", `app/compose.yaml:4: services.web.env_file[0]: "../../x" leaves the repository`},
		"an env_file of a home":            {map[string]string{"compose.yaml": head + "    env_file: ~/x\n"}, nil, "compose.path_escapes", "is not relative"},
		"an env_file by URL":               {map[string]string{"compose.yaml": head + "    env_file: file:///etc/passwd\n"}, nil, "compose.path_escapes", "is remote"},
		"an env_file that is a link":       {map[string]string{"compose.yaml": head + "    env_file: l\n", "l": "link:/etc/passwd"}, nil, "compose.path_escapes", "app/l is a folder, symbolic link or submodule"},
		"an env_file that is away":         {map[string]string{"compose.yaml": head + "    env_file: x\n"}, nil, "compose.file_missing", "app/x is not in the repository"},
		"a broken env_file":                {map[string]string{"compose.yaml": head + "    env_file: x\n", "x": "A=1\nB C=2\n"}, nil, "compose.invalid", "services.web.env_file[0]: x: "},
		"an env_file with a zero byte":     {map[string]string{"compose.yaml": head + "    env_file: x\n", "x": "A=1\x002\n"}, nil, "compose.invalid", "services.web.environment.A: not text"},

		"a secret as image":        {map[string]string{"compose.yaml": "services: {web: {image: \"x:${S}\"}}"}, []core.ComposeVariable{secretVariable("S")}, "compose.unsupported", "services.web.image: the secret variable S cannot stand here"},
		"a secret as privilege":    {map[string]string{"compose.yaml": head + "    privileged: ${S}\n"}, []core.ComposeVariable{secretVariable("S")}, "compose.unsupported", "app/compose.yaml:4: the secret variable S cannot stand here"},
		"a secret as network mode": {map[string]string{"compose.yaml": head + "    network_mode: ${S}\n"}, []core.ComposeVariable{secretVariable("S")}, "compose.unsupported", "services.web.network_mode: the secret variable S"},
		"a secret as port":         {map[string]string{"compose.yaml": head + "    ports: [\"${S}:80\"]\n"}, []core.ComposeVariable{secretVariable("S")}, "compose.unsupported", "the secret variable S cannot stand here"},
		"a secret as mount":        {map[string]string{"compose.yaml": head + "    volumes: [\"${S}:/x\"]\n"}, []core.ComposeVariable{secretVariable("S")}, "compose.unsupported", "the secret variable S cannot stand here"},
		"a secret in a mount":      {map[string]string{"compose.yaml": head + "    volumes: [\"/x/${S}:/x\"]\n"}, []core.ComposeVariable{secretVariable("S")}, "compose.unsupported", "services.web.volumes.0.source: the secret variable S"},
		"a secret as key":          {map[string]string{"compose.yaml": head + "    environment: [\"${S}=1\"]\n"}, []core.ComposeVariable{secretVariable("S")}, "compose.unsupported", "services.web.environment: the secret variable S"},
		"a secret with a bad name": {map[string]string{"compose.yaml": head + "    environment: [\"a.b\"]\n"}, []core.ComposeVariable{secretVariable("a.b")}, "compose.unsupported", `the secret variable "a.b" has a name`},
		"a secret file, nobody":    {map[string]string{"compose.yaml": head + "    secrets: [c]\nsecrets: {c: {environment: A}}\n"}, nil, "compose.invalid", "secrets.c: the stack has no variable A"},
		"a secret file, empty":     {map[string]string{"compose.yaml": head + "    secrets: [c]\nsecrets: {c: {environment: A}}\n"}, []core.ComposeVariable{plainVariable("A", "")}, "compose.invalid", "secrets.c: the variable A is empty"},
		"a value with a zero byte": {map[string]string{"compose.yaml": head}, []core.ComposeVariable{plainVariable("A", "x\x00y")}, "compose.invalid", "The variable A holds a zero byte"},
		"a value that is no text":  {map[string]string{"compose.yaml": head}, []core.ComposeVariable{plainVariable("A", "x\xff")}, "compose.invalid", "The variable A is not UTF-8"},
		"a variable's bad name":    {map[string]string{"compose.yaml": head}, []core.ComposeVariable{plainVariable("A=B", "x")}, "compose.invalid", `the name "A=B"`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := read(t, c.files, c.variables...)
			if err == nil || codeOf(err) != c.code || !strings.Contains(err.Error(), c.text) {
				t.Errorf("got  %v\nwant %s: … %s", err, c.code, c.text)
			}
			if err != nil && strings.Contains(err.Error(), "berthsecret") {
				t.Errorf("a placeholder shows: %v", err)
			}
		})
	}
}

// bombs are files that are small as written and endless as read (R6, R31).
var bombs = map[string]struct{ file, code, text string }{
	"an alias bomb":         {aliasBomb("[%s]"), "compose.too_large", "with aliases and extends expanded"},
	"a merge key bomb":      {aliasBomb("{<<: [%s]}"), "compose.too_large", "with aliases and extends expanded"},
	"a bomb of extends":     {extendsBomb(), "compose.too_large", "with aliases and extends expanded"},
	"a bomb of long texts":  {"x-a: &a " + strings.Repeat("x", 500_000) + "\nx-b: [" + strings.Repeat("*a,", 5000) + "]\nservices: {a: {image: b}}", "compose.too_large", "with aliases"},
	"100,000 levels":        {"x-a: " + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000), "compose.invalid", "app/compose.yaml"},
	"100,000 mappings":      {"x-a: " + strings.Repeat("{a: ", 100_000), "compose.invalid", "app/compose.yaml"},
	"200 levels":            {"x-a: " + strings.Repeat("[", 200) + strings.Repeat("]", 200), "compose.too_large", "nested deeper than 64"},
	"200 levels by aliases": {deepAliases(), "compose.too_large", "aliases nest deeper"},
	"a large file":          {"# " + strings.Repeat("x", 1<<20), "compose.too_large", "larger than 1024 KiB"},
	"1,000 services":        {manyServices(1000), "compose.too_large", "more than 200 compose services"},
	"100,000 nodes":         {"x-a: [" + strings.Repeat("1,", 100_000) + "]\nservices: {a: {image: b}}", "compose.too_large", "more than 50000 values"},
	"a large label":         {"services: {a: {image: b, labels: {c: \"" + strings.Repeat("x", 1_000_000) + "\"}}}", "compose.too_large", "a text of more than 512 KiB"},
	"many large labels":     {"services: {a: {image: b, labels: {" + manyLabels(20, 40_000) + "}}}", "compose.too_large", "rendered project is larger"},
	"a wide port range":     {"services: {a: {image: b, ports: [\"1-65000:1-65000\"]}}", "compose.too_large", "port ranges"},
	"endless replicas":      {"services: {a: {image: b, scale: 2000000000}, c: {image: b, deploy: {replicas: 400}}}", "compose.too_large", "more than 500 containers"},
	"10,000 ports":          {"services: {a: {image: b, ports: [" + strings.Repeat("\"80\",", 10_000) + "]}}", "compose.too_large", "port ranges"},
	"a variable 1,000 times": {"services: {a: {image: b, command: [\"" + strings.Repeat("$BIG", 1000) + "\"]}}", "compose.too_large",
		"interpolation"},
	"a braced variable 50,000 times": {"services: {a: {image: b, command: [\"" + strings.Repeat("${A:-}", 50_000) + "\"]}}", "compose.too_large", "interpolation"},
}

// spent is the processor's time that this process has taken: what else runs on the machine
// does not count.
func spent(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func TestBombsAreRefusedQuickly(t *testing.T) {
	mustRead(t, map[string]string{"compose.yaml": "services: {a: {image: b}}"}) // compiles the schema once
	for name, c := range bombs {
		t.Run(name, func(t *testing.T) {
			variable := plainVariable("BIG", strings.Repeat("x", 100_000))
			var err error
			best := time.Hour
			for range 5 { // neither is a collection of garbage that falls into it
				start := spent(t)
				_, err = read(t, map[string]string{"compose.yaml": c.file}, variable)
				if best = min(best, spent(t)-start); best < quickly {
					break
				}
			}
			if best > quickly {
				t.Errorf("took %v", best)
			}
			if err == nil || codeOf(err) != c.code || !strings.Contains(err.Error(), c.text) || len(err.Error()) > 1000 {
				t.Errorf("got %.300v\nwant %s: … %s", err, c.code, c.text)
			}
		})
	}
}

func manyLabels(n, size int) string {
	var labels []string
	for i := range n {
		labels = append(labels, "l"+name(i)+": \""+strings.Repeat("x", size)+"\"")
	}
	return strings.Join(labels, ", ")
}

func aliasBomb(form string) string {
	lines := []string{"x0: &x0 {a: b}"}
	for i := 1; i < 10; i++ {
		before := "*x" + string(rune('0'+i-1))
		list := strings.TrimSuffix(strings.Repeat(before+", ", 9), ", ")
		lines = append(lines, strings.ReplaceAll("xN: &xN ", "N", string(rune('0'+i)))+strings.ReplaceAll(form, "%s", list))
	}
	return strings.Join(append(lines, "services: {a: {image: b}}"), "\n")
}

func deepAliases() string {
	lines := []string{"x0: &x0 [[[[[a]]]]]"}
	for i := 1; i < 40; i++ {
		lines = append(lines, strings.NewReplacer("N", name(i), "M", name(i-1)).Replace("xN: &xN [[[[[*xM]]]]]"))
	}
	return strings.Join(append(lines, "services: {a: {image: b}}"), "\n")
}

func extendsBomb() string {
	lines := []string{"services:", "  base:", "    image: x", "    command: [" + strings.Repeat("a,", 10_000) + "]"}
	for i := range 150 {
		lines = append(lines, "  s"+name(i)+": {extends: base}")
	}
	return strings.Join(lines, "\n")
}

func manyServices(n int) string {
	var b strings.Builder
	b.WriteString("services:\n")
	for i := range n {
		b.WriteString("  s" + name(i) + ": {image: x}\n")
	}
	return b.String()
}

func name(i int) string {
	digits := ""
	for ; i > 9; i /= 10 {
		digits = string(rune('0'+i%10)) + digits
	}
	return string(rune('0'+i)) + digits
}
