package configuration

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"berth/core"
	"berth/core/access"
	"berth/core/document"
	"berth/core/fault"
	"berth/core/repositories"
	"berth/core/secrets"
	"berth/core/stacks"
	"berth/core/variables"
)

// Limits of one section.
const (
	maxItems = 50_000
	maxList  = 1000
)

// Read checks a decoded file. Invalid "configuration.invalid" names every problem with its line; file is what
// it is called there.
func Read(doc core.Document, file string) (Configuration, error) {
	r := &reader{Reader: document.New(doc)}
	known := []string{"version"}
	for _, s := range Sections {
		known = append(known, string(s))
		if _, there := doc.Value[string(s)]; there {
			r.c.Sections = append(r.c.Sections, s)
		}
	}
	r.Keys(known...)
	r.version()
	r.keys()
	r.hosts()
	r.repositories()
	r.integrations()
	r.c.Variables = r.variables(string(SectionVariables))
	r.workers()
	r.policies()
	r.stacks()
	r.jobs()
	r.people()
	if r.c.Sections == nil {
		r.c.Sections = []Section{}
	}
	r.c.normal()
	return r.c, r.Fault(file, "configuration.invalid")
}

// reader takes a configuration out of a document.
type reader struct {
	*document.Reader
	c Configuration
}

func (r *reader) version() {
	switch v := r.At("version").(type) {
	case nil:
		r.Complain("version", "is required: version: %d", Version)
	case int64:
		if v != Version {
			r.Complain("version", "is %d, and this server reads %d; export the file again with a server that reads its format", v, Version)
		}
	default:
		r.Complain("version", "must be the number %d", Version)
	}
}

// each calls do for every item of a list, which must be a mapping of known keys whose name no other item has.
func (r *reader) each(list, ident string, do func(at, name string), known ...string) {
	items, ok := r.At(list).([]any)
	if !ok && r.At(list) != nil || len(items) > maxItems {
		r.Complain(list, "must be a list of at most %d items", maxItems)
		return
	}
	first := map[string]string{}
	for i := range items {
		at := fmt.Sprintf("%s[%d]", list, i)
		if !r.Section(at, append([]string{ident}, known...)...) {
			if items[i] == nil {
				r.Complain(at, "must be a mapping")
			}
			continue
		}
		name := r.needed(at + "." + ident)
		if name == "" {
			continue
		}
		if other := first[name]; other != "" {
			r.Complain(at+"."+ident, "%.60q is there already, as %s; names are what things are known by", name, other)
			continue
		}
		first[name] = at
		do(at, name)
	}
}

// needed reads a text that must be there.
func (r *reader) needed(path string) (text string) {
	if r.At(path) == nil {
		r.Complain(path, "is required")
		return ""
	}
	text = r.text(path)
	if _, is := r.At(path).(string); is && text == "" {
		r.Complain(path, "must not be empty")
	}
	return text
}

// text reads a text of one line.
func (r *reader) text(path string) (text string) {
	text = r.value(path, 4096)
	if strings.ContainsFunc(text, func(c rune) bool { return c < ' ' || c == 0x7f }) {
		r.Complain(path, "must be text of one line without control characters")
		return ""
	}
	return text
}

func (r *reader) value(path string, most int) string {
	switch v := r.At(path).(type) {
	case nil:
	case string:
		if len(v) > most || !utf8.ValidString(v) {
			r.Complain(path, "at most %d bytes of UTF-8", most)
			return ""
		}
		return v
	default:
		r.Complain(path, "must be text; put it in quotes")
	}
	return ""
}

func (r *reader) flag(path string) (on bool) { r.Flag(path, &on); return on }

// names reads a list of texts, none of them there twice.
func (r *reader) names(path string) (all []string) {
	items, ok := r.At(path).([]any)
	if !ok && r.At(path) != nil || len(items) > maxList {
		r.Complain(path, "must be a list of at most %d texts", maxList)
		return nil
	}
	for i := range items {
		at := fmt.Sprintf("%s[%d]", path, i)
		name := r.needed(at)
		if name != "" && slices.Contains(all, name) {
			r.Complain(at, "%.60q is there twice", name)
		}
		all = append(all, name)
	}
	return all
}

