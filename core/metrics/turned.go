package metrics

import (
	"math/bits"
	"sync/atomic"
)

// maxOwn is how many families the server may declare.
const maxOwn = 4 * 64

// turned are the places of families that are not what they were when they were taken last. A scrape looks at
// those alone.
type turned [maxOwn / 64]atomic.Uint64

func (t *turned) add(place int) { t[place/64].Or(1 << (place % 64)) }

// take empties t into each. What turns meanwhile is taken now or the next time.
func (t *turned) take(each func(place int)) {
	for word := range t {
		for left := t[word].Swap(0); left != 0; left &= left - 1 {
			each(word*64 + bits.TrailingZeros64(left))
		}
	}
}
