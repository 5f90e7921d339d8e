package git

import (
	"bytes"
	"encoding/hex"
	"fmt"

	"berth/core"
)

// entry is one line of a tree object.
type entry struct {
	kind entryKind
	mode core.EntryMode // of everything but folders
	hash string
}

type entryKind int

const (
	isFile entryKind = iota // a regular file, executable or not
	isFolder
	isOther // a symbolic link or a submodule
)

// folder is a tree object: its entries by name.
type folder map[string]entry

var errMalformedTree = fmt.Errorf("%w: malformed tree", errMissing)

// parseFolder reads a tree object whose hashes have hashSize bytes.
func parseFolder(raw []byte, hashSize int) (folder, error) {
	found := make(folder, len(raw)/(hashSize+16))
	for len(raw) > 0 {
		head, rest, ok := bytes.Cut(raw, []byte{0})
		mode, name, spaced := bytes.Cut(head, []byte{' '})
		if !ok || !spaced || len(name) == 0 || len(rest) < hashSize {
			return nil, errMalformedTree
		}
		e := entryOf(string(bytes.TrimLeft(mode, "0")))
		e.hash = hex.EncodeToString(rest[:hashSize])
		if _, twice := found[string(name)]; twice {
			return nil, errMalformedTree
		}
		found[string(name)] = e
		raw = rest[hashSize:]
	}
	return found, nil
}

// entryOf reads Git's octal modes. Old programs wrote others for files, such as 100664.
func entryOf(mode string) entry {
	switch mode {
	case "40000":
		return entry{kind: isFolder}
	case "120000":
		return entry{kind: isOther, mode: core.ModeSymlink}
	case "160000":
		return entry{kind: isOther, mode: core.ModeSubmodule}
	case "100755":
		return entry{kind: isFile, mode: core.ModeExecutable}
	}
	return entry{kind: isFile, mode: core.ModeFile}
}
