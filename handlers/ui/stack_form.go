package ui

import (
	"net/http"
	"net/url"
	"strings"

	"berth/core/fleet"
)

// stackForm is what people say about a stack, when they add one and later.
type stackForm struct {
	Trouble string
	Name    input
	Path    input
	Worker  workerPick
	Tags    input
	Sync    tick
}

// stackWords is what was typed or is stored.
type stackWords struct {
	name, path, worker, tags string
	sync                     bool
}

func wordsOf(form url.Values) stackWords {
	return stackWords{name: strings.TrimSpace(form.Get("name")), path: strings.TrimSpace(form.Get("path")), worker: form.Get("worker_id"),
		tags: form.Get("worker_tags"), sync: form.Has("auto_sync")}
}

// newStackForm offers the usable workers to choose from.
func newStackForm(r *http.Request, workers WorkerDirectory, typed stackWords) (stackForm, error) {
	words := choice{Name: "worker_id", Label: "Worker", Hint: "Where the containers run. It stays there from the first deployment on."}
	worker, err := newWorkerPick(r.Context(), workers, words, "Any that fits the tags", typed.worker, func(fleet.Worker) bool { return true })
	return stackForm{
		Name: input{Name: "name", Label: "Name", Kind: "text", Complete: "off", Mono: true, Value: exact(typed.name),
			Hint: "Also the Compose project's name: lower-case letters, digits, - and _."},
		Path: input{Name: "path", Label: "Folder in the repository", Kind: "text", Complete: "off", Mono: true, Value: exact(typed.path), Sample: "apps/web",
			Hint: "Holds the Compose file, with or without a wireops.yaml. Empty: the root."},
		Worker: worker,
		Tags: input{Name: "worker_tags", Label: "Worker tags", Kind: "text", Complete: "off", Value: exact(typed.tags), Optional: true, Sample: "production, eu",
			Hint: "A worker must have all of them. Separate them with commas."},
		Sync: tick{Name: "auto_sync", Label: "Deploy new commits by itself", On: typed.sync, Hint: "Otherwise somebody has to ask for each deployment."},
	}, err
}

// refuse puts what is wrong into the form.
func (f *stackForm) refuse(c complaints) {
	f.Worker.refuse(&c)
	f.Trouble = c.on(&f.Name, &f.Path, &f.Tags)
}
