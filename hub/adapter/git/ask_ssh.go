package git

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/url"
	"strconv"
	"strings"

	"berth/core"
	"berth/core/fault"
	"berth/hub/adapter/ssh"
)

// uploadPack is the one program that SSH hosts are asked to run.
const uploadPack = "git-upload-pack"

// converseSSH asks over SSH. The answer's line stays open, so that a fetch needs no other one.
func (r *Remote) converseSSH(ctx context.Context, src core.GitSource) (answer, error) {
	where, err := url.Parse(src.URL)
	if err != nil {
		return answer{}, err
	}
	port := where.Port()
	if port == "" {
		port = "22"
	}
	line, err := r.ssh.Dial(ctx, ssh.Login{Address: joinPort(where.Hostname(), port), User: where.User.Username(), Key: src.Key, HostKeys: src.HostKeys})
	if err != nil {
		return answer{}, noLine(src, err)
	}
	defer context.AfterFunc(ctx, func() { line.Close() })()
	found, err := listOver(line, src, where.Path)
	if err != nil {
		line.Close()
		return answer{}, err
	}
	found.line = line
	return found, nil
}

func joinPort(host, port string) string {
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return host + ":" + port
}

// noLine is the fault for a line that did not come about.
func noLine(src core.GitSource, err error) error {
	var public *fault.Error
	switch {
	case errors.As(err, &public):
		return public
	case errors.Is(err, ssh.ErrRefused):
		return credentialRefused(src, err)
	}
	return unreachable(src, noConnection("no SSH connection to the Git host came about", err), err)
}

// listOver asks a line for the wanted ref. A path is first taken from the host's root, as addresses that begin
// with ssh:// mean it, and then from the user's home folder, as git@host:path means it; to Git hosts
// both are the same.
func listOver(line *ssh.Line, src core.GitSource, path string) (answer, error) {
	if strings.HasPrefix(path, "/~") {
		return listAt(line, src, path[1:])
	}
	found, err := listAt(line, src, path)
	if fault.CodeOf(err) != "git.repository_missing" {
		return found, err
	}
	return listAt(line, src, strings.TrimLeft(path, "/"))
}

func listAt(line *ssh.Line, src core.GitSource, path string) (answer, error) {
	c, err := line.Start(uploadPack, path, map[string]string{"GIT_PROTOCOL": "version=2"})
	if err != nil {
		return answer{}, unreachable(src, "the Git host starts no "+uploadPack, err)
	}
	defer c.Close()
	list := newRefs(src)
	out := bufio.NewReader(&bounded{c.Out, maxAnswer})
	first := &untilFlush{from: out}
	ad, err := list.readAdvertisement(first)
	if !first.last && !errors.Is(err, errTooMuch) {
		return answer{}, endedEarly(src, c, err)
	}
	if err == nil && ad.second {
		if _, err = c.In.Write(list.request(ad.format)); err == nil {
			err = list.readRefs(&untilFlush{from: out})
		}
	}
	if err != nil {
		return answer{}, err
	}
	_, _ = io.WriteString(c.In, "0000") // nothing else is wanted
	return answer{path: path}.of(src, list)
}

// untilFlush ends after the packet that ends a list.
type untilFlush struct {
	from *bufio.Reader
	left int  // bytes of the packet that is being read
	last bool // it is the one that ends the list
}

func (u *untilFlush) Read(p []byte) (int, error) {
	if u.left == 0 {
		if u.last {
			return 0, io.EOF
		}
		head, err := u.from.Peek(4)
		if err != nil {
			return 0, err
		}
		size, err := strconv.ParseUint(string(head), 16, 16)
		if err != nil || size == 3 {
			return 0, errMalformed
		}
		u.last, u.left = size == 0, max(4, int(size))
	}
	n, err := u.from.Read(p[:min(len(p), u.left)])
	u.left -= n
	return n, err
}

// Words in which Git hosts say that a repository is not there, or not for this key.
var (
	missingWords = []string{"not appear to be a git repository", "not found", "not be found", "not exist", "no such"}
	deniedWords  = []string{"denied", "not allowed", "unauthorized", "forbidden", "permission"}
)

// errEnded is a command that ended before it had said what it was asked.
var errEnded = errors.New("the command on the Git host ended early")

// endedEarly is the fault for a host that gave no list. What it says is outside text: it is matched, and logged.
func endedEarly(src core.GitSource, c *ssh.Command, read error) error {
	if errors.Is(read, errMalformed) {
		return unreachable(src, "the Git host's answer makes no sense", read)
	}
	_ = c.In.Close()
	status := c.Wait()
	said := strings.ToLower(c.Said())
	cause := errors.Join(errEnded, read, errors.New(strconv.Itoa(status)+": "+c.Said()))
	switch {
	case status == 127:
		return unreachable(src, "the host has no command "+uploadPack, cause)
	case containsAny(said, missingWords):
		return repositoryMissing(src, cause)
	case containsAny(said, deniedWords):
		return credentialRefused(src, cause)
	}
	return unreachable(src, "the Git host reports an error", cause)
}

func containsAny(text string, words []string) bool {
	for _, word := range words {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}
