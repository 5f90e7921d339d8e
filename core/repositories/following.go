package repositories

import (
	"fmt"
	"path"
	"strings"

	"berth/core"
	"berth/core/fault"
)

// FollowWhat says which folders become something by themselves.
type FollowWhat string

// What of a repository is followed.
const (
	FollowOff    FollowWhat = "off"
	FollowStacks FollowWhat = "stacks"
	FollowAll    FollowWhat = "stacks_and_jobs"
)

const maxPattern = 1024 // bytes

// Following says what becomes of a repository's folders by themselves. Its zero value is FollowOff.
type Following struct {
	What     FollowWhat `json:"what,omitempty"`
	Folders  string     `json:"folders,omitempty"`  // pattern of the paths that count, see InFolders; empty: all
	Existing bool       `json:"existing,omitempty"` // folders that are there when following begins are added too
	Remove   bool       `json:"remove,omitempty"`   // what lost its folder is removed by itself; its volumes stay

	// Of the stacks that are added.
	Worker     core.WorkerID `json:"worker_id,omitempty"` // empty: placed by tags
	WorkerTags []string      `json:"worker_tags,omitempty"`
	AutoSync   bool          `json:"auto_sync,omitempty"`
}

// On reports whether anything is followed.
func (f Following) On() bool { return f.What == FollowStacks || f.What == FollowAll }

// Covers reports whether a folder counts that could be of this kind.
func (f Following) Covers(kind Kind, folder string) bool {
	return f.On() && (kind == KindStack || f.What == FollowAll) && InFolders(f.Folders, folder)
}

// FollowingChange is what an edit sets; nil fields stay.
type FollowingChange struct {
	What       *FollowWhat
	Folders    *string
	Existing   *bool
	Remove     *bool
	Worker     *core.WorkerID
	WorkerTags *[]string
	AutoSync   *bool
}

// Apply returns f with the change put in and checked. Fields of what is wrong begin with "follow.".
func (c FollowingChange) Apply(f Following) (Following, []fault.Field) {
	if !f.On() && c.AutoSync == nil {
		f.AutoSync = true // what is added by itself is deployed by itself, unless somebody says otherwise
	}
	set(&f.What, c.What)
	set(&f.Folders, c.Folders)
	set(&f.Existing, c.Existing)
	set(&f.Remove, c.Remove)
	set(&f.Worker, c.Worker)
	set(&f.WorkerTags, c.WorkerTags)
	set(&f.AutoSync, c.AutoSync)
	f.Folders = strings.Trim(strings.TrimSpace(f.Folders), "/")
	bad := core.CheckTags("follow.worker_tags", f.WorkerTags)
	if f.What != FollowOff && !f.On() && f.What != "" {
		bad = append(bad, fault.Field{Path: "follow.what", Problem: "must be off, stacks or stacks_and_jobs"})
	}
	if !validPattern(f.Folders) {
		bad = append(bad, fault.Field{Path: "follow.folders", Problem: fmt.Sprintf("a pattern of folders such as apps/* or **/deploy: * stands for one name, ** for any number of them; at most %d bytes", maxPattern)})
	}
	if !f.On() {
		return Following{}, bad
	}
	return f, bad
}

func validPattern(pattern string) bool {
	for part := range strings.SplitSeq(pattern, "/") {
		_, err := path.Match(part, "")
		if err != nil || part == "." || part == ".." || part == "" && pattern != "" || part != "**" && strings.Contains(part, "**") {
			return false
		}
	}
	return len(pattern) <= maxPattern && plainText(pattern) && strings.Count(pattern, "**") <= 4
}

// InFolders reports whether a pattern names a folder: each part stands for one name, as path.Match has it, and ** for
// any number of them. An empty pattern names all.
func InFolders(pattern, folder string) bool {
	if pattern == "" {
		return true
	}
	var names []string
	if folder != "" {
		names = strings.Split(folder, "/")
	}
	return namesFit(strings.Split(pattern, "/"), names)
}

func namesFit(pattern, names []string) bool {
	for len(pattern) > 0 && pattern[0] != "**" {
		if len(names) == 0 {
			return false
		}
		if same, err := path.Match(pattern[0], names[0]); err != nil || !same {
			return false
		}
		pattern, names = pattern[1:], names[1:]
	}
	if len(pattern) == 0 {
		return len(names) == 0
	}
	for i := 0; i <= len(names); i++ {
		if namesFit(pattern[1:], names[i:]) {
			return true
		}
	}
	return false
}
