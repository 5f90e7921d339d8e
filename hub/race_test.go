//go:build race

package hub

// Under the race detector everything takes ten times as long, and there is a limit of goroutines.
const (
	manySessions = 300
	manyStacks   = 30
)
