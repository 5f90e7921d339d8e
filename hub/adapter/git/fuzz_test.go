package git

import (
	"bufio"
	"bytes"
	"strings"
	"testing"

	"berth/core"
)

// A list of refs comes from any host: whatever it holds, a commit is a full hash.
func FuzzRefs(f *testing.F) {
	hash := strings.Repeat("a", 40)
	f.Add([]byte("003d"+hash+" refs/heads/main\n0000"), "main")
	f.Add([]byte("001e# service=git-upload-pack\n0000003d"+hash+" refs/heads/main\n0000"), "")
	f.Add([]byte("000eversion 2\n0017object-format=sha1\n0000"), "main")
	f.Add([]byte(hash+"\trefs/heads/main\n"), "main")
	f.Add([]byte("ref: refs/heads/main\n"), "")
	f.Add([]byte("0068"+hash+" refs/tags/v1.2.3 peeled:"+strings.Repeat("b", 40)+"\n0000"), "^1")
	f.Add([]byte(hash+"\trefs/tags/v1.0.0\n"+hash+"\trefs/tags/v1.0.0^{}\n"), "1.x")
	f.Fuzz(func(t *testing.T, answer []byte, branch string) {
		for _, read := range []func(*refs) error{
			func(l *refs) error { _, err := l.readAdvertisement(bytes.NewReader(answer)); return err },
			func(l *refs) error { return l.readRefs(bytes.NewReader(answer)) },
			func(l *refs) error { return l.readFiles(bufio.NewReader(bytes.NewReader(answer))) },
			func(l *refs) error { return l.follow(string(answer)) },
		} {
			src := core.GitSource{Branch: branch}
			if strings.ContainsAny(branch, "^.") {
				src = core.GitSource{Semver: branch}
			}
			list := newRefs(src)
			err := read(list)
			if found := string(list.points()); found != "" && !hexHash.MatchString(found) {
				t.Fatalf("commit %q, %v", list.commit, err)
			}
			if list.wanted != "HEAD" && list.wanted != "" && !strings.HasPrefix(list.wanted, branchRefs) && !strings.HasPrefix(list.wanted, tagRefs) {
				t.Fatalf("wants %q", list.wanted)
			}
		}
	})
}

// A tree object comes from any committer: what is read of it is all of it.
func FuzzFolder(f *testing.F) {
	f.Add([]byte("100644 a\x0001234567890123456789"+"40000 b\x0001234567890123456789"), 20)
	f.Add([]byte("120000 l\x0001234567890123456789012345678901"), 32)
	f.Fuzz(func(t *testing.T, raw []byte, hashSize int) {
		if hashSize != 20 {
			hashSize = 32
		}
		found, err := parseFolder(raw, hashSize)
		if err != nil {
			return
		}
		total := 0
		for name, e := range found {
			if name == "" || strings.Contains(name, "\x00") || len(e.hash) != 2*hashSize {
				t.Fatalf("entry %q: %+v", name, e)
			}
			total += len(name) + hashSize + 2
		}
		if total > len(raw) {
			t.Fatalf("%d bytes gave entries of %d", len(raw), total)
		}
	})
}

// What git prints holds names from any committer.
func FuzzRecords(f *testing.F) {
	f.Add("100644 blob " + strings.Repeat("a", 40) + "      12\ta/b")
	f.Add(strings.Repeat("a", 40) + "\n1700000000\nMe\nSubject\nand more")
	f.Fuzz(func(t *testing.T, record string) {
		if e, err := parseEntry(record); err == nil && (e.Path == "" || e.Hash == "") {
			t.Fatalf("entry %+v", e)
		}
		if s, err := parseSummary(record); err == nil && (!hexHash.MatchString(string(s.Commit)) || len(s.Subject) > maxSubject || len(s.Author) > maxSubject) {
			t.Fatalf("summary %+v", s)
		}
	})
}
