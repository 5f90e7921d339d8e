package sops_test

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"berth/core/fault"
	"berth/core/repositories"
	"berth/core/secrets"
	"berth/hub/adapter/agekey"
	"berth/hub/adapter/sops"

	"go.yaml.in/yaml/v3"
)

var files sops.Files

func newPair(t testing.TB) repositories.KeyPair {
	t.Helper()
	pair, err := agekey.Maker{}.NewKeyPair()
	if err != nil {
		t.Fatal(err)
	}
	return pair
}

func wrapped(values map[string]string) map[string]secrets.Value {
	all := make(map[string]secrets.Value, len(values))
	for name, value := range values {
		all[name] = secrets.NewValue(value)
	}
	return all
}

func revealed(values map[string]secrets.Value) map[string]string {
	all := make(map[string]string, len(values))
	for name, value := range values {
		all[name] = value.Reveal()
	}
	return all
}

func encrypted(t testing.TB, values map[string]string, public string) []byte {
	t.Helper()
	content, err := files.Encrypt(wrapped(values), public)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// awkward are values that YAML, sops and shells each write in another way.
var awkward = map[string]string{
	"PLAIN": "canary-plain", "EMPTY": "", "SPACES": "  canary  ", "LINES": "canary\nsecond\n\nlast\n", "WINDOWS": "canary\r\nsecond\r\n", "NUMBER": "007", "TRUE": "true",
	"NULL": "null", "DATE": "2026-01-02", "QUOTES": `canary'"\`, "DOLLAR": "canary${X}$$", "UNICODE": "canary ä€😀", "HASH": "canary # no comment",
	"ENC": "ENC[AES256_GCM,data:canary]", "TAB": "\tcanary", "LONG": strings.Repeat("canary ", 9000), "A": "canary-a", "_under": "canary-u", "COLON": "canary: x",
}

// TestRoundTrip: every value comes back byte for byte, names are in order, and no value is in the file.
func TestRoundTrip(t *testing.T) {
	pair := newPair(t)
	content := encrypted(t, awkward, pair.Public)
	if bytes.Contains(content, []byte("canary")) {
		t.Error("the file holds a value")
	}
	names, err := files.Names(content)
	if err != nil || !slices.Equal(names, slices.Sorted(maps.Keys(awkward))) {
		t.Errorf("the names are %v, %v", names, err)
	}
	got, err := files.Decrypt(content, pair)
	if err != nil || !maps.Equal(revealed(got), awkward) {
		t.Errorf("decrypted are %d values, %v", len(got), err)
	}
	if again := encrypted(t, awkward, pair.Public); bytes.Equal(again, content) {
		t.Error("two files of the same values are the same: nothing in them is random")
	}
}

// change edits the decoded YAML of a file.
func change(t testing.TB, content []byte, edit func(root, section map[string]any)) []byte {
	t.Helper()
	var root map[string]any
	if err := yaml.Unmarshal(content, &root); err != nil {
		t.Fatal(err)
	}
	edit(root, root["sops"].(map[string]any))
	changed, err := yaml.Marshal(root)
	if err != nil {
		t.Fatal(err)
	}
	return changed
}

func TestDecryptRefuses(t *testing.T) {
	pair, other := newPair(t), newPair(t)
	good := encrypted(t, map[string]string{"A": "canary-a", "B": "canary-b", "E": ""}, pair.Public)
	edited := func(edit func(root, section map[string]any)) []byte { return change(t, good, edit) }
	kms := map[string]any{"arn": "arn:aws:kms:eu-west-1:1:key/x", "created_at": "2026-01-01T00:00:00Z", "enc": "x", "aws_profile": ""}
	cases := map[string]struct {
		content []byte
		code    string
		says    []string
	}{
		"plain text":               {[]byte("A: canary-a\n"), "sops.not_encrypted", []string{"not encrypted", "exposed"}},
		"an empty file":            {nil, "sops.malformed", []string{"not YAML"}},
		"no YAML":                  {[]byte("A: [canary-a\n"), "sops.malformed", nil},
		"a list":                   {[]byte("- canary-a\n"), "sops.malformed", nil},
		"a dotenv file":            {[]byte("A=canary-a\n"), "sops.malformed", nil},
		"two documents":            {append(slices.Clone(good), "---\nA: canary\n"...), "sops.malformed", nil},
		"a section that is text":   {[]byte("A: canary-a\nsops: canary\n"), "sops.not_encrypted", nil},
		"an empty section":         {[]byte("A: canary-a\nsops: {}\n"), "sops.malformed", []string{"section"}},
		"cut short":                {good[:len(good)-200], "sops.tampered", nil},
		"more than a MiB":          {append(slices.Clone(good), bytes.Repeat([]byte("# canary\n"), 130_000)...), "sops.too_large", []string{"1048576"}},
		"more names than are read": {[]byte(manyNames(good)), "sops.too_large", []string{"names", "1000"}},
		"for another key":          {encrypted(t, map[string]string{"A": "canary-a"}, other.Public), "sops.other_recipients", []string{other.Public, pair.Public}},
		"a nested map":             {edited(func(root, _ map[string]any) { root["N"] = map[string]any{"x": "canary"} }), "sops.not_flat", []string{"N"}},
		"a list of values":         {edited(func(root, _ map[string]any) { root["N"] = []any{"canary"} }), "sops.not_flat", []string{"N"}},
		"null":                     {edited(func(root, _ map[string]any) { root["N"] = nil }), "sops.not_flat", []string{"N"}},
		"an alias":                 {append([]byte("X: &x ENC[canary]\nY: *x\n"), good...), "sops.not_flat", []string{"Y"}},
		"a name twice":             {append([]byte("A: ENC[canary]\n"), good...), "sops.malformed", nil},
		"a value in clear":         {edited(func(root, _ map[string]any) { root["A"] = "canary-clear" }), "sops.not_encrypted", []string{"A", "exposed"}},
		"another value in clear":   {edited(func(root, _ map[string]any) { root["NEW"] = 42 }), "sops.not_encrypted", []string{"NEW"}},
		"values change places":     {edited(func(root, _ map[string]any) { root["A"], root["B"] = root["B"], root["A"] }), "sops.tampered", []string{"MAC"}},
		"a value is taken away":    {edited(func(root, _ map[string]any) { delete(root, "B") }), "sops.tampered", []string{"MAC"}},
		"a value is emptied":       {edited(func(root, _ map[string]any) { root["B"] = "" }), "sops.tampered", []string{"MAC"}},
		"a value is changed":       {bytes.Replace(good, []byte("A: ENC[AES256_GCM,data:"), []byte("A: ENC[AES256_GCM,data:AAAA"), 1), "sops.tampered", nil},
		"another type":             {bytes.Replace(good, []byte("type:str]\nB"), []byte("type:bytes]\nB"), 1), "sops.tampered", nil},
		"a value is no comment":    {bytes.Replace(good, []byte("type:str]\nB"), []byte("type:comment]\nB"), 1), "sops.tampered", nil},
		"no MAC":                   {edited(func(_, section map[string]any) { delete(section, "mac") }), "sops.tampered", nil},
		"an empty MAC":             {edited(func(_, section map[string]any) { section["mac"] = "" }), "sops.tampered", nil},
		"a MAC in clear":           {edited(func(_, section map[string]any) { section["mac"] = "canary" }), "sops.tampered", nil},
		"another time":             {edited(func(_, section map[string]any) { section["lastmodified"] = "2001-01-01T00:00:00Z" }), "sops.tampered", nil},
		"no time":                  {edited(func(_, section map[string]any) { section["lastmodified"] = "canary" }), "sops.malformed", nil},
		"a key that is not ours": {edited(func(_, section map[string]any) {
			section["age"].([]any)[0].(map[string]any)["enc"] = sectionOf(t, encrypted(t, map[string]string{"A": "x"}, other.Public))["age"].([]any)[0].(map[string]any)["enc"]
		}), "sops.tampered", []string{pair.Public, "cannot be opened"}},
		"no age key": {edited(func(_, section map[string]any) { delete(section, "age"); section["kms"] = []any{kms} }), "sops.other_keys", []string{"kms", "never asked"}},
		"no key":     {edited(func(_, section map[string]any) { delete(section, "age") }), "sops.malformed", nil},
		"key groups": {edited(func(_, section map[string]any) {
			section["key_groups"] = []any{map[string]any{"age": section["age"], "hc_vault": []any{}}, map[string]any{"age": section["age"], "hc_vault": []any{}}}
			section["shamir_threshold"] = 2
			delete(section, "age")
		}), "sops.other_keys", []string{"groups"}},
		"more keys than are sensible": {edited(func(_, section map[string]any) {
			var many []any
			for range 101 {
				many = append(many, map[string]any{"recipient": other.Public, "enc": "x"})
			}
			section["age"] = many
		}), "sops.too_large", []string{"101 keys"}},
		"a recipient that is a text": {edited(func(_, section map[string]any) { section["age"].([]any)[0].(map[string]any)["recipient"] = "canary" }), "sops.other_recipients", []string{"no age public key"}},
		"a rule that cannot be": {edited(func(_, section map[string]any) {
			delete(section, "unencrypted_suffix")
			section["encrypted_regex"] = "(canary"
		}), "sops.malformed", []string{"rule"}},
		"a rule that is long": {edited(func(_, section map[string]any) {
			delete(section, "unencrypted_suffix")
			section["encrypted_regex"] = strings.Repeat("a", 2000)
		}), "sops.malformed", []string{"rule"}},
		"a rule that was put in": {edited(func(root, section map[string]any) {
			delete(section, "unencrypted_suffix")
			section["encrypted_regex"], root["A"] = "^B$", "canary-clear"
		}), "sops.tampered", nil},
		"what the MAC does not cover": {edited(func(root, section map[string]any) {
			section["mac_only_encrypted"] = true
			root["A_unencrypted"] = "canary"
		}), "sops.not_encrypted", []string{"A_unencrypted", "mac_only_encrypted"}},
		"a deep section": {edited(func(_, section map[string]any) { section["x"] = deep(20) }), "sops.malformed", nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := files.Decrypt(c.content, pair)
			if got != nil || fault.CodeOf(err) != c.code {
				t.Fatalf("%d values, %v; want %s", len(got), err, c.code)
			}
			for _, text := range c.says {
				if !strings.Contains(fault.PublicOf(err), text) {
					t.Errorf("%q does not say %q", fault.PublicOf(err), text)
				}
			}
			if strings.Contains(fmt.Sprintf("%+v", err), "canary") {
				t.Errorf("%v holds a value", err)
			}
		})
	}
}

func sectionOf(t testing.TB, content []byte) (section map[string]any) {
	t.Helper()
	change(t, content, func(_, s map[string]any) { section = s })
	return section
}

func manyNames(good []byte) string {
	var text strings.Builder
	for i := range 1001 {
		fmt.Fprintf(&text, "N%d: ENC[x]\n", i)
	}
	return text.String() + string(good)
}

func deep(levels int) any {
	if levels == 0 {
		return "x"
	}
	return map[string]any{"x": deep(levels - 1)}
}

// TestTheEnvironmentDoesNotMatter: a key that this process could find elsewhere opens nothing.
func TestTheEnvironmentDoesNotMatter(t *testing.T) {
	pair, other := newPair(t), newPair(t)
	t.Setenv("SOPS_AGE_KEY", other.Private.Reveal())
	t.Setenv("SOPS_AGE_KEY_CMD", "touch "+t.TempDir()+"/run")
	content := encrypted(t, map[string]string{"A": "canary"}, other.Public)
	if _, err := files.Decrypt(content, pair); fault.CodeOf(err) != "sops.other_recipients" {
		t.Errorf("it says %v", err)
	}
	if _, err := files.Decrypt(content, repositories.KeyPair{Public: other.Public, Private: pair.Private}); fault.CodeOf(err) != "sops.tampered" {
		t.Errorf("with another private key it says %v", err)
	}
}

func TestEncryptRefuses(t *testing.T) {
	pair := newPair(t)
	many := map[string]string{}
	for i := range 1001 {
		many[fmt.Sprint("N", i)] = "x"
	}
	cases := map[string]struct {
		values map[string]string
		public string
		code   string
	}{
		"sops' own name":       {map[string]string{"sops": "canary"}, pair.Public, "sops.invalid"},
		"what sops leaves":     {map[string]string{"A_unencrypted": "canary"}, pair.Public, "sops.invalid"},
		"too many":             {many, pair.Public, "sops.too_large"},
		"too much":             {map[string]string{"A": strings.Repeat("canary", 200_000)}, pair.Public, "sops.too_large"},
		"no key":               {map[string]string{"A": "canary"}, "", "internal.error"},
		"a key that is broken": {map[string]string{"A": "canary"}, pair.Public[:len(pair.Public)-1] + "!", "internal.error"},
	}
	for name, c := range cases {
		content, err := files.Encrypt(wrapped(c.values), c.public)
		if err == nil || fault.CodeOf(err) != c.code || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %d bytes, %v", name, len(content), err)
		}
	}
}

// FuzzRead: whatever a repository holds, reading it ends, and says nothing of values.
func FuzzRead(f *testing.F) {
	pair := newPair(f)
	good := encrypted(f, map[string]string{"A": "canary-a", "B": "canary\nb"}, pair.Public)
	f.Add(good)
	f.Add([]byte("A: canary\n"))
	f.Add([]byte("sops:\n  age: []\n"))
	f.Add([]byte("# c\nA: &x [*x]\nsops: {mac: *x}\n"))
	f.Add(bytes.ReplaceAll(good, []byte("str"), []byte("bytes")))
	f.Fuzz(func(t *testing.T, content []byte) {
		names, err := files.Names(content)
		if (err == nil) == (names == nil) && len(names) > 0 || fault.KindOf(err) == fault.Internal && err != nil {
			t.Errorf("%v, %v", names, err)
		}
		values, err := files.Decrypt(content, pair)
		if err != nil && (values != nil || fault.KindOf(err) == fault.Internal) {
			t.Errorf("%d values, %v", len(values), err)
		}
		for name := range values {
			if !slices.Contains(names, name) {
				t.Errorf("%q is none of the names", name)
			}
		}
	})
}
