//go:build !race

package hub

// How many there are in the tests of many.
const (
	manySessions = 1000
	manyStacks   = 100
)
