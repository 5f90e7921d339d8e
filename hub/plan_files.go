package hub

import (
	"bytes"
	"io"

	"berth/core/stacks"
)

// Limits of the repository content that a plan holds in memory.
const (
	maxPlanFile    = 64 << 10 // bytes of a file
	maxPlanContent = 8 << 20  // of all
)

// planContent is what of a rendering's files a plan compares by line, by digest.
type planContent map[string][]byte

// keep takes content that is small enough; the rest is compared by digest alone.
func (c planContent) keep(digest string, content []byte) error {
	held := 0
	for _, other := range c {
		held += len(other)
	}
	if len(content) <= maxPlanFile && held+len(content) <= maxPlanContent {
		c[digest] = bytes.Clone(content)
	}
	return nil
}

// planBlobs opens what a plan compares: of the head from memory, of revisions from their files.
type planBlobs struct {
	head   planContent
	stored stacks.Blobs
}

func (b planBlobs) OpenBlob(digest string) (io.ReadCloser, error) {
	if content, there := b.head[digest]; there {
		return io.NopCloser(bytes.NewReader(content)), nil
	}
	return b.stored.OpenBlob(digest)
}
