package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"berth/core"
	"berth/core/fault"
	"berth/core/repositories"
	"berth/hub/adapter/ssh"

	"github.com/go-git/go-git/v5/plumbing/format/pktline"
)

// answer is what a Git host says about what a source follows.
type answer struct {
	base   string      // the repository's address, after redirects
	moved  bool        // there were any
	ref    string      // full name of what to fetch: refs/heads/…, refs/tags/… or HEAD
	name   string      // full name of what that is; empty: a default branch that the host did not name
	commit core.Commit // where that points
	dumb   bool        // the host serves files only, and knows no shallow fetch

	line *ssh.Line // over SSH: who gave the answer; hangUp ends it
	path string    // over SSH: what that one calls the repository
}

// hangUp ends what an answer leaves open. It may be called on every answer.
func (a answer) hangUp() {
	if a.line != nil {
		_ = a.line.Close() // nothing is lost with it
	}
}

// head is the answer as others see it, with the commit that was found.
func (a answer) head(commit core.Commit) core.GitHead {
	found := core.GitHead{Commit: commit, Ref: a.name}
	if a.moved && repositories.ValidAddress(a.base) == nil {
		found.Moved = a.base
	}
	return found
}

const (
	refsPath  = "/info/refs"
	refsQuery = "service=git-upload-pack"

	// maxAnswer bounds the list of refs; hosts that speak version 2 send a few lines.
	maxAnswer = 64 << 20
)

// ask finds out where the source's branch points. Hosts that speak version 2 of the
// protocol are asked for that branch alone; others list everything they have.
func (r *Remote) ask(ctx context.Context, src core.GitSource) (answer, error) {
	limited, cancel := context.WithTimeout(ctx, r.askTimeout)
	defer cancel()
	found, err := r.converse(limited, src)
	var public *fault.Error
	switch {
	case err == nil || errors.As(err, &public):
		return found, err
	case ctx.Err() != nil:
		return answer{}, givenUp(ctx.Err())
	case limited.Err() != nil:
		return answer{}, timedOut(src, r.askTimeout)
	}
	return answer{}, notUnderstood(src, err)
}

// notUnderstood is the fault for a conversation that failed below HTTP or above it.
func notUnderstood(src core.GitSource, err error) error {
	cause := errors.New(scrub(err.Error(), src))
	var elsewhere errElsewhere
	var said *pktline.ErrorLine
	var transport *url.Error
	switch {
	case errors.As(err, &elsewhere):
		return redirected(src, elsewhere.to)
	case errors.Is(err, errTooMuch):
		return fault.New(fault.TooLarge, "git.too_large", "%s lists more branches and tags than %s hold.", src.URL, size(maxAnswer))
	case errors.Is(err, errNotGit), errors.As(err, &said) && strings.Contains(said.Text, "not found"):
		return repositoryMissing(src, cause)
	case errors.As(err, &said):
		return unreachable(src, "the Git host reports an error", cause)
	case errors.As(err, &transport):
		return unreachable(src, noConnection("no connection to the Git host came about", err), cause)
	}
	return unreachable(src, "the Git host's answer makes no sense", cause)
}

func (r *Remote) converse(ctx context.Context, src core.GitSource) (answer, error) {
	if repositories.OverSSH(src.URL) {
		return r.converseSSH(ctx, src)
	}
	resp, err := r.send(ctx, src, http.MethodGet, src.URL+refsPath+"?"+refsQuery, nil)
	if err != nil {
		return answer{}, err
	}
	defer finish(resp)
	found := answer{base: base(resp.Request.URL), moved: resp.Request.Response != nil}
	list := newRefs(src)
	body := bufio.NewReader(&bounded{resp.Body, maxAnswer})
	if resp.Header.Get("Content-Type") == "application/x-git-upload-pack-advertisement" {
		err = r.listSmart(ctx, src, found.base, body, list)
	} else {
		found.dumb = true
		err = r.listFiles(ctx, src, found.base, body, list)
	}
	if err != nil {
		return answer{}, err
	}
	return found.of(src, list)
}

// of puts what was found in the list into an answer.
func (a answer) of(src core.GitSource, list *refs) (answer, error) {
	a.ref, a.name, a.commit = list.wanted, list.name(), list.points()
	if a.commit == "" {
		return answer{}, nothingToFollow(src, list)
	}
	return a, nil
}

// listSmart reads the refs of a host that speaks Git; in version 2 it asks for the
// wanted ref and HEAD alone.
func (r *Remote) listSmart(ctx context.Context, src core.GitSource, base string, body io.Reader, list *refs) error {
	ad, err := list.readAdvertisement(body)
	if err != nil || !ad.second {
		return err
	}
	resp, err := r.send(ctx, src, http.MethodPost, base+"/git-upload-pack", list.request(ad.format))
	if err != nil {
		return err
	}
	defer finish(resp)
	return list.readRefs(bufio.NewReader(&bounded{resp.Body, maxAnswer}))
}

// listFiles reads the refs of a host that serves a repository's files and knows no Git.
func (r *Remote) listFiles(ctx context.Context, src core.GitSource, base string, body *bufio.Reader, list *refs) error {
	if list.wanted == "HEAD" {
		resp, err := r.send(ctx, src, http.MethodGet, base+"/HEAD", nil)
		if err != nil {
			return err
		}
		defer finish(resp)
		head, err := io.ReadAll(io.LimitReader(resp.Body, 4096))
		if err != nil {
			return err
		}
		if err := list.follow(string(head)); err != nil {
			return err
		}
	}
	return list.readFiles(body)
}

// send makes one request; whatever is not 200 becomes a fault.
func (r *Remote) send(ctx context.Context, src core.GitSource, method, address string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	req.Header.Set("User-Agent", r.git.agent())
	req.Header.Set("Git-Protocol", "version=2")
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-git-upload-pack-request")
		req.Header.Set("Accept", "application/x-git-upload-pack-result")
	}
	if credential := basic(src); !credential.Empty() {
		req.Header.Set("Authorization", credential.Reveal())
	}
	resp, err := r.client.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		defer finish(resp)
		return nil, refusedStatus(src, resp)
	}
	return resp, nil
}

// base takes the refs' path off the address that answered.
func base(u *url.URL) string {
	final := *u
	final.RawQuery = ""
	return strings.TrimSuffix(final.String(), refsPath)
}

// finish reads a little of what is left, so that the connection can be used again.
func finish(resp *http.Response) {
	_, _ = io.CopyN(io.Discard, resp.Body, 64<<10)
	_ = resp.Body.Close()
}

var errTooMuch = errors.New("the answer is over the size limit")

// bounded fails, instead of ending, after so many bytes.
type bounded struct {
	from io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooMuch
	}
	n, err := b.from.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}
