package jobs

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"berth/core/fault"
	"berth/hub/adapter/yaml"
)

// read reads the text of a job.yaml as the hub does.
func read(t testing.TB, text string) (Definition, error) {
	t.Helper()
	doc, err := yaml.Reader{}.ReadDocument([]byte(text))
	if err != nil {
		return Definition{}, err
	}
	return ReadDefinition("jobs/backup/job.yaml", doc)
}

// least is the shortest job.yaml; it has six lines.
const least = "name: backup\nimage: alpine:3.20\nresources:\n  cpu: 1\n  memory: 64m\n  timeout: 10m\n"

// leastRead is what least says, with a change.
func leastRead(change func(*Definition)) Definition {
	d := Definition{Name: "backup", Image: "alpine:3.20", Timezone: "UTC", Mode: ModeOnce, Overlap: OverlapSkip, StartDeadline: time.Hour,
		Resources: Resources{CPU: 1, Memory: 64 << 20, Timeout: 10 * time.Minute}}
	if change != nil {
		change(&d)
	}
	return d
}

func TestReadDefinition(t *testing.T) {
	for sentence, c := range map[string]struct {
		add  string // to least
		want func(*Definition)
	}{
		"what is required is enough": {"", nil},
		"cron with a time zone":      {"cron: '15 3 * * 1-5'\ntimezone: Europe/Zurich\n", func(d *Definition) { d.Cron, d.Timezone = "15 3 * * 1-5", "Europe/Zurich" }},
		"text around it":             {"description: Saves the shop.\ngroup: night\n", func(d *Definition) { d.Description, d.Group = "Saves the shop.", "night" }},
		"every worker with tags":     {"mode: once_all\ntags: [eu, ssd]\n", func(d *Definition) { d.Mode, d.Tags = ModeOnceAll, []string{"eu", "ssd"} }},
		"a command of words":         {"command: [sh, -c, 'echo $HOME; exit 3', '']\n", func(d *Definition) { d.Command = []string{"sh", "-c", "echo $HOME; exit 3", ""} }},
		"a command of one text":      {"command: tar cf \"/out/a b.tar\" '$x'\n", func(d *Definition) { d.Command = []string{"tar", "cf", "/out/a b.tar", "$x"} }},
		"a command over lines":       {"command: >\n  tar cf\n  /out\n", func(d *Definition) { d.Command = []string{"tar", "cf", "/out"} }},
		"volumes": {"volumes: ['data:/data', '/srv/backup/:/backup/:ro', 'cache:/cache:rw']\n", func(d *Definition) {
			d.Volumes = []Volume{{"data", "/data", false}, {"/srv/backup", "/backup", true}, {"cache", "/cache", false}}
		}},
		"no network":      {"network: none\n", func(d *Definition) { d.Network = "none" }},
		"a named network": {"network: shop_default\n", func(d *Definition) { d.Network = "shop_default" }},
		"configs": {"configs:\n- {file: app.conf, target: /etc/app.conf}\n- file: ../shared/ca.pem\n  target: /ca.pem\n", func(d *Definition) {
			d.Configs = []Config{{"app.conf", "/etc/app.conf"}, {"../shared/ca.pem", "/ca.pem"}}
		}},
		"a way to overlap":           {"overlap: replace\n", func(d *Definition) { d.Overlap = OverlapReplace }},
		"a number of retries":        {"retries: 3\n", func(d *Definition) { d.Retries = Retries{3, 10 * time.Second} }},
		"no retries":                 {"retries: 0\n", nil},
		"retries with a pause":       {"retries: {count: 10, backoff: 1m}\n", func(d *Definition) { d.Retries = Retries{10, time.Minute} }},
		"a pause for no retries":     {"retries: {backoff: 1m}\n", func(d *Definition) { d.Retries = Retries{0, time.Minute} }},
		"how late it may begin":      {"start_deadline: 168h\n", func(d *Definition) { d.StartDeadline = 7 * 24 * time.Hour }},
		"nothing where a key stands": {"description:\ncron:\ntags:\ncommand:\nvolumes:\nconfigs:\nretries:\nnetwork:\n", nil},
	} {
		t.Run(sentence, func(t *testing.T) {
			got, err := read(t, least+c.add)
			if err != nil || !reflect.DeepEqual(got, leastRead(c.want)) {
				t.Errorf("got %+v, %v\nwant %+v", got, err, leastRead(c.want))
			}
			if bad := Refusals(got); err == nil && bad != nil {
				t.Errorf("what was read is refused: %v", bad)
			}
		})
	}
}

