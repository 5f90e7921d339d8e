package repositories

import (
	"fmt"
	"strings"
	"time"

	"berth/core"
)

// EventKind says what happened to a repository at its Git host.
type EventKind string

// The kinds of events.
const (
	EventRewritten     EventKind = "rewritten"      // the new commit does not lead back to the one before
	EventUnconnected   EventKind = "unconnected"    // it may: less history was fetched
	EventDefaultBranch EventKind = "default_branch" // another branch is the default one, and is followed from now on
	EventTagMoved      EventKind = "tag_moved"      // the tag that is followed names another commit
	EventVersion       EventKind = "version"        // another tag is the highest version in the range
	EventMoved         EventKind = "moved"          // the Git host redirects to another address

	// Of a repository that is followed, see core/intake.
	EventAdded   EventKind = "folder_added"   // a new folder became a stack or a job
	EventRefused EventKind = "folder_refused" // a new folder could not, or waits for a person
	EventGone    EventKind = "folder_gone"    // the folder of a stack or job is not there any more
	EventRemoved EventKind = "folder_removed" // what lost its folder was removed, or is being
)

// MaxEvents is how many events are kept of one repository.
const MaxEvents = 200

// Event is something that happened to a repository, apart from plain new commits.
type Event struct {
	ID         core.RepositoryEventID
	Repository core.RepositoryID
	At         time.Time
	Kind       EventKind
	Text       string      // for people
	Commit     core.Commit // the newest one then
	Ref        string      // full name of the branch or tag then
}

// Turns returns what happened to a repository between what is known of it and a new look. Nothing did when it was
// never read before, or is read from somewhere else since.
func (r Repository) Turns(head core.GitHead, lineage core.Lineage) []Event {
	var all []Event
	say := func(kind EventKind, text string, rest ...any) {
		all = append(all, Event{Repository: r.ID, Kind: kind, Text: fmt.Sprintf(text, rest...), Commit: head.Commit, Ref: head.Ref})
	}
	if head.Moved != "" && head.Moved != r.MovedTo {
		say(EventMoved, "The Git host redirects %s to %s. That is followed as long as it does; make it the repository's address.", r.URL, head.Moved)
	}
	before, now := ShortRef(r.Ref), ShortRef(head.Ref)
	switch {
	case r.Head == "" || r.Ref == "" || head.Ref == "" || strings.HasPrefix(r.Ref, tags) != (r.Tag != "" || r.Semver != ""):
	case r.Semver != "" && r.Ref != head.Ref:
		say(EventVersion, "Tag %s is the highest version in %s; before it was %s.", now, r.Semver, before)
	case r.Ref != head.Ref && r.Branch+r.Tag != "": // it was found before the repository was edited
	case r.Ref != head.Ref:
		say(EventDefaultBranch, "The default branch is %s now; before it was %s. The new one is followed.", now, before)
	case r.Head == head.Commit:
	case r.Tag != "" || r.Semver != "":
		say(EventTagMoved, "Tag %s names commit %s now; before it named %s.", now, head.Commit.Short(), r.Head.Short())
	case lineage == core.LineageRewritten:
		say(EventRewritten, "The history of %s was rewritten: commit %s does not lead back to %s. Revisions from before are kept.", now, head.Commit.Short(), r.Head.Short())
	case lineage == core.LineageCut:
		say(EventUnconnected, "Commit %s of %s does not lead back to %s in the history that was fetched: either very many commits came at once, or history was rewritten.", head.Commit.Short(), now, r.Head.Short())
	}
	return all
}

// IsAt reports whether a look found what is known.
func (r Repository) IsAt(head core.GitHead) bool {
	return r.Head == head.Commit && r.Ref == head.Ref && r.MovedTo == head.Moved
}

// ShortRef is the name of a branch or tag without what it begins with in full.
func ShortRef(ref string) string {
	for _, prefix := range []string{branches, tags} {
		if short, found := strings.CutPrefix(ref, prefix); found {
			return short
		}
	}
	return ref
}

// Follows says for people what of a repository is deployed.
func (r Repository) Follows() string {
	switch {
	case r.Tag != "":
		return "tag " + r.Tag
	case r.Semver != "":
		return "versions " + r.Semver
	case r.Branch != "":
		return "branch " + r.Branch
	}
	return "the default branch"
}

// Version is the tag that is deployed; empty when a branch is followed, or nothing was found yet.
func (r Repository) Version() string {
	if r.Tag == "" && r.Semver == "" {
		return ""
	}
	return ShortRef(r.Ref)
}
