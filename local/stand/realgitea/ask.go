package realgitea

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"time"
)

// Must asks the API, below /api/v1, for what has to succeed, and reads the answer into v unless that is nil.
func (s *Server) Must(method, path string, body, v any) {
	s.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		s.t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.URL+"/api/v1"+path, bytes.NewReader(text))
	if err != nil {
		s.t.Fatal(err)
	}
	r.SetBasicAuth(Owner, s.Password)
	r.Header.Set("Content-Type", "application/json")
	answer, err := (&http.Client{Timeout: time.Minute}).Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	said, err := io.ReadAll(answer.Body)
	if err == nil && v != nil && answer.StatusCode < 300 {
		err = json.Unmarshal(said, v)
	}
	if err != nil || answer.StatusCode >= 300 {
		s.t.Fatalf("Gitea: %s %s: %s %s, %v", method, path, answer.Status, said, err)
	}
}

// Repository makes a private repository of an owner with one commit of these files, and returns its address.
func (s *Server) Repository(owner, name string, files map[string]string) string {
	s.t.Helper()
	path := "/user/repos"
	if owner != Owner {
		path = "/orgs/" + owner + "/repos"
	}
	s.Must(http.MethodPost, path, map[string]any{"name": name, "private": true, "auto_init": true, "default_branch": "main"}, nil)
	s.Commit(owner, name, files)
	return s.URL + "/" + owner + "/" + name + ".git"
}

// Commit writes files on top of main and returns the commit.
func (s *Server) Commit(owner, name string, files map[string]string) string {
	s.t.Helper()
	type file struct {
		Operation string `json:"operation"`
		Path      string `json:"path"`
		Content   string `json:"content"`
	}
	var all []file
	for path, content := range files {
		all = append(all, file{"upload", path, base64.StdEncoding.EncodeToString([]byte(content))})
	}
	var made struct{ Commit struct{ SHA string } }
	s.Must(http.MethodPost, "/repos/"+owner+"/"+name+"/contents", map[string]any{"branch": "main", "message": "Change", "files": all}, &made)
	return made.Commit.SHA
}

// Person is somebody in front of a browser, who is signed in as Owner.
type Person struct {
	s      *Server
	client http.Client
}

// SignIn signs in on the page for that.
func (s *Server) SignIn() *Person {
	s.t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		s.t.Fatal(err)
	}
	p := &Person{s, http.Client{Timeout: time.Minute, Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	p.send("/user/login", url.Values{"user_name": {Owner}, "password": {s.Password}})
	return p
}

// input is a hidden field of a form.
var input = regexp.MustCompile(`<input type="hidden" name="([a-z_]+)" value="([^"]*)">`)

// Grant opens the page that an application sent the browser to, lets it in, and returns where Gitea sends the
// browser then.
func (p *Person) Grant(address string) string {
	p.s.t.Helper()
	answer, err := p.client.Get(address)
	if err != nil {
		p.s.t.Fatal(err)
	}
	defer answer.Body.Close()
	page, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		p.s.t.Fatalf("Gitea: the page to let an application in: %s %v", answer.Status, err)
	}
	form := url.Values{"granted": {"true"}}
	for _, field := range input.FindAllStringSubmatch(string(page), -1) {
		form.Set(field[1], html.UnescapeString(field[2]))
	}
	return p.send("/login/oauth/grant", form)
}

// send sends a form, which must be answered with another page's address.
func (p *Person) send(path string, form url.Values) (to string) {
	p.s.t.Helper()
	answer, err := p.client.PostForm(p.s.URL+path, form)
	if err != nil {
		p.s.t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusSeeOther && answer.StatusCode != http.StatusFound {
		said, err := io.ReadAll(io.LimitReader(answer.Body, 2000))
		p.s.t.Fatalf("Gitea: POST %s: %s %s, %v", path, answer.Status, said, err)
	}
	return answer.Header.Get("Location")
}
