package ui

import (
	"cmp"
	"net/url"
	"path"
	"strings"

	"berth/core/integrations"
	"berth/core/secrets"
)

// picked is what was chosen so far of where a secret is kept elsewhere. It travels in the address, so each
// step is a page of its own.
type picked struct {
	provider             string // empty: the value is typed
	name                 string // of the variable
	mount, path, field   string // of a vault
	project, environment string // of a secrets manager
	secret               string
	folder               string // that is looked into, of either
}

func pickedIn(q url.Values) picked {
	return picked{provider: q.Get("secret_provider"), name: strings.TrimSpace(q.Get("name")), mount: q.Get("mount"), path: q.Get("path"), field: q.Get("field"),
		project: q.Get("project"), environment: q.Get("environment"), secret: q.Get("secret_name"), folder: q.Get("folder")}
}

// query is p as part of an address, or as hidden fields of a form; what is empty is left out.
func (p picked) query() url.Values {
	q := url.Values{}
	for _, part := range []struct{ name, value string }{{"secret_provider", p.provider}, {"name", p.name}, {"mount", p.mount}, {"path", p.path}, {"field", p.field},
		{"project", p.project}, {"environment", p.environment}, {"secret_name", p.secret}, {"folder", p.folder}} {
		if part.value != "" {
			q.Set(part.name, part.value)
		}
	}
	return q
}

// reference is where the secret is; empty while something is still to be chosen.
func (p picked) reference() string {
	switch {
	case p.provider == secrets.Vault && p.mount != "" && p.path != "" && p.field != "":
		return secrets.VaultReference{Mount: p.mount, Path: p.path, Field: p.field}.String()
	case p.provider == secrets.Manager && p.project != "" && p.environment != "" && p.secret != "":
		return secrets.ManagerReference{Project: p.project, Environment: p.environment, Path: p.folder, Name: p.secret}.String()
	}
	return ""
}

// step is what is asked next of the backend, and how that is called.
func (p picked) step() (integrations.Step, string) {
	switch {
	case p.provider == secrets.Vault && p.mount == "":
		return integrations.Step{Kind: integrations.StepMounts}, "Choose a mount"
	case p.provider == secrets.Vault && p.path == "":
		return integrations.Step{Kind: integrations.StepPaths, Mount: p.mount, Path: p.folder}, "Choose a secret"
	case p.provider == secrets.Vault:
		return integrations.Step{Kind: integrations.StepFields, Mount: p.mount, Path: p.path}, "Choose a field"
	case p.project == "":
		return integrations.Step{Kind: integrations.StepProjects}, "Choose a project"
	case p.environment == "":
		return integrations.Step{Kind: integrations.StepEnvironments, Project: p.project}, "Choose an environment"
	}
	return integrations.Step{Kind: integrations.StepSecrets, Project: p.project, Environment: p.environment, Path: p.folder}, "Choose a secret"
}

// with is p after a choice was made in a step.
func (p picked) with(kind integrations.StepKind, c integrations.Choice) picked {
	switch {
	case c.Folder && (kind == integrations.StepPaths || kind == integrations.StepSecrets):
		p.folder = c.ID
	case kind == integrations.StepMounts:
		p.mount = c.ID
	case kind == integrations.StepPaths:
		p.path = c.ID
	case kind == integrations.StepFields:
		p.field = c.ID
	case kind == integrations.StepProjects:
		p.project = c.ID
	case kind == integrations.StepEnvironments:
		p.environment = c.ID
	case kind == integrations.StepSecrets:
		p.secret = c.ID
	}
	return p
}

// chosenLine is a choice that was made, with the way back to before it.
type chosenLine struct{ Label, Value, Href string }

// chosen lists what was chosen, in order; base is the address of the picker.
func (p picked) chosen(base string) []chosenLine {
	var all []chosenLine
	so := picked{provider: p.provider, name: p.name}
	add := func(label, value string, put func()) {
		if value != "" {
			all = append(all, chosenLine{label, value, withQuery(base, so.query())})
			put()
		}
	}
	add("Mount", p.mount, func() { so.mount = p.mount })
	add("Project", p.project, func() { so.project = p.project })
	add("Environment", p.environment, func() { so.environment = p.environment })
	before := "" // the way back from a folder is the folder above it
	if up := path.Dir(p.folder); up != "." {
		before = up
	}
	so.folder = before
	add("Folder", p.folder, func() {})
	so.folder = p.folder
	add("Secret", cmp.Or(p.path, p.secret), func() { so.path, so.secret = p.path, p.secret })
	add("Field", p.field, func() {})
	return all
}
