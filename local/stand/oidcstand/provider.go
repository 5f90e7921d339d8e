package oidcstand

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/json"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"time"
)

// Names of the keys that the provider shows.
const (
	RSAKey = "rsa-1"
	ECKey  = "ec-1"
)

// Provider is the stand-in. Its exported fields are set before it is asked.
type Provider struct {
	*httptest.Server

	ClientID, ClientSecret string

	Person Object // claims about whoever signs in
	RSA    *rsa.PrivateKey
	EC     *ecdsa.PrivateKey
	Now    func() time.Time
	Claims func(Object)               // changes the claims before they are signed
	Sign   func(claims Object) string // nil: RS256
	Issuer string                     // that discovery names; empty: the true one

	Down      func(path string) bool // answers 503 there; nil: nowhere
	Described func(Object)           // changes what discovery says

	mu    sync.Mutex
	codes map[string]granted // guarded by mu; each is good once
}

type granted struct{ nonce, challenge, callback string }

// New starts a provider.
func New(id, secret string, now func() time.Time) (*Provider, error) {
	r, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil, err
	}
	e, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	p := &Provider{ClientID: id, ClientSecret: secret, RSA: r, EC: e, Now: now, codes: map[string]granted{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", p.describe)
	mux.HandleFunc("GET /keys", p.keys)
	mux.HandleFunc("GET /authorize", p.authorize)
	mux.HandleFunc("POST /token", p.token)
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p.Down != nil && p.Down(r.URL.Path) {
			answer(w, http.StatusServiceUnavailable, Object{"error": "temporarily_unavailable"})
			return
		}
		mux.ServeHTTP(w, r)
	}))
	return p, nil
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // whoever does not listen any more needs no answer
}

func (p *Provider) describe(w http.ResponseWriter, _ *http.Request) {
	issuer := p.Issuer
	if issuer == "" {
		issuer = p.URL
	}
	said := Object{"issuer": issuer, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token",
		"jwks_uri": p.URL + "/keys", "response_types_supported": []string{"code"}, "subject_types_supported": []string{"public"},
		"id_token_signing_alg_values_supported": []string{"RS256", "ES256", "HS256", "none"}, "code_challenge_methods_supported": []string{"S256"}}
	if p.Described != nil {
		p.Described(said)
	}
	answer(w, http.StatusOK, said)
}

func (p *Provider) keys(w http.ResponseWriter, _ *http.Request) {
	point, _ := p.EC.PublicKey.Bytes() // 4, x, y
	answer(w, http.StatusOK, Object{"keys": []Object{
		{"kty": "RSA", "use": "sig", "alg": "RS256", "kid": RSAKey, "n": B64(p.RSA.N.Bytes()), "e": B64(big.NewInt(int64(p.RSA.E)).Bytes())},
		{"kty": "EC", "use": "sig", "alg": "ES256", "kid": ECKey, "crv": "P-256", "x": B64(point[1:33]), "y": B64(point[33:])}}})
}

// authorize lets everybody in who asks as a client has to.
func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("client_id") != p.ClientID || q.Get("response_type") != "code" || q.Get("code_challenge_method") != "S256" ||
		q.Get("code_challenge") == "" || q.Get("nonce") == "" || q.Get("state") == "" {
		answer(w, http.StatusBadRequest, Object{"error": "invalid_request"})
		return
	}
	code := rand.Text()
	p.mu.Lock()
	p.codes[code] = granted{q.Get("nonce"), q.Get("code_challenge"), q.Get("redirect_uri")}
	p.mu.Unlock()
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+url.Values{"code": {code}, "state": {q.Get("state")}}.Encode(), http.StatusFound)
}

func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	id, secret, basic := r.BasicAuth()
	if !basic {
		id, secret = r.FormValue("client_id"), r.FormValue("client_secret")
	}
	if id != p.ClientID || secret != p.ClientSecret {
		answer(w, http.StatusUnauthorized, Object{"error": "invalid_client"})
		return
	}
	p.mu.Lock()
	grant, known := p.codes[r.FormValue("code")]
	delete(p.codes, r.FormValue("code"))
	p.mu.Unlock()
	sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	if !known || grant.callback != r.FormValue("redirect_uri") || grant.challenge != B64(sum[:]) {
		answer(w, http.StatusBadRequest, Object{"error": "invalid_grant"})
		return
	}
	answer(w, http.StatusOK, Object{"access_token": rand.Text(), "token_type": "Bearer", "expires_in": 300, "id_token": p.idToken(grant.nonce)})
}

func (p *Provider) idToken(nonce string) string {
	now := p.Now().Unix()
	claims := Object{"iss": p.URL, "aud": p.ClientID, "iat": now, "exp": now + 300, "nonce": nonce}
	maps.Copy(claims, p.Person)
	if p.Claims != nil {
		p.Claims(claims)
	}
	if p.Sign != nil {
		return p.Sign(claims)
	}
	return RS256(p.RSA, RSAKey, claims)
}
