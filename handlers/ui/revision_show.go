package ui

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/stacks"
	"berth/handlers/endpoint"
)

// ComposeReader reads the rendered Compose file of a revision, in which secrets stand as ${NAME}.
type ComposeReader interface {
	Compose(stack core.StackID, number int) ([]byte, error)
}

type revisionPage struct {
	Head      stackHead
	Line      revisionLine
	Trouble   string // why its Compose file is not shown
	Rules     []string
	Services  []revisionService
	Files     []revisionFiles
	Variables []string
	Compose   copyable
	With      choice // what it can be compared with; without options: there is no other
}

// revisionService is a compose service of a revision.
type revisionService struct{ Name, Image string }

// revisionFiles is a file or folder of the repository that a revision mounts.
type revisionFiles struct {
	Path  string
	Count int
}

var revisionView = newView[revisionPage]("revision_show.html")

// Revision shows one revision: all that decides what runs, secrets by name only.
func Revision(reader RevisionReader, files ComposeReader, now core.Clock) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		s, revision, err := revisionIn(r, reader)
		if err != nil {
			return err
		}
		page := showRevision(revision, s, now())
		text, err := files.Compose(s.ID, revision.Number)
		switch {
		case err == nil:
			page.Compose.Text = string(text)
		case expected(err):
			page.Trouble = sentence(fault.PublicOf(err))
		default:
			return err
		}
		if page.With, err = otherRevisions(r, reader, s, revision.Number, s.Revision); err != nil {
			return err
		}
		f := newFrame(r, inStacks, fmt.Sprintf("Revision %d of %s", revision.Number, s.Name), revisionsTrail(s)...)
		return revisionView.write(w, r, http.StatusOK, f, page)
	})
}

var errNoRevision = fault.New(fault.NotFound, "revision.not_found",
	"The stack has no such revision. Revisions are numbered from 1; the newest are kept, and those that something still needs.")

// revisionIn finds the stack and the revision that the path names.
func revisionIn(r *http.Request, reader RevisionReader) (stacks.Stack, stacks.Revision, error) {
	s, err := reader.Stack(r.Context(), stackIn(r))
	if err != nil {
		return s, stacks.Revision{}, err
	}
	number, err := strconv.Atoi(r.PathValue("number"))
	if err != nil || number < 1 {
		return s, stacks.Revision{}, errNoRevision
	}
	revision, err := reader.Revision(r.Context(), s.ID, number)
	if fault.Is(err, fault.NotFound) {
		err = errNoRevision
	}
	return s, revision, err
}

func showRevision(r stacks.Revision, s stacks.Stack, now time.Time) revisionPage {
	page := revisionPage{Head: headOf(s, nil, tabRevisions), Line: revisionOf(r, s, now), Rules: rulesOf(r.Manifest), Compose: copyable{ID: "compose", Label: "Rendered Compose file"}}
	for _, service := range r.Services {
		page.Services = append(page.Services, revisionService{service.Name, service.Image})
	}
	for _, c := range r.Content {
		page.Files = append(page.Files, revisionFiles{c.Source, len(c.Files)})
	}
	for _, v := range r.Variables {
		page.Variables = append(page.Variables, v.Name)
	}
	return page
}

// rulesOf says in words how a revision is put in place.
func rulesOf(m stacks.Manifest) []string {
	rules := []string{fmt.Sprintf("Its services get %s to become healthy.", spell(m.HealthTimeout))}
	if m.StableFor > 0 {
		rules = append(rules, fmt.Sprintf("They have to stay so for %s.", spell(m.StableFor)))
	}
	if m.OnFailure == stacks.OnFailureKeep {
		rules = append(rules, "When they do not, what runs is left as it is.")
	} else {
		rules = append(rules, "When they do not, the last good revision is put back.")
	}
	if m.SelfHeal {
		rules = append(rules, "What somebody changes by hand is repaired.")
	}
	return rules
}

// comparable is how many revisions a page offers to compare with.
const comparable = 50

// otherRevisions offers the revisions that one can be compared with.
func otherRevisions(r *http.Request, reader RevisionReader, s stacks.Stack, number, chosen int) (choice, error) {
	with := choice{Name: "with", Label: "Compare with"}
	all, err := reader.Revisions(r.Context(), s.ID, 0, comparable)
	for _, other := range all {
		if other.Number == number {
			continue
		}
		word := fmt.Sprintf("revision %d, %s", other.Number, other.Commit.Short())
		if other.Number == s.Revision {
			word += ", in place"
		}
		with.Options = append(with.Options, option{exact(strconv.Itoa(other.Number)), word, other.Number == chosen})
	}
	return with, err
}

// revisionsTrail is the way to pages about a revision.
func revisionsTrail(s stacks.Stack) []crumb {
	return append(stackTrail(s), crumb{"Revisions", stackHref(s.ID) + "/revisions"})
}
