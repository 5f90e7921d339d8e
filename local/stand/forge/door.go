package forge

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// mux serves what the kind has.
func (f *Forge) mux() *http.ServeMux {
	mux := http.NewServeMux()
	authorize, token := "/login/oauth/authorize", "/login/oauth/access_token"
	if f.Kind == GitLab {
		authorize, token = "/oauth/authorize", "/oauth/token"
	}
	mux.HandleFunc("GET "+authorize, f.authorize)
	mux.HandleFunc("POST "+token, f.token)
	switch f.Kind {
	case GitHub:
		f.github(mux, "/api/v3")
	case Gitea:
		f.github(mux, "/api/v1")
	case GitLab:
		f.gitlab(mux, "/api/v4")
	}
	return mux
}

// authorize is the page on which the person agrees, who does so at once.
func (f *Forge) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("client_id") != f.ClientID || q.Get("redirect_uri") != f.Callback || q.Get("response_type") != "code" {
		http.Error(w, "the application or its callback address is not registered", http.StatusBadRequest)
		return
	}
	back := url.Values{"state": {q.Get("state")}}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.deny != "" {
		back.Set("error", f.deny)
		back.Set("error_description", "The user has denied your application access.")
	} else {
		challenge := ""
		if q.Get("code_challenge_method") == "S256" {
			challenge = q.Get("code_challenge")
		}
		code := secret("")
		if f.codes == nil {
			f.codes = map[string]trip{}
		}
		f.codes[code] = trip{redirect: q.Get("redirect_uri"), challenge: challenge, scopes: q.Get("scope")}
		back.Set("code", code)
	}
	http.Redirect(w, r, f.Callback+"?"+back.Encode(), http.StatusFound)
}

// token changes codes and refresh tokens for tokens.
func (f *Forge) token(w http.ResponseWriter, r *http.Request) {
	form := r.PostFormValue
	if form("client_id") != f.ClientID || form("client_secret") != f.Secret {
		f.tokenError(w, r, map[Kind]string{GitHub: "incorrect_client_credentials", Gitea: "invalid_client", GitLab: "invalid_client"}[f.Kind], http.StatusUnauthorized)
		return
	}
	scopes, good := f.redeem(form)
	if !good {
		f.tokenError(w, r, map[Kind]string{GitHub: "bad_verification_code", Gitea: "unauthorized_client", GitLab: "invalid_grant"}[f.Kind], http.StatusBadRequest)
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.scopes != "" {
		scopes = f.scopes
	}
	given := token{scopes: scopes}
	answer := map[string]any{"access_token": secret(map[Kind]string{GitHub: "gho_", GitLab: "", Gitea: ""}[f.Kind]), "token_type": "bearer"}
	if f.Kind == GitHub {
		answer["scope"] = strings.ReplaceAll(scopes, " ", ",")
	}
	if f.Kind == GitLab {
		answer["scope"] = scopes
	}
	if f.TokenLife > 0 {
		given.expires = f.now().Add(f.TokenLife)
		answer["expires_in"], answer["refresh_token"] = int(f.TokenLife.Seconds()), secret("refresh-")
		if f.refresh == nil {
			f.refresh = map[string]string{}
		}
		f.refresh[answer["refresh_token"].(string)] = scopes
	}
	if f.tokens == nil {
		f.tokens = map[string]token{}
	}
	f.tokens[answer["access_token"].(string)] = given
	f.tokenAnswer(w, r, http.StatusOK, answer)
}

// redeem spends a code or a refresh token, each of which is good once.
func (f *Forge) redeem(form func(string) string) (scopes string, good bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if form("grant_type") == "refresh_token" {
		scopes, good = f.refresh[form("refresh_token")]
		delete(f.refresh, form("refresh_token"))
		return scopes, good
	}
	t, known := f.codes[form("code")]
	delete(f.codes, form("code"))
	sum := sha256.Sum256([]byte(form("code_verifier")))
	proven := t.challenge == "" || base64.RawURLEncoding.EncodeToString(sum[:]) == t.challenge
	return t.scopes, known && proven && form("redirect_uri") == t.redirect && form("grant_type") == "authorization_code"
}

// tokenError answers with an error. GitHub's come with status 200.
func (f *Forge) tokenError(w http.ResponseWriter, r *http.Request, code string, status int) {
	if f.Kind == GitHub {
		status = http.StatusOK
	}
	f.tokenAnswer(w, r, status, map[string]any{"error": code, "error_description": "for whoever develops the client"})
}

// tokenAnswer writes JSON; GitHub does only for those who ask for it.
func (f *Forge) tokenAnswer(w http.ResponseWriter, r *http.Request, status int, answer map[string]any) {
	if f.Kind == GitHub && !strings.Contains(r.Header.Get("Accept"), "application/json") {
		form := url.Values{}
		for name, value := range answer {
			form.Set(name, fmt.Sprint(value))
		}
		w.Header().Set("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")
		w.WriteHeader(status)
		w.Write([]byte(form.Encode()))
		return
	}
	writeJSON(w, status, answer)
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v)
}
