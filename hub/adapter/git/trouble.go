package git

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"berth/core"
	"berth/core/fault"
	"berth/core/repositories"
)

func givenUp(cause error) error {
	return fault.New(fault.Unavailable, "git.unreachable", "The conversation with the Git host was given up before it ended.").Because(cause)
}

func timedOut(src core.GitSource, limit time.Duration) error {
	return fault.New(fault.Unavailable, "git.unreachable",
		"%s did not answer completely within %s; check the Git host, it is tried again.", src.URL, limit).Because(context.DeadlineExceeded)
}

func unreachable(src core.GitSource, why string, cause error) *fault.Error {
	return fault.New(fault.Unavailable, "git.unreachable", "%s cannot be read: %s. It is tried again.", src.URL, why).Because(cause)
}

func credentialRefused(src core.GitSource, cause error) error {
	if repositories.OverSSH(src.URL) {
		return fault.New(fault.Unauthenticated, "git.credential_refused",
			"The Git host refused the SSH key for %s; check that the key's public half is known there, as a deploy key or as a user's, and may read the repository.", src.URL).Because(cause)
	}
	if src.Username == "" {
		return fault.New(fault.Unauthenticated, "git.credential_refused",
			"%s asks for a user and password (or does not exist); add a repository key and choose it.", src.URL).Because(cause)
	}
	return fault.New(fault.Unauthenticated, "git.credential_refused",
		"The Git host refused the credential of user %q for %s; check that it is still valid and may read the repository.", src.Username, src.URL).Because(cause)
}

func repositoryMissing(src core.GitSource, cause error) error {
	return fault.New(fault.NotFound, "git.repository_missing",
		"No Git repository answers at %s; check the address, and that the credential may see it.", src.URL).Because(cause)
}

// nothingToFollow is the fault for a source of which a host's list has nothing.
func nothingToFollow(src core.GitSource, list *refs) error {
	switch {
	case src.Tag != "":
		return tagMissing(src, nil)
	case src.Semver != "":
		return versionMissing(src, list)
	}
	return branchMissing(src, list, nil)
}

// gone is the fault for what was there when it was asked for, and not any more when it was fetched.
func gone(src core.GitSource, cause error) error {
	if src.Tag != "" || src.Semver != "" {
		return tagMissing(src, cause)
	}
	return branchMissing(src, &refs{others: 1}, cause)
}

func branchMissing(src core.GitSource, list *refs, cause error) error {
	says := func(text string, rest ...any) error {
		return fault.New(fault.NotFound, "git.branch_missing", text, rest...).Because(cause)
	}
	instead, named := strings.CutPrefix(list.target, branchRefs)
	switch {
	case list.empty() && src.Branch == "":
		return says("The repository at %s is empty or has no default branch; push a first commit or name a branch.", src.URL)
	case list.empty():
		return says("The repository at %s has no branch %q and seems to be empty; push a first commit.", src.URL, src.Branch)
	case src.Branch == "":
		return says("The repository at %s has no default branch; name one.", src.URL)
	case named && list.head != "":
		return says("The repository at %s has no branch %q; was it deleted or renamed? Its default branch is %q: choose that one, or leave the branch empty to follow the default. What runs was left alone.", src.URL, src.Branch, instead)
	}
	return says("The repository at %s has no branch %q; was it deleted or renamed? What runs was left alone.", src.URL, src.Branch)
}

func tagMissing(src core.GitSource, cause error) error {
	if src.Tag == "" {
		return fault.New(fault.NotFound, "git.tag_missing", "The tag of the highest version in %s was deleted at %s meanwhile, or names no commit; it is looked for again.", src.Semver, src.URL).Because(cause)
	}
	return fault.New(fault.NotFound, "git.tag_missing",
		"The repository at %s has no tag %q that names a commit; push it, or choose another. What runs was left alone.", src.URL, src.Tag).Because(cause)
}

func versionMissing(src core.GitSource, list *refs) error {
	seen := "none of its tags that were looked at is a version"
	if list.highest != "" {
		seen = fmt.Sprintf("the highest version that was looked at is %q", list.highest)
	}
	return fault.New(fault.NotFound, "git.version_missing",
		"No tag of the repository at %s is a version in %s: %s. Push such a tag, such as v1.2.3, or change the range; pre-releases count only when the range names one. What runs was left alone.", src.URL, src.Semver, seen)
}