func TestReadDefinitionRefuses(t *testing.T) {
	for sentence, c := range map[string]struct{ add, path, says string }{
		"a misspelt key":             {"retrys: 3\n", "retrys", "line 7: is not a known key; known are name, description, cron"},
		"a misspelt key of retries":  {"retries: {number: 3}\n", "retries.number", "line 7: is not a known key"},
		"a misspelt key of a config": {"configs:\n- file: a\n  path: /a\n  target: /a\n", "configs[0].path", "line 9: is not a known key"},
		"four fields of cron":        {"\ncron: 0 3 * *\n", "cron", "line 8: it has 4 fields; five are read: minute, hour, day of the month, month, day of the week"},
		"hour 25":                    {"cron: 0 25 * * *\n", "cron", `line 7: the hour, "25": "25" is not a number from 0 to 23`},
		"cron as a number":           {"cron: 5\n", "cron", "line 7: must be text"},
		"a time zone that is none":   {"timezone: Europe/Zürich\n", "timezone", `line 7: "Europe/Zürich" is not the name of a time zone`},
		"the host's own time zone":   {"timezone: Local\n", "timezone", "is not the name of a time zone"},
		"a file of the host as zone": {"timezone: ../../../etc/passwd\n", "timezone", "is not the name of a time zone"},
		"a tag with a blank":         {"tags:\n- eu\n- a b\n", "tags[1]", "line 9: 1 to 64 letters"},
		"33 tags":                    {"tags: [a" + strings.Repeat(", a", 32) + "]\n", "tags", "line 7: at most 32"},
		"an unknown mode":            {"mode: twice\n", "mode", "line 7: must be one of once, once_all"},
		"an unknown overlap":         {"overlap: kill\n", "overlap", "line 7: must be one of skip, queue, replace"},
		"an open quote":              {"command: echo 'a\n", "command", "line 7: the quote ' is never closed"},
		"an open double quote":       {"command: 'echo \"a'\n", "command", "line 7: the quote \" is never closed"},
		"a backslash at the end":     {"command: 'echo a\\'\n", "command", `line 7: it ends with \`},
		"a number as a word":         {"command:\n- sleep\n- 5\n", "command[1]", "line 9: must be text; put numbers and the like in quotes"},
		"a mapping as command":       {"command: {a: b}\n", "command", "line 7: must be a list of words, or one text"},
		"too many words":             {"command: [" + strings.Repeat("a,", 1001) + "]\n", "command", "at most 1000 words"},
		"a volume without target":    {"volumes: [data]\n", "volumes[0]", "line 7: must be source:target"},
		"a volume of too many parts": {"volumes: ['a:/b:/c']\n", "volumes[0]", "must be source:target"},
		"a relative volume":          {"volumes:\n- ok:/ok\n- ./conf:/conf\n", "volumes[1]", "line 9: the source \"./conf\" is neither the name of a volume nor an absolute path of the host; name files of the repository under configs"},
		"a volume of the home":       {"volumes: ['~/x:/x']\n", "volumes[0]", "neither the name of a volume"},
		"a relative target":          {"volumes: ['a1:b']\n", "volumes[0]", `the target "b" is not an absolute path`},
		"the root as target":         {"volumes: ['a1:/x/..']\n", "volumes[0]", "is not an absolute path in the container"},
		"a volume as a mapping":      {"volumes: [{a: b}]\n", "volumes[0]", "must be a text of the form source:target"},
		"volumes as text":            {"volumes: a:/b\n", "volumes", "must be a list of at most 100 items"},
		"two at one target":          {"volumes: ['a1:/x', 'b1:/x/']\n", "volumes[1]", "something else is mounted at /x already"},
		"a config over a volume":     {"volumes: ['a1:/x']\nconfigs: [{file: a, target: /x}]\n", "configs[0].target", "line 8: something else is mounted at /x already"},
		"the engine's socket":        {"volumes:\n- /var/run/docker.sock:/s\n", "volumes[0]", "line 8: /var/run/docker.sock is a socket of the container engine"},
		"the host's root":            {"volumes: ['/:/host']\n", "volumes[0]", "line 7: / is, or contains, a folder of the host's system"},
		"the host's own network":     {"network: host\n", "network", "line 7: a job does not get the host's own network"},
		"another's network":          {"network: container:db\n", "network", "line 7: a job does not get the network of another container"},
		"an option as network":       {"network: --privileged\n", "network", "is not the name of a network"},
		"a config outside":           {"configs: [{file: /etc/passwd, target: /p}]\n", "configs[0].file", "line 7: must be a file of the repository"},
		"a config without file":      {"configs: [{target: /p}]\n", "configs[0].file", "must be a file of the repository"},
		"a config without target":    {"configs: [{file: a}]\n", "configs[0].target", "is not an absolute path"},
		"a config as text":           {"configs: [app.conf]\n", "configs[0]", "must be a mapping"},
		"nothing as a config":        {"configs: [null]\n", "configs[0]", "must be a mapping of file and target"},
		"11 retries":                 {"retries: 11\n", "retries", "line 7: must be from 0 to 10"},
		"less than no retries":       {"retries: {count: -1}\n", "retries.count", "line 7: must be from 0 to 10"},
		"retries as text":            {"retries: often\n", "retries", "must be a number from 0 to 10"},
		"a pause of two hours":       {"retries: {count: 1, backoff: 2h}\n", "retries.backoff", "from 1s to 1h"},
		"a deadline of eight days":   {"start_deadline: 192h\n", "start_deadline", "line 7: must be a duration such as 90s, 3m or 1h, from 1s to 168h"},
		"a number as a deadline":     {"start_deadline: 60\n", "start_deadline", "with its unit"},
		"a long description":         {"description: " + strings.Repeat("x", 2001) + "\n", "description", "at most 2000"},
	} {
		t.Run(sentence, func(t *testing.T) {
			got, err := read(t, least+c.add)
			var f *fault.Error
			if !errors.As(err, &f) || f.Kind != fault.Invalid || f.Code != "job.invalid" || !reflect.DeepEqual(got, Definition{}) {
				t.Fatalf("got %+v, %v", got, err)
			}
			if len(f.Fields) != 1 || f.Fields[0].Path != c.path || !strings.Contains(f.Fields[0].Problem, c.says) {
				t.Errorf("complaints are %+v; want one about %s that says %q", f.Fields, c.path, c.says)
			}
			if !strings.HasPrefix(f.Public, "jobs/backup/job.yaml: "+c.path+": line ") {
				t.Errorf("it says %q", f.Public)
			}
		})
	}
}

func TestWhatIsNoDocumentSaysTheLine(t *testing.T) {
	for sentence, c := range map[string]struct{ text, says string }{
		"several documents": {least + "---\n" + least, "line 7: a second document begins here; one is read"},
		"a tab":             {least + "tags:\n\t- a\n", "line 8: found character"},
		"a key twice":       {least + "image: alpine\n", `line 7: the key "image" is there twice`},
		"an anchor":         {least + "tags: &a [x]\nvolumes: *a\n", "line 8: anchors"},
		"a list on top":     {"- name: a\n", "line 1: the top level must be a mapping"},
	} {
		if _, err := read(t, c.text); fault.CodeOf(err) != "document.invalid" || !strings.Contains(fault.PublicOf(err), c.says) {
			t.Errorf("%s: %v, want %q", sentence, err, c.says)
		}
	}
}

func TestReadDefinitionSaysWhatIsRequired(t *testing.T) {
	for sentence, c := range map[string]struct{ text, want string }{
		"nothing":             {"tags: []\n", "name image resources.cpu resources.memory resources.timeout"},
		"empty texts":         {"name: ''\nimage: ''\nresources: {}\n", "name image resources.cpu resources.memory resources.timeout"},
		"no memory":           {"name: a\nimage: a\nresources: {cpu: 1, timeout: 1m}\n", "resources.memory"},
		"no timeout":          {"name: a\nimage: a\nresources: {cpu: 1, memory: 64m}\n", "resources.timeout"},
		"a timeout of 0":      {"name: a\nimage: a\nresources: {cpu: 1, memory: 64m, timeout: 0s}\n", "resources.timeout"},
		"resources as a list": {"name: a\nimage: a\nresources: []\n", "resources resources.cpu resources.memory resources.timeout"},
		"all that is wrong at once": {"zzz: 1\nname: 7\ncron: x\ntimezone: y\nmode: z\nimage: '-v'\ncommand: \"'\"\nvolumes: [a]\nnetwork: host\nconfigs: [b]\nresources: {cpu: 0, memory: 1k, timeout: 9d}\n",
			"zzz name cron timezone mode image command volumes[0] network configs[0] resources.cpu resources.memory resources.timeout"},
	} {
		_, err := read(t, c.text)
		var f *fault.Error
		if !errors.As(err, &f) {
			t.Errorf("%s: %v", sentence, err)
			continue
		}
		var paths []string
		for _, field := range f.Fields {
			paths = append(paths, field.Path)
			if !strings.HasPrefix(field.Problem, "line ") && strings.Contains(c.text, strings.SplitN(field.Path, ".", 2)[0]+":") {
				t.Errorf("%s: the complaint about %s has no line: %s", sentence, field.Path, field.Problem)
			}
		}
		if got := strings.Join(paths, " "); got != c.want {
			t.Errorf("%s: complaints are about %s, want %s", sentence, got, c.want)
		}
	}
}

// FuzzReadDefinition: whatever a committer writes, the answer is a definition that the policy lets pass and whose
// schedule can be read, or a fault that names fields.
func FuzzReadDefinition(f *testing.F) {
	for _, add := range []string{"", "cron: '@daily'\ntimezone: Asia/Kolkata\n", "volumes: ['a1:/b', '/srv/x/../y:/c:ro']\n", "command: a 'b' \"c\\\"\" \\d\n", "retries: {count: 2}\n",
		"configs: [{file: ../a, target: /a}]\n", "network: none\n", "cron: 1-5/2,7 */3 1,31 feb-mar sat-sun\n", "volumes: ['/var/./lib//docker:/x']\n"} {
		f.Add(least + add)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := read(t, text)
		if err != nil {
			if code := fault.CodeOf(err); code != "job.invalid" && code != "document.invalid" && code != "document.too_large" {
				t.Fatalf("got %v", err)
			}
			return
		}
		if bad := Refusals(d); bad != nil {
			t.Fatalf("%+v was read and is refused: %v", d, bad)
		}
		s, err := d.Schedule()
		if err != nil || d.Cron != "" && s.Next(time.Unix(0, 0)).IsZero() {
			t.Fatalf("%q in %s is never due, %v", d.Cron, d.Timezone, err)
		}
		if d.Retries.Count < 0 || d.Retries.Count > MaxRetries || d.StartDeadline < time.Second || len(d.Tags) > maxTags {
			t.Fatalf("accepted %+v", d)
		}
	})
}
