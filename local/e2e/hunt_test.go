package e2e_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"berth/core/access"
	"berth/core/backups"
	"berth/core/seal"
	"berth/handlers/api"
	"berth/hub/adapter/archive"
	"berth/local/e2e/rig"
)

// hunt looks for secrets in every form in which text is often written.
type hunt struct {
	t      *testing.T
	forms  map[string]string // what to look for, with what it is
	places int               // looked at
}

func newHunt(t *testing.T, secrets map[string]string) *hunt {
	h := &hunt{t: t, forms: map[string]string{}}
	for name, value := range secrets {
		h.add(name, value)
		for line := range strings.Lines(value) {
			if trimmed := strings.TrimSpace(line); len(trimmed) >= 12 && !strings.HasPrefix(trimmed, "-----") { // every key begins and ends like that
				h.add(name+", a line", trimmed)
			}
		}
	}
	return h
}

func (h *hunt) add(name, value string) {
	quoted, err := json.Marshal(value)
	if err != nil {
		h.t.Fatal(err)
	}
	h.forms[value] = name
	h.forms[strings.Trim(string(quoted), `"`)] = name + " as JSON"
	h.forms[url.QueryEscape(value)] = name + " in a query"
	h.forms[fmt.Sprintf("%x", value)] = name + " in hexadecimal digits"
	// The same bytes look different in base64 by where in a group of three they begin.
	for shift := range 3 {
		encoded := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("\x00", shift) + value))
		encoded = encoded[(shift*8+5)/6 : len(encoded)-2]
		h.forms[encoded] = name + " in base64"
		h.forms[strings.NewReplacer("+", "-", "/", "_").Replace(encoded)] = name + " in base64 for addresses"
	}
}

// at looks at a text.
func (h *hunt) at(where, text string) {
	h.t.Helper()
	h.places++
	if text == "" {
		h.t.Errorf("%s is empty: nothing was looked at", where)
	}
	for _, name := range h.found(text) {
		h.t.Errorf("%s: %s is there", where, name)
	}
}

func (h *hunt) found(text string) []string {
	var names []string
	for form, name := range h.forms {
		if strings.Contains(text, form) {
			names = append(names, name)
		}
	}
	return names
}

func TestTheHuntFindsWhatItLooksFor(t *testing.T) {
	h := newHunt(t, canaries("internal"))
	for name, value := range canaries("internal") {
		quoted, err := json.Marshal(map[string]string{"key": value})
		if err != nil {
			t.Fatal(err)
		}
		hiding := map[string]string{"as it is": "a " + value + " b", "JSON": string(quoted), "a query": "?a=" + url.QueryEscape(value) + "&b", "hexadecimal digits": fmt.Sprintf("%x", "ab"+value+"c"),
			"base64, first": base64.StdEncoding.EncodeToString([]byte(value + "tail")), "base64, second": base64.StdEncoding.EncodeToString([]byte("x" + value + "tail")),
			"base64, third": base64.URLEncoding.EncodeToString([]byte("xy" + value + "tail"))}
		for form, text := range hiding {
			if len(h.found(text)) == 0 {
				t.Errorf("%s was not found as %s", name, form)
			}
		}
	}
	if got := h.found("canary, but no secret"); got != nil {
		t.Errorf("found %v where nothing is", got)
	}
}

// answers looks at everything that the API tells each role, at these paths too.
func (h *hunt) answers(s *rig.Server, all map[string]*rig.Stack, more ...string) {
	h.t.Helper()
	paths := []string{"/metrics", "/api/custom/stacks", "/api/custom/repositories", "/api/custom/repository-keys", "/api/custom/workers", "/api/custom/users", "/api/custom/service-accounts",
		"/api/custom/variables?limit=500", "/api/custom/me", "/api/custom/openapi.json", "/api/custom/integrations", "/api/custom/jobs"}
	paths = append(paths, more...)
	for _, stack := range all {
		of := "/api/custom/stacks/" + string(stack.ID)
		paths = append(paths, of, of+"/services", of+"/revisions", of+"/decisions", of+"/deployments", of+"/effective-variables", of+"/sops-env-vars", of+"/plan", "/api/custom/variables/export?scope=stack&scope_id="+string(stack.ID))
		d := string(stack.Last().ID)
		paths = append(paths, "/api/custom/deployments/"+d, "/api/custom/deployments/"+d+"/log?limit=500", "/api/custom/deployments/"+d+"/stream")
		if stack.Now().Revision > 0 {
			paths = append(paths, of+"/revisions/1")
		}
	}
	for _, role := range access.Roles {
		as := s.Client.As(s.IssueKey(s.Account(role), time.Time{}).Key)
		for _, path := range paths {
			answer := as.Ask(http.MethodGet, path, nil)
			unplanned := strings.HasSuffix(path, "/plan") && answer.Status == http.StatusUnprocessableEntity // its Compose file is one of those that fail
			if role == access.RoleAdmin && answer.Status != http.StatusOK && !unplanned {
				h.t.Errorf("GET %s: %d", path, answer.Status)
			}
			h.at("GET "+path+" as "+string(role), string(answer.Body))
		}
	}
}

