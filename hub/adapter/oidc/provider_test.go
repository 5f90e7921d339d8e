package oidc_test

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/pem"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"berth/core/fault"
	"berth/core/identity"
	"berth/hub/adapter/oidc"
	"berth/local/stand/oidcstand"
)

const callback = "https://berth.example/login/oidc/callback"

var trip = identity.ProviderTrip{State: "state", Nonce: "the-nonce", Verifier: strings.Repeat("v", 43), Callback: callback}

func start(t *testing.T) (*oidcstand.Provider, *oidc.Provider) {
	t.Helper()
	now := func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }
	stand, err := oidcstand.New("berth", "the-secret", now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stand.Close)
	stand.Person = oidcstand.Object{"sub": "ada-1", "email": "Ada@Example.org", "email_verified": true, "name": "Ada", "groups": []string{"dev", "ops"},
		"realm": oidcstand.Object{"roles": "boss"}}
	return stand, client(stand, now)
}

func client(stand *oidcstand.Provider, now func() time.Time) *oidc.Provider {
	return oidc.New(oidc.Options{Issuer: stand.URL, ClientID: "berth", ClientSecret: "the-secret", Scopes: []string{"openid", "email"}, RoleClaim: "groups", Now: now})
}

// code goes to the provider as a browser does, and returns the code that it comes back with.
func code(t *testing.T, p *oidc.Provider, at identity.ProviderTrip) string {
	t.Helper()
	address, err := p.AuthorizationURL(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := browser.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	back, err := url.Parse(answer.Header.Get("Location"))
	if err != nil || back.Query().Get("state") != at.State {
		t.Fatalf("came back to %q: %v", answer.Header.Get("Location"), err)
	}
	return back.Query().Get("code")
}

func TestWhoSomebodyIs(t *testing.T) {
	for name, sign := range map[string]func(*oidcstand.Provider) func(oidcstand.Object) string{
		"RSA": func(s *oidcstand.Provider) func(oidcstand.Object) string {
			return func(c oidcstand.Object) string { return oidcstand.RS256(s.RSA, oidcstand.RSAKey, c) }
		},
		"elliptic curve": func(s *oidcstand.Provider) func(oidcstand.Object) string {
			return func(c oidcstand.Object) string { return oidcstand.ES256(s.EC, oidcstand.ECKey, c) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			stand, p := start(t)
			stand.Sign = sign(stand)
			got, err := p.Exchange(t.Context(), trip, code(t, p, trip))
			if err != nil {
				t.Fatal(err)
			}
			if got.Issuer != stand.URL || got.Subject != "ada-1" || got.Email != "ada@example.org" || !got.EmailVerified || got.Name != "Ada" || !slices.Equal(got.Claims, []string{"dev", "ops"}) {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// TestTokensThatAreRefused signs claims that each differ in one thing from those of a good token.
func TestTokensThatAreRefused(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).Unix()
	set := func(name string, value any) func(oidcstand.Object) {
		return func(c oidcstand.Object) { c[name] = value }
	}
	drop := func(name string) func(oidcstand.Object) { return func(c oidcstand.Object) { delete(c, name) } }
	for name, change := range map[string]func(oidcstand.Object){
		"another issuer":                      set("iss", "https://evil.example"),
		"an issuer with a slash more":         func(c oidcstand.Object) { c["iss"] = c["iss"].(string) + "/" },
		"no issuer":                           drop("iss"),
		"another audience":                    set("aud", "another"),
		"no audience":                         drop("aud"),
		"an empty list of audiences":          set("aud", []string{}),
		"more audiences, no authorised party": set("aud", []string{"berth", "another"}),
		"another authorised party":            set("azp", "another"),
		"more audiences, another party":       func(c oidcstand.Object) { c["aud"] = []string{"berth", "another"}; c["azp"] = "another" },
		"another nonce":                       set("nonce", "another"),
		"an empty nonce":                      set("nonce", ""),
		"no nonce":                            drop("nonce"),
		"a nonce that is a list":              set("nonce", []string{"the-nonce"}),
		"expired":                             set("exp", now-1),
		"no expiry":                           drop("exp"),
		"an expiry that is a text":            set("exp", "tomorrow"),
		"made in the future":                  set("iat", now+3600),
		"not saying when it was made":         drop("iat"),
		"not yet good":                        set("nbf", now+3600),
		"no subject":                          drop("sub"),
		"an empty subject":                    set("sub", ""),
		"a subject that is a number":          set("sub", 7),
		"a subject of 256 characters":         set("sub", strings.Repeat("s", 256)),
		"a verification that is a text":       set("email_verified", "true"),
		"an address that is a list":           set("email", []string{"ada@example.org"}),
	} {
		t.Run(name, func(t *testing.T) {
			stand, p := start(t)
			stand.Claims = change
			wantRefused(t, p)
		})
	}
}

// TestSignaturesThatAreRefused has good claims in tokens that the provider did not sign so.
func TestSignaturesThatAreRefused(t *testing.T) {
	stranger, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	hs := func(key []byte, kid string, c oidcstand.Object) string {
		head := oidcstand.Unsigned(oidcstand.Object{"alg": "HS256", "kid": kid}, c)
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(head))
		return head + "." + oidcstand.B64(mac.Sum(nil))
	}
	good := func(s *oidcstand.Provider, c oidcstand.Object) string {
		return oidcstand.RS256(s.RSA, oidcstand.RSAKey, c)
	}
	for name, sign := range map[string]func(*oidcstand.Provider, oidcstand.Object) string{
		"alg none": func(_ *oidcstand.Provider, c oidcstand.Object) string {
			return oidcstand.Unsigned(oidcstand.Object{"alg": "none"}, c) + "."
		},
		"alg None, with a signature": func(s *oidcstand.Provider, c oidcstand.Object) string {
			token := good(s, c)
			return oidcstand.Unsigned(oidcstand.Object{"alg": "None", "kid": oidcstand.RSAKey}, c) + token[strings.LastIndexByte(token, '.'):]
		},
		"HS256 with the public key": func(s *oidcstand.Provider, c oidcstand.Object) string {
			der, _ := x509.MarshalPKIXPublicKey(&s.RSA.PublicKey)
			return hs(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}), oidcstand.RSAKey, c)
		},
		"HS256 with the client's secret": func(s *oidcstand.Provider, c oidcstand.Object) string {
			return hs([]byte(s.ClientSecret), oidcstand.RSAKey, c)
		},
		"a stranger's key under a known name": func(_ *oidcstand.Provider, c oidcstand.Object) string {
			return oidcstand.RS256(stranger, oidcstand.RSAKey, c)
		},
		"an unknown key": func(_ *oidcstand.Provider, c oidcstand.Object) string { return oidcstand.RS256(stranger, "other", c) },
		"the other key's name": func(s *oidcstand.Provider, c oidcstand.Object) string {
			return oidcstand.RS256(s.RSA, oidcstand.ECKey, c)
		},
		"cut": func(s *oidcstand.Provider, c oidcstand.Object) string {
			token := good(s, c)
			return token[:len(token)-8]
		},
		"without a signature": func(s *oidcstand.Provider, c oidcstand.Object) string {
			token := good(s, c)
			return token[:strings.LastIndexByte(token, '.')+1]
		},
		"doubled": func(s *oidcstand.Provider, c oidcstand.Object) string { return good(s, c) + "." + good(s, c) },
		"a swapped payload": func(s *oidcstand.Provider, c oidcstand.Object) string {
			parts := strings.Split(good(s, c), ".")
			c["sub"] = "boss"
			return parts[0] + "." + strings.Split(good(s, c), ".")[1] + "." + parts[2]
		},
		"no token at all": func(*oidcstand.Provider, oidcstand.Object) string { return "" },
		"no token's form": func(*oidcstand.Provider, oidcstand.Object) string { return "ada" },
	} {
		t.Run(name, func(t *testing.T) {
			stand, p := start(t)
			stand.Sign = func(c oidcstand.Object) string { return sign(stand, c) }
			wantRefused(t, p)
		})
	}
}

func wantRefused(t *testing.T, p *oidc.Provider) {
	t.Helper()
	got, err := p.Exchange(t.Context(), trip, code(t, p, trip))
	if fault.CodeOf(err) != "oidc.token" {
		t.Fatalf("got %+v, %v", got, err)
	}
	if got.Subject != "" || !strings.Contains(err.Error(), "Nobody was signed in") {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestCodesThatAreRefused(t *testing.T) {
	for name, bring := range map[string]func(*testing.T, *oidc.Provider) (identity.ProviderTrip, string){
		"used": func(t *testing.T, p *oidc.Provider) (identity.ProviderTrip, string) {
			spent := code(t, p, trip)
			if _, err := p.Exchange(t.Context(), trip, spent); err != nil {
				t.Fatal(err)
			}
			return trip, spent
		},
		"invented": func(*testing.T, *oidc.Provider) (identity.ProviderTrip, string) { return trip, "invented" },
		"with another verifier": func(t *testing.T, p *oidc.Provider) (identity.ProviderTrip, string) {
			at := trip
			at.Verifier = strings.Repeat("w", 43)
			return at, code(t, p, trip)
		},
		"without a verifier": func(t *testing.T, p *oidc.Provider) (identity.ProviderTrip, string) {
			at := trip
			at.Verifier = ""
			return at, code(t, p, trip)
		},
		"with another callback": func(t *testing.T, p *oidc.Provider) (identity.ProviderTrip, string) {
			at := trip
			at.Callback += "/else"
			return at, code(t, p, trip)
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, p := start(t)
			at, code := bring(t, p)
			if got, err := p.Exchange(t.Context(), at, code); fault.CodeOf(err) != "oidc.exchange" || got.Subject != "" {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}

func TestAProviderThatIsAwayOrAnother(t *testing.T) {
	stand, _ := start(t)
	at := stand.Now()
	p := client(stand, func() time.Time { return at })
	stand.Issuer = "https://another.example"
	if _, err := p.AuthorizationURL(t.Context(), trip); fault.CodeOf(err) != "oidc.malformed" {
		t.Errorf("another issuer: %v", err)
	}
	stand.Issuer = ""
	if _, err := p.AuthorizationURL(t.Context(), trip); fault.CodeOf(err) != "oidc.malformed" {
		t.Errorf("it is asked again at once: %v", err)
	}
	at = at.Add(5 * time.Second)
	if _, err := p.AuthorizationURL(t.Context(), trip); err != nil {
		t.Errorf("it is asked anew: %v", err)
	}
	stand.Close()
	if _, err := p.Exchange(t.Context(), trip, "code"); fault.CodeOf(err) != "oidc.away" {
		t.Errorf("away: %v", err)
	}
	at = at.Add(2 * time.Hour)
	if _, err := p.AuthorizationURL(t.Context(), trip); err != nil {
		t.Errorf("what is known does not count while it is away: %v", err)
	}
	fresh := client(stand, time.Now)
	if _, err := fresh.AuthorizationURL(context.Background(), trip); fault.CodeOf(err) != "oidc.away" {
		t.Errorf("away from the start: %v", err)
	}
}

// TestAProviderThatIsDownInPart is away: nobody is told that their token is bad.
func TestAProviderThatIsDownInPart(t *testing.T) {
	for _, part := range []string{"/.well-known/openid-configuration", "/keys", "/token"} {
		t.Run(part, func(t *testing.T) {
			stand, p := start(t)
			if part != "/.well-known/openid-configuration" {
				if _, err := p.AuthorizationURL(t.Context(), trip); err != nil {
					t.Fatal(err)
				}
			}
			brought := ""
			if part == "/keys" {
				brought = code(t, p, trip)
			}
			stand.Down = func(path string) bool { return path == part }
			if _, err := p.Exchange(t.Context(), trip, brought); fault.CodeOf(err) != "oidc.away" {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestAWordThatLeadsToAnUnsafeLineIsRefused: our secret would go there, or the keys come from there.
func TestAWordThatLeadsToAnUnsafeLineIsRefused(t *testing.T) {
	for name, change := range map[string]func(oidcstand.Object){
		"a token endpoint without a host": func(o oidcstand.Object) { o["token_endpoint"] = "/token" },
		"no token endpoint":               func(o oidcstand.Object) { delete(o, "token_endpoint") },
		"keys of no kind":                 func(o oidcstand.Object) { o["jwks_uri"] = "file:///keys" },
		"no keys":                         func(o oidcstand.Object) { delete(o, "jwks_uri") },
		"a page that is a script":         func(o oidcstand.Object) { o["authorization_endpoint"] = "javascript:alert(1)" },
	} {
		t.Run(name, func(t *testing.T) {
			stand, p := start(t)
			stand.Described = change
			if to, err := p.AuthorizationURL(t.Context(), trip); fault.CodeOf(err) != "oidc.malformed" {
				t.Errorf("%q, %v", to, err)
			}
		})
	}
}

// TestKeysThatAreReplaced count from the next sign-in on.
func TestKeysThatAreReplaced(t *testing.T) {
	stand, p := start(t)
	for range 2 {
		if _, err := p.Exchange(t.Context(), trip, code(t, p, trip)); err != nil {
			t.Fatal(err)
		}
		fresh, err := rsa.GenerateKey(rand.Reader, 2048)
		if err != nil {
			t.Fatal(err)
		}
		stand.RSA = fresh
	}
}

// TestWhatARoleClaimMaySay beside a list of texts.
func TestWhatARoleClaimMaySay(t *testing.T) {
	for name, c := range map[string]struct {
		claim string
		value oidcstand.Object
		want  []string
	}{
		"one text":               {"groups", oidcstand.Object{"groups": "dev"}, []string{"dev"}},
		"an empty list":          {"groups", oidcstand.Object{"groups": []string{}}, nil},
		"none":                   {"groups", oidcstand.Object{"groups": nil}, nil},
		"numbers between":        {"groups", oidcstand.Object{"groups": []any{"dev", 7, nil, "ops"}}, []string{"dev", "ops"}},
		"deeper":                 {"realm_access.roles", oidcstand.Object{"realm_access": oidcstand.Object{"roles": []string{"dev"}}}, []string{"dev"}},
		"a name that has dots":   {"https://id.example/roles", oidcstand.Object{"https://id.example/roles": []string{"dev"}}, []string{"dev"}},
		"an object where a text": {"groups", oidcstand.Object{"groups": oidcstand.Object{"dev": true}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			stand, _ := start(t)
			p := oidc.New(oidc.Options{Issuer: stand.URL, ClientID: "berth", ClientSecret: "the-secret", Scopes: []string{"openid"}, RoleClaim: c.claim, Now: stand.Now})
			stand.Claims = func(o oidcstand.Object) { maps.Copy(o, c.value) }
			got, err := p.Exchange(t.Context(), trip, code(t, p, trip))
			if err != nil || !slices.Equal(got.Claims, c.want) {
				t.Errorf("%q, %v", got.Claims, err)
			}
		})
	}
}

func TestTheSecretIsWrong(t *testing.T) {
	stand, p := start(t)
	stand.ClientSecret = "another"
	if _, err := p.Exchange(t.Context(), trip, code(t, p, trip)); fault.CodeOf(err) != "oidc.exchange" || !strings.Contains(err.Error(), "OIDC_CLIENT_SECRET") {
		t.Errorf("got %v", err)
	}
}
