package configuration_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"berth/core/configuration"
	"berth/core/fault"
	"berth/hub/adapter/yaml"
)

func readText(text string) (configuration.Configuration, error) {
	doc, err := yaml.Configuration{}.ReadDocument([]byte(text))
	if err != nil {
		return configuration.Configuration{}, err
	}
	return configuration.Read(doc, "the file")
}

func TestWhatIsWrongWithAFileIsToldWithItsLine(t *testing.T) {
	for sentence, c := range map[string]struct{ file, want string }{
		"no version":                   {"stacks: []", "version: is required: version: 1"},
		"another format":               {"version: 2", "version: line 1: is 2, and this server reads 1; export the file again with a server that reads its format"},
		"a version in words":           {"version: one", "version: line 1: must be the number 1"},
		"an unknown section":           {"version: 1\nstack: []", "stack: line 2: is not a known key"},
		"a section is no list":         {"version: 1\nstacks: {}", "stacks: line 2: must be a list"},
		"an item is no mapping":        {"version: 1\nstacks: [web]", "stacks[0]: line 2: must be a mapping"},
		"an item is nothing":           {"version: 1\nstacks:\n  -\n", "stacks[0]: line 3: must be a mapping"},
		"an unknown key":               {"version: 1\nworkers:\n  - name: a\n    tag: [x]", "workers[0].tag: line 4: is not a known key; known are name, tags"},
		"no name":                      {"version: 1\nworkers:\n  - tags: [a]", "workers[0].name: line 3: is required"},
		"a name twice":                 {"version: 1\nworkers:\n  - name: a\n  - name: a", `workers[1].name: line 4: "a" is there already, as workers[0]`},
		"a name of a stack":            {"version: 1\nstacks:\n  - name: Web\n    repository: x", "stacks[0].name: line 3: 1 to 63 lower-case letters"},
		"no repository":                {"version: 1\nstacks:\n  - name: web", "stacks[0].repository: line 3: is required"},
		"a path that leaves":           {"version: 1\nstacks:\n  - name: web\n    repository: x\n    path: ../x", "stacks[0].path: line 5: a folder inside the repository"},
		"worker and tags":              {"version: 1\nstacks:\n  - name: web\n    repository: x\n    worker: a\n    worker_tags: [b]", "stacks[0].worker: line 5: must be left out"},
		"a tag":                        {"version: 1\nstacks:\n  - name: web\n    repository: x\n    worker_tags: [a b]", "stacks[0].worker_tags[0]: line 5: a tag has"},
		"a number for a value":         {"version: 1\nvariables:\n  - name: A\n    value: 80", "variables[0].value: line 4: must be text; put it in quotes"},
		"neither value nor secret":     {"version: 1\nvariables:\n  - name: A", "variables[0]: line 3: needs a value, or secret: with its provider"},
		"a secret with its value":      {"version: 1\nvariables:\n  - name: A\n    secret: internal\n    value: x", "variables[0].value: line 5: must be left out: the values of secrets are in no file"},
		"an unknown provider":          {"version: 1\nvariables:\n  - name: A\n    secret: env", "variables[0].secret: line 4: must be one of internal, vault, manager"},
		"no reference":                 {"version: 1\nvariables:\n  - name: A\n    secret: vault", "variables[0].reference: line 3: "},
		"a reference for nobody":       {"version: 1\nvariables:\n  - name: A\n    value: x\n    reference: y", "variables[0].reference: line 5: is for secrets"},
		"a name of a variable":         {"version: 1\nvariables:\n  - name: 1A\n    value: x", "variables[0].name: line 3: letters, digits and _"},
		"an address":                   {"version: 1\nrepositories:\n  - name: a\n    url: file:///etc", "repositories[0].url: line 4: "},
		"branch and tag":               {"version: 1\nrepositories:\n  - name: a\n    url: https://x.example/a\n    branch: b\n    tag: c", "repositories[0]: line 3: A branch, a tag"},
		"statuses of an unknown host":  {"version: 1\nrepositories:\n  - name: a\n    url: https://x.example/a\n    key: k\n    commit_statuses: bitbucket", "repositories[0].commit_statuses: line 6: must be one of github, gitea, gitlab"},
		"statuses without a key":       {"version: 1\nrepositories:\n  - name: a\n    url: https://x.example/a\n    commit_statuses: github", "repositories[0].commit_statuses: line 5: needs a repository key"},
		"follow in a word":             {"version: 1\nrepositories:\n  - name: a\n    url: https://x.example/a\n    follow: stacks", "repositories[0].follow: line 5: must be a mapping"},
		"follow without what":          {"version: 1\nrepositories:\n  - name: a\n    url: https://x.example/a\n    follow: {remove: true}", "repositories[0].follow.what: line 5: is required: stacks, stacks_and_jobs"},
		"follow everything":            {"version: 1\nrepositories:\n  - name: a\n    url: https://x.example/a\n    follow: {what: all}", "repositories[0].follow.what: line 5: must be one of stacks, stacks_and_jobs"},
		"follow with more":             {"version: 1\nrepositories:\n  - name: a\n    url: https://x.example/a\n    follow: {what: stacks, paths: x}", "repositories[0].follow.paths: line 5: is not a known key"},
		"follow folders outside":       {"version: 1\nrepositories:\n  - name: a\n    url: https://x.example/a\n    follow: {what: stacks, folders: ../x}", "repositories[0].follow.folders: line 5: a pattern of folders"},
		"follow with a tag":            {"version: 1\nrepositories:\n  - name: a\n    url: https://x.example/a\n    follow: {what: stacks, worker_tags: [a b]}", "repositories[0].follow.worker_tags[0]: line 5: a tag has"},
		"the type of a key":            {"version: 1\nrepository_keys:\n  - name: a\n    type: token\n    host: x.example", "repository_keys[0].type: line 4: must be one of basic, ssh, oauth"},
		"a basic key of nobody":        {"version: 1\nrepository_keys:\n  - name: a\n    type: basic\n    host: x.example", "repository_keys[0].username: line 3: is required"},
		"a host without keys":          {"version: 1\nssh_hosts:\n  - address: a:22", "ssh_hosts[0].keys: line 3: is required"},
		"a setting that is none":       {"version: 1\nintegrations:\n  - slug: vault\n    settings:\n      address: 1", "integrations[0].settings.address: line 5: must be text"},
		"settings in a list":           {"version: 1\nintegrations:\n  - slug: vault\n    settings: [a]", "integrations[0].settings: line 4: must be a mapping"},
		"a role":                       {"version: 1\nusers:\n  - email: a@b\n    role: boss", "users[0].role: line 4: must be one of viewer"},
		"a flag":                       {"version: 1\njobs:\n  - name: a\n    repository: b\n    paused: sometimes", "jobs[0].paused: line 5: must be true or false"},
		"a list of numbers":            {"version: 1\njobs:\n  - name: a\n    repository: b\n    global_variables: [1]", "jobs[0].global_variables[0]: line 5: must be text"},
		"a variable of a job":          {"version: 1\njobs:\n  - name: a\n    repository: b\n    variables:\n      - name: X\n        value: ~", "jobs[0].variables[0]: line 6: needs a value"},
		"a policy that knows too much": {"version: 1\npolicies:\n  - for: all workers\n    block:\n      everything: true", "policies[0]: line 3: is not a policy"},
		"a policy that says nothing":   {"version: 1\npolicies:\n  - for: all workers\n    allow: {}", "policies[0]: line 3: narrows nothing"},
		"a policy that is a list":      {"version: 1\npolicies:\n  - for: all workers\n    allow: [a]", "policies[0]: line 3: is not a policy"},
		"an anchor":                    {"version: 1\nstacks: &a []\njobs: *a", "line 3: anchors and aliases are not read here"},
		"a key twice":                  {"version: 1\nversion: 1", `line 2: the key "version" is there twice`},
		"no mapping at all":            {"- 1", "line 1: the top level must be a mapping"},
	} {
		if _, err := readText(c.file); err == nil || !strings.Contains(fault.PublicOf(err), c.want) {
			t.Errorf("%s: it says %v, want %q", sentence, err, c.want)
		}
	}
}

