// Package core holds the nouns that every part of Berth shares: typed identifiers and
// the ports through which the domain reaches the outside world.
//
// It and everything below it reach only the standard library. The packages below own
// one noun or one mechanism each; core/store is the only one that touches a database,
// core/wire the only one that knows what hub and worker say to each other. Start with
// id.go and ports.go, then core/stacks, where the main job is decided.
package core
