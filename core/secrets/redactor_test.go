package secrets_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"testing"

	"berth/core/secrets"
)

func redactor(values ...string) *secrets.Redactor {
	wrapped := make([]secrets.Value, len(values))
	for i, value := range values {
		wrapped[i] = secrets.NewValue(value)
	}
	return secrets.NewRedactor(wrapped)
}

const (
	password = `p@ss <w>/ord&"1"'$\é`
	pemKey   = "-----BEGIN KEY-----\nMIIEvQIBADANBgkq\nhkiG9w0BAQEFAASC\n-----END KEY-----\n"
)

func TestRedactFindsEveryForm(t *testing.T) {
	quoted, err := json.Marshal(map[string]string{"k": password})
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct{ text, want string }{
		"raw":                       {"login with " + password + " now", "login with [secret] now"},
		"twice":                     {password + "," + password, "[secret],[secret]"},
		"JSON":                      {string(quoted), `{"k":"[secret]"}`},
		"JSON without HTML escapes": {`{"k":"p@ss <w>/ord&\"1\"'$\\é"}`, `{"k":"[secret]"}`},
		"JSON with escaped slashes": {`"p@ss <w>\/ord&\"1\"'$\\é"`, `"[secret]"`},
		"query":                     {"?k=" + url.QueryEscape(password) + "&x=1", "?k=[secret]&x=1"},
		"path":                      {"/a/" + url.PathEscape(password) + "/b", "/a/[secret]/b"},
		"lower-case escapes":        {"?k=p%40ss+%3cw%3e%2ford%26%221%22%27%24%5c%c3%a9", "?k=[secret]"},
		"shell":                     {`echo 'p@ss <w>/ord&"1"'\''$\é'`, `echo '[secret]'`},
		"hexadecimal":               {hex.EncodeToString([]byte(password)) + "!", "[secret]!"},
		"upper hexadecimal":         {strings.ToUpper(hex.EncodeToString([]byte(password))), "[secret]"},
		"base64":                    {"x " + base64.StdEncoding.EncodeToString([]byte(password)), "x [secret]"},
		"base64 for URLs":           {base64.RawURLEncoding.EncodeToString([]byte(password)) + "/", "[secret]" + lastOf(password) + "/"},
		"a key, whole":              {"<" + pemKey + ">", "<[secret]>"},
		"a key, Windows lines":      {strings.ReplaceAll(pemKey, "\n", "\r\n"), "[secret]"},
		"one line of a key":         {"  MIIEvQIBADANBgkq  ", "  [secret]  "},
		"nothing":                   {"all is well", "all is well"},
		"empty":                     {"", ""},
	}
	r := redactor(password, pemKey, "", "abc", "true", "Error")
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := r.Redact(c.text); got != c.want {
				t.Errorf("%q became %q, want %q", c.text, got, c.want)
			}
		})
	}
}

// lastOf is what base64 without padding may keep of the last byte: it depends on what follows.
func lastOf(value string) string {
	text := base64.RawURLEncoding.EncodeToString([]byte(value))
	return text[len(value)*8/6:]
}

func TestRedactFindsBase64InsideOther(t *testing.T) {
	const secret = "correct horse battery"
	r := redactor(secret)
	for _, before := range []string{"", "a", "ab", "user:", "user2:", "someone:"} {
		for _, after := range []string{"", "x", "xy", "\n"} {
			text := base64.StdEncoding.EncodeToString([]byte(before + secret + after))
			got := r.Redact("Basic " + text)
			if !strings.Contains(got, secrets.Redacted) || len(got) > len("Basic ")+len(secrets.Redacted)+len(before)*2+8 {
				t.Errorf("%q before and %q after left %q of %q", before, after, got, text)
			}
		}
	}
}

func TestRedactLeavesShortAndCommonWordsAlone(t *testing.T) {
	r := redactor("abc", "true", "root", "Admin", "localhost")
	const text = "abc true root admin localhost"
	if got := r.Redact(text); got != text {
		t.Errorf("%q became %q", text, got)
	}
}

func TestRedactCoversOverlappingSecrets(t *testing.T) {
	r := redactor("abcdef", "defghi", "ghijkl-long-tail")
	cases := map[string]struct{ text, want string }{
		"two overlap":                    {"<abcdefghi>", "<[secret]>"},
		"the longer of two":              {"ghijkl-long-tail", "[secret]"},
		"a chain of three":               {"abcdefghijkl-long-tail", "[secret]"},
		"the second only begins":         {"abcdefgh", "[secret]gh"},
		"side by side":                   {"abcdefabcdef", "[secret][secret]"},
		"a beginning that goes no way":   {"abcde defgh", "abcde defgh"},
		"a beginning, then a whole one":  {"abcdabcdef", "abcd[secret]"},
		"the third begins, then differs": {"defghijkX", "[secret]jkX"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := r.Redact(c.text); got != c.want {
				t.Errorf("%q became %q, want %q", c.text, got, c.want)
			}
			for at := range len(c.text) {
				s := r.Stream()
				if got := s.Next(c.text[:at]) + s.Next(c.text[at:]) + s.Rest(); got != c.want {
					t.Errorf("%q cut at %d became %q, want %q", c.text, at, got, c.want)
				}
			}
		})
	}
}

