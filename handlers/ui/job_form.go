package ui

import (
	"net/url"
	"strings"
)

// jobForm is what people say about a job, when they add one and later. All else is in its job.yaml.
type jobForm struct {
	Trouble string
	Path    input
	Name    input
}

// jobWords is what was typed or is stored.
type jobWords struct{ name, path string }

func jobWordsOf(form url.Values) jobWords {
	return jobWords{name: strings.TrimSpace(form.Get("name")), path: strings.TrimSpace(form.Get("path"))}
}

func newJobForm(typed jobWords) jobForm {
	return jobForm{
		Path: input{Name: "path", Label: "Folder in the repository", Kind: "text", Complete: "off", Mono: true, Value: exact(typed.path), Sample: "jobs/backup",
			Hint: "Holds the job.yaml. Empty: the root."},
		Name: input{Name: "name", Label: "Name", Kind: "text", Complete: "off", Mono: true, Value: exact(typed.name), Hint: "Lower-case letters, digits, - and _. Metrics and lists know the job by it."},
	}
}

// refuse puts what is wrong into the form; code is that of the fault.
func (f *jobForm) refuse(c complaints, code string) {
	f.Trouble = c.on(&f.Path, &f.Name)
	field := map[string]*input{"job.name_taken": &f.Name, "job.path_taken": &f.Path}[code]
	if field != nil {
		field.Problem, field.Focus, f.Trouble = f.Trouble, true, ""
	}
}
