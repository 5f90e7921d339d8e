package stacks

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"berth/core"
)

// projectFrom decodes a Compose file written in JSON.
func projectFrom(t *testing.T, text string) Project {
	t.Helper()
	p := Project{Manifest: DefaultManifest()}
	if err := json.Unmarshal([]byte(text), &p.Compose); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return p
}

// runs is a container that was made from revision 1 and runs.
func runs(service string) ContainerState {
	return ContainerState{Service: service, Container: "demo-" + service + "-1", ContainerID: service, Image: "a", State: "running", Revision: 1}
}

// fates writes what would become of each compose service that is not left alone.
func fates(services []PlannedService) string {
	var all []string
	for _, s := range services {
		if s.Action == PlanLeave && len(s.Reasons) == 0 {
			continue
		}
		var why []string
		for _, r := range s.Reasons {
			why = append(why, string(r.Kind)+" "+r.Name)
		}
		all = append(all, s.Service+": "+string(s.Action)+" ("+strings.Join(why, ", ")+")")
	}
	return strings.Join(all, "; ")
}

func TestWhatAPlanFollowsFrom(t *testing.T) {
	const one = `{"services":{"web":{"image":"a"}}}`
	cases := map[string]struct {
		before, after string
		prepare       func(in *PlanInput)
		want          string
	}{
		"nothing changed":           {one, one, nil, ""},
		"an image":                  {one, `{"services":{"web":{"image":"b"}}}`, nil, "web: recreate (field image)"},
		"what does not count":       {one, `{"services":{"web":{"image":"a","pull_policy":"always","profiles":["x"],"depends_on":{"x":{}}}}}`, nil, ""},
		"a null that was not there": {one, `{"services":{"web":{"image":"a","networks":{"default":null}}}}`, nil, "web: recreate (field networks.default)"},
		"a list in another order":   {`{"services":{"web":{"volumes":[{"target":"/a"},{"target":"/b"}]}}}`, `{"services":{"web":{"volumes":[{"target":"/b"},{"target":"/a"}]}}}`, nil, "web: recreate (field volumes)"},
		"a port":                    {`{"services":{"web":{"ports":[{"target":80,"published":"1"}]}}}`, `{"services":{"web":{"ports":[{"target":80,"published":"2"}]}}}`, nil, "web: recreate (field ports)"},
		"a compose service less":    {`{"services":{"web":{},"old":{}}}`, `{"services":{"web":{}}}`, func(in *PlanInput) { in.Containers = append(in.Containers, runs("old")) }, "old: remove (field service)"},
		"one less that may stay":    {`{"services":{"web":{},"old":{}}}`, `{"services":{"web":{}}}`, func(in *PlanInput) { in.Containers, in.RemoveOrphans = append(in.Containers, runs("old")), false }, "old: leave (field service)"},
		"an older revision made it": {one, one, func(in *PlanInput) {
			in.Containers[0].Revision, in.Made[7] = 7, Project{Compose: map[string]any{"services": map[string]any{"web": map[string]any{"image": "old"}}}}
		}, "web: recreate (field image)"},
		"nobody knows what made it":       {one, one, func(in *PlanInput) { in.Made, in.Base = nil, Project{} }, "web: recreate (container container)"},
		"an unkept revision made it":      {one, one, func(in *PlanInput) { in.Containers[0].Revision = 9 }, ""},
		"a hand changed it":               {one, one, func(in *PlanInput) { in.Containers[0].Changed = []string{"memory limit", "image"} }, "web: recreate (container memory limit, container image)"},
		"it is gone":                      {one, one, func(in *PlanInput) { in.Containers = nil }, "web: create (container container)"},
		"it was stopped":                  {one, one, func(in *PlanInput) { in.Containers[0].State = "exited" }, "web: start (container demo-web-1)"},
		"the engine restarts it":          {one, one, func(in *PlanInput) { in.Containers[0].State = "restarting" }, ""},
		"it was never started":            {one, one, func(in *PlanInput) { in.Containers[0].State = "created" }, "web: recreate (container demo-web-1)"},
		"everything is asked for anew":    {one, one, func(in *PlanInput) { in.Options.RecreateContainers = true }, "web: recreate (option recreate_containers)"},
		"the worker may not be asked":     {one, one, func(in *PlanInput) { in.Options.RecreateVolumes, in.Containers = true, nil }, "web: create (container container)"},
		"a secret variable":               {one, one, func(in *PlanInput) { in.secret("TOKEN", "f1", "f2") }, "web: recreate (variable TOKEN)"},
		"a secret that cannot be had":     {one, one, func(in *PlanInput) { in.secret("TOKEN", "f1", "") }, ""},
		"a secret that stays":             {one, one, func(in *PlanInput) { in.secret("TOKEN", "f1", "f1") }, ""},
		"a network under another name":    {`{"services":{"web":{"networks":{"n":null}}},"networks":{"n":{"name":"x"}}}`, `{"services":{"web":{"networks":{"n":null}}},"networks":{"n":{"name":"y","external":true}}}`, nil, "web: recreate (network n)"},
		"a volume that is now external":   {`{"services":{"web":{"volumes":[{"type":"volume","source":"v","target":"/v"}]}},"volumes":{"v":{"name":"x"}}}`, `{"services":{"web":{"volumes":[{"type":"volume","source":"v","target":"/v"}]}},"volumes":{"v":{"name":"y","external":true}}}`, nil, "web: recreate (volume v)"},
		"a volume that is not any more":   {`{"services":{"web":{"volumes":[{"type":"volume","source":"v","target":"/v"}]}},"volumes":{"v":{"name":"x","external":true}}}`, `{"services":{"web":{"volumes":[{"type":"volume","source":"v","target":"/v"}]}},"volumes":{"v":{"name":"y"}}}`, nil, ""},
		"a circle":                        {`{"services":{"web":{"ipc":"service:web"}}}`, `{"services":{"web":{"ipc":"service:web","image":"b"}}}`, nil, "web: recreate (field image)"},
		"the first deployment of a stack": {`{}`, one, func(in *PlanInput) { in.Base, in.Made, in.Containers = Project{}, nil, nil }, "web: create (field service)"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			before := projectFrom(t, c.before)
			in := PlanInput{Next: projectFrom(t, c.after), Base: before, Made: map[int]Project{1: before}, Containers: []ContainerState{runs("web")}, RemoveOrphans: true}
			if c.prepare != nil {
				c.prepare(&in)
			}
			services, _ := PlanServices(in)
			if got := fates(services); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if quiet := !slices.ContainsFunc(services, func(s PlannedService) bool { return s.Action != PlanLeave }); UpToDate(services) != quiet {
				t.Errorf("up to date: %v", !quiet)
			}
		})
	}
}

