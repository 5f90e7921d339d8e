//go:build race

package render

import "time"

// quickly is longer under the race detector, which makes everything some ten times slower.
const quickly = 3 * time.Second
