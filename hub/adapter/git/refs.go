package git

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"

	"berth/core/repositories"

	"github.com/go-git/go-git/v5/plumbing/format/pktline"
)

// refs looks for one ref, and for HEAD, in a host's list, of which it keeps nothing else.
type refs struct {
	wanted string // full name
	commit string // of wanted; empty: not in the list
	head   string // of HEAD; empty: not in the list
	others int    // how many else there were
}

func newRefs(branch string) *refs {
	if branch == "" {
		return &refs{wanted: "HEAD"}
	}
	return &refs{wanted: "refs/heads/" + branch}
}

// empty reports whether nothing in the list suggests that there are commits.
func (l *refs) empty() bool { return l.head == "" && l.others == 0 }

var (
	errNotGit    = errors.New("this is not a Git repository")
	errMalformed = errors.New("malformed list of refs")
)

func (l *refs) add(hash, name string) error {
	if !hexHash.MatchString(hash) {
		return errMalformed
	}
	switch name {
	case "HEAD":
		l.head = hash
	case "capabilities^{}": // stands for an empty list
		return nil
	case l.wanted:
	default:
		l.others++
	}
	if name == l.wanted {
		l.commit = hash
	}
	return nil
}

// advertisement is what a Git host says before anything is asked.
type advertisement struct {
	second bool   // it speaks version 2 and must be asked for the list
	format string // of its objects, for version 2; empty: not said
}

// readAdvertisement reads what a Git host says first; before version 2, that is the list.
func (l *refs) readAdvertisement(body io.Reader) (ad advertisement, err error) {
	lines := pktline.NewScanner(body)
	for lines.Scan() {
		line, _, _ := strings.Cut(strings.TrimSuffix(string(lines.Bytes()), "\n"), "\x00")
		switch {
		case line == "", strings.HasPrefix(line, "# service="), strings.HasPrefix(line, "shallow "), line == "version 1":
		case line == "version 2":
			ad.second = true
		case ad.second:
			if format, found := strings.CutPrefix(line, "object-format="); found {
				ad.format = format
			}
		default:
			hash, name, _ := strings.Cut(line, " ")
			if err := l.add(hash, name); err != nil {
				return ad, err
			}
		}
	}
	return ad, lines.Err()
}

// request asks, in version 2, for the wanted ref and HEAD.
func (l *refs) request(format string) []byte {
	var b bytes.Buffer
	lines := pktline.NewEncoder(&b)
	head := []string{"command=ls-refs\n"}
	if format != "" {
		head = append(head, "object-format="+format+"\n")
	}
	// A buffer takes every line, and all are far below the length limit.
	_ = lines.EncodeString(head...)
	b.WriteString("0001")
	_ = lines.EncodeString("ref-prefix HEAD\n")
	if l.wanted != "HEAD" {
		_ = lines.EncodeString("ref-prefix " + l.wanted + "\n")
	}
	_ = lines.Flush()
	return b.Bytes()
}

// readRefs reads the answer to request.
func (l *refs) readRefs(body io.Reader) error {
	lines := pktline.NewScanner(body)
	for lines.Scan() {
		line := strings.TrimSuffix(string(lines.Bytes()), "\n")
		if line == "" {
			continue
		}
		hash, rest, _ := strings.Cut(line, " ")
		name, _, _ := strings.Cut(rest, " ")
		if err := l.add(hash, name); err != nil {
			return err
		}
	}
	return lines.Err()
}

// readFiles reads the list that a host without Git serves as a file.
func (l *refs) readFiles(body *bufio.Reader) error {
	for {
		line, err := body.ReadSlice('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 {
			return nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return errors.Join(errNotGit, err)
		}
		hash, name, _ := strings.Cut(strings.TrimSuffix(string(line), "\n"), "\t")
		if l.add(hash, name) != nil {
			return errNotGit
		}
	}
}

// follow wants, in place of HEAD, the branch that the content of a HEAD file names.
func (l *refs) follow(head string) error {
	name, found := strings.CutPrefix(strings.TrimSpace(head), "ref: ")
	branch, short := strings.CutPrefix(name, "refs/heads/")
	if !found || !short || repositories.ValidBranch(branch) != nil {
		return errNotGit
	}
	l.wanted = name
	return nil
}
