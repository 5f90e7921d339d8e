package api

import (
	"context"
	"net/http"

	"berth/core"
	"berth/core/repositories"
	"berth/handlers/endpoint"
)

// RepositoryShower shows a folder or text file of what was fetched of a repository.
type RepositoryShower interface {
	Show(ctx context.Context, r repositories.Repository, commit core.Commit, path string) (repositories.Shown, error)
}

// FilesAnswer is a folder or a text file of a repository.
type FilesAnswer struct {
	Path      string        `json:"path"`   // "" is the root
	Commit    core.Commit   `json:"commit"` // that was looked at
	Type      string        `json:"type"`   // folder or file
	Entries   []FolderEntry `json:"entries"`
	Truncated bool          `json:"truncated"` // the folder has more than the 5000 that are listed
	Content   string        `json:"content"`   // of a file
}

// FolderEntry is one member of a folder.
type FolderEntry struct {
	Name string `json:"name"`
	Type string `json:"type"` // folder, file, or link: a symbolic link or submodule, which is not followed
	Size int64  `json:"size"` // bytes; 0 for folders
}

// ShowFiles answers with what is at ?path= (default: the root) of commit ?ref= (a full
// hash; default: the head). Only text files of at most 256 KiB are shown.
func ShowFiles(finder RepositoryFinder, shower RepositoryShower) http.Handler {
	return endpoint.Handle(func(w http.ResponseWriter, r *http.Request) error {
		repository, err := namedRepository(r, finder)
		if err != nil {
			return err
		}
		shown, err := shower.Show(r.Context(), repository, core.Commit(r.URL.Query().Get("ref")), r.URL.Query().Get("path"))
		if err != nil {
			return err
		}
		return endpoint.JSON(w, http.StatusOK, showFiles(shown))
	})
}

func showFiles(s repositories.Shown) FilesAnswer {
	answer := FilesAnswer{Path: s.Path, Commit: s.Commit, Type: "file", Entries: []FolderEntry{}, Truncated: s.Truncated, Content: s.Content}
	if s.Folder {
		answer.Type = "folder"
	}
	for _, e := range s.Entries {
		entry := FolderEntry{Name: e.Name, Type: "file", Size: e.Size}
		switch {
		case e.Folder:
			entry.Type = "folder"
		case e.Link:
			entry.Type = "link"
		}
		answer.Entries = append(answer.Entries, entry)
	}
	return answer
}
