// Package statuses tells Git hosts what became of commits: it claims the commit statuses that are due, tells each to the host of its
// repository with the repository's key, and settles what came of that. One hub does at a time, the one that leads.
//
// A host that is away or refuses disturbs no deployment: deployments only store what is to be told. The package must not know
// how hosts are spoken to. Start with Runner.
package statuses