// word reads one of the allowed texts, which must be there.
func word[T ~string](r *reader, path string, allowed ...T) (chosen T) {
	if r.At(path) == nil {
		r.Complain(path, "is required: %s", strings.Join(texts(allowed), ", "))
	}
	document.Choice(r.Reader, path, &chosen, allowed...)
	return chosen
}

func texts[T ~string](all []T) (plain []string) {
	for _, one := range all {
		plain = append(plain, string(one))
	}
	return plain
}

// blame complains about fields of a thing that a use case's rule refuses.
func (r *reader) blame(at string, bad []fault.Field) {
	for _, f := range bad {
		r.Complain(at+"."+f.Path, "%s", f.Problem)
	}
}

func (r *reader) keys() {
	r.each(string(SectionKeys), "name", func(at, name string) {
		k := Key{Name: name, Type: word(r, at+".type", repositories.TypeBasic, repositories.TypeSSH, repositories.TypeOAuth), Host: r.needed(at + ".host")}
		k.Username, k.Account = r.text(at+".username"), r.text(at+".account")
		if k.Type == repositories.TypeBasic && k.Username == "" {
			r.Complain(at+".username", "is required for a basic key")
		}
		r.c.Keys = append(r.c.Keys, k)
	}, "type", "host", "username", "account")
}

func (r *reader) hosts() {
	r.each(string(SectionHosts), "address", func(at, address string) {
		h := Host{Address: address, Keys: r.names(at + ".keys")}
		if len(h.Keys) == 0 {
			r.Complain(at+".keys", "is required: the keys that were accepted, such as ssh-ed25519 AAAA…")
		}
		r.c.Hosts = append(r.c.Hosts, h)
	}, "keys")
}

func (r *reader) repositories() {
	r.each(string(SectionRepositories), "name", func(at, name string) {
		one := Repository{Name: name, URL: r.needed(at + ".url"), Branch: r.text(at + ".branch"), Tag: r.text(at + ".tag"), Semver: r.text(at + ".semver"),
			Key: r.text(at + ".key"), Webhook: r.flag(at + ".webhook"), Follow: r.follow(at + ".follow")}
		if normal, err := repositories.Address(one.URL); one.URL != "" && err != nil {
			r.Complain(at+".url", "%s", fault.PublicOf(err))
		} else if err == nil {
			one.URL = normal
		}
		if err := repositories.ValidSource(core.GitSource{Branch: one.Branch, Tag: one.Tag, Semver: one.Semver}); err != nil {
			r.Complain(at, "%s", fault.PublicOf(err))
		}
		document.Choice(r.Reader, at+".commit_statuses", &one.Statuses, repositories.StatusesGitHub, repositories.StatusesGitea, repositories.StatusesGitLab)
		r.blame(at, repositories.Repository{URL: one.URL, Credential: core.CredentialID(one.Key), Statuses: one.Statuses}.CheckStatuses())
		r.c.Repositories = append(r.c.Repositories, one)
	}, "url", "branch", "tag", "semver", "key", "webhook", "commit_statuses", "follow")
}

func (r *reader) integrations() {
	r.each(string(SectionIntegrations), "slug", func(at, slug string) {
		i := Integration{Slug: slug, Enabled: r.flag(at + ".enabled"), Secrets: r.names(at + ".secrets")}
		if settings, ok := r.At(at + ".settings").(map[string]any); ok {
			for _, name := range slices.Sorted(maps.Keys(settings)) {
				value, is := settings[name].(string)
				if !is {
					r.Complain(at+".settings."+name, "must be text; put it in quotes")
				}
				i.Settings = append(i.Settings, Setting{name, value})
			}
		} else if r.At(at+".settings") != nil {
			r.Complain(at+".settings", "must be a mapping")
		}
		r.c.Integrations = append(r.c.Integrations, i)
	}, "enabled", "settings", "secrets")
}

