package hostile_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"berth/core"
)

const most = 64 << 20 // bytes that a bomb may take (R6)

// aliases is a file whose aliases stand for 9^8 values.
func aliases(form string) string {
	lines := []string{"x0: &x0 {a: b}"}
	for i := 1; i < 10; i++ {
		lines = append(lines, fmt.Sprintf("x%d: &x%d "+form, i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*x%d, ", i-1), 9), ", ")))
	}
	return strings.Join(append(lines, web()), "\n")
}

// bombs are files that are small as written and endless as read.
var bombs = map[string]hostile{
	"9^8 aliases":                  {compose: aliases("[%s]"), code: "compose.too_large", says: "with aliases and extends expanded"},
	"9^8 merge keys":               {compose: aliases("{<<: [%s]}"), code: "compose.too_large", says: "with aliases and extends expanded"},
	"100,000 levels of lists":      {compose: "x: " + strings.Repeat("[", 100_000), code: "compose.invalid"},
	"100,000 levels of mappings":   {compose: "x: " + strings.Repeat("{a: ", 100_000), code: "compose.invalid"},
	"two documents":                {compose: web() + "---\n" + web(), code: "compose.invalid", says: "a second YAML document"},
	"a key twice":                  {compose: web("image: b"), code: "compose.invalid", says: "already set on line 3"},
	"a text of 100 MB":             {compose: "x: " + strings.Repeat("a", 100<<20), code: "compose.too_large", says: "larger than 1024 KiB"},
	"a text of 1 MB in a file":     {compose: "x: " + strings.Repeat("a", 1<<20-100) + "\n" + web(), code: "compose.too_large", says: "a text of more than 512 KiB"},
	"invalid UTF-8":                {compose: web("command: \"\xff\xfe\""), code: "compose.invalid", says: "not UTF-8"},
	"tabs":                         {compose: "services:\n\tweb: {image: a}\n", code: "compose.invalid", says: ":2"},
	"an alias of itself":           {compose: "x: &a [*a]\n" + web(), code: "compose.invalid", says: "contains itself"},
	"a merge key of itself":        {compose: "x: &a {<<: *a}\n" + web(), code: "compose.invalid", says: "contains itself"},
	"a tag that makes objects":     {compose: web("command: !!python/object/apply:os.system [id]"), code: "compose.invalid", says: "is not allowed"},
	"an env_file of 100 MB":        {compose: web("env_file: e"), files: map[string]string{"e": "A=" + strings.Repeat("a", 100<<20)}, code: "compose.too_large", says: "larger than 256 KiB"},
	"an interpolation of 50,000":   {compose: web("command: [\"" + strings.Repeat("${A:-}", 50_000) + "\"]"), code: "compose.too_large", says: "interpolation"},
	"nested defaults":              {compose: web("command: \"" + strings.Repeat("${A:-", 2000) + "x" + strings.Repeat("}", 2000) + "\""), code: "compose.too_large", says: "interpolation"},
	"an env_file that doubles":     {compose: web("env_file: e"), files: map[string]string{"e": doubling()}, code: "compose.too_large", says: "interpolation"},
	"a mounted file of 100 MB":     {compose: web("volumes: ['./big:/x:ro']"), files: map[string]string{"big": strings.Repeat("b", 100<<20)}, code: "compose.too_large", says: "64 MiB"},
	"R31 1,000 services":           {compose: services(1000), code: "compose.too_large", says: "more than 200 compose services"},
	"R31 10,000 ports":             {compose: web("ports: [" + strings.Repeat("'80',", 10_000) + "]"), code: "compose.too_large", says: "port ranges"},
	"R31 a range of 65,000 ports":  {compose: web("ports: ['1-65000:1-65000']"), code: "compose.too_large", says: "port ranges"},
	"R31 a label of 1 MB":          {compose: web("labels: {a: " + strings.Repeat("x", 1_000_000) + "}"), code: "compose.too_large", says: "a text of more than 512 KiB"},
	"R31 two billion replicas":     {compose: web("scale: 2000000000"), code: "compose.too_large", says: "500 containers"},
	"R31 100,000 values":           {compose: "x: [" + strings.Repeat("1,", 100_000) + "]\n" + web(), code: "compose.too_large", says: "50000 values"},
	"R31 10,001 mounted files":     {compose: web("volumes: ['./many:/x:ro']"), files: manyFiles(10_001), code: "compose.too_large", says: "10000 files"},
	"R31 extends of a large one":   {compose: extended(), code: "compose.too_large", says: "with aliases and extends expanded"},
	"R31 a secret as many aliases": {compose: "x: &a \"${S}\"\n" + web("command: ["+strings.Repeat("*a, ", 60_000)+"]"), code: "compose.too_large"},
}

func doubling() string {
	lines := []string{"A0=" + strings.Repeat("x", 1000)}
	for i := 1; i < 40; i++ {
		lines = append(lines, fmt.Sprintf("A%d=${A%d}${A%d}", i, i-1, i-1))
	}
	return strings.Join(lines, "\n")
}

func services(n int) string {
	var b strings.Builder
	b.WriteString("services:\n")
	for i := range n {
		fmt.Fprintf(&b, "  s%d: {image: x}\n", i)
	}
	return b.String()
}

func extended() string {
	lines := []string{"services:", "  base:", "    image: x", "    command: [" + strings.Repeat("a,", 10_000) + "]"}
	for i := range 150 {
		lines = append(lines, fmt.Sprintf("  s%d: {extends: base}", i))
	}
	return strings.Join(lines, "\n")
}

func manyFiles(n int) map[string]string {
	files := map[string]string{}
	for i := range n {
		files[fmt.Sprintf("many/%05d", i)] = "x"
	}
	return files
}

// TestR6 and TestR31: bombs end in a refusal that says what and where, within 200 ms of processor time and 64 MiB. Time
// is printed; what is held is the memory, and the bound of the code where the bombs are read (TestBombsAreRefusedQuickly).
func TestR6(t *testing.T) {
	explode(t, func(name string) bool { return !strings.HasPrefix(name, "R31") })
	elsewhere(t, "./hub/adapter/compose/render", "^TestBombsAreRefusedQuickly$", 1)
	bom := fetch(t, commit{files: map[string]string{"compose.yaml": "\ufeff" + web()}})
	if project, err := bom.render("."); err != nil || !strings.Contains(string(project.YAML), "image: nginx") {
		t.Errorf("a byte order mark: %v\n%s", err, project.YAML)
	}
}

// TestR31 is TestR6 for what is large as written.
func TestR31(t *testing.T) {
	explode(t, func(name string) bool { return strings.HasPrefix(name, "R31") })
}

func explode(t *testing.T, chosen func(name string) bool) {
	t.Helper()
	table := &figures{}
	defer table.print(t)
	for name, bomb := range bombs {
		if !chosen(name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			files := map[string]string{"compose.yaml": bomb.compose}
			for p, text := range bomb.files {
				files[p] = text
			}
			all := fetch(t, commit{files: files})
			clear(files)
			secret := func(src *core.ComposeSource) { src.Variables = []core.ComposeVariable{{Name: "S", Secret: true}} }
			var err error
			took := measured(t, func() { _, err = all.render(".", secret) })
			wantRefusal(t, err, bomb.code, bomb.says)
			if took.memory > most {
				t.Errorf("it took %d MiB", took.memory>>20)
			}
			if took.processor > 20*time.Second { // a hang; the figure is for people
				t.Errorf("it took %v", took.processor)
			}
			table.add(name, took)
		})
	}
}
