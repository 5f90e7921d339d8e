package api

import (
	"context"
	"net/http"
	"time"

	"berth/core"
	"berth/core/intake"
	"berth/core/repositories"
	"berth/handlers/endpoint"
)

// maxProposals is how many proposals are told of one repository.
const maxProposals = 500

// FollowAnswer is what becomes of a repository's folders by themselves.
type FollowAnswer struct {
	What       repositories.FollowWhat `json:"what"`        // off, stacks or stacks_and_jobs
	Folders    string                  `json:"folders"`     // pattern of the folders that count, such as apps/*; "": all
	Existing   bool                    `json:"existing"`    // folders that were there when following began are added too
	Remove     bool                    `json:"remove"`      // what lost its folder is removed by itself; volumes stay
	WorkerID   core.WorkerID           `json:"worker_id"`   // of stacks that are added; "": any worker with the tags
	WorkerTags []string                `json:"worker_tags"` // of stacks that are added
	AutoSync   bool                    `json:"auto_sync"`   // of stacks that are added
}

// FollowRequest sets what it names of a repository's following; everything else stays.
type FollowRequest struct {
	What       *repositories.FollowWhat `json:"what"`        // off, stacks or stacks_and_jobs
	Folders    *string                  `json:"folders"`     // pattern of the folders that count: * is one name, ** any number of them; "": all
	Existing   *bool                    `json:"existing"`    // add the folders that are there already too; default false
	Remove     *bool                    `json:"remove"`      // remove by itself what lost its folder, volumes excepted; default false: it is proposed
	WorkerID   *core.WorkerID           `json:"worker_id"`   // of stacks that are added; "": any worker with the tags
	WorkerTags *[]string                `json:"worker_tags"` // of stacks that are added
	AutoSync   *bool                    `json:"auto_sync"`   // of stacks that are added; default true
}

func (f *FollowRequest) change() *repositories.FollowingChange {
	if f == nil {
		return nil
	}
	return &repositories.FollowingChange{What: f.What, Folders: f.Folders, Existing: f.Existing, Remove: f.Remove, Worker: f.WorkerID, WorkerTags: f.WorkerTags, AutoSync: f.AutoSync}
}

func showFollowing(f repositories.Following) FollowAnswer {
	answer := FollowAnswer{What: f.What, Folders: f.Folders, Existing: f.Existing, Remove: f.Remove, WorkerID: f.Worker, WorkerTags: f.WorkerTags, AutoSync: f.AutoSync}
	if !f.On() {
		answer.What = repositories.FollowOff
	}
	if answer.WorkerTags == nil {
		answer.WorkerTags = []string{}
	}
	return answer
}

// FolderTeller knows what following a repository came to.
type FolderTeller interface {
	// FolderProposals returns what is proposed for stacks and jobs that lost their folder, oldest first: of one
	// repository, or of all.
	FolderProposals(ctx context.Context, id core.RepositoryID, limit int) ([]intake.Proposal, error)
	// WaitingFolders returns the new folders that were not added, and why.
	WaitingFolders(ctx context.Context, id core.RepositoryID) ([]intake.Folder, error)
}

// FollowedAnswer is what following a repository came to, as far as it needs a person.
type FollowedAnswer struct {
	Follow    FollowAnswer           `json:"follow"`
	Waiting   []WaitingFolderAnswer  `json:"waiting"`   // new folders that were not added
	Proposals []FolderProposalAnswer `json:"proposals"` // stacks and jobs whose folder is gone
}

// WaitingFolderAnswer is a new folder that was not added by itself.
type WaitingFolderAnswer struct {
	Path    string             `json:"path"`
	Kind    repositories.Kind  `json:"kind"`  // stack or job
	State   intake.FolderState `json:"state"` // refused: it is tried again with each look; held: it may be what another folder was renamed to
	Problem string             `json:"problem"`
	Since   time.Time          `json:"since"`
}

// FolderProposalAnswer is a stack or a job whose folder is gone: remove it, or have it follow another folder.
type FolderProposalAnswer struct {
	Kind    repositories.Kind `json:"kind"` // stack or job
	ID      string            `json:"id"`   // of it
	Name    string            `json:"name"`
	Path    string            `json:"path"`     // that is gone
	MovedTo string            `json:"moved_to"` // folder that it seems to have been renamed to; "": none
	Commit  core.Commit       `json:"commit"`   // that lacks it first
	Problem string            `json:"problem"`  // why it was not removed by itself although that is asked for; "": it is not
	Since   time.Time         `json:"since"`
}

// RepositoryFollowed tells what following a repository came to.
func RepositoryFollowed(finder RepositoryFinder, teller FolderTeller) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		known, err := namedRepository(r, finder)
		if err != nil {
			return err
		}
		waiting, err := teller.WaitingFolders(r.Context(), known.ID)
		if err != nil {
			return err
		}
		proposals, err := teller.FolderProposals(r.Context(), known.ID, maxProposals)
		if err != nil {
			return err
		}
		answer := FollowedAnswer{Follow: showFollowing(known.Following), Waiting: []WaitingFolderAnswer{}, Proposals: []FolderProposalAnswer{}}
		for _, f := range waiting {
			answer.Waiting = append(answer.Waiting, WaitingFolderAnswer{Path: f.Path, Kind: f.Kind, State: f.State, Problem: f.Problem, Since: f.Since})
		}
		for _, p := range proposals {
			answer.Proposals = append(answer.Proposals, FolderProposalAnswer{Kind: p.Kind, ID: p.ID, Name: p.Name, Path: p.Path, MovedTo: p.MovedTo, Commit: p.Commit, Problem: p.Problem, Since: p.Since})
		}
		return endpoint.JSON(w, http.StatusOK, answer)
	})
}
