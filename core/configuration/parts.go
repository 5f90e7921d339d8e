package configuration

// part is one field of a thing as the file has it, in the order in which it is written there. Its value is a string,
// a bool, a []string, a []Setting, a []limit or parts. A part that has its default is left out.
type part struct {
	name  string
	value any
}

// parts collects what is not as by default.
type parts []part

func (p parts) text(name, value string) parts {
	if value != "" {
		p = append(p, part{name, value})
	}
	return p
}

// flag is left out when it is as by default.
func (p parts) flag(name string, value, byDefault bool) parts {
	if value != byDefault {
		p = append(p, part{name, value})
	}
	return p
}

func (p parts) list(name string, values []string) parts {
	if len(values) > 0 {
		p = append(p, part{name, values})
	}
	return p
}

func (k Key) parts() parts {
	return parts(nil).text("type", string(k.Type)).text("host", k.Host).text("username", k.Username).text("account", k.Account)
}

func (h Host) parts() parts { return parts(nil).list("keys", h.Keys) }

func (r Repository) parts() parts {
	return parts(nil).text("url", r.URL).text("branch", r.Branch).text("tag", r.Tag).text("semver", r.Semver).text("key", r.Key).flag("webhook", r.Webhook, false).
		text("commit_statuses", string(r.Statuses))
}

func (i Integration) parts() parts {
	p := parts{{"enabled", i.Enabled}}
	if len(i.Settings) > 0 {
		p = append(p, part{"settings", i.Settings})
	}
	return p.list("secrets", i.Secrets)
}

// parts of a plain variable always have its value, an empty one too.
func (v Variable) parts() parts {
	if !v.Secret() {
		return parts{{"value", v.Value}}
	}
	return parts(nil).text("secret", v.Provider).text("reference", v.Reference)
}

func (s Stack) parts() parts {
	return append(parts(nil).text("repository", s.Repository).text("path", s.Path).text("worker", s.Worker).list("worker_tags", s.WorkerTags),
		parts{{"auto_sync", s.AutoSync}}.flag("paused", s.Paused, false).list("global_variables", s.Globals)...)
}

func (j Job) parts() parts {
	return parts(nil).text("repository", j.Repository).text("path", j.Path).flag("paused", j.Paused, false).list("global_variables", j.Globals)
}

func (a Account) parts() parts {
	return parts(nil).text("role", string(a.Role)).flag("disabled", a.Disabled, false)
}

func (u User) parts() parts {
	return parts(nil).text("role", string(u.Role)).flag("disabled", u.Disabled, false)
}

func (w Worker) parts() parts { return parts(nil).list("tags", w.Tags) }
