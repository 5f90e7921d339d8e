package git

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"

	"berth/core"
	"berth/core/repositories"

	"github.com/go-git/go-git/v5/plumbing/format/pktline"
)

// refs looks in a host's list for what a source points at, and for HEAD; it keeps nothing else of the list.
type refs struct {
	wanted string // full name; of a range of versions the best tag so far
	commit string // of wanted, a tag's own object included; empty: not in the list
	peeled string // what an annotated tag leads to; empty: it is none
	head   string // of HEAD; empty: not in the list
	target string // the branch that HEAD names, in full; empty: the host did not say
	others int    // how many else there were

	versions *repositories.Versions // nil: no range is wanted
	highest  string                 // tag of the highest version there is, in the range or not
}

const (
	branchRefs = "refs/heads/"
	tagRefs    = "refs/tags/"
	peel       = "^{}" // ends the name under which a list without Git's second version gives what a tag leads to
)

// newRefs is for a source that was checked.
func newRefs(src core.GitSource) *refs {
	switch {
	case src.Tag != "":
		return &refs{wanted: tagRefs + src.Tag}
	case src.Semver != "":
		versions, err := repositories.ParseVersions(src.Semver)
		if err != nil {
			return &refs{versions: &repositories.Versions{}} // in which there is none
		}
		return &refs{versions: &versions}
	case src.Branch == "":
		return &refs{wanted: "HEAD"}
	}
	return &refs{wanted: branchRefs + src.Branch}
}

// empty reports whether nothing in the list suggests that there are commits.
func (l *refs) empty() bool { return l.head == "" && l.others == 0 }

// points returns the commit that was looked for; empty: there is none. A tag of something else than a commit is found
// out when it is fetched.
func (l *refs) points() core.Commit {
	if l.peeled != "" {
		return core.Commit(l.peeled)
	}
	return core.Commit(l.commit)
}

// name is the full name of the branch or tag that was found; empty for a default branch that the host did not name.
func (l *refs) name() string {
	if l.wanted == "HEAD" {
		return l.target
	}
	return l.wanted
}

var (
	errNotGit    = errors.New("this is not a Git repository")
	errMalformed = errors.New("malformed list of refs")
)

func (l *refs) add(hash, name string) error {
	if !hexHash.MatchString(hash) {
		return errMalformed
	}
	name, isPeeled := strings.CutSuffix(name, peel)
	switch {
	case name == "capabilities": // with the suffix, it stands for an empty list
		return nil
	case isPeeled && name == l.wanted:
		l.peeled = hash
		return nil
	case isPeeled:
		return nil
	case name == "HEAD":
		l.head = hash
	case name != l.wanted:
		l.others++
	}
	if l.versions != nil {
		l.consider(name)
	}
	if name == l.wanted {
		l.commit, l.peeled = hash, ""
	}
	return nil
}

// consider wants a tag, if it is the best one so far.
func (l *refs) consider(name string) {
	tag, isTag := strings.CutPrefix(name, tagRefs)
	if !isTag || len(tag) > repositories.MaxBranch || repositories.ValidTag(tag) != nil {
		return
	}
	if best, found := l.versions.Best([]string{tag, strings.TrimPrefix(l.wanted, tagRefs)}); found && best == tag {
		l.wanted = name
	}
	if best, found := repositories.AnyVersion.Best([]string{tag, l.highest}); found {
		l.highest = best
	}
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
		line, can, _ := strings.Cut(strings.TrimSuffix(string(lines.Bytes()), "\n"), "\x00")
		l.readAbilities(can)
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

// readAbilities finds which branch HEAD names, in what stands behind the first ref before version 2.
func (l *refs) readAbilities(can string) {
	for word := range strings.FieldsSeq(can) {
		if target, found := strings.CutPrefix(word, "symref=HEAD:"); found {
			l.names(target)
		}
	}
}

// names takes what HEAD names, if that is a branch.
func (l *refs) names(target string) {
	branch, isBranch := strings.CutPrefix(target, branchRefs)
	if isBranch && branch != "" && repositories.ValidBranch(branch) == nil {
		l.target = target
	}
}

// request asks, in version 2, for what is wanted and HEAD.
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
	_ = lines.EncodeString("peel\n", "symrefs\n", "ref-prefix HEAD\n")
	for _, prefix := range l.prefixes() {
		_ = lines.EncodeString("ref-prefix " + prefix + "\n")
	}
	_ = lines.Flush()
	return b.Bytes()
}

// prefixes is what the names of the refs that are asked for begin with, HEAD apart.
func (l *refs) prefixes() []string {
	switch {
	case l.versions == nil && l.wanted == "HEAD":
		return nil
	case l.versions == nil:
		return []string{l.wanted}
	}
	numbers := l.versions.Prefixes()
	if numbers == nil {
		return []string{tagRefs}
	}
	all := make([]string, len(numbers))
	for i, number := range numbers {
		all[i] = tagRefs + number
	}
	return all
}

// readRefs reads the answer to request.
func (l *refs) readRefs(body io.Reader) error {
	lines := pktline.NewScanner(body)
	for lines.Scan() {
		fields := strings.Fields(string(lines.Bytes()))
		if len(fields) == 0 {
			continue
		}
		if len(fields) == 1 {
			return errMalformed
		}
		if err := l.add(fields[0], fields[1]); err != nil {
			return err
		}
		for _, attribute := range fields[2:] {
			key, value, _ := strings.Cut(attribute, ":")
			switch {
			case key == "symref-target" && fields[1] == "HEAD":
				l.names(value)
			case key == "peeled" && fields[1] == l.wanted:
				if err := l.add(value, fields[1]+peel); err != nil {
					return err
				}
			}
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
	branch, short := strings.CutPrefix(name, branchRefs)
	if !found || !short || repositories.ValidBranch(branch) != nil {
		return errNotGit
	}
	l.wanted = name
	return nil
}