func tooLarge(src core.GitSource, limit int64) error {
	return fault.New(fault.TooLarge, "git.too_large",
		"The repository at %s takes more than %s on disk and was not fetched; move large files out of its history.", src.URL, size(limit))
}

func redirected(src core.GitSource, to string) error {
	return fault.New(fault.Invalid, "git.address",
		"%s redirects to another host: %s. That is not followed, and nothing was sent there; if it is right, make it the repository's address.", src.URL, to)
}

func redirectedLater(src core.GitSource, cause error) error {
	return fault.New(fault.Invalid, "git.address",
		"%s redirects in the middle of a fetch, which is not followed; use the final address.", src.URL).Because(cause)
}

// size writes bytes for people.
func size(bytes int64) string {
	for _, unit := range []struct {
		bytes int64
		name  string
	}{{1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}} {
		if bytes >= unit.bytes {
			return strings.TrimSuffix(strconv.FormatFloat(float64(bytes)/float64(unit.bytes), 'f', 1, 64), ".0") + " " + unit.name
		}
	}
	return fmt.Sprintf("%d bytes", bytes)
}

// refusedStatus returns the fault for an HTTP status other than 200.
func refusedStatus(src core.GitSource, resp *http.Response) error {
	cause := fmt.Errorf("the Git host answered %q", resp.Status)
	switch code := resp.StatusCode; {
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		return credentialRefused(src, cause)
	case code == http.StatusNotFound, code == http.StatusGone:
		return repositoryMissing(src, cause)
	case code == http.StatusTooManyRequests, code >= 500:
		return unreachable(src, "the Git host answered "+strconv.Itoa(code), cause).After(retryAfter(resp))
	default:
		return repositoryMissing(src, cause)
	}
}

// retryAfter reads the header's form in seconds, up to an hour; 0: not said.
func retryAfter(resp *http.Response) time.Duration {
	seconds, err := strconv.Atoi(resp.Header.Get("Retry-After"))
	if err != nil || seconds < 0 {
		return 0
	}
	return min(time.Duration(seconds)*time.Second, time.Hour)
}

// errOurs marks a failure that is not the remote's: the mirror may be damaged.
var errOurs = errors.New("not the remote's fault")

// complaints says what git's messages mean. They are in English because LC_ALL is C.
var complaints = []struct {
	says string
	mean func(core.GitSource, error) error
}{
	{"could not read Username", credentialRefused},
	{"could not read Password", credentialRefused},
	{"Authentication failed", credentialRefused},
	{"returned error: 401", credentialRefused},
	{"returned error: 403", credentialRefused},
	{"couldn't find remote ref", gone},
	{"returned error: 404", repositoryMissing},
	{"' not found", repositoryMissing},
	{"returned error: 30", redirectedLater},
	{"No space left on device", func(_ core.GitSource, err error) error {
		return fault.New(fault.Unavailable, "git.disk_full", "The disk that holds the Git mirrors is full; free some space.").Because(err)
	}},
	{"fsck error", func(src core.GitSource, err error) error {
		return fault.New(fault.Invalid, "git.objects_refused",
			"The repository at %s contains objects that Git itself considers malformed or harmful; run git fsck on it.", src.URL).Because(err)
	}},
	{"unable to access", connectionLost},
	{"RPC failed", connectionLost},
	{"early EOF", connectionLost},
	{"unexpected disconnect", connectionLost},
	{"hung up", connectionLost},
	{"bad line length", connectionLost},
	{"protocol error", connectionLost},
	{"expected flush", connectionLost},
	{"expected packfile", connectionLost},
	{"remote error", connectionLost},
	{"unable to connect to", connectionLost},
	{"Could not read from remote repository", connectionLost},
}

func connectionLost(src core.GitSource, err error) error {
	return unreachable(src, "the connection broke off during the fetch", err)
}

// fetchFailure turns what git wrote about a failed fetch into a fault, or into an
// error that is errOurs when nothing in it points at the remote.
func fetchFailure(src core.GitSource, failed error, stderr string) error {
	cause := fmt.Errorf("%w: %s", failed, scrub(stderr, src))
	for _, c := range complaints {
		if strings.Contains(stderr, c.says) {
			return c.mean(src, cause)
		}
	}
	return fmt.Errorf("%w: %w", errOurs, cause)
}
