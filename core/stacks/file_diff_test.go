package stacks

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"berth/core"
	"berth/core/fault"
)

// cellar holds files by digest.
type cellar map[string]string

func (c cellar) OpenBlob(digest string) (io.ReadCloser, error) {
	text, there := c[digest]
	if !there {
		return nil, fault.New(fault.NotFound, "revision.blob_missing", "none")
	}
	return io.NopCloser(strings.NewReader(text)), nil
}

func TestLineDiff(t *testing.T) {
	numbers := func(from, to int) string {
		text := ""
		for i := from; i <= to; i++ {
			text += fmt.Sprintf("%d\n", i)
		}
		return text
	}
	for name, c := range map[string]struct{ before, after, want string }{
		"a line in the middle": {numbers(1, 9), strings.Replace(numbers(1, 9), "5\n", "five\n", 1), "@@ line 2 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8"},
		"a line at the end":    {"a\n", "a\nb\n", "@@ line 1 @@\n a\n+b"},
		"a line at the top":    {"b\n", "a\nb\n", "@@ line 1 @@\n+a\n b"},
		"the last line break":  {"a\n", "a", "@@ line 1 @@\n-a\n+a (no line break at the end)"},
		"all of it":            {"", "x\n", "@@ line 1 @@\n+x"},
		"two places": {numbers(1, 30), strings.Replace(strings.Replace(numbers(1, 30), "\n3\n", "\n", 1), "\n28\n", "\n28\n28b\n", 1),
			"@@ line 1 @@\n 1\n 2\n-3\n 4\n 5\n 6\n@@ line 26 @@\n 26\n 27\n 28\n+28b\n 29\n 30"},
		"too much": {numbers(1, 5000), numbers(10000, 15000), "(too much differs to be shown line by line)"},
	} {
		if got := lineDiff(c.before, c.after, maskLine); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
		}
	}
	long := strings.Split(lineDiff("", numbers(1, 500), maskLine), "\n")
	if len(long) != diffLines+1 || long[diffLines] != "(381 more lines)" {
		t.Errorf("a long one has %d lines and ends with %q", len(long), long[len(long)-1])
	}
	if text := lineDiff("", numbers(1, diffLines), maskLine); !strings.HasSuffix(text, "\n(1 more line)") {
		t.Errorf("of one that has a line too many the end is %q", text[len(text)-20:])
	}
}

func TestMaskLine(t *testing.T) {
	for in, want := range map[string]string{
		"listen 80;": "listen 80;", "\tindent": "\tindent", "bell\a": "bell ", "end\r": "end", "DB_PASSWORD=hunter2 and more": "DB_PASSWORD=(hidden)", "  api_key: abc": "  api_key: (hidden)",
		`"token": "abc",`: `"token": (hidden)`, "export SECRET=x": "export SECRET=(hidden)", "DB_PASSWORD_FILE=/run/secrets/db": "DB_PASSWORD_FILE=/run/secrets/db",
		"TOKEN=${TOKEN}": "TOKEN=${TOKEN}", "url: postgres://app:hunter2@db/app": "url: postgres://app:(hidden)@db/app", "login with password hunter2": "login with password (hidden)",
		strings.Repeat("x", 300): strings.Repeat("x", 239) + "…",
	} {
		if got := maskLine(in); got != want {
			t.Errorf("%q is shown as %q, want %q", in, got, want)
		}
	}
}

func TestFilesAreComparedByLine(t *testing.T) {
	project := func(tag string, files ...string) Project {
		p := projectFrom(t, `{"secrets":{"db":{"file":"`+core.ContentRoot+"s"+tag+`/db.txt"}}}`)
		site := core.Content{Digest: "d" + tag, Source: "web/site"}
		for _, name := range files {
			site.Files = append(site.Files, core.ContentFile{Path: "site/" + name, Digest: name + tag, Size: 9})
		}
		p.Content = []core.Content{site, {Digest: "s" + tag, Source: "web/db.txt", Files: []core.ContentFile{{Path: "db.txt", Digest: "db" + tag, Size: 9}}}}
		return p
	}
	names := []string{"a", "b", "tls.key", "secrets.env", "pem", "none"}
	before, after := project("1", names...), project("2", names...)
	after.Content[0].Files = append(after.Content[0].Files, core.ContentFile{Path: "site/big", Digest: "big2", Size: maxDiffFile + 1})
	before.Content[0].Files = append(before.Content[0].Files, core.ContentFile{Path: "site/big", Digest: "big1", Size: 3})
	blobs := cellar{"a1": "one\ntwo\n", "a2": "one\nPASSWORD=x\n", "b1": "\x00", "b2": "text", "tls.key1": "k", "tls.key2": "l", "secrets.env1": "A=1", "secrets.env2": "A=2",
		"pem1": "a", "pem2": "-----BEGIN RSA PRIVATE KEY-----\n", "db1": "hunter1", "db2": "hunter2", "none1": "x"}
	diffs := newFileDiffs([]Project{before, after}, blobs)
	for name, want := range map[string]string{
		"web/site/a": "@@ line 1 @@\n one\n-two\n+PASSWORD=(hidden)", "web/site/b": "(binary: 9 bytes become 9)", "web/site/tls.key": "(not shown: it may hold secrets)",
		"web/site/secrets.env": "(not shown: it may hold secrets)", "web/site/pem": "(not shown: it holds a private key)", "web/site/none": "",
		"web/site/big": "(not shown: 3 bytes become 65537)", "web/db.txt": "(not shown: it may hold secrets)", "web/other": "",
	} {
		base := name[strings.LastIndexByte(name, '/')+1:]
		if name == "web/db.txt" {
			base = "db"
		}
		if got := diffs.between(name, "sha256:"+base+"1", "sha256:"+base+"2"); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if got := diffs.between("web/site/a", "", "sha256:a2"); got != "" {
		t.Errorf("a new file: %q", got)
	}
	services := []PlannedService{{Service: "web", Reasons: []Reason{{Kind: ReasonFile, Name: "web/site/a", Before: "sha256:a1", After: "sha256:a2"}, {Kind: ReasonField, Name: "image"}}}}
	ShowFiles(services, []Project{before, after}, blobs)
	if r := services[0].Reasons; !strings.Contains(r[0].Diff, "-two") || r[1].Diff != "" {
		t.Errorf("the plan says %+v", r)
	}
	if got := newFileDiffs([]Project{before, after}, nil).between("web/site/a", "sha256:a1", "sha256:a2"); got != "" {
		t.Errorf("without content: %q", got)
	}
}
