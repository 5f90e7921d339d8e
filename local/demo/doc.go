// Package demo owns what the first run shows: a Git repository with two stacks, served
// on loopback, and the steps that add them to a fresh installation. The image that they
// run is made from local/demo/app.
//
// It asks for everything through the same use cases as people do. Doing it again is
// harmless: what is there already is left alone. Start with Run.
package demo
