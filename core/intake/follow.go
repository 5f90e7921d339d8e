package intake

import (
	"path"
	"slices"
	"time"

	"berth/core"
	"berth/core/repositories"
)

// Thing is a stack or a job of a repository.
type Thing struct {
	Kind  repositories.Kind
	ID    string
	Name  string
	Path  string
	Going bool // it is being removed
}

// FolderState says what became of a folder of a repository that is followed.
type FolderState string

// The states of folders.
const (
	FolderAdded   FolderState = "added"   // it is a stack or a job, or was one until somebody removed that
	FolderKnown   FolderState = "known"   // it was there when following began
	FolderRefused FolderState = "refused" // it could not be added; it is tried again with each look
	FolderHeld    FolderState = "held"    // it may be what another one was renamed to: a person decides
)

// Folder is what is known of a folder.
type Folder struct {
	Kind    repositories.Kind
	Path    string
	State   FolderState
	Problem string // of those that are refused or held, for people
	Since   time.Time
}

// Proposal is that a stack or a job be removed, or moved: its folder is gone from the repository.
type Proposal struct {
	Kind       repositories.Kind
	ID         string // of the stack or job
	Name       string // of it; only what is read has it
	Repository core.RepositoryID
	Path       string      // that is gone
	MovedTo    string      // folder that it seems to have been renamed to; empty: none
	Commit     core.Commit // that lacks it first
	Problem    string      // why it was not removed by itself although that is asked for; empty: it is not
	Since      time.Time
}

// Known is what is known of a repository that is followed.
type Known struct {
	Things    []Thing
	Folders   []Folder
	Proposals []Proposal
}

// Sight is what a commit of a repository holds.
type Sight struct {
	Found     []repositories.Found // all of them, not only those that are followed
	Hashes    map[string]string    // of the paths of Known.Things, see Thing.mark; "" is not there
	Before    map[string]string    // the same paths in the commit before; nil: unknown
	New       map[string]string    // hashes of the found folders
	Continued bool                 // the commit leads back to the one before: what is gone was deleted there
}

// Plan is what follows from a sight.
type Plan struct {
	Add    []repositories.Found // new folders
	Note   []Folder             // what is known of others from now on
	Forget []Folder             // are not there any more
	Gone   []Proposal           // new ones
	Remove []Proposal           // of Gone, those that are removed by themselves
	Back   []string             // identifiers whose proposals are void: the folder is there again
}

// mark is the path that tells that a thing's folder is there.
func (t Thing) mark() string {
	if t.Kind == repositories.KindJob {
		return path.Join(t.Path, "job.yaml")
	}
	return t.Path
}

// decide says what follows for a repository from a sight of it. It has no effect.
func decide(r repositories.Repository, known Known, s Sight) Plan {
	var p Plan
	p.lose(r.Following, known, s)
	p.find(r, known, s)
	if r.Following.Remove && s.Continued {
		p.remove(known)
	}
	return p
}

// lose proposes to remove what lost its folder, and takes back what has one again.
func (p *Plan) lose(f repositories.Following, known Known, s Sight) {
	proposed := map[string]bool{}
	for _, was := range known.Proposals {
		proposed[was.ID] = true
	}
	for _, t := range known.Things {
		gone := s.Hashes[t.mark()] == "" && t.mark() != ""
		switch {
		case t.Going:
		case !gone && proposed[t.ID]:
			p.Back = append(p.Back, t.ID)
		case gone && !proposed[t.ID] && f.Covers(t.Kind, t.Path):
			p.Gone = append(p.Gone, Proposal{Kind: t.Kind, ID: t.ID, Name: t.Name, Path: t.Path})
		}
	}
}

// find sorts the folders that nobody knows: new ones, those of the beginning, and what may be another one's new name.
func (p *Plan) find(r repositories.Repository, known Known, s Sight) {
	used, kept := map[string]bool{}, map[string]Folder{}
	for _, t := range known.Things {
		used[placeOf(t.Kind, t.Path)] = true
	}
	for _, f := range known.Folders {
		kept[placeOf(f.Kind, f.Path)] = f
	}
	there := map[string]bool{}
	var fresh []repositories.Found
	for _, f := range s.Found {
		at := placeOf(f.Kind, f.Path)
		there[at] = true
		was, told := kept[at]
		switch {
		case !r.Following.Covers(f.Kind, f.Path):
		case used[at]:
			p.note(told, was, Folder{Kind: f.Kind, Path: f.Path, State: FolderAdded})
		case told && (was.State == FolderAdded || was.State == FolderKnown):
		case !told && !r.FollowBegun && !r.Following.Existing:
			p.note(told, was, Folder{Kind: f.Kind, Path: f.Path, State: FolderKnown})
		case told && was.State == FolderHeld && p.waits(f, known):
		default:
			fresh = append(fresh, f)
		}
	}
	for _, f := range known.Folders {
		if !there[placeOf(f.Kind, f.Path)] {
			p.Forget = append(p.Forget, f)
		}
	}
	p.Add = p.pair(fresh, s)
}

