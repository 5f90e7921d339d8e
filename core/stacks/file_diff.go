package stacks

import (
	"bytes"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"berth/core"
)

// Limits of what is read to compare files.
const (
	maxDiffFile = 64 << 10 // bytes of a file
	maxDiffs    = 20       // files of one comparison
)

// Blobs opens the content of repository files by digest. NotFound "revision.blob_missing".
type Blobs interface {
	OpenBlob(digest string) (io.ReadCloser, error)
}

// fileDiffs tells how files of projects differ. What a compose secret is made of, and what is named like
// a secret, is never shown, and in other files what looks like a secret is masked as in plans.
type fileDiffs struct {
	projects []Project
	blobs    Blobs
	private  []string // sources of compose secrets
	told     int
}

func newFileDiffs(projects []Project, blobs Blobs) *fileDiffs {
	d := &fileDiffs{projects: projects, blobs: blobs}
	for _, p := range projects {
		for _, secret := range p.section("secrets") {
			file, _ := secret.(map[string]any)
			for _, c := range contentsAt(p.Content, plainText(file["file"])) {
				d.private = append(d.private, c.Source)
			}
		}
	}
	return d
}

// ShowFiles adds to the reasons of a plan how the files that they name differ by line. made are the
// projects that were compared; blobs has what of their content is at hand.
func ShowFiles(services []PlannedService, made []Project, blobs Blobs) {
	diffs := newFileDiffs(made, blobs)
	for _, s := range services {
		for i, r := range s.Reasons {
			if r.Kind == ReasonFile {
				s.Reasons[i].Diff = diffs.between(r.Name, r.Before, r.After)
			}
		}
	}
}

// between tells how a file differs between two states; empty when there is only one, or when its
// content is not at hand.
func (d *fileDiffs) between(name, before, after string) string {
	old, was := d.find(name, before)
	now, is := d.find(name, after)
	if d.blobs == nil || !was || !is || old.Digest == now.Digest || d.told >= maxDiffs {
		return ""
	}
	d.told++
	if d.hides(name) {
		return "(not shown: it may hold secrets)"
	}
	if old.Size > maxDiffFile || now.Size > maxDiffFile {
		return fmt.Sprintf("(not shown: %d bytes become %d)", old.Size, now.Size)
	}
	a, errA := d.read(old)
	b, errB := d.read(now)
	switch {
	case errA != nil || errB != nil:
		return ""
	case !isText(a) || !isText(b):
		return fmt.Sprintf("(binary: %d bytes become %d)", old.Size, now.Size)
	case bytes.Contains(a, []byte("PRIVATE KEY-----")) || bytes.Contains(b, []byte("PRIVATE KEY-----")):
		return "(not shown: it holds a private key)"
	}
	return lineDiff(string(a), string(b), maskLine)
}

// find returns the file of this path in the repository that has this state.
func (d *fileDiffs) find(name, state string) (core.ContentFile, bool) {
	for _, p := range d.projects {
		for _, c := range p.Content {
			for _, f := range c.Files {
				if state != "" && stateOf(f) == state && sourceOf(c, f) == name {
					return f, true
				}
			}
		}
	}
	return core.ContentFile{}, false
}

var privateFile = regexp.MustCompile(`(?i)\.(pem|key|p12|pfx|jks|kdbx)$`)

func (d *fileDiffs) hides(name string) bool {
	secret := slices.ContainsFunc(d.private, func(source string) bool { return name == clip(source) || strings.HasPrefix(name, clip(source)+"/") })
	return secret || privateFile.MatchString(name) || sensitiveName.MatchString(path.Base(name))
}

func (d *fileDiffs) read(f core.ContentFile) ([]byte, error) {
	blob, err := d.blobs.OpenBlob(f.Digest)
	if err != nil {
		return nil, err
	}
	defer blob.Close()
	return io.ReadAll(io.LimitReader(blob, maxDiffFile))
}

func isText(content []byte) bool { return utf8.Valid(content) && !bytes.Contains(content, []byte{0}) }

// setting matches a line that gives something a value: NAME=value, name: value, "name": "value".
var setting = regexp.MustCompile(`^(\s*(?:export\s+|-\s+)?["']?([A-Za-z0-9_.-]+)["']?\s*[:=]\s*)(\S.*)$`)

// maskLine is a line of a file as people may see it.
func maskLine(line string) string {
	if m := setting.FindStringSubmatch(line); m != nil && sensitiveName.MatchString(lastPart(m[2])) && !strings.HasSuffix(m[2], "_FILE") {
		line = m[1] + hideText(m[3])
	} else {
		line = hideParts(line)
	}
	runes := []rune(strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return r
		case unicode.IsControl(r):
			return ' '
		}
		return r
	}, strings.TrimSuffix(line, "\r")))
	if len(runes) > maxDiffWidth {
		return string(runes[:maxDiffWidth-1]) + "…"
	}
	return string(runes)
}
