package render

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"berth/core"
)

func digest(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

func TestAMountedFolderBecomesContent(t *testing.T) {
	out := mustRead(t, map[string]string{
		"compose.yaml": "services: {web: {image: a, volumes: [\"./conf:/c:ro\", \"./conf/a.sh:/a:ro\", \"../shared/x:/x:ro\"]}}",
		"app/conf/b":   "same", "app/conf/sub/c": "same", "app/conf/a.sh": "exec:run", "shared/x": "x",
	})
	if len(out.Content) != 3 || len(out.blobs) != 3 {
		t.Fatalf("%d contents, %d blobs: %+v", len(out.Content), len(out.blobs), out.Content)
	}
	conf, script := out.Content[0], out.Content[1]
	if conf.Source != "app/conf" || script.Source != "app/conf/a.sh" || out.Content[2].Source != "shared/x" {
		t.Errorf("contents are %+v", out.Content)
	}
	want := fmt.Sprint([]core.ContentFile{
		{Path: "conf/a.sh", Digest: digest("exec:run"), Size: 8, Executable: true},
		{Path: "conf/b", Digest: digest("same"), Size: 4},
		{Path: "conf/sub/c", Digest: digest("same"), Size: 4},
	})
	if got := fmt.Sprint(conf.Files); got != want {
		t.Errorf("files are %s\nwant      %s", got, want)
	}
	if got := out.at("services/web/volumes/0/source"); got != `"/.berth/content/`+conf.Digest+`/conf"` {
		t.Errorf("source is %s", got)
	}
	if got := out.at("services/web/volumes/1/source"); got != `"/.berth/content/`+script.Digest+`/a.sh"` {
		t.Errorf("source is %s", got)
	}
	if got := out.at("services/web/volumes/0/bind"); got != `{"create_host_path":false}` {
		t.Errorf("a worker without the content would mount an empty folder: %s", got)
	}
	for d, content := range out.blobs {
		if digest(content) != d {
			t.Errorf("blob %s holds %q", d, content)
		}
	}
}

// A changed file must change the path of exactly what mounts it: that is what makes
// the engine recreate those services and no others.
func TestContentIsAddressedByWhatItHolds(t *testing.T) {
	files := func(a, b string) map[string]string {
		return map[string]string{
			"compose.yaml": "services: {a: {image: x, volumes: [\"./a:/a:ro\"]}, b: {image: x, volumes: [\"./b:/b:ro\"]}}",
			"app/a/f":      a, "app/b/f": b,
		}
	}
	before, after := mustRead(t, files("1", "2")), mustRead(t, files("1", "3"))
	if before.at("services/a/volumes/0/source") != after.at("services/a/volumes/0/source") {
		t.Error("an unchanged folder moved")
	}
	if before.at("services/b/volumes/0/source") == after.at("services/b/volumes/0/source") {
		t.Error("a changed folder stayed")
	}
	executable := mustRead(t, map[string]string{"compose.yaml": "services: {a: {image: x, volumes: [\"./a:/a:ro\"]}}", "app/a/f": "exec:"})
	regular := mustRead(t, map[string]string{"compose.yaml": "services: {a: {image: x, volumes: [\"./a:/a:ro\"]}}", "app/a/f": "file:"})
	if executable.Content[0].Digest == regular.Content[0].Digest {
		t.Error("the mode of a file does not count")
	}
}

func TestDigestKeepsMembersApart(t *testing.T) {
	one := core.ContentDigest([]core.ContentFile{{Path: "a", Digest: "1"}, {Path: "b", Digest: "2"}})
	two := core.ContentDigest([]core.ContentFile{{Path: "a4:file1:11:b", Digest: "2"}})
	if one == two {
		t.Error("two sets of members have one digest")
	}
}

func TestTheWholeFolderCanBeMounted(t *testing.T) {
	out := mustRead(t, map[string]string{"compose.yaml": "services: {web: {image: a, volumes: [\".:/c:ro\"]}}", "f": "x"})
	if out.Content[0].Source != "app" || out.Content[0].Files[1].Path != "app/f" {
		t.Errorf("content is %+v", out.Content[0])
	}
	tree := commit(map[string]string{"compose.yaml": "services: {web: {image: a, volumes: [\".:/c:ro\"]}}", "f": "x"})
	project, err := New().Read(t.Context(), core.ComposeSource{Project: "p", Tree: tree}, func(string, []byte) error { return nil })
	if err != nil || project.Content[0].Source != "." || project.Content[0].Files[1].Path != "repository/f" {
		t.Errorf("content is %+v, %v", project.Content, err)
	}
}

func TestBothWaysOfListingAFile(t *testing.T) {
	for _, listsFiles := range []bool{false, true} {
		tree := commit(map[string]string{"compose.yaml": "services: {web: {image: a, volumes: [\"./f:/f:ro\"]}}", "f": "exec:x"})
		tree.listsFiles = listsFiles
		project, err := New().Read(t.Context(), core.ComposeSource{Project: "p", Tree: tree}, func(string, []byte) error { return nil })
		if err != nil || len(project.Content) != 1 || !project.Content[0].Files[0].Executable {
			t.Errorf("listsFiles %v: %+v, %v", listsFiles, project.Content, err)
		}
	}
}

func TestConfigAndSecretFilesBecomeContent(t *testing.T) {
	out := mustRead(t, map[string]string{
		"compose.yaml": "services: {web: {image: a, configs: [c], secrets: [s]}}\nconfigs: {c: {file: ./f}}\nsecrets: {s: {file: g}}",
		"f":            "x", "g": "y"})
	if got := out.at("configs/c/file"); got != `"/.berth/content/`+out.Content[0].Digest+`/f"` {
		t.Errorf("config is %s", got)
	}
	if got := out.at("secrets/s/file"); got != `"/.berth/content/`+out.Content[1].Digest+`/g"` {
		t.Errorf("secret is %s", got)
	}
}

func TestContentIsBounded(t *testing.T) {
	many := map[string]string{"compose.yaml": "services: {web: {image: a, volumes: [\"./d:/d:ro\"]}}"}
	for i := range 10_001 {
		many[fmt.Sprintf("app/d/%d", i)] = ""
	}
	large := map[string]string{"compose.yaml": "services: {web: {image: a, volumes: [\"./d:/d:ro\", \"./e:/e:ro\"]}}",
		"app/d/f": strings.Repeat("x", 40<<20), "app/e/f": strings.Repeat("y", 40<<20)}
	for name, files := range map[string]map[string]string{"10,001 files": many, "80 MiB": large} {
		if _, err := read(t, files); codeOf(err) != "compose.too_large" {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestABlobThatCannotBeStoredEndsTheRendering(t *testing.T) {
	tree := commit(map[string]string{"compose.yaml": "services: {web: {image: a, volumes: [\"./f:/f:ro\"]}}", "f": "x"})
	full := fmt.Errorf("disk full")
	_, err := New().Read(t.Context(), core.ComposeSource{Project: "p", Tree: tree}, func(string, []byte) error { return full })
	if err != full {
		t.Errorf("got %v", err)
	}
}

// A stack may lie in the root of a repository that is too large to be listed.
func TestAFileOfAnEndlessFolder(t *testing.T) {
	read := func(compose string) (core.ComposeProject, error) {
		tree := commit(map[string]string{"compose.yaml": compose, "f": "x", "a.env": "A=1", "l": "link:/etc"})
		tree.endless = "."
		return New().Read(t.Context(), core.ComposeSource{Project: "p", Tree: tree}, func(string, []byte) error { return nil })
	}
	project, err := read("services: {web: {image: a, env_file: a.env, volumes: [\"./f:/f:ro\", \"./absent:/d\"]}}")
	if err != nil || len(project.Content) != 1 || project.Content[0].Files[0].Digest != digest("x") {
		t.Errorf("%+v, %v", project.Content, err)
	}
	if _, err := read("services: {web: {image: a, volumes: [\"./l:/f:ro\"]}}"); codeOf(err) != "compose.path_escapes" {
		t.Errorf("a link: %v", err)
	}
	if _, err := read("services: {web: {image: a, volumes: [\".:/f:ro\"]}}"); codeOf(err) != "compose.too_large" {
		t.Errorf("the folder itself: %v", err)
	}
}