func TestAllProblemsAreToldAtOnce(t *testing.T) {
	_, err := readText("version: 1\nstacks:\n  - name: Web\njobs:\n  - name: a\n    repository: b\n    paused: 3\nusers: 7\n")
	var f *fault.Error
	if !errors.As(err, &f) || f.Code != "configuration.invalid" || len(f.Fields) != 4 {
		t.Fatalf("it says %v", err)
	}
	if !strings.HasPrefix(f.Public, "the file has 4 problems:\nstacks[0].name: line 3") || !strings.Contains(f.Fields[3].Problem, "line 8") {
		t.Errorf("it says %s", f.Public)
	}
}

func TestAFileThatIsTooLargeIsRefused(t *testing.T) {
	if _, err := readText("version: 1\n#" + strings.Repeat("x", configuration.MaxFile)); fault.CodeOf(err) != "document.too_large" {
		t.Errorf("it says %v", err)
	}
}

// FuzzRead reads whatever comes. What is taken is written so that it is read as the same again.
func FuzzRead(f *testing.F) {
	p := install(f, databases["SQLite"])
	p.furnish()
	f.Add(p.export())
	for _, text := range []string{"", "version: 1", "version: 1\nstacks: [", "version: 1\nvariables:\n  - name: A\n    value: |+\n      a\n\n\n",
		"version: 1\nvariables:\n  - {name: A, value: \"\\u2028\\x07\\t- a: b\\n\\n  c\"}\n", "version: 1\nusers:\n  - {email: \"a\\u0085b\", role: admin}",
		"version: 1\nintegrations:\n  - {slug: \"y\", settings: {\"a: b\": \"- x\\n\\n y \\n\", \"1.5\": null}}", "version: 1\nworkers: [{name: \"no\", tags: [a]}]"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := readText(text)
		if err != nil {
			if fault.KindOf(err) != fault.Invalid && fault.KindOf(err) != fault.TooLarge {
				t.Fatalf("it says %v", err)
			}
			return
		}
		written := configuration.Write(c)
		again, err := readText(string(written))
		if err != nil {
			t.Fatalf("what was written is refused: %v\n%s", err, written)
		}
		if twice := configuration.Write(again); !bytes.Equal(written, twice) {
			t.Fatalf("it is written as\n%s\nand then as\n%s", written, twice)
		}
		for _, s := range configuration.Compare(c, again, true, nil).Steps {
			if s.Action != configuration.ActionKeep {
				t.Fatalf("%v differs, read again from\n%s", s, written)
			}
		}
	})
}
