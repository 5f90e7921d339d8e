package secrets_test

import (
	"errors"
	"strings"
	"testing"

	"berth/core/fault"
	"berth/core/secrets"
)

func TestVaultReferences(t *testing.T) {
	for text, want := range map[string]secrets.VaultReference{
		"kv/data/app#key":                             {Mount: "kv", Path: "app", Field: "key"},
		"team/kv/data/shop/database#pass":             {Mount: "team/kv", Path: "shop/database", Field: "pass"},
		"kv/data/data/data/x#f":                       {Mount: "kv", Path: "data/data/x", Field: "f"},
		"data/data/x#f":                               {Mount: "data", Path: "x", Field: "f"},
		"data/kv/data/x#f":                            {Mount: "data/kv", Path: "x", Field: "f"},
		"kv/data/a b/c%2f?d=e#a field #1/2":           {Mount: "kv", Path: "a b/c%2f?d=e", Field: "a field #1/2"},
		"kv/data/…/.hidden/..more#ключ":               {Mount: "kv", Path: "…/.hidden/..more", Field: "ключ"},
		"kv/data/" + strings.Repeat("a", 1014) + "#f": {Mount: "kv", Path: strings.Repeat("a", 1014), Field: "f"},
	} {
		got, err := secrets.ParseVaultReference(text)
		if err != nil || got != want || got.String() != text {
			t.Errorf("%q is %+v (%s), %v; want %+v", text, got, got, err, want)
		}
	}
}

func TestManagerReferences(t *testing.T) {
	for text, want := range map[string]secrets.ManagerReference{
		"p1/prod/#NAME":         {Project: "p1", Environment: "prod", Name: "NAME"},
		"p1/prod/shop#NAME":     {Project: "p1", Environment: "prod", Path: "shop", Name: "NAME"},
		"p1/prod/shop/db#A#B/C": {Project: "p1", Environment: "prod", Path: "shop/db", Name: "A#B/C"},
	} {
		got, err := secrets.ParseManagerReference(text)
		if err != nil || got != want || got.String() != text {
			t.Errorf("%q is %+v (%s), %v; want %+v", text, got, got, err, want)
		}
	}
}

func TestBadReferencesAreRefusedByPart(t *testing.T) {
	for text, fields := range map[string]string{
		"":                        "reference",
		"kv/data/app":             "reference",
		"kv/app#key":              "reference",
		"kv/data#key":             "reference",
		"kv/metadata/app#key":     "reference",
		"/data/app#key":           "mount",
		"/kv/data/app#key":        "mount",
		"kv//data/app#key":        "mount",
		"../kv/data/app#key":      "mount",
		"kv/data/#key":            "path",
		"kv/data//app#key":        "path",
		"kv/data/app/#key":        "path",
		"kv/data/../sys/seal#key": "path",
		"kv/data/a/./b#key":       "path",
		"kv/data/app\n#key":       "path",
		"kv/data/a\u200bb#key":    "path",
		"kv/data/ app#key":        "path",
		"kv/data/app#":            "field",
		"kv/data/app#key ":        "field",
		"kv/data/app#\x00":        "field",
		"kv/data/app#\xff":        "field",
		"/data/../x#":             "mount path field",
		"kv/data/" + strings.Repeat("a", 1015) + "#f": "reference",
	} {
		_, err := secrets.ParseVaultReference(text)
		wantFields(t, text, err, fields)
		wantFields(t, text, secrets.CheckReference(secrets.Vault, text), fields)
	}
	for text, fields := range map[string]string{
		"":                   "reference",
		"p1/prod#NAME":       "reference",
		"p1/prod/shop":       "reference",
		"/prod/shop#NAME":    "project",
		"../prod/shop#NAME":  "project",
		"p1//shop#NAME":      "environment",
		"p1/../shop#NAME":    "environment",
		"p1/prod//#NAME":     "path",
		"p1/prod/shop/#NAME": "path",
		"p1/prod/../a#NAME":  "path",
		"p1/prod/a//b#NAME":  "path",
		"p1/prod/#":          "name",
		"p1/prod/#..":        "name",
		"p1/prod/#A\tB":      "name",
		" p/\u00a0/ #":       "project environment path name",
	} {
		_, err := secrets.ParseManagerReference(text)
		wantFields(t, text, err, fields)
		wantFields(t, text, secrets.CheckReference(secrets.Manager, text), fields)
	}
	wantFields(t, "internal", secrets.CheckReference(secrets.Internal, "var_1"), "reference")
}

func TestMountNamedDataInsideCannotBeWritten(t *testing.T) {
	for _, mount := range []string{"team/data", "a/data/b"} {
		wantFields(t, mount, secrets.VaultReference{Mount: mount, Path: "x", Field: "f"}.Check(), "mount")
	}
}

func wantFields(t *testing.T, text string, err error, fields string) {
	t.Helper()
	var known *fault.Error
	if !errors.As(err, &known) || known.Code != "secret.bad_reference" || known.Kind != fault.Invalid {
		t.Errorf("%q: %v", text, err)
		return
	}
	var got []string
	for _, field := range known.Fields {
		got = append(got, field.Path)
	}
	if strings.Join(got, " ") != fields {
		t.Errorf("%q: fields are %v, want %s", text, known.Fields, fields)
	}
}

// Whatever is accepted comes back byte for byte, and no part leads elsewhere.
func FuzzReferences(f *testing.F) {
	for _, text := range []string{"kv/data/app#key", "a/b/data/c/data/d#e#f", "kv/data/../x#y", "p/e/#N", "p/e/a/b#N", "p/e//#N", "data/data/data/data#data"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if r, err := secrets.ParseVaultReference(text); err == nil {
			again, err := secrets.ParseVaultReference(r.String())
			if r.String() != text || err != nil || again != r {
				t.Fatalf("%q became %+v, then %+v, %v", text, r, again, err)
			}
			leadsNowhereElse(t, r.Mount+"/"+r.Path)
		}
		if r, err := secrets.ParseManagerReference(text); err == nil {
			again, err := secrets.ParseManagerReference(r.String())
			if r.String() != text || err != nil || again != r {
				t.Fatalf("%q became %+v, then %+v, %v", text, r, again, err)
			}
			leadsNowhereElse(t, r.Project+"/"+r.Environment+strings.TrimSuffix("/"+r.Path, "/"))
		}
	})
}

// Whatever parts pass the check survive being written and read.
func FuzzReferenceParts(f *testing.F) {
	f.Add("kv", "app", "key")
	f.Add("a/data", "b", "c")
	f.Add("data", "data", "#")
	f.Add("", "a#b", "c/d")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		if r := (secrets.VaultReference{Mount: a, Path: b, Field: c}); r.Check() == nil {
			if again, err := secrets.ParseVaultReference(r.String()); err != nil || again != r {
				t.Fatalf("%+v became %+v, %v", r, again, err)
			}
		}
		if r := (secrets.ManagerReference{Project: a, Environment: "e", Path: b, Name: c}); r.Check() == nil {
			if again, err := secrets.ParseManagerReference(r.String()); err != nil || again != r {
				t.Fatalf("%+v became %+v, %v", r, again, err)
			}
		}
	})
}

func leadsNowhereElse(t *testing.T, path string) {
	t.Helper()
	for part := range strings.SplitSeq(path, "/") {
		if part == "" || part == "." || part == ".." || strings.ContainsAny(part, "\x00\r\n#") {
			t.Fatalf("%q has the part %q", path, part)
		}
	}
}
