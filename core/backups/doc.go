// Package backups owns what a backup is: how it is called, what its archive must hold and may not, which
// backups are kept and when the next one is due.
//
// An archive has a Head, then its members, then the Manifest that names each of them with its digest; whoever
// reads one trusts nothing of it before the manifest was met and everything agreed. The package must not know
// encryption, files or HTTP. Start with Backup and Desk.
package backups
