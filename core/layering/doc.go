// Package layering holds the tests that keep the package map true: who may import whom,
// each rule with its reason. It has no code of its own.
//
// The tests read the import clauses of every Go file below the module's root. Reading the
// files themselves, instead of asking a tool, makes the test cache notice when one of
// them changes. Start with the rules in layering_test.go.
package layering
