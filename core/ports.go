package core

import (
	"context"
	"strconv"
	"time"

	"berth/core/secrets"
)

// Clock tells the time; tests hand in their own.
type Clock func() time.Time

// Nudger wakes the hub after something was committed. It is a hint: losing one costs
// a second, because the hub also looks by itself. It never blocks and never fails.
type Nudger interface {
	Nudge()
}

// Commit is a full hexadecimal commit hash. It never moves.
type Commit string

// Short returns the first ten characters, for people.
func (c Commit) Short() string { return string(c[:min(10, len(c))]) }

// GitSource says where a repository is and how to read it.
type GitSource struct {
	Repository RepositoryID  // names the mirror: one per repository
	URL        string        // normal form of core/repositories: http, https, or ssh with the user in it
	Branch     string        // short branch name; empty, with the next two: the remote's default branch
	Tag        string        // short tag name, in place of a branch
	Semver     string        // a range of versions, in place of a branch: the tag of the highest one in it
	Username   string        // over http(s); empty: anonymous
	Password   secrets.Value // password or token of Username

	// Over ssh: the private key in OpenSSH's form without passphrase, and the host keys that were accepted for
	// the host of URL, each as "ssh-ed25519 AAAA…". A host with another key is not talked to.
	Key      secrets.Value
	HostKeys []string
}

// GitHead is where a source points.
type GitHead struct {
	Commit Commit
	Ref    string // full name of the branch or tag, such as refs/tags/v1.4.2; empty: the host did not say which is the default branch
	Moved  string // the address to which the host redirects, within itself; empty: it does not
}

// Lineage says how two commits are related.
type Lineage int

// The lineages of a later commit, seen from an earlier one.
const (
	LineageUnknown   Lineage = iota // too little of their history was fetched
	LineageContinued                // the later one leads back to the earlier one
	LineageRewritten                // it does not
	LineageCut                      // the history of the later one was cut off before it could
)

// GitRemote reads Git hosts into bare mirrors, one per repository, and reads blobs
// from those. Nothing of a repository is ever executed or checked out.
//
// Errors are faults: Unavailable "git.unreachable", Unauthenticated
// "git.credential_refused", over SSH "git.host_key_unknown" and "git.host_key_changed",
// Forbidden "git.private_address", NotFound "git.branch_missing", "git.tag_missing",
// "git.version_missing" or "git.repository_missing", Invalid "git.address", "git.branch",
// "git.tag", "git.semver" or "git.objects_refused", TooLarge
// "git.too_large"; of our own disk: Unavailable "git.mirror" or "git.disk_full". None
// contains a credential.
type GitRemote interface {
	// Head asks the remote where the source points, without fetching. An annotated tag points at its commit.
	Head(ctx context.Context, src GitSource) (GitHead, error)
	// Fetch brings what the source points at into the mirror, which it makes or repairs as needed.
	Fetch(ctx context.Context, src GitSource) (GitHead, error)
	// Lineage tells from the mirror how a commit is related to an earlier one that was fetched before it.
	Lineage(ctx context.Context, repository RepositoryID, earlier, later Commit) (Lineage, error)
	// Tree opens a commit of a mirror. NotFound "git.commit_missing" when the mirror lacks it.
	// The caller closes it.
	Tree(ctx context.Context, repository RepositoryID, commit Commit) (Tree, error)
	// Commits lists at most limit commits that lead to commit, newest first.
	Commits(ctx context.Context, repository RepositoryID, commit Commit, limit int) ([]CommitSummary, error)
	// Forget deletes the repository's mirror. Deleting none is no error.
	Forget(ctx context.Context, repository RepositoryID) error
}

// CommitSummary is what a list of commits shows.
type CommitSummary struct {
	Commit  Commit
	Author  string
	Subject string // first line
	Time    time.Time
}

// Tree is the content of one commit. Paths are slash-separated, relative to the
// repository's root, clean, and never leave it; "" or "." is the root. Others are
// Invalid "git.path".
type Tree interface {
	// Hashes returns the object hash of each path in one pass; a path that does not exist maps to "".
	Hashes(ctx context.Context, paths []string) (map[string]string, error)
	// List returns every file below dir, recursively, in path order. NotFound
	// "git.path_missing" when dir does not exist; TooLarge above 100,000 entries.
	List(ctx context.Context, dir string) ([]TreeEntry, error)
	// Read returns the content of a regular file of at most limit bytes. NotFound
	// "git.path_missing"; Invalid "git.not_a_file" for a folder, symbolic link or
	// submodule; TooLarge "git.file_too_large".
	Read(ctx context.Context, path string, limit int64) ([]byte, error)
	// Close frees what the tree holds.
	Close() error
}

// TreeEntry is one file in a Tree.
type TreeEntry struct {
	Path string
	Hash string // object hash of the blob
	Mode EntryMode
	Size int64 // bytes; 0 for submodules
}

// EntryMode says what a TreeEntry is.
type EntryMode int

// The kinds of tree entries.
const (
	ModeFile EntryMode = iota
	ModeExecutable
	ModeSymlink
	ModeSubmodule
)

// ComposeSource is what a stack's project is rendered from.
type ComposeSource struct {
	Project   string   // Compose project name
	Dir       string   // the stack's folder in the repository
	Files     []string // Compose files relative to Dir, in order of overlay; empty: Compose's default names
	Profiles  []string
	Tree      Tree
	Variables []ComposeVariable // all that interpolation may see; never a process's environment
}

// ComposeVariable is one variable of a stack as rendering sees it. A secret one has
// no value here: it is rendered as the reference ${NAME}.
type ComposeVariable struct {
	Name   string
	Value  string
	Secret bool
}