func placeOf(kind repositories.Kind, folder string) string { return string(kind) + " " + folder }

// note keeps what is known of a folder, when that is news.
func (p *Plan) note(told bool, was, now Folder) {
	if !told || was.State != now.State || was.Problem != now.Problem {
		p.Note = append(p.Note, now)
	}
}

// waits reports whether a folder that is held is still what a proposal may be about.
func (p *Plan) waits(f repositories.Found, known Known) bool {
	for _, open := range known.Proposals {
		if open.Kind == f.Kind && !slices.Contains(p.Back, open.ID) && (open.MovedTo == f.Path || open.MovedTo == "") {
			return true
		}
	}
	return false
}

const (
	heldFor     = "It may be what the folder %q of %s %q was renamed to. Follow it there, or remove that %s: then this folder is added."
	heldAmong   = "It came with the commit with which the folder of another %s went, and may be that one's new name. Decide about that one first, or add the folder by hand."
	tooMany     = "More than %d folders came at once. It is added with the next look at the repository."
	wouldBeAll  = "It was not removed by itself, because nothing of this kind would be left of the repository. Remove it here if that is meant."
	notRemoved  = "It could not be removed by itself: %s"
	afterRename = "It was not removed by itself, because its folder seems to have been renamed."
)

// pair finds what may have been renamed among what went and what came with one commit, and returns what is new
// without doubt. What has the same content or the same name is taken for the same; what is left of both is not guessed at.
func (p *Plan) pair(fresh []repositories.Found, s Sight) []repositories.Found {
	fresh = p.pairBy(fresh, func(g Proposal, f repositories.Found) bool {
		was := s.Before[g.Path]
		return was != "" && was == s.New[f.Path]
	})
	fresh = p.pairBy(fresh, func(g Proposal, f repositories.Found) bool {
		return g.Path != "" && path.Base(g.Path) == path.Base(f.Path)
	})
	var sure []repositories.Found
	for _, f := range fresh {
		lost := slices.DeleteFunc(slices.Clone(p.Gone), func(g Proposal) bool { return g.Kind != f.Kind || g.MovedTo != "" })
		if len(lost) == 0 {
			sure = append(sure, f)
			continue
		}
		p.Note = append(p.Note, Folder{Kind: f.Kind, Path: f.Path, State: FolderHeld})
	}
	return sure
}

// pairBy gives each proposal the first folder of its kind that is the same, and returns the folders that are left.
func (p *Plan) pairBy(fresh []repositories.Found, same func(Proposal, repositories.Found) bool) []repositories.Found {
	for i, g := range p.Gone {
		at := slices.IndexFunc(fresh, func(f repositories.Found) bool { return f.Kind == g.Kind && same(g, f) })
		if g.MovedTo != "" || at < 0 {
			continue
		}
		p.Gone[i].MovedTo = fresh[at].Path
		p.Note = append(p.Note, Folder{Kind: g.Kind, Path: fresh[at].Path, State: FolderHeld})
		fresh = slices.Delete(slices.Clone(fresh), at, at+1)
	}
	return fresh
}

// remove picks what is removed by itself: never the last of its kind, and nothing that may only have been renamed.
func (p *Plan) remove(known Known) {
	left := map[repositories.Kind]int{}
	for _, t := range known.Things {
		if !t.Going {
			left[t.Kind]++
		}
	}
	for _, open := range known.Proposals {
		if !slices.Contains(p.Back, open.ID) {
			left[open.Kind]--
		}
	}
	for _, g := range p.Gone {
		left[g.Kind]--
	}
	for i, g := range p.Gone {
		held := slices.ContainsFunc(p.Note, func(f Folder) bool { return f.State == FolderHeld && f.Kind == g.Kind })
		switch {
		case g.MovedTo != "" || held:
			p.Gone[i].Problem = afterRename
		case left[g.Kind] <= 0:
			p.Gone[i].Problem = wouldBeAll
		default:
			p.Remove = append(p.Remove, g)
		}
	}
}
