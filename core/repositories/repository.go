package repositories

import (
	"fmt"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"

	"berth/core"
	"berth/core/fault"
	"berth/core/seal"
)

// Limits of what is kept.
const (
	MaxRepositories = 10_000 // of one installation: the hub looks at all of them
	MaxName         = 100    // bytes of a repository's or credential's name
)

// Repository is a Git repository that stacks are deployed from.
type Repository struct {
	ID         core.RepositoryID
	Name       string            // unique, for people
	URL        string            // normal form, see Address
	Branch     string            // short name; empty, with the next two: the remote's default branch
	Tag        string            // short name, in place of a branch
	Semver     string            // a range of versions, in place of a branch: the highest tag in it is deployed
	Credential core.CredentialID // empty: read anonymously

	// AgePublicKey is what secrets files of the repository are encrypted for; empty: it is one of an older
	// release, and gets its key pair when the hub starts. AgeKey is the sealed private key of one that is added; in what
	// is read it is nil.
	AgePublicKey string
	AgeKey       *seal.Sealed

	// What the hub knows. Head is the commit that was last fetched; empty: none yet.
	// FetchedAt is when Head came in or reading worked again, not every look that found
	// nothing new. ErrorCode and Error say why the last look failed; empty: it did not.
	// Ref is the full name of the branch or tag that Head was read from; empty: not known. MovedTo is the address that the
	// Git host redirects to; empty: none.
	Head      core.Commit
	Ref       string
	MovedTo   string
	FetchedAt time.Time
	ErrorCode string
	Error     string

	AskedAt   time.Time // somebody wants it looked at now; zero: nobody, or it was done
	AskedBy   string    // who, as audit shows it
	CreatedAt time.Time
	UpdatedAt time.Time // of anything but the ask; with Error set, when that began

	// HookedAt is when the newest delivery came that asked for a look; zero: none ever. UnannouncedAt is when
	// polling last found a commit that no delivery had told of, since deliveries began; zero: never.
	HookedAt      time.Time
	UnannouncedAt time.Time

	Statuses      StatusHost    // how its Git host is told of deployments
	StatusTrouble StatusTrouble // why it could not be told last

	Following Following // what becomes of its folders by themselves
	// FollowBegun says that folders were compared since Following was changed last: those that come from then on are new.
	FollowBegun bool
}

// Draft is a repository to be added.
type Draft struct {
	Name       string
	URL        string
	Branch     string            // empty, with the next two: the remote's default branch
	Tag        string            // in place of a branch
	Semver     string            // a range of versions, in place of a branch
	Credential core.CredentialID // empty: none
}

// Change is what an edit of a repository sets; nil fields stay. Of Branch, Tag and Semver one that is set ends the others.
type Change struct {
	Name       *string
	URL        *string
	Branch     *string
	Tag        *string
	Semver     *string
	Credential *core.CredentialID // empty: read anonymously from now on
	Statuses   *StatusHost
	Following  *FollowingChange
}

// Apply returns r with the change put in and checked. When it is read from somewhere else
// or in another way than before, what was known of it no longer holds and a new look is
// asked for. Invalid "repository.invalid" names every bad field.
func (c Change) Apply(r Repository, by string, now time.Time) (Repository, error) {
	before := r
	set(&r.Name, c.Name)
	set(&r.URL, c.URL)
	c.follow(&r)
	set(&r.Credential, c.Credential)
	set(&r.Statuses, c.Statuses)
	if r.Statuses != before.Statuses || r.Credential != before.Credential {
		r.StatusTrouble = StatusTrouble{}
	}
	var bad []fault.Field
	if c.Following != nil {
		r.Following, bad = c.Following.Apply(r.Following)
	}
	if err := fault.BadFields("repository.invalid", bad); err != nil {
		return before, err
	}
	r, err := r.normal()
	if err != nil {
		return before, err
	}
	otherwise := !reflect.DeepEqual(r.Following, before.Following)
	if otherwise {
		r.FollowBegun = false
	}
	elsewhere := r.URL != before.URL || r.Branch != before.Branch || r.Tag != before.Tag || r.Semver != before.Semver
	if elsewhere {
		r.Head, r.Ref, r.MovedTo, r.FetchedAt = "", "", "", time.Time{}
	}
	if elsewhere || r.Credential != before.Credential {
		r.ErrorCode, r.Error = "", ""
	}
	if elsewhere || r.Credential != before.Credential || otherwise {
		r.AskedAt, r.AskedBy = now, by
	}
	r.UpdatedAt = now
	return r, nil
}

// follow sets what is deployed.
func (c Change) follow(r *Repository) {
	for _, named := range []*string{c.Branch, c.Tag, c.Semver} {
		if named != nil && *named != "" {
			r.Branch, r.Tag, r.Semver = "", "", ""
		}
	}
	set(&r.Branch, c.Branch)
	set(&r.Tag, c.Tag)
	set(&r.Semver, c.Semver)
}

func set[T any](field *T, value *T) {
	if value != nil {
		*field = *value
	}
}

// normal returns r with name and address in the form in which they are kept.
func (r Repository) normal() (Repository, error) {
	var bad []fault.Field
	r.Name = strings.TrimSpace(r.Name)
	bad = append(bad, checkName(r.Name)...)
	address, err := Address(r.URL)
	if err != nil {
		bad = append(bad, fault.Field{Path: "url", Problem: fault.PublicOf(err)})
	}
	r.URL = address
	if err == nil && OverSSH(address) && r.Credential == "" {
		bad = append(bad, fault.Field{Path: "credential_id", Problem: "an address for SSH needs an SSH key of its host; add one under Settings, Repository Keys, and choose it here"})
	}
	r.Semver = strings.TrimSpace(r.Semver)
	if err := ValidSource(core.GitSource{Branch: r.Branch, Tag: r.Tag, Semver: r.Semver}); err != nil {
		// A code git.… is named after the field that it is about.
		bad = append(bad, fault.Field{Path: strings.TrimPrefix(fault.CodeOf(err), "git."), Problem: fault.PublicOf(err)})
	}
	bad = append(bad, r.CheckStatuses()...)
	return r, fault.BadFields("repository.invalid", bad)
}

// checkName complains about names that people could not tell apart or not read.
func checkName(name string) []fault.Field {
	printable := utf8.ValidString(name) && !strings.ContainsFunc(name, func(c rune) bool { return c < ' ' || c == 0x7f })
	if name != "" && len(name) <= MaxName && printable {
		return nil
	}
	return []fault.Field{{Path: "name", Problem: fmt.Sprintf("1 to %d bytes of text without control characters", MaxName)}}
}