func (r *reader) variables(list string) (all []Variable) {
	r.each(list, "name", func(at, name string) {
		v := Variable{Name: name, Value: r.value(at+".value", variables.MaxValue), Reference: r.text(at + ".reference")}
		if !variables.ValidName(name) {
			r.Complain(at+".name", "letters, digits and _, not beginning with a digit")
		}
		if r.At(at+".secret") != nil {
			v.Provider = word(r, at+".secret", secrets.Internal, secrets.Vault, secrets.Manager)
		}
		external := v.Provider == secrets.Vault || v.Provider == secrets.Manager
		switch {
		case !v.Secret() && r.At(at+".secret") == nil && r.At(at+".value") == nil:
			r.Complain(at, "needs a value, or secret: with its provider")
		case v.Secret() && r.At(at+".value") != nil:
			r.Complain(at+".value", "must be left out: the values of secrets are in no file")
		case external:
			if err := secrets.CheckReference(v.Provider, v.Reference); err != nil {
				r.Complain(at+".reference", "%s", fault.PublicOf(err))
			}
		case v.Reference != "":
			r.Complain(at+".reference", "is for secrets that vault or manager keep")
		}
		if problem := variables.ValueProblem(v.Value); problem != "" {
			r.Complain(at+".value", "%s", problem)
		}
		all = append(all, v)
	}, "value", "secret", "reference")
	return all
}

func (r *reader) workers() {
	r.each(string(SectionWorkers), "name", func(at, name string) {
		r.c.Workers = append(r.c.Workers, Worker{Name: name, Tags: r.tags(at + ".tags")})
	}, "tags")
}

func (r *reader) tags(path string) []string {
	tags := r.names(path)
	for i, tag := range tags {
		if tag != "" && !core.ValidTag(tag) {
			r.Complain(fmt.Sprintf("%s[%d]", path, i), "a tag has letters, digits, - and _ only")
		}
	}
	return tags
}

func (r *reader) stacks() {
	r.each(string(SectionStacks), "name", func(at, name string) {
		path, bad := stacks.CleanPath(r.text(at + ".path"))
		r.blame(at, append(bad, stacks.CheckName(name)...))
		s := Stack{Name: name, Repository: r.needed(at + ".repository"), Path: path, Worker: r.text(at + ".worker"), WorkerTags: r.tags(at + ".worker_tags"),
			AutoSync: r.flag(at + ".auto_sync"), Paused: r.flag(at + ".paused"), Globals: r.names(at + ".global_variables"), Variables: r.variables(at + ".variables")}
		if s.Worker != "" && len(s.WorkerTags) > 0 {
			r.Complain(at+".worker", "must be left out where worker_tags say which workers may be chosen")
		}
		r.c.Stacks = append(r.c.Stacks, s)
	}, "repository", "path", "worker", "worker_tags", "auto_sync", "paused", "global_variables", "variables")
}

func (r *reader) jobs() {
	r.each(string(SectionJobs), "name", func(at, name string) {
		path, bad := stacks.CleanPath(r.text(at + ".path"))
		r.blame(at, append(bad, stacks.CheckName(name)...))
		r.c.Jobs = append(r.c.Jobs, Job{Name: name, Repository: r.needed(at + ".repository"), Path: path, Paused: r.flag(at + ".paused"),
			Globals: r.names(at + ".global_variables"), Variables: r.variables(at + ".variables")})
	}, "repository", "path", "paused", "global_variables", "variables")
}

func (r *reader) people() {
	r.each(string(SectionAccounts), "name", func(at, name string) {
		r.c.Accounts = append(r.c.Accounts, Account{Name: name, Role: word(r, at+".role", access.Roles...), Disabled: r.flag(at + ".disabled")})
	}, "role", "disabled")
	r.each(string(SectionUsers), "email", func(at, email string) {
		r.c.Users = append(r.c.Users, User{Email: strings.ToLower(email), Role: word(r, at+".role", access.Roles...), Disabled: r.flag(at + ".disabled")})
	}, "role", "disabled")
}
