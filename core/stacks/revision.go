package stacks

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"berth/core"
)

// Revision is a numbered, immutable state of a stack. Its rendered files lie under
// STACKS_STORAGE_PATH; this is the row that points at them.
type Revision struct {
	Stack     core.StackID
	Number    int
	Commit    core.Commit // the first commit that led to it
	Digest    string      // over everything that decides what runs: same inputs, same revision
	Manifest  Manifest
	Services  []core.ComposeService
	Content   []core.Content
	Variables []Fingerprint // of the secret variables that reach it, by name
	// SecretsFile is the hex SHA-256 of the encrypted secrets file that it was rendered with, whose bytes are kept with
	// its content; empty: the stack's folder had none.
	SecretsFile string
	Watch       []string // repository paths outside the stack's folder that it was rendered from
	Tree        string   // what Sight.Tree was at Commit; empty when it was stored by an older release
	CreatedAt   time.Time
	// VerifiedAt is when it was last put in place and found to run well; zero: never yet.
	VerifiedAt time.Time
}

// KeptRevision says which files a revision needs.
type KeptRevision struct {
	Stack       core.StackID
	Number      int
	Content     []core.Content
	SecretsFile string // digest; empty: none
	Illegible   bool   // what it mounts cannot be read, so that any file may be needed
}

// Fingerprint identifies the value that a secret variable had, without telling it.
type Fingerprint struct {
	Name        string `json:"name"`
	Fingerprint string `json:"fingerprint"`
}

// RevisionDigest returns the digest of a rendered project with the manifest and the
// values it was rendered for. It decides whether a render is a new revision. A secrets file that was encrypted
// anew makes one even when it holds the same values: what the old one holds, no key may open any more.
func RevisionDigest(project core.ComposeProject, m Manifest, variables []Fingerprint, secretsFile string) string {
	hash := sha256.New()
	enc := json.NewEncoder(hash)
	parts := []any{project.YAML, project.Content, m, variables}
	if secretsFile != "" {
		parts = append(parts, secretsFile)
	}
	for _, part := range parts {
		if err := enc.Encode(part); err != nil {
			panic("stacks: a revision's parts always encode: " + err.Error())
		}
	}
	return hex.EncodeToString(hash.Sum(nil))
}
