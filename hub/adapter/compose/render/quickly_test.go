//go:build !race

package render

import "time"

// quickly is how long refusing a hostile file may take (R6).
const quickly = 200 * time.Millisecond
