//go:build realsops

package sops_test

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"berth/core/fault"
	"berth/core/repositories"
	"berth/core/secrets"
)

// programs is the folder of sops, age and age-keygen, which local/make/real-sops.sh builds.
func programs(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("BERTH_REAL_SOPS")
	if dir == "" {
		t.Fatal("BERTH_REAL_SOPS names no folder with sops, age and age-keygen; make test-real builds them")
	}
	return dir
}

// run runs a program in a folder with one key and nothing else of an environment.
func run(t *testing.T, dir, key, input, program string, args ...string) (out, said string, err error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(programs(t), program), args...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(input)
	cmd.Env = []string{"HOME=" + dir, "SOPS_AGE_KEY=" + key}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	return stdout.String(), stderr.String(), err
}

func mustRun(t *testing.T, dir, key, input, program string, args ...string) string {
	t.Helper()
	out, said, err := run(t, dir, key, input, program, args...)
	if err != nil {
		t.Fatalf("%s %v: %v: %s", program, args, err, said)
	}
	return out
}

// bySops has the real sops encrypt a file.
func bySops(t *testing.T, content string, args ...string) []byte {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "secrets.yaml"), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return []byte(mustRun(t, dir, "", "", "sops", append(args, "--encrypt", "secrets.yaml")...))
}

// TestRealSopsReadsWhatWeWrite: each value on its own, byte for byte, and the whole file with its MAC.
func TestRealSopsReadsWhatWeWrite(t *testing.T) {
	pair, dir := newPair(t), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "secrets.yaml"), encrypted(t, awkward, pair.Public), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range awkward {
		if got := mustRun(t, dir, pair.Private.Reveal(), "", "sops", "--decrypt", "--extract", `["`+name+`"]`, "secrets.yaml"); got != want {
			t.Errorf("%s is %q to sops, want %q", name, got, want)
		}
	}
	mustRun(t, dir, pair.Private.Reveal(), "", "sops", "--decrypt", "secrets.yaml")
	mustRun(t, dir, pair.Private.Reveal(), "", "sops", "set", "secrets.yaml", `["PLAIN"]`, `"changed by sops"`)
	content, err := os.ReadFile(filepath.Join(dir, "secrets.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	want := maps.Clone(awkward)
	want["PLAIN"] = "changed by sops"
	if got, err := files.Decrypt(content, pair); err != nil || !maps.Equal(revealed(got), want) {
		t.Errorf("after an edit by sops there are %d values, %v", len(got), err)
	}
}

// TestRealSopsFilesAreRead: what the real sops writes with a key that age-keygen made.
func TestRealSopsFilesAreRead(t *testing.T) {
	made := mustRun(t, t.TempDir(), "", "", "age-keygen")
	private := made[strings.Index(made, "AGE-SECRET-KEY-"):]
	pair := repositories.KeyPair{Private: secrets.NewValue(strings.TrimSpace(private)), Public: strings.TrimSpace(mustRun(t, t.TempDir(), "", private, "age-keygen", "-y"))}
	other := newPair(t)
	const plain = "# about\nTEXT: canary text # beside\nMANY: |\n    one\n    two\nEMPTY: \"\"\nNUMBER: 42\nFLOAT: 1.50\nYES: true\nQUOTED: \"007\"\nDATE: 2026-01-02T03:04:05Z\n# end\n"
	want := map[string]string{"TEXT": "canary text", "MANY": "one\ntwo\n", "EMPTY": "", "NUMBER": "42", "FLOAT": "1.5", "YES": "true", "QUOTED": "007", "DATE": "2026-01-02T03:04:05Z"}
	for name, args := range map[string][]string{
		"for us alone":               {"--age", pair.Public},
		"for us among others":        {"--age", other.Public + "," + pair.Public},
		"in part, by a pattern":      {"--age", pair.Public, "--encrypted-regex", "^(TEXT|MANY)$"},
		"in part, by the other rule": {"--age", pair.Public, "--unencrypted-regex", "^(NUMBER|YES)$"},
		"in part, by a suffix":       {"--age", pair.Public, "--encrypted-suffix", "T"},
		"in part, by comments":       {"--age", pair.Public, "--encrypted-comment-regex", "about"},
		"but for what comments say":  {"--age", pair.Public, "--unencrypted-comment-regex", "about"},
	} {
		t.Run(name, func(t *testing.T) {
			content := bySops(t, plain, args...)
			got, err := files.Decrypt(content, pair)
			if err != nil || !maps.Equal(revealed(got), want) {
				t.Fatalf("%v, %v\n%s", revealed(got), err, content)
			}
			names, err := files.Names(content)
			if slices.Sort(names); err != nil || !slices.Equal(names, slices.Sorted(maps.Keys(want))) {
				t.Errorf("the names are %v, %v", names, err)
			}
		})
	}
	whole := bySops(t, plain, "--age", pair.Public)
	for name, c := range map[string]struct {
		content []byte
		code    string
	}{
		"for others alone":          {bySops(t, plain, "--age", other.Public), "sops.other_recipients"},
		"nested":                    {bySops(t, "A: canary\nB:\n  C: canary\n", "--age", pair.Public), "sops.not_flat"},
		"a list":                    {bySops(t, "A: [canary]\n", "--age", pair.Public), "sops.not_flat"},
		"null":                      {bySops(t, "A: null\nB: canary\n", "--age", pair.Public), "sops.not_flat"},
		"two documents":             {bySops(t, "A: canary\n---\nB: canary\n", "--age", pair.Public), "sops.malformed"},
		"in clear, out of the MAC":  {bySops(t, plain, "--age", pair.Public, "--encrypted-regex", "^TEXT$", "--mac-only-encrypted"), "sops.not_encrypted"},
		"a value was put back":      {swap(t, whole, bySops(t, strings.ReplaceAll(plain, "canary", "older"), "--age", pair.Public), "TEXT"), "sops.tampered"},
		"a number in clear changed": {bytes.Replace(bySops(t, plain, "--age", pair.Public, "--unencrypted-regex", "^NUMBER$"), []byte("NUMBER: 42"), []byte("NUMBER: 43"), 1), "sops.tampered"},
		"plain":                     {[]byte(plain), "sops.not_encrypted"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := files.Decrypt(c.content, pair)
			if got != nil || fault.CodeOf(err) != c.code || strings.Contains(err.Error(), "canary") {
				t.Errorf("%d values, %v; want %s", len(got), err, c.code)
			}
		})
	}
}

// swap puts one value of another file into a file.
func swap(t *testing.T, content, other []byte, name string) []byte {
	t.Helper()
	var value any
	change(t, other, func(root, _ map[string]any) { value = root[name] })
	return change(t, content, func(root, _ map[string]any) { root[name] = value })
}

// TestRealSopsAgeOpensOurKey: the key of the values is encrypted as age does it.
func TestRealSopsAgeOpensOurKey(t *testing.T) {
	pair, dir := newPair(t), t.TempDir()
	key := sectionOf(t, encrypted(t, map[string]string{"A": "x"}, pair.Public))["age"].([]any)[0].(map[string]any)["enc"].(string)
	if err := os.WriteFile(filepath.Join(dir, "key"), []byte(pair.Private.Reveal()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out := mustRun(t, dir, "", key, "age", "--decrypt", "--identity", "key"); len(out) != 32 {
		t.Errorf("the key has %d bytes", len(out))
	}
}
