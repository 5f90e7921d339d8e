// Package secrets owns what a secret is: the Value that will not print itself, the
// grammar of secret references, the Provider port that resolves them, and redaction.
//
// It must not know where secrets are stored or sent. Start with Value.
package secrets
