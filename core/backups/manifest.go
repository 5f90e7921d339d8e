package backups

import (
	"encoding/hex"
	"regexp"
	"slices"
	"strings"
	"time"

	"berth/core"
	"berth/core/fault"
)

// Format is the form of archives that this release writes and reads.
const Format = 1

// Database is the member that holds the database; the others are files of revisions.
const Database = "database.sqlite"

// filePrefix begins the names of members that are files of revisions, as revision files are named in rows.
const filePrefix = "revisions/"

// Bounds of an archive.
const (
	MaxMembers  = 5_000_000
	MaxFileSize = 64 << 20 // bytes of a file of a revision
	MaxRatio    = 200      // bytes of content for each byte of an archive, beyond the first megabytes
)

// Head begins an archive: what it is, so that nobody needs to read all of it to say so.
type Head struct {
	Format  int       `json:"format"`
	Version string    `json:"version"` // of the program that made it
	Schema  int       `json:"schema"`  // of its database
	MadeAt  time.Time `json:"made_at"`
	Reason  Reason    `json:"reason"`
}

// Check refuses a head that this program cannot make use of; known is its own schema. Conflict "backup.newer",
// Invalid "backup.damaged".
func (h Head) Check(known int) error {
	switch {
	case h.Format > Format:
		return fault.New(fault.Conflict, "backup.newer", "The backup has form %d, this program reads %d. Restore it with the newer release that made it (%s).", h.Format, Format, safe(h.Version))
	case h.Schema > known:
		return fault.New(fault.Conflict, "backup.newer", "The backup's database has schema %d, this program knows %d. Restore it with the newer release that made it (%s).", h.Schema, known, safe(h.Version))
	case h.Format < 1 || h.Schema < 1 || h.MadeAt.IsZero():
		return Damaged("its head is incomplete")
	}
	return nil
}

// safe shows a version that somebody else wrote.
func safe(version string) string {
	if len(version) > 40 || strings.ContainsFunc(version, func(c rune) bool { return c < ' ' || c > '~' }) {
		return "unknown"
	}
	return version
}

// Member is one file in an archive.
type Member struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`   // bytes
	SHA256 string `json:"sha256"` // hex
}

// Manifest ends an archive: everything that is in it, in order.
type Manifest struct {
	Members []Member `json:"members"`
}

// Check compares what was found in an archive, in order, with what the manifest says. Invalid "backup.damaged".
func (m Manifest) Check(found []Member) error {
	if len(found) == 0 || found[0].Name != Database {
		return Damaged("it does not begin with a database")
	}
	if !slices.Equal(m.Members, found) {
		return Damaged("it does not hold what its manifest says")
	}
	return nil
}

// Damaged is the fault for an archive that cannot be trusted.
func Damaged(why string) *fault.Error {
	return fault.New(fault.Invalid, "backup.damaged", "The backup is damaged or is none: %s. Nothing was changed. Use another backup.", why)
}

// TooLarge is the fault for an archive of more than limit bytes that somebody brings.
func TooLarge(limit int64) *fault.Error {
	return fault.New(fault.TooLarge, "backup.too_large", "The archive is larger than %d MB, which is all that is taken. Set BACKUP_UPLOAD_MAX_MB higher on the server.", limit>>20)
}

// FileMember is the name of the member for a file of a revision.
func FileMember(name string) string { return filePrefix + name }

var fileShape = regexp.MustCompile(`^(blobs/[0-9a-f]{64}|(stk_[0-9a-z]+)/[1-9][0-9]{0,8}/compose\.yaml)$`)

// RevisionFile returns the file of a revision that a member holds, and whether the member may be in an archive at
// all: nothing else than a database, once, and such files has a place there.
func RevisionFile(member Member) (name string, fine bool) {
	if member.Size < 0 {
		return "", false
	}
	if member.Name == Database {
		return "", true
	}
	name, found := strings.CutPrefix(member.Name, filePrefix)
	parts := fileShape.FindStringSubmatch(name)
	if !found || parts == nil || member.Size > MaxFileSize {
		return "", false
	}
	if parts[2] != "" && !core.ValidID(core.PrefixStack, parts[2]) {
		return "", false
	}
	return name, true
}

// Digest is a SHA-256 as manifests write it.
func Digest(sum []byte) string { return hex.EncodeToString(sum) }