// secret gives the one compose service a secret variable with these fingerprints.
func (in *PlanInput) secret(name, before, after string) {
	give := func(p Project, print string) Project {
		p.Services = []core.ComposeService{{Name: "web", Variables: []string{name}}}
		p.Variables = []Fingerprint{{Name: name, Fingerprint: print}}
		return p
	}
	in.Base, in.Next = give(in.Base, before), give(in.Next, after)
	in.Made[1] = in.Base
}

func TestVolumesThatAreKeptAreToldOf(t *testing.T) {
	const file = `{"services":{},"volumes":{"data":{"name":"x","labels":{"a":"%"}}}}`
	before, after := projectFrom(t, strings.Replace(file, "%", "1", 1)), projectFrom(t, strings.Replace(file, "%", "2", 1))
	if _, warnings := PlanServices(PlanInput{Base: before, Next: after}); len(warnings) != 1 || !strings.Contains(warnings[0], "volume data is defined otherwise now") {
		t.Errorf("warned %q", warnings)
	}
	if _, warnings := PlanServices(PlanInput{Base: before, Next: after, Options: DeployOptions{RecreateVolumes: true}}); len(warnings) != 0 {
		t.Errorf("with recreate_volumes: %q", warnings)
	}
}

func TestPlansShowNoSecrets(t *testing.T) {
	cases := map[string]struct{ name, value, want string }{
		"a reference":               {"environment.DB_PASSWORD", "${DB_PASSWORD}", "${DB_PASSWORD}"},
		"a reference among text":    {"environment.URL", "postgres://app:${PASSWORD}@db/app", "postgres://app:${PASSWORD}@db/app"},
		"written out":               {"environment.DB_PASSWORD", "hunter2", hidden},
		"written out, in part":      {"environment.API_KEY", "${A}hunter2", hidden},
		"a file's name":             {"environment.DB_PASSWORD_FILE", "/run/secrets/db", "/run/secrets/db"},
		"in an address":             {"environment.URL", "postgres://app:hunter2@db/app", "postgres://app:" + hidden + "@db/app"},
		"an argument":               {"command", "serve --password=hunter2 -v", "serve --password=" + hidden + " -v"},
		"an argument of its own":    {"command", "serve --token hunter2", "serve --token " + hidden},
		"in JSON":                   {"x", `{"DB_PASSWORD":"hunter2","A":"1"}`, `{"DB_PASSWORD":"` + hidden + `","A":"1"}`},
		"an escaped dollar":         {"environment.A", "$$HOME", "$HOME"},
		"a config's text":           {"configs.app.content", "password: hunter2", digestText("password: hunter2")},
		"a folder of the stack":     {"volumes./data.source", core.StateRoot + "data", "./data"},
		"the stack's folder itself": {"volumes./data.source", core.StateRoot + ".", "./."},
		"several lines":             {"environment.A", "a\nb\x1b[31m", "a b [31m"},
		"nothing":                   {"environment.A", "", `""`},
		"much":                      {"environment.A", strings.Repeat("ü", 500), strings.Repeat("ü", maxShown-1) + "…"},
	}
	for name, c := range cases {
		if got := leafText(c.name, c.value); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestFilesAreNamedByTheirPathInTheRepository(t *testing.T) {
	content := func(digest, source string, files ...core.ContentFile) core.Content {
		return core.Content{Digest: digest, Source: source, Files: files}
	}
	project := func(source string, contents ...core.Content) Project {
		p := projectFrom(t, `{"services":{"web":{"volumes":[{"type":"bind","source":"`+source+`","target":"/site"}]}}}`)
		p.Content = contents
		return p
	}
	before := project(core.ContentRoot+"d1/site", content("d1", "web/site", core.ContentFile{Path: "site/a.html", Digest: "aaaa"}, core.ContentFile{Path: "site/gone", Digest: "gggg"},
		core.ContentFile{Path: "site/run.sh", Digest: "rrrr"}), content("d1", "other/site"))
	after := project(core.ContentRoot+"d2/site", content("d2", "web/site", core.ContentFile{Path: "site/a.html", Digest: "bbbb"}, core.ContentFile{Path: "site/new", Digest: "nnnn"},
		core.ContentFile{Path: "site/run.sh", Digest: "rrrr", Executable: true}))
	want := []Reason{{ReasonFile, "web/site/a.html", "sha256:aaaa", "sha256:bbbb", ""}, {ReasonFile, "web/site/gone", "sha256:gggg", "", ""}, {ReasonFile, "web/site/new", "", "sha256:nnnn", ""},
		{ReasonFile, "web/site/run.sh", "sha256:rrrr", "sha256:rrrr, executable", ""}}
	if got := (comparison{before, after}).service("web"); !slices.Equal(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	elsewhere := project(core.ContentRoot+"d3/site", content("d3", "other/site"))
	want = []Reason{{ReasonField, "volumes./site.source", "web/site", "other/site", ""}}
	if got := (comparison{project(core.ContentRoot+"d1/site", before.Content[0]), elsewhere}).service("web"); !slices.Equal(got, want) {
		t.Errorf("another folder: got %+v", got)
	}
}

func TestProjectChanges(t *testing.T) {
	before := projectFrom(t, `{"services":{"old":{"image":"o"},"web":{"image":"a","scale":1,"depends_on":{"old":{"restart":true}},"environment":{"A":"1","B":"2"}}},"networks":{"default":{"name":"x"}}}`)
	after := projectFrom(t, `{"services":{"new":{"image":"n"},"web":{"image":"b","scale":2,"environment":{"A":"1","C":"3"}}},"networks":{"default":{"name":"x","driver":"bridge"}}}`)
	for p, print := range map[*Project]string{&before: "f1", &after: "f2"} {
		p.Services, p.Variables = []core.ComposeService{{Name: "web", Variables: []string{"TOKEN"}}}, []Fingerprint{{"TOKEN", print}}
	}
	after.Manifest.SelfHeal, after.Manifest.StableFor = true, time.Minute
	want := []RevisionChange{
		{ChangeServiceAdded, "new", "new", "", "n", ""}, {ChangeServiceRemoved, "old", "old", "o", "", ""},
		{ChangeField, "web", "depends_on.old.restart", "true", "", ""}, {ChangeField, "web", "environment.B", "2", "", ""}, {ChangeField, "web", "environment.C", "", "3", ""},
		{ChangeField, "web", "image", "a", "b", ""}, {ChangeField, "web", "scale", "1", "2", ""}, {ChangeVariable, "web", "TOKEN", "another value", "a new value", ""},
		{ChangeField, "", "networks.default.driver", "", "bridge", ""},
		{ChangeManifest, "", "deploy.stable_for", "0s", "1m0s", ""}, {ChangeManifest, "", "sync.self_heal", "false", "true", ""},
	}
	if got := ProjectChanges(before, after); !slices.Equal(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if got := ProjectChanges(after, after); len(got) != 0 || got == nil {
		t.Errorf("the same: %+v", got)
	}
}