func TestStreamHoldsBackNoMoreThanNeeded(t *testing.T) {
	s := redactor("hunter2-hunter2").Stream()
	if got := s.Next("pulling image\n"); got != "pulling image\n" {
		t.Errorf("plain text was held back: %q", got)
	}
	if got := s.Next("password hunter2-"); got != "password " {
		t.Errorf("the beginning of a secret was shown: %q", got)
	}
	if got := s.Next("hunt"); got != "" {
		t.Errorf("the beginning of a secret was shown: %q", got)
	}
	if got := s.Next("ing"); got != "hunter2-hunting" {
		t.Errorf("what is no secret came as %q", got)
	}
	if got := s.Next("hunter2-") + s.Rest() + s.Rest(); got != "hunter2-" {
		t.Errorf("the rest came as %q", got)
	}
}

// F14: however a text is cut, a stream gives what the whole text gives, and no secret is
// left between the marks.
func FuzzRedactor(f *testing.F) {
	f.Add("hunter2", "abcdef", "x hunter2 abcdefhunter2", uint(4), uint(9))
	f.Add("aaaa", "aaaab", "aaaaaaaabaaaa", uint(1), uint(2))
	f.Add("line one\nline two\n", "é", "line one\r\nline two", uint(3), uint(3))
	f.Fuzz(func(t *testing.T, one, two, text string, a, b uint) {
		r := redactor(one, two)
		whole := r.Redact(text)
		first, second := int(a%uint(len(text)+1)), int(b%uint(len(text)+1))
		first, second = min(first, second), max(first, second)
		s := r.Stream()
		if cut := s.Next(text[:first]) + s.Next(text[first:second]) + s.Next(text[second:]) + s.Rest(); cut != whole {
			t.Fatalf("%q without %q and %q: whole gives %q, cut at %d and %d gives %q", text, one, two, whole, first, second, cut)
		}
		for _, secret := range []string{one, two} {
			if redactor(secret).Redact(secret) == secret {
				continue // too short or too common
			}
			for piece := range strings.SplitSeq(whole, secrets.Redacted) {
				if !strings.Contains(text, secrets.Redacted) && strings.Contains(piece, secret) {
					t.Fatalf("%q is left in %q", secret, whole)
				}
			}
		}
	})
}

func BenchmarkRedact(b *testing.B) {
	values := make([]string, 50)
	for i := range values {
		values[i] = strings.Repeat(string(rune('A'+i%26)), 3) + "-secret-value-" + hex.EncodeToString([]byte{byte(i)})
	}
	r := redactor(values...)
	text := strings.Repeat("time=2026-01-01T00:00:00Z level=INFO msg=\"pulled layer\" digest=sha256:0123456789abcdef\n", 700)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r.Redact(text)
	}
}

func TestAWriterHoldsBackWhatMayBeASecret(t *testing.T) {
	var out strings.Builder
	w := secrets.NewRedactor([]secrets.Value{secrets.NewValue("hunter-two")}).Writer(&out)
	for _, piece := range []string{"a hun", "ter-t", "wo b\nhunter", "-t"} {
		if n, err := w.Write([]byte(piece)); n != len(piece) || err != nil {
			t.Fatalf("%d, %v", n, err)
		}
	}
	if got := out.String(); got != "a [secret] b\n" {
		t.Errorf("before the end it wrote %q", got)
	}
	if err := w.End(); err != nil || out.String() != "a [secret] b\nhunter-t" {
		t.Errorf("at the end it wrote %q, %v", out.String(), err)
	}
	begun := 0
	silent := secrets.NewRedactor(nil).Writer(writerFunc(func([]byte) (int, error) { begun++; return 0, nil }))
	if err := silent.End(); err != nil || begun > 0 {
		t.Errorf("nothing was written %d times, %v", begun, err)
	}
	full := errors.New("full")
	broken := secrets.NewRedactor(nil).Writer(writerFunc(func([]byte) (int, error) { return 0, full }))
	if n, err := broken.Write([]byte("x")); n != 0 || !errors.Is(err, full) {
		t.Errorf("%d, %v", n, err)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
