// Package ssh reaches SSH hosts for Git: it reads and makes private keys, fetches a host's keys for somebody to
// compare, and runs one command on a host that is known.
//
// It owns golang.org/x/crypto/ssh and the two rules of every connection. The address that is dialled, not
// the name that led there, must be one that repositories.MayReach. And the host must prove itself with
// a key that was accepted for it before anything is proven to it: there is no way around that here.
// Keys live in memory only; no ssh program, agent, configuration file or known_hosts file is used, and no
// proxy. The package must not know Git or stores. Start with Reach in reach.go; Keys in keys.go stands apart.
package ssh
