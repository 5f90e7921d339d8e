// Package repositories owns what the domain knows about Git repositories before any
// of them is read: which addresses and branch names are acceptable, and in which form
// they are kept.
//
// It must not know how Git is spoken (core.GitRemote does) nor where anything is
// stored. Start reading at Address.
package repositories
