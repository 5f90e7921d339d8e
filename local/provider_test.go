package main

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"berth/local/stand/oidcstand"
)

// stands are the providers of scripts, by issuer.
var (
	standsMu sync.Mutex
	stands   = map[string]*oidcstand.Provider{} // guarded by standsMu
)

// provider starts an OpenID Connect provider that ends with the script, and sets the server up to use it.
func provider(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: provider")
	}
	stand, err := oidcstand.New("berth", "the-secret", time.Now)
	ts.Check(err)
	ts.Defer(stand.Close)
	ts.Setenv("OIDC_ISSUER", stand.URL)
	ts.Setenv("OIDC_CLIENT_ID", stand.ClientID)
	ts.Setenv("OIDC_CLIENT_SECRET", stand.ClientSecret)
	standsMu.Lock()
	defer standsMu.Unlock()
	stands[stand.URL] = stand
}

// signon signs somebody in there who is in a group, through the sign-in page, and prints the page that they come to.
func signon(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: signon name group path")
	}
	standsMu.Lock()
	stand := stands[ts.Getenv("OIDC_ISSUER")]
	standsMu.Unlock()
	stand.Person = oidcstand.Object{"sub": args[0], "email": args[0] + "@example.org", "email_verified": true, "name": args[0], "groups": []string{args[1]}}
	jar, err := cookiejar.New(nil)
	ts.Check(err)
	browser := http.Client{Jar: jar, Timeout: 20 * time.Second}
	page, err := browser.Get(ts.Getenv("APP_URL") + "/login?" + url.Values{"next": {args[2]}}.Encode())
	ts.Check(err)
	text, err := io.ReadAll(page.Body)
	page.Body.Close()
	ts.Check(err)
	_, rest, _ := strings.Cut(string(text), `href="/login/oidc`)
	query, _, found := strings.Cut(rest, `"`)
	if !found {
		ts.Fatalf("the sign-in page offers no provider: %s", text)
	}
	answer, err := browser.Get(ts.Getenv("APP_URL") + "/login/oidc" + strings.ReplaceAll(query, "&amp;", "&"))
	ts.Check(err)
	defer answer.Body.Close()
	text, err = io.ReadAll(answer.Body)
	ts.Check(err)
	_, err = ts.Stdout().Write([]byte(answer.Request.URL.Path + " " + answer.Status + "\n" + string(text)))
	ts.Check(err)
}
