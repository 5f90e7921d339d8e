package hostile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestR1: symbolic links lead nowhere, whatever they are in place of.
func TestR1(t *testing.T) {
	victim := filepath.Join(t.TempDir(), "victim")
	if err := os.WriteFile(victim, []byte("canary: x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(victim)
	if err != nil {
		t.Fatal(err)
	}
	const escape, link = "compose.path_escapes", "symbolic link"
	refuses(t, map[string]hostile{
		"the Compose file":               {links: map[string]string{"compose.yaml": "/etc/passwd"}, code: escape, says: link},
		"the Compose file, a way up":     {links: map[string]string{"compose.yaml": "../../../../../../../../etc/passwd"}, code: escape, says: link},
		"the Compose file, the victim":   {links: map[string]string{"compose.yaml": victim}, code: escape, says: link},
		"a link that leads to itself":    {links: map[string]string{"compose.yaml": "compose.yaml"}, code: escape, says: link},
		"a loop of two":                  {links: map[string]string{"compose.yaml": "b", "b": "compose.yaml"}, code: escape, says: link},
		"an env_file":                    {compose: web("env_file: .env"), links: map[string]string{".env": "../../x"}, code: escape, says: link},
		"an env_file in a linked folder": {compose: web("env_file: d/x.env"), links: map[string]string{"d": "/etc"}, code: escape, says: ""},
		"a mounted file":                 {compose: web("volumes: ['./l:/x:ro']"), links: map[string]string{"l": victim}, code: escape, says: link},
		"a mounted folder":               {compose: web("volumes: ['./d:/x']"), links: map[string]string{"d": "/etc"}, code: escape, says: link},
		"below a linked folder":          {compose: web("volumes: ['./d/shadow:/x']"), links: map[string]string{"d": "/etc"}, code: escape, says: link},
		"within a mounted folder":        {compose: web("volumes: ['./d:/x:ro']"), files: map[string]string{"d/a": "1"}, links: map[string]string{"d/l": victim}, code: escape, says: link},
		"a secret":                       {compose: web("secrets: [s]") + "secrets: {s: {file: l}}\n", links: map[string]string{"l": "/etc/shadow"}, code: escape, says: link},
		"a config":                       {compose: web("configs: [s]") + "configs: {s: {file: l}}\n", links: map[string]string{"l": victim}, code: escape, says: link},
	})
	after, err := os.Stat(victim)
	if err != nil || after.ModTime() != before.ModTime() || after.Size() != before.Size() {
		t.Errorf("the victim was touched: %v, %v", after, err)
	}
}

// TestR2: devices are not read, and cost nothing.
func TestR2(t *testing.T) {
	all := fetch(t, commit{links: map[string]string{"a/compose.yaml": "/dev/zero", "b/compose.yaml": "../../../../../../dev/zero"}})
	table := &figures{}
	for _, dir := range []string{"a", "b"} {
		var err error
		took := measured(t, func() { _, err = all.render(dir) })
		wantRefusal(t, err, "compose.path_escapes", "symbolic link")
		if took.memory > 8<<20 {
			t.Errorf("%s: the memory rose by %d bytes", dir, took.memory)
		}
		table.add("/dev/zero as Compose file, "+dir, took)
	}
	table.print(t)
}

// TestR3: what a container can change while the worker looks at it leads to no folder outside of the stack's.
func TestR3(t *testing.T) { elsewhere(t, "./hub/adapter/compose/engine", "^TestR3", 1) }

// TestR4: submodules are not followed, wherever they claim to be.
func TestR4(t *testing.T) {
	for _, url := range []string{"-u/tmp/berth-r4", "ext::sh -c touch% /tmp/berth-r4\r", "--upload-pack=touch /tmp/berth-r4"} {
		_, _, err := tryFetch(t, commit{files: map[string]string{".gitmodules": "[submodule \"m\"]\n\tpath = m\n\turl = \"" + url + "\"\n"}})
		if url[0] == '-' {
			wantRefusal(t, err, "git.objects_refused", "harmful")
		} else if err != nil {
			t.Errorf("%q: %v", url, err) // harmless: nobody follows it
		}
	}
	const hash = "c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00"
	var modules strings.Builder
	for i, url := range []string{"file:///etc", "ext::sh -c touch% /tmp/berth-r4", "ssh://h/-x", "https://127.0.0.1:1/x.git"} {
		modules.WriteString("[submodule \"m" + string(rune('0'+i)) + "\"]\n\tpath = m" + string(rune('0'+i)) + "\n\turl = " + url + "\n")
	}
	all := fetch(t, commit{
		files:      map[string]string{".gitmodules": modules.String(), "compose.yaml": web("volumes: ['./m0:/x:ro']"), "b/compose.yaml": web("env_file: ../m1/x"), "c/compose.yaml": web("volumes: ['./d:/x:ro']"), "c/d/a": "1"},
		submodules: map[string]string{"m0": hash, "m1": hash, "m2": hash, "m3": hash, "c/d/m": hash},
	})
	for dir, says := range map[string]string{".": "submodule", "b": "", "c": "submodule"} {
		_, err := all.render(dir)
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want … %s", dir, err, says)
		}
	}
	if _, err := os.Stat("/tmp/berth-r4"); err == nil {
		t.Error("a submodule's address was run")
	}
}

// TestR7: no key reads a file that is not in the repository.
func TestR7(t *testing.T) {
	cases := map[string]hostile{}
	for name, p := range map[string]string{"absolute": "/etc/passwd", "a way up": "../../../etc/passwd", "a long way up": "../../../../../../../../../../etc/passwd",
		"a home": "~/x", "an address": "file:///etc/passwd", "a way round": "./a/../../../../etc/passwd"} {
		cases["env_file, "+name] = hostile{compose: web("env_file: '" + p + "'"), code: "compose.path_escapes"}
		cases["env_file in long, "+name] = hostile{compose: web("env_file: [{path: '" + p + "', required: false}]"), code: "compose.path_escapes"}
		cases["include, "+name] = hostile{compose: web() + "include: ['" + p + "']\n", code: "compose.path_escapes"}
		cases["include in long, "+name] = hostile{compose: web() + "include: [{path: ['" + p + "']}]\n", code: "compose.path_escapes"}
		cases["include's env_file, "+name] = hostile{compose: web() + "include: [{path: x.yaml, env_file: '" + p + "'}]\n", files: map[string]string{"x.yaml": "services: {}"}, code: "compose.path_escapes"}
		cases["include's folder, "+name] = hostile{compose: web() + "include: [{path: x.yaml, project_directory: '" + p + "'}]\n", files: map[string]string{"x.yaml": "services: {}"}, code: "compose.path_escapes"}
		cases["extends, "+name] = hostile{compose: web("extends: {file: '" + p + "', service: x}"), code: "compose.path_escapes"}
		if p[0] != '/' && !strings.Contains(p, ":") {
			cases["configs, "+name] = hostile{compose: web("configs: [c]") + "configs: {c: {file: '" + p + "'}}\n", code: "compose.path_escapes"}
			cases["secrets, "+name] = hostile{compose: web("secrets: [c]") + "secrets: {c: {file: '" + p + "'}}\n", code: "compose.path_escapes"}
		}
		for _, key := range []string{"label_file: '" + p + "'", "build: '" + p + "'", "build: {context: ., dockerfile: '" + p + "'}", "credential_spec: {file: '" + p + "'}",
			"develop: {watch: [{path: '" + p + "', action: sync, target: /x}]}"} {
			cases[key] = hostile{compose: web(key), code: "compose.unsupported", says: "services.web." + key[:strings.Index(key, ":")]}
		}
	}
	refuses(t, cases)
	// What is absolute is a file of the host, which the policy judges as it judges mounts.
	for _, section := range []string{"configs", "secrets"} {
		all := fetch(t, commit{files: map[string]string{"compose.yaml": web(section+": [c]") + section + ": {c: {file: /etc/shadow}}\n"}})
		project, err := all.render(".")
		if err != nil || len(project.Asks) != 1 || project.Asks[0].Needs != "/etc/shadow" {
			t.Errorf("%s: a file of the host is asked for as %+v, %v", section, project.Asks, err)
		}
	}
}

// TestR11: values arrive as they are, or are refused.
func TestR11(t *testing.T) {
	elsewhere(t, "./hub/adapter/compose/render", "^(TestValuesArriveByteForByte|FuzzValuesArriveByteForByte|TestRenderingLosesNothing)$", 3)
	refuses(t, map[string]hostile{
		"a zero byte in an env_file": {compose: web("env_file: x"), files: map[string]string{"x": "A=1\x002\n"}, code: "compose.invalid", says: "not text"},
		"a name with a space":        {compose: web("env_file: x"), files: map[string]string{"x": "A B=1\n"}, code: "compose.invalid"},
		"a name that is empty":       {compose: web("environment: ['=x']"), code: "compose.invalid"},
	})
}

// TestR13: a commit takes nobody else's name.
func TestR13(t *testing.T) {
	const reserved = "belongs to Berth or Compose"
	refuses(t, map[string]hostile{
		"a label of ours":        {compose: web("labels: {dev.berth.stack: stk_other}"), code: "compose.unsupported", says: reserved},
		"the project of another": {compose: web("labels: ['com.docker.compose.project=other']"), code: "compose.unsupported", says: reserved},
		"on a network":           {compose: web("networks: [n]") + "networks: {n: {labels: {dev.berth.stack: x}}}\n", code: "compose.unsupported", says: reserved},
		"on a volume":            {compose: web("volumes: ['vol:/v']") + "volumes: {vol: {labels: {com.docker.compose.project: x}}}\n", code: "compose.unsupported", says: reserved},
		"by a merge key":         {compose: "x-l: &l {dev.berth.stack: x}\n" + web("labels: {<<: *l}"), code: "compose.unsupported", says: reserved},
	})
	all := fetch(t, commit{files: map[string]string{"compose.yaml": "name: other\n" + web()}})
	if project, err := all.render("."); err != nil || !strings.Contains(string(project.YAML), "name: victim\n") || strings.Contains(string(project.YAML), "other") {
		t.Errorf("the project is\n%s\n%v", project.YAML, err)
	}
	elsewhere(t, "./hub/adapter/compose/engine", "^(TestAProjectOfTheSameNameIsLeftAlone|TestTheProjectsNameIsTheStacks)$", 2)
}

// TestG11: names and sizes of every kind.
func TestG11(t *testing.T) {
	elsewhere(t, "./hub/adapter/git", "^TestG11", 4)
	files := map[string]string{"compose.yaml": web("volumes: ['./d:/x:ro']")}
	for _, name := range []string{"say \"x\"\t$(y)`z`", "nfc/\u00e9", "nfc/e\u0301", "-rf", "--upload-pack=x", " ", "...", "a;b"} {
		files["d/"+name] = "1"
	}
	project, err := fetch(t, commit{files: files}).render(".")
	if err != nil || len(project.Content) != 1 || len(project.Content[0].Files) != 8 {
		t.Errorf("%+v, %v", project.Content, err)
	}
	for name, c := range map[string]commit{
		"a name that is no text": {files: map[string]string{"compose.yaml": web("volumes: ['./d:/x:ro']"), "d/\xff\xfe": "1"}},
		"a name of two lines":    {files: map[string]string{"compose.yaml": web("volumes: ['./d:/x:ro']"), "d/a\nb": "1"}},
	} {
		if _, err := fetch(t, c).render("."); err == nil {
			t.Errorf("%s is mounted", name)
		}
	}
}
