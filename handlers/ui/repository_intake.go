package ui

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"

	"berth/core"
	"berth/core/access"
	"berth/core/fault"
	"berth/core/intake"
	"berth/core/jobs"
	"berth/core/repositories"
	"berth/handlers/endpoint"
)

// RepositoryIntake adds stacks and jobs for folders of a repository; see intake.Desk.
type RepositoryIntake interface {
	Add(ctx context.Context, id core.RepositoryID, wish intake.Wish, by access.Principal) ([]intake.Added, error)
}

// IntakeDeps are the ports of the two handlers that add many folders at once.
type IntakeDeps struct {
	Repositories RepositoryFinder
	Browser      RepositoryBrowser
	Users        RepositoryUsers
	Workers      WorkerDirectory
	Desk         RepositoryIntake
}

type repositoryIntakePage struct {
	Name, Href string
	Trouble    string
	NotFound   string // why its folders are not known
	Added      int    // just now, while others were refused
	Picks      []pickLine
	More       bool // there are more folders than can be added at once
	Worker     workerPick
	Tags       input
	Sync       tick
}

// pickLine is a folder that is neither a stack nor a job yet.
type pickLine struct {
	Pick string // as posted: kind and path
	Path string
	Kind string
	On   bool
	Name input // its problem is why the folder was not added
}

var repositoryIntakeView = newView[repositoryIntakePage]("repository_intake.html")

// PickFound offers the folders of a repository that are not added yet.
func PickFound(d IntakeDeps) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		known, page, err := d.page(r, stackWords{sync: true})
		if err != nil {
			return err
		}
		return writeIntake(w, r, http.StatusOK, known, page)
	})
}

// AddFound adds the folders that were ticked, and shows the page again for those that were refused.
func AddFound(d IntakeDeps) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		form, err := typed(r)
		if err != nil {
			return err
		}
		said := wordsOf(form)
		worker, failed := pickedWorker(r.Context(), d.Workers, "worker_id", said.worker)
		wish := intake.Wish{Worker: worker, WorkerTags: words(said.tags), AutoSync: said.sync}
		for _, ticked := range form["pick"] {
			kind, path, _ := strings.Cut(ticked, " ")
			wish.Picks = append(wish.Picks, intake.Pick{Path: path, Kind: repositories.Kind(kind), Name: strings.TrimSpace(form.Get("name " + ticked))})
		}
		id := core.RepositoryID(r.PathValue("id"))
		var all []intake.Added
		if failed == nil {
			all, failed = d.Desk.Add(r.Context(), id, wish, endpoint.Principal(r.Context()))
		}
		refused := refusedPicks(all)
		if failed == nil && len(refused) == 0 {
			return seeOther(w, r, saying(repositoryHref(id), "folders-added"))
		}
		c := complaints{Status: http.StatusUnprocessableEntity}
		if failed != nil {
			var ours bool
			if c, ours = complain(r, failed); !ours || fault.Is(failed, fault.NotFound) {
				return failed
			}
		}
		known, page, err := d.page(r, said)
		if err != nil {
			return err
		}
		page.Worker.refuse(&c)
		page.Trouble, page.Added = c.general(), len(all)-len(refused)
		page.refuse(r, refused)
		return writeIntake(w, r, c.Status, known, page)
	})
}

// refusedPicks returns those that were not added, as they are posted.
func refusedPicks(all []intake.Added) map[string]intake.Added {
	refused := map[string]intake.Added{}
	for _, a := range all {
		if a.Err != nil {
			refused[string(a.Kind)+" "+a.Path] = a
		}
	}
	return refused
}

// refuse puts back what was ticked and typed, and beside each folder why it was not added.
func (p *repositoryIntakePage) refuse(r *http.Request, refused map[string]intake.Added) {
	for i := range p.Picks {
		line := &p.Picks[i]
		line.On = slices.Contains(r.PostForm["pick"], line.Pick)
		if r.PostForm.Has(line.Name.Name) {
			line.Name.Value = exact(r.PostForm.Get(line.Name.Name))
		}
		if a, found := refused[line.Pick]; found {
			line.Name.Problem = p.blame(r, a)
		}
	}
}

// blame returns why a folder was not added, unless that is about what was said of all stacks, beside which it is put.
func (p *repositoryIntakePage) blame(r *http.Request, a intake.Added) string {
	c, ours := complain(r, a.Err)
	if !ours {
		return sentence(fault.PublicOf(a.Err))
	}
	p.Tags.Problem = cmp.Or(p.Tags.Problem, c.about(p.Tags.Name))
	p.Worker.refuse(&c)
	return strings.TrimSpace(c.about("name") + " " + sentence(c.general()))
}

func (d IntakeDeps) page(r *http.Request, said stackWords) (repositories.Repository, repositoryIntakePage, error) {
	known, err := d.Repositories.Repository(r.Context(), core.RepositoryID(r.PathValue("id")))
	if err != nil {
		return known, repositoryIntakePage{}, err
	}
	form, err := newStackForm(r, d.Workers, said)
	if err != nil {
		return known, repositoryIntakePage{}, err
	}
	page := repositoryIntakePage{Name: known.Name, Href: repositoryHref(known.ID), Worker: form.Worker, Tags: form.Tags, Sync: form.Sync}
	found, err := d.Browser.Discover(r.Context(), known)
	if err != nil {
		page.NotFound = fault.PublicOf(err)
		if expected(err) {
			err = nil
		}
		return known, page, err
	}
	var there repositoryPage
	for _, f := range found.Found {
		if f.Kind == repositories.KindJob {
			there.Jobs = append(there.Jobs, foundJob{Path: folderName(f.Path)})
		} else {
			there.Stacks = append(there.Stacks, foundLine{Path: folderName(f.Path)})
		}
	}
	if err := there.match(r.Context(), d.Users, known.ID); err != nil {
		return known, page, err
	}
	page.offer(found, there, known.Name)
	return known, page, nil
}

// offer lists the folders that are not added yet.
func (p *repositoryIntakePage) offer(found repositories.Discovery, there repositoryPage, repository string) {
	taken := map[string]bool{}
	for _, s := range there.Stacks {
		taken["stack "+s.Path] = len(s.Stacks) > 0
	}
	for _, j := range there.Jobs {
		taken["job "+j.Path] = j.Name != ""
	}
	p.More = found.Truncated
	for _, f := range found.Found {
		if taken[string(f.Kind)+" "+folderName(f.Path)] {
			continue
		}
		if len(p.Picks) == intake.MaxPicks {
			p.More = true
			return
		}
		pick := string(f.Kind) + " " + f.Path
		p.Picks = append(p.Picks, pickLine{Pick: pick, Path: folderName(f.Path), Kind: string(f.Kind), On: true,
			Name: input{Name: "name " + pick, Value: exact(jobs.ProposeName(f.Path, repository))}})
	}
}

func writeIntake(w http.ResponseWriter, r *http.Request, status int, known repositories.Repository, page repositoryIntakePage) error {
	f := newFrame(r, inRepositories, "Add from "+known.Name, crumb{"Repositories", "/repositories"}, crumb{known.Name, repositoryHref(known.ID)})
	f.Problem = status != http.StatusOK
	return repositoryIntakeView.write(w, r, status, f, page)
}
