// Package sops reads and writes secrets.yaml: a flat YAML mapping of names to values that sops has
// encrypted for a repository's age key. It implements repositories.FileCipher with the libraries
// of sops and age, in this process: no program is run, no file is written, and no key but the given
// one is looked for, neither in the process environment nor in anybody's home.
//
// What is read, and what is not:
//
//   - Only age keys open a file. Other key sources (PGP, key management services, Vault) are never
//     asked. A file that names them beside the repository's key is opened with that one; a file
//     without any age key, or one that needs several key groups, is refused.
//   - Values are text. Numbers, booleans and times come as sops writes them: 1, 1.5, true,
//     2006-01-02T15:04:05Z. What must stay as it was typed, such as 007, belongs in quotes. Lists, nested
//     mappings and null are refused; so are aliases and further documents. Comments are allowed.
//   - A file may be encrypted in part (unencrypted_suffix, encrypted_regex and their kin). What is in
//     clear is a variable like the others and kept as secret, because the MAC covers it. With
//     mac_only_encrypted it does not, and such a file must have nothing in clear.
//   - An empty value is never encrypted, as sops does it.
//
// The MAC is always checked. No message holds a value: what the libraries say is dropped, because it may.
//
// One thing of the host does matter, because the library reads it when a program starts: its audit
// log, /etc/sops/audit.yaml, where root has set that up.
//
// The package must not know stacks, nor where keys are kept. Start with Files.
package sops

import (
	"io"

	"github.com/getsops/sops/v3/logging"
)

// Limits of a file.
const (
	MaxFile  = 1 << 20 // bytes
	maxKeys  = 1000
	maxNodes = 10_000 // in the section that sops writes
	maxDepth = 8
	maxRule  = 1000 // bytes of a suffix or pattern that says what is encrypted
	maxOwn   = 100  // keys of one file
)

// Files reads and writes secrets.yaml. It has no state.
type Files struct{}

func init() {
	for _, log := range logging.Loggers {
		log.SetOutput(io.Discard) // it warns with the text of comments
	}
}
