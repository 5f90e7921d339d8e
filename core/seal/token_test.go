package seal_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"berth/core"
	"berth/core/seal"
)

var pin = seal.PinOf([]byte("a public key"))

// tokens returns one of each form.
func tokens() map[string]seal.Token {
	now := time.Unix(1_700_000_000, 0)
	return map[string]seal.Token{
		"berth_sk_key_": seal.NewToken(seal.TokenAPIKey, core.NewID("key", now)),
		"berth_wt_wtk_": seal.NewWorkerToken(core.NewID("wtk", now), pin),
		"berth_in_inv_": seal.NewToken(seal.TokenInvitation, core.NewID("inv", now)),
		"berth_pr_rst_": seal.NewToken(seal.TokenReset, core.NewID("rst", now)),
		"berth_wt_wrk_": seal.NewToken(seal.TokenWorker, core.NewID("wrk", now)),
	}
}

func TestTokenRoundTrip(t *testing.T) {
	ring, shape := mustRing(t), regexp.MustCompile(`^berth_[a-z]{2}_[a-z]+_[0-9a-z]{26}_[0-9a-z]+$`)
	for prefix, token := range tokens() {
		t.Run(prefix, func(t *testing.T) {
			text := token.Reveal()
			if !strings.HasPrefix(text, prefix) || !shape.MatchString(text) || len(text) > 160 {
				t.Errorf("text form %q", text)
			}
			parsed, err := seal.ParseToken(text)
			if err != nil {
				t.Fatal(err)
			}
			gotPin, gotPinned := parsed.Pin()
			wantPin, wantPinned := token.Pin()
			if parsed.Kind() != token.Kind() || parsed.ID() != token.ID() || gotPin != wantPin || gotPinned != wantPinned ||
				parsed.Reveal() != text || parsed.IsZero() {
				t.Errorf("parsed %v with pin %v", parsed, gotPinned)
			}
			if !ring.VerifyToken(parsed, ring.MACToken(token)) {
				t.Error("the parsed token is not recognised")
			}
		})
	}
}

func TestVerifyTokenTellsTokensApart(t *testing.T) {
	ring, id := mustRing(t), core.NewID("wtk", time.Unix(0, 0))
	pinned := seal.NewWorkerToken(id, pin)
	mac := ring.MACToken(pinned)
	for name, other := range map[string]seal.Token{
		"another secret":       seal.NewWorkerToken(id, pin),
		"without the pin":      seal.NewToken(seal.TokenWorker, id),
		"another kind":         seal.NewToken(seal.TokenAPIKey, id),
		"no token":             {},
		"a kind that is none":  seal.NewToken(seal.TokenKind(77), id),
		"another purpose's":    seal.NewToken(seal.TokenInvitation, id),
		"another token's name": seal.NewWorkerToken(core.NewID("wtk", time.Unix(1, 0)), pin),
	} {
		if ring.VerifyToken(other, mac) {
			t.Errorf("%s: accepted", name)
		}
		if ring.VerifyToken(other, nil) {
			t.Errorf("%s: accepted without a MAC", name)
		}
	}
	if ring.VerifyToken(seal.Token{}, ring.MACToken(seal.Token{})) {
		t.Error("no token is accepted")
	}
	if mustRing(t).VerifyToken(pinned, mac) {
		t.Error("another installation accepts the token")
	}
}

func TestParseTokenRefuses(t *testing.T) {
	key := tokens()["berth_sk_key_"].Reveal()
	worker := tokens()["berth_wt_wtk_"].Reveal()
	body := key[strings.LastIndex(key, "_")+1:]
	cases := map[string]string{
		"nothing":                 "",
		"a word":                  "hunter2",
		"a space before":          " " + key,
		"a line end":              key + "\n",
		"capitals":                strings.ToUpper(key),
		"another product":         "github" + strings.TrimPrefix(key, "berth"),
		"another kind":            strings.Replace(key, "_sk_", "_wt_", 1),
		"an unknown kind":         strings.Replace(key, "_sk_", "_xx_", 1),
		"another id":              strings.Replace(key, "_key_0", "_key_1", 1),
		"another id's prefix":     strings.Replace(key, "_key_", "_usr_", 1),
		"an id without prefix":    strings.Replace(key, "_key_", "__", 1),
		"an id's prefix too long": strings.Replace(key, "_key_", "_"+strings.Repeat("k", 9)+"_", 1),
		"an id of line ends":      "berth_sk_key_" + strings.Repeat("0", 24) + "\n\n_" + body,
		"a character missing":     key[:len(key)-1],
		"a character too much":    key + "0",
		"line ends inside":        key[:50] + "\n\n" + key[50:],
		"no secret":               strings.TrimSuffix(key, body),
		"two secrets":             key + "_" + body,
		"a key with a pin":        strings.Replace(worker, "_wt_", "_sk_", 1),
		"huge":                    key + strings.Repeat("0", 1<<20),
	}
	for name, text := range cases {
		t.Run(name, func(t *testing.T) {
			token, err := seal.ParseToken(text)
			if !errors.Is(err, seal.ErrToken) || !token.IsZero() {
				t.Fatalf("got %v and %v", token, err)
			}
			if strings.Contains(err.Error(), body) {
				t.Error("the error shows the secret")
			}
		})
	}
}

func TestEveryMistypedCharacterIsNoticed(t *testing.T) {
	for _, token := range tokens() {
		text := token.Reveal()
		for i := range text {
			for _, c := range []byte{'0', 'z', 'i', '_', '-', 'A', 0} {
				if mistyped := text[:i] + string(c) + text[i+1:]; mistyped != text {
					if _, err := seal.ParseToken(mistyped); err == nil {
						t.Fatalf("character %d of %v may be %q", i, token, c)
					}
				}
			}
		}
	}
}

func TestTokensAreAllDifferent(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		seen[seal.NewToken(seal.TokenAPIKey, "key_00000000000000000000000000").Reveal()] = true
	}
	if len(seen) != 1000 {
		t.Errorf("%d different tokens of 1000", len(seen))
	}
}

func TestTokenDoesNotPrintItsSecret(t *testing.T) {
	for _, token := range tokens() {
		text := token.Reveal()
		out := prints(t, token)
		if secret := text[strings.LastIndex(text, "_")+1:]; strings.Contains(strings.ToLower(out), secret[:12]) {
			t.Errorf("printed: %s", out)
		}
		if !strings.Contains(out, token.ID()+"_[secret]") {
			t.Errorf("the id is missing: %s", out)
		}
	}
	if (seal.Token{}).String() != "" || (seal.Token{}).Reveal() != "" {
		t.Error("the zero token has a text")
	}
}

func FuzzParseToken(f *testing.F) {
	for _, token := range tokens() {
		f.Add(token.Reveal())
	}
	f.Add("berth_sk_key_00000000000000000000000000_")
	f.Add("berth_____")
	f.Fuzz(func(t *testing.T, text string) {
		token, err := seal.ParseToken(text)
		if err != nil {
			if !errors.Is(err, seal.ErrToken) || !token.IsZero() {
				t.Errorf("got %v and %v", token, err)
			}
			return
		}
		if token.Reveal() != text {
			t.Errorf("%q parses but is spelt %q", text, token.Reveal())
		}
	})
}
