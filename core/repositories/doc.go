// Package repositories owns what the domain knows about Git repositories: which
// addresses, branches and paths are acceptable, what is kept of a repository and of a
// repository key (a credential), which host a credential may be sent to, and what a
// repository holds that could be deployed.
//
// Each repository has an age key pair, for which its stacks' secrets files are encrypted: agekey.go and
// secretsfile.go. A credential is bound to one host and its password is opened only in Source, in
// memory, for whoever is about to ask that host. The package must not know how Git is
// spoken (core.GitRemote does) nor SQL. What it needs is in ports.go. Start with Desk in
// desk.go; Address in address.go judges addresses, Browser in browse.go reads content.
package repositories
