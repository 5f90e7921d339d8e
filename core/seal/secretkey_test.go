package seal_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"berth/core/seal"
)

const (
	keyText   = "8f1c2d3e4b5a69788796a5b4c3d2e1f00112f334455667d88899aabbcc0deeff"
	otherText = "1b9e77d95f0275706b3e2a8e66a61ee6ab02a6761d666666c3d2e1f0f1c2d3e4"
)

func mustKey(t testing.TB, text string) seal.SecretKey {
	t.Helper()
	key, err := seal.ParseSecretKey(text)
	if err != nil {
		t.Fatalf("ParseSecretKey: %v", err)
	}
	return key
}

func TestParseSecretKeyRefuses(t *testing.T) {
	hashed := func(s string) string { sum := sha256.Sum256([]byte(s)); return hex.EncodeToString(sum[:]) }
	cases := map[string]struct{ text, want string }{
		"nothing":                      {"", "64 hexadecimal"},
		"63 characters":                {keyText[:63], "64 hexadecimal"},
		"62 characters":                {keyText[:62], "64 hexadecimal"},
		"66 characters":                {keyText + "ab", "64 hexadecimal"},
		"a space before":               {" " + keyText[:63], "64 hexadecimal"},
		"a line end":                   {keyText + "\n", "64 hexadecimal"},
		"a letter that is no digit":    {keyText[:63] + "g", "64 hexadecimal"},
		"a word":                       {"changeme", "64 hexadecimal"},
		"unicode digits":               {strings.Repeat("１", 64), "64 hexadecimal"},
		"all zero":                     {strings.Repeat("00", 32), "placeholder"},
		"one byte again and again":     {strings.Repeat("a7", 32), "placeholder"},
		"counting up":                  {"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", "placeholder"},
		"counting down":                {"201f1e1d1c1b1a191817161514131211100f0e0d0c0b0a090807060504030201", "placeholder"},
		"the keyboard's digits":        {strings.Repeat("0123456789abcdef", 4), "placeholder"},
		"the same in capitals":         {strings.Repeat("0123456789ABCDEF", 4), "placeholder"},
		"doubled digits":               {strings.Repeat("00112233445566778899aabbccddeeff", 2), "placeholder"},
		"a test vector":                {"603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4", "placeholder"},
		"the hash of nothing":          {hashed(""), "placeholder"},
		"the hash of a word":           {hashed("changeme"), "placeholder"},
		"the hash of echo's output":    {hashed("secret\n"), "placeholder"},
		"nine distinct bytes":          {strings.Repeat("a1b2c3d4e5f6a7b8", 3) + "99a1b2c3d4e5f6a7", "too few"},
		"a short pattern, many a time": {strings.Repeat("13f7", 16), "too few"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			key, err := seal.ParseSecretKey(c.text)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v, want an error with %q", err, c.want)
			}
			if !key.IsZero() {
				t.Error("a refused key was returned")
			}
			if len(c.text) > 4 && strings.Contains(err.Error(), c.text) {
				t.Error("the error shows the value")
			}
		})
	}
}

func TestParseSecretKeyAccepts(t *testing.T) {
	for name, text := range map[string]string{
		"random":             keyText,
		"capitals":           strings.ToUpper(keyText),
		"ten distinct bytes": strings.Repeat("a1b2c3d4e5f6a7b8", 3) + "99aaa1b2c3d4e5f6",
	} {
		t.Run(name, func(t *testing.T) { mustKey(t, text) })
	}
}

func TestCheckValueTellsKeysApart(t *testing.T) {
	a, again, b := mustKey(t, keyText), mustKey(t, strings.ToUpper(keyText)), mustKey(t, otherText)
	if len(a.CheckValue()) != 6 || a.CheckValue() != again.CheckValue() || a.CheckValue() == b.CheckValue() {
		t.Errorf("check values %q, %q, %q", a.CheckValue(), again.CheckValue(), b.CheckValue())
	}
	if strings.Contains(keyText, a.CheckValue()) {
		t.Error("the check value is a part of the key")
	}
	if (seal.SecretKey{}).CheckValue() != "" {
		t.Error("the zero key has a check value")
	}
}

// prints renders v in every way that a log or an answer might.
func prints(t *testing.T, v any) string {
	t.Helper()
	type exported struct{ V any }
	var out strings.Builder
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d"} {
		fmt.Fprintf(&out, verb+"\n", v)
		fmt.Fprintf(&out, verb+"\n", struct{ hidden any }{v})
	}
	text, err := json.Marshal(exported{v})
	if err != nil {
		t.Fatal(err)
	}
	out.Write(text)
	slog.New(slog.NewTextHandler(&out, nil)).Info("x", "v", v)
	slog.New(slog.NewJSONHandler(&out, nil)).Info("x", "v", exported{v})
	return out.String()
}

func TestSecretKeyDoesNotPrintItself(t *testing.T) {
	out := prints(t, mustKey(t, keyText))
	if strings.Contains(strings.ToLower(out), keyText[:8]) || strings.Contains(out, "143 28 45") || !strings.Contains(out, "[secret]") {
		t.Errorf("printed: %s", out)
	}
}
