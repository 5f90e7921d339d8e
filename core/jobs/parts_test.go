package jobs

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"berth/core/fault"
)

func TestOnlyNamesOfImagesPass(t *testing.T) {
	digest := "sha256:" + strings.Repeat("a", 64)
	for _, image := range []string{"alpine", "alpine:3.20", "library/alpine:latest", "ghcr.io/acme/backup:1.4", "localhost:5000/a", "Registry.example.org/a/b_c/d--e:V1_2.3",
		"alpine@" + digest, "alpine:3.20@" + digest, "[::1]:5000/a", "a__b.c-d", strings.Repeat("a", 255), "127.0.0.1:5000/x:y"} {
		if problem := imageProblem(image); problem != "" {
			t.Errorf("%s", problem)
		}
	}
	for image, says := range map[string]string{
		"":                              "is not the name",
		"--privileged":                  "options of the engine are not passed on",
		"-v":                            "options",
		"-v /:/host alpine":             "options",
		"alpine --privileged":           "stands under command",
		"alpine\n":                      "stands under command",
		"Alpine":                        "in lower case",
		"ghcr.io/Acme/backup":           "in lower case",
		"alpine:":                       "is not the name",
		"alpine:-x":                     "is not the name",
		":3.20":                         "is not the name",
		"alpine@sha256:abc":             "is not the name",
		"alpine@" + digest + "0":        "is not the name",
		"alpine@md5:" + "x":             "is not the name",
		"a//b":                          "is not the name",
		"/alpine":                       "is not the name",
		"alpine/":                       "is not the name",
		"https://ghcr.io/a":             "is not the name",
		"../a":                          "is not the name",
		"a..b":                          "is not the name",
		"a___b":                         "is not the name",
		"größe":                         "is not the name",
		"alpine;id":                     "is not the name",
		"$(id)":                         "is not the name",
		"a\x00":                         "is not the name",
		strings.Repeat("a", 64):         "is not the name", // the id of an image of the host
		strings.Repeat("a", 256):        "is not the name",
		"a:" + strings.Repeat("1", 129): "is not the name",
	} {
		if problem := imageProblem(image); !strings.Contains(problem, says) {
			t.Errorf("%q: %q, want %q", image, problem, says)
		}
	}
}

