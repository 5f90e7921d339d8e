package core

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
)

// ContentDigest names a content by its members, sorted by path. Lengths are written before texts, so
// no two different sets give the same bytes.
func ContentDigest(files []ContentFile) string {
	h := sha256.New()
	for _, f := range files {
		writeText(h, f.Path)
		writeText(h, map[bool]string{true: "executable", false: "file"}[f.Executable])
		writeText(h, f.Digest)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func writeText(h hash.Hash, text string) { fmt.Fprintf(h, "%d:%s", len(text), text) }