var link = regexp.MustCompile(`(?:href|src)="(/[^"#]*)`)

// pages looks at every page that an administrator can walk to.
func (h *hunt) pages(s *rig.Server) {
	h.t.Helper()
	const most = 1000
	known, open := map[string]bool{"/": true}, []string{"/"}
	for len(open) > 0 && len(known) < most {
		path := open[0]
		open = open[1:]
		answer := s.Person.Ask(http.MethodGet, path, nil)
		if answer.Status >= 500 {
			h.t.Errorf("GET %s: %d", path, answer.Status)
		}
		h.at("page "+path, string(answer.Body)+" ")
		if !strings.HasPrefix(answer.Header.Get("Content-Type"), "text/html") {
			continue
		}
		for _, found := range link.FindAllStringSubmatch(string(answer.Body), -1) {
			if next := html.UnescapeString(found[1]); !known[next] && !strings.Contains(next, "follow") {
				known[next] = true
				open = append(open, next)
			}
		}
	}
	if len(known) < 30 || len(known) >= most {
		h.t.Errorf("%d pages were found", len(known))
	}
}

// files looks at every file below a folder.
func (h *hunt) files(where, dir string) {
	h.t.Helper()
	seen := 0
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		if os.IsNotExist(err) { // the database tidies up after itself
			return nil
		}
		if err != nil {
			return err
		}
		seen++
		if len(content) > 0 {
			h.at(where+", "+strings.TrimPrefix(path, dir), string(content))
		}
		return nil
	})
	if err != nil || seen < 3 {
		h.t.Errorf("%s: %d files were looked at, %v", where, seen, err)
	}
}

// labels looks at what everybody with access to the engine may list.
func (h *hunt) labels(all map[string]*rig.Stack) {
	h.t.Helper()
	for _, stack := range all {
		for _, c := range stack.Containers() {
			for name, value := range c.Config.Labels {
				h.at("label "+name+" of "+c.Name, name+"="+value)
			}
		}
	}
}

// processes looks at what every user of this host may see of processes, and at the environment of all
// that do not run in a container.
func (h *hunt) processes() {
	h.t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*")
	if err != nil || len(all) < 3 {
		h.t.Fatalf("%d processes, %v", len(all), err)
	}
	own, err := os.Readlink("/proc/self/ns/mnt")
	if err != nil {
		h.t.Fatal(err)
	}
	for _, process := range all {
		files := []string{process + "/cmdline"}
		if namespace, err := os.Readlink(process + "/ns/mnt"); err == nil && namespace == own {
			files = append(files, process+"/environ")
		}
		for _, file := range files {
			content, err := os.ReadFile(file)
			if err == nil && len(content) > 0 { // the others have ended, or belong to the kernel
				h.at(file, strings.ReplaceAll(string(content), "\x00", " "))
			}
		}
	}
}

// backup makes a backup and looks at its archive, and at what is in that for whoever has the key.
func (h *hunt) backup(s *rig.Server) {
	h.t.Helper()
	made := rig.Post[api.BackupAnswer](s.Client, "/api/custom/backups", nil, http.StatusCreated)
	content := s.Client.Ask(http.MethodGet, "/api/custom/backups/"+made.Name, nil).Body
	h.at("the archive of a backup", string(content))
	key, err := seal.ParseSecretKey(s.Secrets["SECRET_KEY"])
	if err != nil {
		h.t.Fatal(err)
	}
	members := 0
	_, err = archive.New(key, seal.SecretKey{}, nil).Read(bytes.NewReader(content), func(m backups.Member, from io.Reader) error {
		text, err := io.ReadAll(from)
		members++
		h.at("in a backup, "+m.Name, string(text))
		return err
	})
	if err != nil || members < 3 || int64(len(content)) != made.Size {
		h.t.Errorf("%d members of %d bytes were looked at, %v", members, len(content), err)
	}
}