func TestACommandIsSplitIntoWords(t *testing.T) {
	for text, want := range map[string][]string{
		"":                       nil,
		"  \t\n":                 nil,
		"a":                      {"a"},
		" a  b\tc\nd\r\n":        {"a", "b", "c", "d"},
		`'a b' "c d"`:            {"a b", "c d"},
		`a'b c'd"e f"g`:          {"ab cde fg"},
		`'' ""`:                  {"", ""},
		`'\' "\\" "\"" "\n\$"`:   {`\`, `\`, `"`, `\n\$`},
		`a\ b \' \" \\ \ü`:       {"a b", "'", `"`, `\`, "ü"},
		`"it's" 'say "x"'`:       {"it's", `say "x"`},
		"$HOME `id` $(id) * ~":   {"$HOME", "`id`", "$(id)", "*", "~"},
		"a && b | c > d; e #f":   {"a", "&&", "b", "|", "c", ">", "d;", "e", "#f"},
		"größe 値":                {"größe", "値"},
		"--privileged -v /:/h":   {"--privileged", "-v", "/:/h"},
		"sh -c 'echo \"$A\"; b'": {"sh", "-c", `echo "$A"; b`},
	} {
		got, err := splitWords(text)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
	}
}

// FuzzSplitWords: words that are quoted come back as they were, and text never leads to a panic.
func FuzzSplitWords(f *testing.F) {
	f.Add("a b", "c'd")
	f.Add(`"\`, "\\\"'")
	f.Fuzz(func(t *testing.T, a, b string) {
		_, _ = splitWords(a)
		quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
		words, err := splitWords(quote(a) + " " + quote(b))
		if err != nil || !reflect.DeepEqual(words, []string{a, b}) {
			t.Errorf("%q and %q became %q, %v", a, b, words, err)
		}
		quote = func(s string) string { return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"` }
		if words, err = splitWords(quote(a) + quote(b)); err != nil || !reflect.DeepEqual(words, []string{a + b}) {
			t.Errorf("%q before %q became %q, %v", a, b, words, err)
		}
	})
}

func TestMemoryIsReadAsTheEngineDoes(t *testing.T) {
	for text, want := range map[string]int64{
		"6m": 6 << 20, "256m": 256 << 20, "256M": 256 << 20, "256Mi": 256 << 20, "256MiB": 256 << 20, "256mb": 256 << 20, "1g": 1 << 30, "1.5g": 3 << 29, "64t": 64 << 40,
		"10000000": 10_000_000, "10000000b": 10_000_000, "8192k": 8 << 20, "8192Ki": 8 << 20,
		"": 0, "g": 0, "1x": 0, "1gg": 0, "1bi": 0, "1.2.3g": 0, ".5g": 0, "-1g": 0, "+1g": 0, "1e9": 0, "0x10": 0, "1 g": 0, "inf": 0, "nan": 0, "65t": 0, "99999999999999999999": 0, "1_000m": 0,
	} {
		if got := readMemory(text); got != want {
			t.Errorf("%q is %d bytes, want %d", text, got, want)
		}
	}
}

func TestProcessorsAreReadWholeInPartsAndInThousandths(t *testing.T) {
	for text, want := range map[string]float64{"1": 1, "0.5": 0.5, "'0.5'": 0.5, "500m": 0.5, "10m": 0.01, "1024": 1024, "'2'": 2} {
		got, err := read(t, strings.Replace(least, "cpu: 1", "cpu: "+text, 1))
		if err != nil || got.Resources.CPU != want {
			t.Errorf("%s: %v, %v", text, got.Resources.CPU, err)
		}
	}
	for _, text := range []string{"0", "-1", "9m", "1025", "all", "[1]", "true", "1e3m", "1,5", "''"} {
		if got, err := read(t, strings.Replace(least, "cpu: 1", "cpu: "+text, 1)); fault.CodeOf(err) != "job.invalid" || !strings.Contains(fault.PublicOf(err), "resources.cpu: line 4") {
			t.Errorf("%s: %v, %v", text, got.Resources.CPU, err)
		}
	}
}

func TestNoRunGetsTheHost(t *testing.T) {
	for _, source := range []string{"/", "//", "/etc", "/etc/", "/etc/shadow", "/proc", "/proc/1", "/sys/fs", "/dev", "/dev/sda", "/run", "/run/docker.sock", "/var/run/docker.sock", "/var/run",
		"/var", "/var/lib", "/var/lib/docker", "/var/lib/docker/volumes/x", "/boot", "/root", "/root/.ssh", "/root/.ssh/id", "/home/ada/.ssh", "/srv/../etc", "/srv/../../", "/./etc/.", "/usr", "/usr/bin",
		"/srv/docker.sock", "/srv/podman.sock", "/lib/modules", "/var/spool", "/usr/local"} {
		d := leastRead(func(d *Definition) { d.Volumes = []Volume{{Source: source, Target: "/x"}} })
		if bad := Refusals(d); len(bad) == 0 || bad[0].Path != "volumes[0]" {
			t.Errorf("%s passes: %v", source, bad)
		}
		if _, err := read(t, least+"volumes: ['"+source+":/x']\n"); fault.CodeOf(err) != "job.invalid" {
			t.Errorf("%s is read: %v", source, err)
		}
	}
	for _, source := range []string{"/srv", "/srv/backup", "/home", "/home/ada", "/opt/x", "/mnt/disk", "/data", "/var/log", "/var/backups", "/etcetera", "/procedures", "/srv/etc", "/var/lib/postgresql", "/tmp/x"} {
		if bad := Refusals(leastRead(func(d *Definition) { d.Volumes = []Volume{{Source: source, Target: "/x"}} })); bad != nil {
			t.Errorf("%s is refused: %v", source, bad)
		}
	}
}

func TestTheWorkerRefusesWhatNoReadingLetsPass(t *testing.T) {
	for sentence, c := range map[string]struct {
		change func(*Definition)
		path   string
	}{
		"an option as image":         {func(d *Definition) { d.Image = "--privileged" }, "image"},
		"no image":                   {func(d *Definition) { d.Image = "" }, "image"},
		"NUL in a word":              {func(d *Definition) { d.Command = []string{"a\x00"} }, "command"},
		"a volume with a third part": {func(d *Definition) { d.Volumes = []Volume{{Source: "a1", Target: "/x:rshared"}} }, "volumes[0]"},
		"a path that is not clean":   {func(d *Definition) { d.Volumes = []Volume{{Source: "/srv/../srv", Target: "/x"}} }, "volumes[0]"},
		"a relative source":          {func(d *Definition) { d.Volumes = []Volume{{Source: "../x", Target: "/x"}} }, "volumes[0]"},
		"no source":                  {func(d *Definition) { d.Volumes = []Volume{{Target: "/x"}} }, "volumes[0]"},
		"the root as target":         {func(d *Definition) { d.Volumes = []Volume{{Source: "a1", Target: "/"}} }, "volumes[0]"},
		"a config of the host":       {func(d *Definition) { d.Configs = []Config{{"/etc/shadow", "/x"}} }, "configs[0].file"},
		"a config without target":    {func(d *Definition) { d.Configs = []Config{{"a", ""}} }, "configs[0].target"},
		"the host's network":         {func(d *Definition) { d.Network = "host" }, "network"},
		"the network of a container": {func(d *Definition) { d.Network = "container:x" }, "network"},
		"no processor":               {func(d *Definition) { d.Resources.CPU = 0 }, "resources"},
		"too many processors":        {func(d *Definition) { d.Resources.CPU = 1e9 }, "resources"},
		"no memory":                  {func(d *Definition) { d.Resources.Memory = 0 }, "resources"},
		"no timeout":                 {func(d *Definition) { d.Resources.Timeout = 0 }, "resources"},
		"a timeout of eight days":    {func(d *Definition) { d.Resources.Timeout = 8 * 24 * time.Hour }, "resources"},
	} {
		if bad := Refusals(leastRead(c.change)); len(bad) != 1 || bad[0].Path != c.path {
			t.Errorf("%s: %v, want one about %s", sentence, bad, c.path)
		}
	}
}

func TestConfigsStayInTheRepository(t *testing.T) {
	for _, c := range []struct{ folder, file, want string }{
		{"jobs/backup", "app.conf", "jobs/backup/app.conf"}, {"jobs/backup", "../shared/ca.pem", "jobs/shared/ca.pem"}, {"jobs/backup", "../../ca.pem", "ca.pem"},
		{"", "app.conf", "app.conf"}, {"a", "./b/../c", "a/c"}, {"a", "..b", "a/..b"},
		{"jobs/backup", "../../../ca.pem", ""}, {"", "../a", ""}, {"a", "..", ""}, {"a", "../..", ""}, {"a", "/etc/passwd", ""}, {"", "", ""}, {"a", "b/", ""}, {"a", "b\x00", ""}, {"a", `..\b`, ""}, {"", ".", ""},
	} {
		got, err := ConfigPath(c.folder, c.file)
		if got != c.want || (err != nil) != (c.want == "") || err != nil && fault.CodeOf(err) != "job.invalid" {
			t.Errorf("%s in %q: %q, %v; want %q", c.file, c.folder, got, err, c.want)
		}
	}
}