// ComposeProject is a rendered project: the same inputs give the same bytes.
type ComposeProject struct {
	// YAML is the canonical, fully resolved project. Secret variables stand in it as
	// ${NAME}; every other dollar sign is doubled, so that one more interpolation,
	// with the secrets only, on the worker gives the final project. Paths from the
	// repository stand as ContentRoot or StateRoot paths.
	YAML     []byte
	Services []ComposeService // by name
	Content  []Content        // what the worker must have on disk, by Path
	Missing  []string         // variables that the files use without default and nobody provides
	Warnings []string
	Asks     []ComposeAsk // what only the owner of a host can allow, by place
	// Locate says where a path of the project is written, such as services.web.ports[0]: the nearest part of it that
	// is written somewhere. The zero Place for what nobody wrote. Nil: nobody knows.
	Locate func(path string) Place
}

// Place is a line of a file of the repository.
type Place struct {
	File string // path in the repository; empty: unknown
	Line int    // from 1
}

func (p Place) String() string { return p.File + ":" + strconv.Itoa(p.Line) }

// ComposeAsk is something of a host that a project asks for beyond what every project may have; see core/policy.
type ComposeAsk struct {
	Place   string // where it stands: "app/compose.yaml:7"; empty: unknown
	Path    string // services.web.privileged
	Problem string // what it would give the committer
	Needs   string // the allowance without which it is refused
}

// Rendered projects name files in a way that no worker's disk layout shows through;
// the worker replaces these prefixes by its own folders.
const (
	ContentRoot = "/.berth/content/" // + Content.Digest + "/" + name: read-only repository content, content-addressed
	StateRoot   = "/.berth/state/"   // + relative path: the stack's own stable folder, survives deployments
)

// ComposeService is one compose service of a rendered project.
type ComposeService struct {
	Name      string
	Image     string
	Variables []string // names of the stack's secret variables that reach it
	Idle      bool     `json:",omitempty"` // scaled to no container
	Stays     bool     `json:",omitempty"` // is restarted whatever it exits with, so it is never done
	Scale     int      `json:",omitempty"` // how many containers it has; 0 means one, unless Idle

	DependsOn []ComposeDependency `json:",omitempty"` // by name; those that follow from a shared namespace or from volumes_from too
	Networks  []string            `json:",omitempty"` // of the project, by name
	Volumes   []string            `json:",omitempty"` // named ones of the project that it mounts, by name
	Binds     []string            `json:",omitempty"` // what it mounts of the host's own files, and not of the repository
	Ports     []string            `json:",omitempty"` // that it publishes: "127.0.0.1:8080:80/tcp"
}

// ComposeDependency is a compose service that another one waits for.
type ComposeDependency struct {
	Service   string
	Condition ComposeCondition
	Optional  bool `json:",omitempty"` // it is not waited for where it is not there or fails
}

// ComposeCondition is what has become of a compose service before those that wait for it begin.
type ComposeCondition string

// The conditions, as Compose files spell them.
const (
	ComposeStarted   ComposeCondition = "service_started"
	ComposeHealthy   ComposeCondition = "service_healthy"
	ComposeCompleted ComposeCondition = "service_completed_successfully"
)

// Content is a file or folder of the repository that a service mounts.
type Content struct {
	Digest string        `json:"digest"` // hex SHA-256 over the sorted members (path, mode, content digest)
	Source string        `json:"source"` // path in the repository
	Files  []ContentFile `json:"files"`
}

// ContentFile is one member of a Content. The sum of all members of a project is at
// most 64 MiB in at most 10,000 files.
type ContentFile struct {
	Path       string `json:"path"`   // relative to ContentRoot+Digest
	Digest     string `json:"digest"` // hex SHA-256 of its bytes; names its blob
	Size       int64  `json:"size"`
	Executable bool   `json:"executable"`
}

// ComposeReader renders projects. It opens no file outside Tree, reads no process
// environment and makes no connection. Faults: Invalid "compose.invalid" with file
// and line where known, Invalid "compose.unsupported" naming the key, Invalid
// "compose.path_escapes", NotFound "compose.file_missing", TooLarge "compose.too_large".
type ComposeReader interface {
	// Read renders the project. blob is called once for each distinct file content
	// that the project needs, so that the caller can store it. With a fault nothing is
	// rendered, and Missing alone is set, as far as the files were read.
	Read(ctx context.Context, src ComposeSource, blob func(digest string, content []byte) error) (ComposeProject, error)
}

// ComposeDraft is a project before its parts are known to fit together.
type ComposeDraft struct {
	Project   map[string]any          // in the form in which projects are rendered
	Undefined []string                // variables that the files use without default and nobody provides
	Ignored   []string                // codes of advice that nobody wants: x-berth: {lint: {ignore: [code]}}
	Locate    func(path string) Place // as ComposeProject.Locate
	Uses      func(name string) Place // where a variable is used first
	Secret    func(value string) bool // whether a secret variable stands in a text
}

// ComposeDrafter resolves projects that may not fit together, with the bounds and faults of ComposeReader.
type ComposeDrafter interface {
	Draft(ctx context.Context, src ComposeSource) (ComposeDraft, error)
}

// Document is a decoded YAML mapping: text, bool, int64, float64, nil, []any and
// map[string]any only.
type Document struct {
	Value map[string]any
	Lines map[string]int // line of each key and list item by path, such as a.b[0].c, from 1
}

// DocumentReader decodes small YAML files that come from repositories: one document, a
// mapping at the top, bounded in size, depth and aliases. Faults: Invalid
// "document.invalid" with the line, TooLarge "document.too_large".
type DocumentReader interface {
	ReadDocument(content []byte) (Document, error)
}
