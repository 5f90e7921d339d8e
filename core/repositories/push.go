package repositories

import (
	"encoding/json"
	"errors"
	"net/url"
	"regexp"
	"strings"

	"berth/core"
)

// Limits of what is kept of a delivery, in bytes, and of what is looked at.
const (
	maxEvent  = 64
	maxHostID = 128
	maxRef    = 300
	maxPushed = 200 // branches and tags of one push
)

// push is what a delivery says, as far as anybody here wants to know.
type push struct {
	event   string
	hostID  string
	isPush  bool
	refs    []pushedRef
	normal  string // name of the default branch; empty: it does not say
	testing bool   // the host tries the webhook
}

// pushedRef is one branch or tag that a push moved.
type pushedRef struct {
	name   string // full: refs/heads/main
	commit core.Commit
	gone   bool
}

// tells reads what an arrival says. It is called for proven ones only. The error is for people, and holds
// nothing of the body.
func (a Arrival) tells() (push, error) {
	var p push
	read := readRef
	switch a.Provider() {
	case ProviderGitHub:
		p.hostID, p.event = hostID(a.Header("X-Github-Delivery")), a.Header("X-Github-Event")
		p.isPush, p.testing = p.event == "push", p.event == "ping"
	case ProviderGitea:
		p.hostID, p.event = hostID(a.first("X-Gitea-Delivery", "X-Forgejo-Delivery")), a.first("X-Gitea-Event", "X-Forgejo-Event")
		p.isPush = p.event == "push"
	case ProviderGitLab:
		p.hostID, p.event = hostID(a.first("X-Gitlab-Event-Uuid", "Idempotency-Key")), a.Header("X-Gitlab-Event")
		p.isPush = p.event == "Push Hook" || p.event == "Tag Push Hook"
	case ProviderBitbucket:
		p.hostID, p.event = hostID(a.first("X-Request-Uuid", "X-Request-Id")), a.Header("X-Event-Key")
		p.isPush, p.testing = p.event == "repo:push" || p.event == "repo:refs_changed", p.event == "diagnostics:ping"
		read = readChanges
	default:
		p.hostID, p.event, p.isPush = "", "call", true
		read = readCall
	}
	p.event = plain(p.event, maxEvent)
	if !p.isPush {
		return p, nil // whatever it says is not looked at
	}
	body, err := a.document()
	if err == nil {
		err = read(body, &p)
	}
	return p, err
}

var errNotJSON = errors.New("the body is not JSON of the form that this kind of host sends")

// document is the JSON in a body. GitHub and Gitea can be told to send it in a form's field.
func (a Arrival) document() ([]byte, error) {
	if kind, _, _ := strings.Cut(a.Header("Content-Type"), ";"); !strings.EqualFold(strings.TrimSpace(kind), "application/x-www-form-urlencoded") {
		return a.Body, nil
	}
	form, err := url.ParseQuery(string(a.Body))
	if err != nil || !form.Has("payload") {
		return nil, errors.New("the body is a form without a field named payload; choose application/json as its content type at the Git host")
	}
	return []byte(form.Get("payload")), nil
}

// readRef reads the pushes of GitHub, GitLab, Gitea and Forgejo, which agree in what is read here.
func readRef(body []byte, p *push) error {
	var said struct {
		Ref, After string
		Deleted    bool
		Repository struct {
			DefaultBranch string `json:"default_branch"`
		}
		Project struct {
			DefaultBranch string `json:"default_branch"`
		}
	}
	if json.Unmarshal(body, &said) != nil {
		return errNotJSON
	}
	p.normal = said.Repository.DefaultBranch
	if p.normal == "" {
		p.normal = said.Project.DefaultBranch
	}
	return p.add(said.Ref, said.After, said.Deleted)
}

// readChanges reads the pushes of Bitbucket's cloud and of its data centers.
func readChanges(body []byte, p *push) error {
	type side struct {
		Type, Name string
		Target     struct{ Hash string }
	}
	var said struct {
		Push struct {
			Changes []struct{ New, Old *side }
		}
		Changes []struct {
			Ref    struct{ ID string }
			ToHash string
			Type   string
		}
	}
	if json.Unmarshal(body, &said) != nil {
		return errNotJSON
	}
	if len(said.Push.Changes)+len(said.Changes) > maxPushed {
		return errors.New("the push moved more branches and tags than are looked at")
	}
	for _, c := range said.Push.Changes {
		now, gone := c.New, c.New == nil
		if gone {
			now = c.Old
		}
		if now == nil {
			return errNotJSON
		}
		if err := p.add(fullRef(now.Type, now.Name), now.Target.Hash, gone); err != nil {
			return err
		}
	}
	for _, c := range said.Changes {
		if err := p.add(c.Ref.ID, c.ToHash, c.Type == "DELETE"); err != nil {
			return err
		}
	}
	if len(p.refs) == 0 {
		return errNotJSON
	}
	return nil
}

// fullRef makes the full name of what Bitbucket calls by type and name.
func fullRef(kind, name string) string {
	if kind == "tag" || kind == "annotated_tag" {
		return "refs/tags/" + name
	}
	return "refs/heads/" + name
}

// readCall reads what somebody's own script sends: nothing, or an object whose fields may all be left out.
func readCall(body []byte, p *push) error {
	var said struct{ Ref, Commit, Delivery string }
	if len(body) > 0 && json.Unmarshal(body, &said) != nil {
		return errors.New("the body is not a JSON object with the texts ref, commit and delivery, of which each may be left out")
	}
	p.hostID = hostID(said.Delivery)
	if said.Ref == "" {
		return nil
	}
	if !strings.HasPrefix(said.Ref, "refs/") {
		said.Ref = "refs/heads/" + said.Ref
	}
	return p.add(said.Ref, said.Commit, false)
}

// add notes one branch or tag.
func (p *push) add(ref, commit string, gone bool) error {
	if !strings.HasPrefix(ref, "refs/") || len(ref) > maxRef || plain(ref, maxRef) != ref {
		return errNotJSON
	}
	gone = gone || commit != "" && strings.Trim(commit, "0") == ""
	if gone || !fullHash.MatchString(commit) {
		commit = ""
	}
	p.refs = append(p.refs, pushedRef{ref, core.Commit(commit), gone})
	return nil
}

var hostIDs = regexp.MustCompile(`^[A-Za-z0-9{}._:/=+-]+$`)

// hostID returns what a host calls a delivery, or nothing where that is no identifier.
func hostID(text string) string {
	if len(text) > maxHostID || !hostIDs.MatchString(text) {
		return ""
	}
	return text
}

// plain returns text that can be shown, cut to a number of bytes.
func plain(text string, most int) string {
	text = strings.ToValidUTF8(text[:min(len(text), most)], "")
	return strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f {
			return -1
		}
		return c
	}, text)
}
